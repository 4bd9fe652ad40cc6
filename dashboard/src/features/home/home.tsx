// Home: what one has, what came in today, what waits. Every figure is the API's own; what it does
// not count is not shown.

import { Link } from 'wouter'
import type {
  DailyReport,
  GetMerchantBalancesData,
  GetMerchantBalancesResponse,
  GetReportsDailyData,
  GetReportsDailyResponse,
  GetTransactionsData,
  GetTransactionsResponse,
  MerchantBalance,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { countryName, placeOf, today, writeDay } from '../../format/moment.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Empty, Read, useIsWide } from '../../ui/state.tsx'
import { type Key, t } from '../../words/translate.ts'
import { OpenLive } from './open-live.tsx'

const every_ms = 60_000

export default function Home() {
  return (
    <Page title={t('home')}>
      <OpenLive />
      <div className="columns">
        <Balances />
        <Waiting />
      </div>
      <Today />
    </Page>
  )
}

function Balances() {
  const { place } = useHere()
  const balances = useRead<GetMerchantBalancesData, GetMerchantBalancesResponse>(
    place,
    { url: '/merchant-balances/', query: { page_size: 100 } },
    { every_ms },
  )
  return (
    <section>
      <h2>{t('balances')}</h2>
      <Read of={balances}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('no_balance_yet')}</p>
            </Empty>
          ) : (
            <ul className="cards">
              {results.map((balance) => (
                <Balance key={balance.id} of={balance} />
              ))}
            </ul>
          )
        }
      </Read>
    </section>
  )
}

function Balance({ of }: { of: MerchantBalance }) {
  const { amount, language } = useHere()
  const others: readonly (readonly [Key, string])[] = [
    ['in_flight', of.pending_amount],
    ['frozen', of.frozen_amount],
  ]
  return (
    <li className="balance">
      <span className="mute">{countryName(of.country, language)}</span>
      <b className="big">{amount(of.available_amount, of.currency)}</b>
      {others
        .filter(([, sum]) => !isZero(sum))
        .map(([name, sum]) => (
          <span key={name} className="small">
            {t(name, { amount: amount(sum, of.currency) })}
          </span>
        ))}
      {of.is_frozen && <span className="wrong">{t('balance_frozen')}</span>}
    </li>
  )
}

function Waiting() {
  const { place, to } = useHere()
  const waiting = useRead<GetTransactionsData, GetTransactionsResponse>(
    place,
    { url: '/transactions/', query: { status: 'PENDING', page_size: 5 } },
    { every_ms },
  )
  return (
    <section>
      <h2>{t('waiting')}</h2>
      <Read of={waiting}>
        {({ results, next }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('nothing_waits')}</p>
            </Empty>
          ) : (
            <>
              <TransactionCards rows={results} />
              {next !== null && (
                <p>
                  <Link href={`${to('/payments')}?status=PENDING`}>{t('more_waiting')}</Link>
                </p>
              )}
            </>
          )
        }
      </Read>
    </section>
  )
}

function Today() {
  const { place, language, clock } = useHere()
  const date = today(clock.zone)
  const report = useRead<GetReportsDailyData, GetReportsDailyResponse>(
    place,
    { url: '/reports/daily/', query: { date } },
    { every_ms },
  )
  return (
    <section>
      <h2>{t('today', { day: writeDay(date, language) })}</h2>
      <Read of={report}>
        {({ transactions, time_zone }) =>
          transactions.length === 0 ? (
            <Empty>
              <p>{t('nothing_today')}</p>
            </Empty>
          ) : (
            <>
              <DayRows rows={transactions} />
              <p className="mute small">{t('day_is_of', { zone: placeOf(time_zone) })}</p>
            </>
          )
        }
      </Read>
    </section>
  )
}

type Row = DailyReport['transactions'][number]

const DayRows = ({ rows }: { rows: readonly Row[] }) =>
  useIsWide() ? <DayTable rows={rows} /> : <DayCards rows={rows} />

const keyOf = ({ country, network, type, currency }: Row): string =>
  [country, network, type, currency].join(' ')

function DayTable({ rows }: { rows: readonly Row[] }) {
  const { amount } = useHere()
  const networkName = useNetworkNames()
  return (
    <div className="scroll">
      <table>
        <caption className="unseen">{t('succeeded_today')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('network')}</th>
            <th scope="col">{t('kind')}</th>
            {(['count', 'asked', 'fees', 'net'] as const).map((name) => (
              <th key={name} scope="col" className="figure">
                {t(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{networkName(row.network)}</th>
              <td>{t(`type_${row.type}`)}</td>
              <td className="figure">{row.count}</td>
              <td className="figure">{amount(row.requested, row.currency)}</td>
              <td className="figure">{amount(row.fees, row.currency)}</td>
              <td className="figure">{amount(row.net, row.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DayCards({ rows }: { rows: readonly Row[] }) {
  const { amount } = useHere()
  const networkName = useNetworkNames()
  return (
    <ul className="cards">
      {rows.map((row) => (
        <li key={keyOf(row)} className="balance">
          <span className="card-line">
            <span>
              {networkName(row.network)} · {t(`type_${row.type}`)}
            </span>
            <span>{row.count}</span>
          </span>
          <b>{amount(row.requested, row.currency)}</b>
          <span className="small mute">
            {t('fees_and_net', {
              fees: amount(row.fees, row.currency),
              net: amount(row.net, row.currency),
            })}
          </span>
        </li>
      ))}
    </ul>
  )
}
