// Today until now, country by country, beside the same weekday a week before until the same time.
// Every figure, change and share is the API's own.

import { type ReactNode, useState } from 'react'
import type { Overview } from '../../api/types.gen.ts'
import { isZero } from '../../format/amount.ts'
import { byCountry, countryName } from '../../format/country.ts'
import { writeDay } from '../../format/moment.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty } from '../../ui/state.tsx'
import { useIsWide } from '../../ui/wide.ts'
import { t } from '../../words/translate.ts'
import { HourChart } from './hour-chart.tsx'

type Country = Overview['countries'][number]
type Network = Country['networks'][number]

/** More countries than that are folded, but the first: each fills a telephone's screen. */
const open_max = 2

export function Day({ of }: { of: Overview }) {
  const { moment, language, merchant } = useHere()
  return (
    <section>
      <h2>{t('glance_until', { at: moment(of.as_of) })}</h2>
      {of.countries.length === 0 ? (
        <Empty>
          <p>{t('nothing_today')}</p>
        </Empty>
      ) : (
        byCountry(of.countries, language, merchant.country).map((one, nth, { length }) => (
          <CountryDay
            key={one.country + one.currency}
            of={one}
            days={of}
            isFirst={nth === 0}
            isFolded={length > open_max && nth > 0}
          />
        ))
      )}
    </section>
  )
}

type CountryDayProps = Readonly<{
  of: Country
  days: Pick<Overview, 'date' | 'compared_date'>
  isFirst: boolean
  isFolded: boolean
}>

function CountryDay({ of, days, isFirst, isFolded }: CountryDayProps) {
  const { amount, language } = useHere()
  // What nobody has opened is not drawn: fifteen countries take a telephone a third of a second.
  const [wasOpened, setWasOpened] = useState(false)
  const name = countryName(of.country, language)
  if (!isFolded) {
    return (
      <div className="glance">
        <h3>{name}</h3>
        <Content {...{ of, days, isFirst }} />
      </div>
    )
  }
  return (
    <details
      className="glance record"
      onToggle={({ currentTarget }) => currentTarget.open && setWasOpened(true)}
    >
      <summary>
        <span className="card-line">
          {name} <b>{amount(of.today.taken, of.currency)}</b>
        </span>
      </summary>
      {wasOpened && <Content {...{ of, days, isFirst }} />}
    </details>
  )
}

type ContentProps = Omit<CountryDayProps, 'isFolded'>

