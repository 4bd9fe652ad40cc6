// The statement of one balance for a month, to be printed: what it began with, each movement, what
// it ended with. Every figure is the API's own; where a month has more than fit there is a file.

import type {
  GetMerchantLedgerEntriesData,
  GetMerchantLedgerEntriesResponse,
  LedgerEntry,
} from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import {
  dayBeside,
  daysBefore,
  edgeOfDay,
  monthBefore,
  today,
  writeMonth,
} from '../../format/moment.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { Records } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { When } from '../../parts/tips.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button } from '../../ui/form.tsx'
import { Empty } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { causeOf, movementOf, useSignedSum } from './movement.ts'

/** As many as one page of the API has: what is printed is whole, or is not printed. */
const rows_max = 200

const looksLikeMonth = /^\d{4}-(0[1-9]|1[0-2])$/

/** The whole month, whatever its length. */
const periodOf = (month: string) => monthBefore(daysBefore(`${month}-01`, -32))

type Entries = ContentOf<GetMerchantLedgerEntriesResponse>

export default function Statement({ country }: { country: string }) {
  const { place, clock, language } = useHere()
  const { filters, set } = useFilters(['month'])
  const now = today(clock.zone)
  const typed = filters.month ?? ''
  const last = monthBefore(now).from.slice(0, 7)
  const month = looksLikeMonth.test(typed) && typed <= now ? typed : last
  const { from, to } = periodOf(month)
  const begins = edgeOfDay(from, 'begins', clock.zone)
  const ends = edgeOfDay(to, 'ends', clock.zone)
  const bounds = { country, created_at__gte: begins, created_at__lte: ends }
  const read = (query: GetMerchantLedgerEntriesData['query']) => ({
    url: '/merchant-ledger-entries/' as const,
    query,
  })
  const inside = useRead<GetMerchantLedgerEntriesData, GetMerchantLedgerEntriesResponse>(
    place,
    read({ ...bounds, page_size: rows_max }),
  )
  const before = useRead<GetMerchantLedgerEntriesData, GetMerchantLedgerEntriesResponse>(
    place,
    read({
      country,
      created_at__lte: edgeOfDay(dayBeside(from, -1), 'ends', clock.zone),
      page_size: 1,
    }),
  )
  const title = t('statement', { country: countryName(country, language) })
  const shown = before.data === undefined || before.isPlaceholderData ? before : inside
  // The month that was shown before stays for a moment: never under the name of another.
  const isWhole = !inside.isPlaceholderData && !before.isPlaceholderData
  return (
    <RecordPage
      title={title}
      back={{ path: `/balances/${country}`, name: countryName(country, language) }}
      reading={shown}
    >
      {() => (
        <>
          <h2>
            <time dateTime={month}>{writeMonth(month, language)}</time>
          </h2>
          <div className="pager">
            <Button look="plain" onClick={() => set({ month: dayBeside(from, -1).slice(0, 7) })}>
              {t('month_before')}
            </Button>
            {to < now && (
              <Button look="plain" onClick={() => set({ month: dayBeside(to, 1).slice(0, 7) })}>
                {t('month_after')}
              </Button>
            )}
          </div>
          {to >= now && <p className="warned">{t('statement_open')}</p>}
          {isWhole && inside.data && before.data && (
            <Whole inside={inside.data} opening={before.data.results[0]} />
          )}
          <SaveList
            of={inside}
            path="/merchant-ledger-entries/export/"
            query={bounds}
            only={[countryName(country, language), writeMonth(month, language)]}
          />
        </>
      )}
    </RecordPage>
  )
}

type WholeProps = Readonly<{ inside: Entries; opening: LedgerEntry | undefined }>

/** What the last movement before it left is what the month began with; none before: nothing. */
function Whole({ inside: { results, next }, opening }: WholeProps) {
  const { amount } = useHere()
  const signed = useSignedSum()
  const currency = (results[0] ?? opening)?.currency
  if (currency === undefined) {
    return (
      <Empty>
        <p>{t('no_movement_yet')}</p>
      </Empty>
    )
  }
  const opened = opening?.balance_after ?? '0.00'
  const after = (of: LedgerEntry) => amount(of.balance_after, of.currency)
  return (
    <>
      <Facts
        of={[
          [t('opening'), amount(opened, currency)],
          [t('closing'), amount(results[0]?.balance_after ?? opened, currency)],
        ]}
      />
      {next !== null && <p className="warned">{t('statement_many')}</p>}
      {next === null && results.length === 0 && <p>{t('statement_nothing')}</p>}
      {next === null && results.length > 0 && (
        <Records
          caption={t('movements')}
          rows={[...results].reverse()}
          keyOf={({ id }) => id}
          to={causeOf}
          columns={[
            { name: 'date', of: ({ created_at }) => <When of={created_at} />, is: 'whole' },
            { name: 'reference', of: ({ reference }) => reference, is: 'whole' },
            { name: 'movement', of: movementOf },
            { name: 'amount', of: signed, is: 'figure' },
            { name: 'balance_after', of: after, is: 'figure' },
          ]}
          card={(of) => ({
            head: signed(of),
            status: <When of={of.created_at} />,
            left: movementOf(of),
            right: t('leaves', { amount: after(of) }),
          })}
        />
      )}
      <div className="acts">
        <Button look="plain" onClick={() => print()}>
          {t('print')}
        </Button>
      </div>
    </>
  )
}
