// The statement of one balance for a month, to be printed: what it began with, each movement, what
// it ended with. Every figure is the API's own; of a long month all is read when asked.
// What it began and ended with are of the daily report: movements come in the order in which they
// began, so the last of them need not be the one after which the balance stood as it did.

import type {
  DailyReport,
  GetMerchantLedgerEntriesData,
  GetMerchantLedgerEntriesResponse,
  GetReportsDailyData,
  GetReportsDailyResponse,
  LedgerEntry,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import { dayBeside, daysBefore, edgeOfDay, monthBefore, writeMonth } from '../../format/moment.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { Records } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { When } from '../../parts/tips.tsx'
import { Refused } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button } from '../../ui/form.tsx'
import { Empty, type Reading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { type Asked, type Entries, page_max, useAllEntries } from './all-entries.ts'
import { causeOf, movementOf, useSignedSum } from './movement.ts'

const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text)

/** The whole month, whatever its length. */
const periodOf = (month: string) => monthBefore(daysBefore(`${month}-01`, -32))

type BalanceOfDay = DailyReport['balances'][number]

export default function Statement({ country }: { country: string }) {
  const { place, clock, language, today } = useHere()
  const { filters, set } = useFilters({ month: isMonth })
  const now = today()
  const last = monthBefore(now).from.slice(0, 7)
  const { month: typed = last } = filters
  const month = typed <= now ? typed : last
  const { from, to } = periodOf(month)
  const begins = edgeOfDay(from, 'begins', clock.zone)
  const ends = edgeOfDay(to, 'ends', clock.zone)
  const bounds = { country, created_at__gte: begins, created_at__lte: ends }
  const inside = useRead<GetMerchantLedgerEntriesData, GetMerchantLedgerEntriesResponse>(place, {
    url: '/merchant-ledger-entries/',
    query: { ...bounds, page_size: page_max },
  })
  const first = useDay(from)
  const latest = useDay(to < now ? to : now)
  const title = t('statement', { country: countryName(country, language) })
  const days = [first, latest]
  const shown: Reading<unknown> =
    days.find(({ data, isPlaceholderData }) => data === undefined || isPlaceholderData) ?? inside
  // The month that was shown before stays for a moment: never under the name of another.
  const isWhole = [...days, inside].every(({ isPlaceholderData }) => !isPlaceholderData)
  const ofBalance = ({ data }: typeof first) =>
    data?.balances.find((balance) => balance.country === country)
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
          {isWhole && inside.data && first.data && latest.data && (
            <Whole
              key={`${country}${month}`}
              {...{ bounds, inside: inside.data }}
              first={ofBalance(first)}
              latest={ofBalance(latest)}
            />
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

function useDay(date: string) {
  const { place } = useHere()
  return useRead<GetReportsDailyData, GetReportsDailyResponse>(place, {
    url: '/reports/daily/',
    query: { date },
  })
}

type WholeProps = Readonly<{
  bounds: Asked
  inside: Entries
  first: BalanceOfDay | undefined
  latest: BalanceOfDay | undefined
}>

/** A day before the balance first moved has none of it. */
function Whole({ inside, bounds, first, latest }: WholeProps) {
  const { amount } = useHere()
  const all = useAllEntries(inside, bounds)
  if (latest === undefined) {
    return (
      <Empty>
        <p>{t('no_movement_yet')}</p>
      </Empty>
    )
  }
  const { currency, closing_balance } = latest
  return (
    <>
      <Facts
        of={[
          [t('opening'), amount(first?.opening_balance ?? '0.00', currency)],
          [t('closing'), amount(closing_balance, currency)],
        ]}
      />
      {(!all.isWhole || all.hasMoved) && <ReadOn {...all} />}
      {all.isWhole && all.rows.length === 0 && <p>{t('statement_nothing')}</p>}
      {all.isWhole && all.rows.length > 0 && <Movements of={all.rows} />}
      <div className="acts">
        {all.isWhole && (
          <Button look="plain" onClick={() => print()}>
            {t('print')}
          </Button>
        )}
      </div>
    </>
  )
}

/** Movements that are not read yet: how many are, and how all of them come. */
function ReadOn(all: ReturnType<typeof useAllEntries>) {
  const { rows, isTooMany, hasMoved, isBusy, failure, readOn } = all
  const count = rows.length
  const said = isTooMany ? 'statement_too_many' : 'statement_read'
  return (
    <>
      <p className={isTooMany ? 'warned' : undefined} role="status">
        {hasMoved ? t('statement_newer') : t(said, { count })}
      </p>
      <Refused failure={failure} />
      {(!isTooMany || hasMoved) && (
        <div className="acts">
          <Button busy={isBusy} onClick={() => void readOn()}>
            {t('statement_read_on')}
          </Button>
        </div>
      )}
    </>
  )
}

/** The oldest first, as a bank prints them. */
function Movements({ of: rows }: { of: readonly LedgerEntry[] }) {
  const { amount } = useHere()
  const signed = useSignedSum()
  const after = (of: LedgerEntry) => amount(of.balance_after, of.currency)
  return (
    <Records
      caption={t('movements')}
      rows={[...rows].reverse()}
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
  )
}