function Content({ of, days, isFirst }: ContentProps) {
  const { to } = useHere()
  const { failures } = of
  const now = days.date
  const failed = to(`/payments?status=FAILED&type=PAIEMENT&country=${of.country}&from=${now}`)
  return (
    <>
      <Figures {...{ of, days, isFirst }} />
      <div className={failures.length > 0 ? 'columns' : undefined}>
        <Networks of={of} now={now} />
        {failures.length > 0 && (
          <div>
            <h4>{t('glance_failures')}</h4>
            <ul className="cards">
              {failures.map(({ code, message, count, percent }) => (
                <li key={code}>
                  <Link href={`${failed}&reason=${code}`}>
                    <span className="card-line">
                      <span>{message === '' ? code : message}</span>
                      <span className="whole">{t('glance_failed', { count, percent })}</span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </>
  )
}

/** Side by side on a desk; on a telephone what was taken, its hours, then the others. */
function Figures({ of, days: { date, compared_date: then }, isFirst }: ContentProps) {
  const { amount } = useHere()
  const share = useShare()
  const isWide = useIsWide()
  const { today, change, country, currency } = of
  const sum = (decimal: string) => amount(decimal, currency)
  const ofDay = `country=${country}&from=${date}`
  const hours = <HourChart {...{ of, then, isFirst }} />
  const { success_points: points } = change
  return (
    <>
      <div className="figures">
        <Figure
          name={t('glance_taken')}
          figure={sum(today.taken)}
          path={`/payments?status=SUCCESS&type=PAIEMENT&${ofDay}`}
          look="big"
        >
          <span>{t('glance_paid', { count: today.succeeded })}</span>
          <Change of={change.taken} write={sum} then={then} />
        </Figure>
        {!isWide && hours}
        {today.ended > 0 && (
          <Figure
            name={t('glance_succeeded')}
            figure={share(today)}
            path={`/payments?type=PAIEMENT&${ofDay}`}
          >
            {points === null ? (
              <Change of={`${change.succeeded}`} then={then} />
            ) : (
              <Change of={`${points}`} write={writePoints} then={then} />
            )}
          </Figure>
        )}
        {(today.payouts > 0 || !isZero(change.paid_out)) && (
          <Figure
            name={t('glance_paid_out')}
            figure={sum(today.paid_out)}
            path={`/payouts?status=SUCCESS&${ofDay}`}
          >
            <Change of={change.paid_out} write={sum} then={then} />
          </Figure>
        )}
        <Figure name={t('glance_fees')} figure={sum(today.fees)} path={`/reports?date=${date}`}>
          <Change of={change.fees} write={sum} then={then} />
        </Figure>
      </div>
      {isWide && hours}
    </>
  )
}

const writePoints = (count: string): string =>
  t(count === '1' ? 'glance_point' : 'glance_points', { count })

type FigureProps = Readonly<{
  name: string
  figure: string
  /** What it counts, as a list. */
  path: string
  look?: string
  children: ReactNode
}>

function Figure({ name, figure, path, look, children }: FigureProps) {
  const { to } = useHere()
  return (
    <Link className="balance" href={to(path)}>
      <span className="card-line">
        <span className="mute">{name}</span>
        <b className={look}>{figure}</b>
      </span>
      {children}
    </Link>
  )
}

/** `of`: as the API has it, with a minus where it is less. */
type ChangeProps = Readonly<{ of: string; write?: (size: string) => string; then: string }>

/** In words, never by a colour alone. */
function Change({ of, write = String, then }: ChangeProps) {
  const { language } = useHere()
  const day = writeDay(then, language)
  if (isZero(of)) return <span className="small">{t('glance_same', { day })}</span>
  const isLess = of.startsWith('-')
  return (
    <span className="small">
      <span className={isLess ? 'trend less' : 'trend'} />{' '}
      {t(isLess ? 'glance_less' : 'glance_more', { amount: write(of.replace('-', '')), day })}
    </span>
  )
}

type Shares = Pick<Network, 'succeeded' | 'ended' | 'success_percent'>

/** "91 % (83 of 91)"; without its share where too few have ended, nothing where none has. */
function useShare(): (of: Shares) => string {
  return ({ succeeded, ended, success_percent: percent }) => {
    if (ended === 0) return ''
    if (percent === null) return t('glance_share_few', { succeeded, ended })
    return t('glance_share', { percent, succeeded, ended })
  }
}

type NetworksProps = Readonly<{ of: Country; now: string }>

const Networks = (props: NetworksProps) =>
  useIsWide() ? <NetworkTable {...props} /> : <NetworkCards {...props} />

/** Its payments of the day. */
const paymentsOf = (network: string, now: string): string =>
  `/payments?type=PAIEMENT&network=${network}&from=${now}`

/** What waits, since whatever day. */
function Pending({ of, isNamed = false }: { of: Network; isNamed?: boolean }) {
  const { moment, to } = useHere()
  const { count, oldest_at } = of.pending
  if (oldest_at === null) return null
  return (
    <Link
      className={isNamed ? 'again' : undefined}
      href={to(`/payments?type=PAIEMENT&status=PENDING&network=${of.network}`)}
    >
      {isNamed && `${t('glance_pending')}\u00a0`}
      {t('glance_pending_since', { count, at: moment(oldest_at) })}
    </Link>
  )
}

function NetworkTable({ of: { networks, currency }, now }: NetworksProps) {
  const { amount, to } = useHere()
  const networkName = useNetworkNames()
  const share = useShare()
  return (
    <div className="scroll">
      <table>
        <caption className="unseen">{t('networks')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('network')}</th>
            {(['count', 'glance_taken', 'glance_succeeded', 'glance_pending'] as const).map(
              (name) => (
                <th key={name} scope="col" className="figure">
                  {t(name)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {networks.map((row) => (
            <tr key={row.network}>
              <th scope="row">
                <Link href={to(paymentsOf(row.network, now))}>{networkName(row.network)}</Link>
              </th>
              <td className="figure">{row.succeeded}</td>
              <td className="figure">{amount(row.taken, currency)}</td>
              <td className="figure">{share(row)}</td>
              <td className="figure">
                <Pending of={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NetworkCards({ of: { networks, currency }, now }: NetworksProps) {
  const { amount, to } = useHere()
  const networkName = useNetworkNames()
  const share = useShare()
  return (
    <ul className="cards">
      {networks.map((row) => (
        <li key={row.network}>
          <Link href={to(paymentsOf(row.network, now))}>
            <span className="card-line">
              <span>{networkName(row.network)}</span>
              <b>{amount(row.taken, currency)}</b>
            </span>
            <span className="small mute">{share(row)}</span>
          </Link>
          <Pending of={row} isNamed />
        </li>
      ))}
    </ul>
  )
}
