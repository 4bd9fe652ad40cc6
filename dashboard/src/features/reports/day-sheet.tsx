// A day of the merchant's calendar: what succeeded, and each balance from its opening to its
// closing, movement by movement. Every figure is the report's own.

import { useLocation } from 'wouter'
import type {
  DailyReport,
  GetReportsDailyData,
  GetReportsDailyResponse,
} from '../../api/types.gen.ts'
import { downloadFile } from '../../data/download.ts'
import { useRead } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { byCountry, countryName } from '../../format/country.ts'
import { dayBeside, writeDay } from '../../format/moment.ts'
import { placeOf } from '../../format/zone.ts'
import { GuardedButton } from '../../parts/act.tsx'
import { useFileLabel } from '../../parts/file-label.ts'
import { isDay } from '../../parts/filter-values.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Records } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { ReportTabs } from './report-tabs.tsx'

export default function DaySheet() {
  const { place, today } = useHere()
  const { filters } = useFilters({ date: isDay })
  const now = today()
  const { date = now } = filters
  const report = useRead<GetReportsDailyData, GetReportsDailyResponse>(place, {
    url: '/reports/daily/',
    query: { date },
  })
  return (
    <Page title={t('reports')}>
      <ReportTabs />
      <Days date={date} now={now} />
      <Read of={report}>{(sheet) => <Sheet of={sheet} />}</Read>
    </Page>
  )
}

function Days({ date, now }: Readonly<{ date: string; now: string }>) {
  const { to } = useHere()
  const [, navigate] = useLocation()
  const go = (day: string) => navigate(`${to('/reports')}?date=${day}`)
  return (
    <search>
      <form
        key={date}
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          go(textIn(new FormData(event.currentTarget), 'date'))
        }}
      >
        <div className="search-line">
          <TextField label={t('day')} type="date" name="date" max={now} defaultValue={date} />
          <Button type="submit">{t('show')}</Button>
        </div>
        <div className="pager">
          <Button look="plain" onClick={() => go(dayBeside(date, -1))}>
            {t('day_before')}
          </Button>
          {date < now && (
            <Button look="plain" onClick={() => go(dayBeside(date, 1))}>
              {t('day_after')}
            </Button>
          )}
        </div>
      </form>
    </search>
  )
}

type Day = DailyReport['balances'][number]

/** Nothing was there, and nothing came: a line of all such says as much as a table of each. */
const isQuiet = ({ movements, opening_balance, closing_balance }: Day): boolean =>
  movements.length === 0 && isZero(opening_balance) && isZero(closing_balance)

function Sheet({ of }: { of: DailyReport }) {
  const { language, merchant } = useHere()
  const balances = byCountry(of.balances, language, merchant.country)
  const quiet = balances.filter(isQuiet).map(({ country }) => countryName(country, language))
  return (
    <>
      <h2>{`${writeDay(of.date, language)} ${of.date.slice(0, 4)}`}</h2>
      {of.provisional && <p className="warned">{t('day_provisional')}</p>}
      <Succeeded rows={byCountry(of.transactions, language, merchant.country)} />
      {balances
        .filter((balance) => !isQuiet(balance))
        .map((balance) => (
          <Balance key={balance.country} of={balance} />
        ))}
      {quiet.length > 0 && <p>{t('day_quiet', { countries: quiet.join(', ') })}</p>}
      <p className="mute small">{t('day_is_of', { zone: placeOf(of.time_zone, language) })}</p>
      <Save date={of.date} />
    </>
  )
}

function Save({ date }: { date: string }) {
  const { place, language } = useHere()
  const labelOf = useFileLabel()
  const { isBusy, failure, run } = useAct()
  const query = new URLSearchParams({
    ...{ date, format: 'csv', locale: language, bom: 'true' },
    file_label: labelOf({ to: date }),
  })
  return (
    <div className="acts">
      <Refused failure={failure} />
      <GuardedButton
        name={t('save_csv')}
        whyNot={undefined}
        busy={isBusy}
        onClick={() => run(() => downloadFile(place, `/reports/daily/?${query}`))}
      />
      <Button look="plain" onClick={() => print()}>
        {t('print')}
      </Button>
    </div>
  )
}

/** On a card, where no head of a column says what the figure is. */
const Count = ({ of }: { of: number }) => <span>{`${t('count')}${t('colon')} ${of}`}</span>

type Row = DailyReport['transactions'][number]

function Succeeded({ rows }: { rows: readonly Row[] }) {
  const { amount } = useHere()
  const networkName = useNetworkNames()
  if (rows.length === 0) {
    return (
      <Empty>
        <p>{t('day_nothing')}</p>
      </Empty>
    )
  }
  const asked = (row: Row) => amount(row.requested, row.currency)
  const fees = (row: Row) => amount(row.fees, row.currency)
  const net = (row: Row) => amount(row.net, row.currency)
  return (
    <section>
      <h3>{t('day_succeeded')}</h3>
      <Records
        caption={t('day_succeeded')}
        rows={rows}
        keyOf={(row) => [row.country, row.network, row.type, row.currency].join(' ')}
        columns={[
          { name: 'network', of: ({ network }) => networkName(network) },
          { name: 'kind', of: ({ type }) => t(`type_${type}`) },
          { name: 'count', of: ({ count }) => count, is: 'figure' },
          { name: 'asked', of: asked, is: 'figure' },
          { name: 'fees', of: fees, is: 'figure' },
          { name: 'net', of: net, is: 'figure' },
        ]}
        card={(row) => ({
          head: asked(row),
          status: <Count of={row.count} />,
          left: `${networkName(row.network)} · ${t(`type_${row.type}`)}`,
          right: t('fees_and_net', { fees: fees(row), net: net(row) }),
        })}
      />
    </section>
  )
}

function Balance({ of }: { of: Day }) {
  const { amount, language } = useHere()
  const write = (sum: string) => amount(sum, of.currency)
  const name = countryName(of.country, language)
  return (
    <section>
      <h3>{t('day_balance', { country: name })}</h3>
      <Facts
        of={[
          [t('opening'), write(of.opening_balance)],
          [t('credits'), write(of.credits)],
          [t('debits'), write(of.debits)],
          [t('closing'), write(of.closing_balance)],
        ]}
      />
      {of.movements.length === 0 ? (
        <p>{t('day_no_movement')}</p>
      ) : (
        <Records
          caption={t('day_movements', { country: name })}
          rows={of.movements}
          keyOf={({ kind }) => kind}
          columns={[
            { name: 'movement', of: ({ kind }) => t(`movement_${kind}`) },
            { name: 'count', of: ({ count }) => count, is: 'figure' },
            { name: 'credits', of: ({ credits }) => write(credits), is: 'figure' },
            { name: 'debits', of: ({ debits }) => write(debits), is: 'figure' },
          ]}
          card={({ kind, count, credits, debits }) => ({
            head: t(`movement_${kind}`),
            status: <Count of={count} />,
            left: isZero(credits) ? '' : `+ ${write(credits)}`,
            right: isZero(debits) ? '' : `− ${write(debits)}`,
          })}
        />
      )}
    </section>
  )
}
