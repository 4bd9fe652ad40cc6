// Payments or payouts by hour, day, week or month, as bars whose heights the API gives, and as a
// table for whoever reads no picture. The address holds the period and how it is broken down.

import { useState } from 'react'
import type {
  GetStatsTransactionsData,
  GetStatsTransactionsResponse,
  OneSeries,
  Series,
} from '../../api/types.gen.ts'
import { downloadFile } from '../../data/download.ts'
import { useRead } from '../../data/queries.ts'
import type { Language } from '../../format/amount.ts'
import { countryName } from '../../format/country.ts'
import { daysBefore, writeDay, writeMonth } from '../../format/moment.ts'
import { placeOf } from '../../format/zone.ts'
import { GuardedButton } from '../../parts/act.tsx'
import { useFileLabel } from '../../parts/file-label.ts'
import { isDay, period } from '../../parts/filter-values.ts'
import { type FilterField, Narrow, periodFields } from '../../parts/narrow.tsx'
import { useNetworkNames } from '../../parts/networks.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Points } from '../../parts/points.tsx'
import { Scrolled } from '../../parts/scrolled.tsx'
import { Page } from '../../parts/shell.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { ReportTabs } from './report-tabs.tsx'
import { beginsWithin, endsWithin, type Span } from './span.ts'

const steps = ['hour', 'week', 'month'] as const
const groupings = ['network', 'country', 'type', 'failure_code', 'payment_link'] as const
const types = { PAIEMENT: 'payments', RETRAIT: 'payouts', RECHARGE: 'top_ups' } as const
type Type = keyof typeof types
const others = ['RETRAIT', 'RECHARGE'] as const
const known = {
  ...{ ...period, step: steps, group_by: groupings, transaction_type: others },
} as const

/** By type all types are shown, each by itself: none is chosen then. */
const fieldsOf = ({ group_by }: Filters): FilterField<keyof typeof known>[] => [
  ...periodFields(),
  {
    ...{ name: 'step', label: t('series_step'), any: t('series_by_day') },
    is: steps.map((one) => [one, t(`series_by_${one}`)] as const),
  },
  {
    ...{ name: 'group_by', label: t('series_group'), any: t('series_whole') },
    is: groupings.map((one) => [one, t(`series_of_${one}`)] as const),
  },
  {
    ...{ name: 'transaction_type', label: t('kind') },
    any: t(group_by === 'type' ? 'any_status' : 'payments'),
    is: others.map((one) => [one, t(types[one])] as const),
  },
]

const isType = (text: string): text is Type => text in types

type Query = GetStatsTransactionsData['query']

type Filters = Partial<Record<keyof typeof known, string>>

const typeOf = (text: string | undefined): Type | undefined => others.find((one) => one === text)

/** Without a period: the last thirty days, by hour yesterday and today. */
function queryOf(filters: Filters, now: string): Query {
  const day = (text = '', other: string) => (isDay(text) ? text : other)
  return {
    from: day(filters.from, daysBefore(now, filters.step === 'hour' ? 1 : 29)),
    to: day(filters.to, now),
    step: steps.find((one) => one === filters.step),
    group_by: groupings.find((one) => one === filters.group_by),
    transaction_type: typeOf(filters.transaction_type),
  }
}

/** What the API would refuse, in the reader's words, before it is asked for; and what mends it. */
type Fault = Readonly<{ text: string; mends: readonly (readonly [name: string, next: Filters])[] }>

/** Of days that the API reads at once: of weeks and months as many as 1,500 steps surely hold. */
const days_max = { hour: 7, day: 1_500, week: 10_493, month: 42_000 } as const

function faultOf({ from, to, step = 'day' }: Query, now: string): Fault | undefined {
  if (from > now) return { text: t('day_to_come'), mends: [] }
  if (to < from) return { text: t('day_before_from'), mends: [] }
  const last = to < now ? to : now
  const isLonger = (days: number) => from < daysBefore(last, days - 1)
  const cut = (days: number): Fault['mends'][number] => [
    t('series_cut', { days }),
    { from: daysBefore(last, days - 1), to: last },
  ]
  const days = days_max[step]
  if (!isLonger(days)) return undefined
  if (step === 'hour') {
    const text = t('series_long_hour', { days })
    return { text, mends: [[t('series_by_day'), { step: '' }], cut(days)] }
  }
  if (step === 'day') {
    const text = t('series_long_day', { days })
    return { text, mends: [[t('series_by_week'), { step: 'week' }], cut(days)] }
  }
  return { text: t('series_long'), mends: [] }
}

type MendProps = Readonly<{ of: Fault; change: (next: Filters) => void }>

const Mend = ({ of, change }: MendProps) => (
  <div className="alert" role="alert">
    <p>{of.text}</p>
    {of.mends.map(([name, next]) => (
      <Button key={name} look="plain" onClick={() => change(next)}>
        {name}
      </Button>
    ))}
  </div>
)

export default function SeriesPage() {
  const { place, today } = useHere()
  const { filters, set } = useFilters(known)
  const now = today()
  const query = queryOf(filters, now)
  const fault = faultOf(query, now)
  const reading = useRead<GetStatsTransactionsData, GetStatsTransactionsResponse>(
    place,
    { url: '/stats/transactions/', query },
    { on: fault === undefined },
  )
  return (
    <Page title={t('reports')}>
      <ReportTabs />
      <Periods {...{ filters, now, set }} />
      <Narrow fields={fieldsOf(filters)} filters={filters} set={set} />
      {fault === undefined ? (
        <Read of={reading}>{(series) => <Charts of={series} query={query} />}</Read>
      ) : (
        <Mend of={fault} change={(next) => set({ ...filters, ...next })} />
      )}
    </Page>
  )
}

type PeriodsProps = Readonly<{
  filters: Filters
  now: string
  set: (next: Filters) => void
}>

function Periods({ filters, now, set }: PeriodsProps) {
  const year = { from: daysBefore(now, 364), to: '', step: 'month' }
  const periods = [
    ['series_last_hours', { from: '', to: '', step: 'hour' }],
    ['series_last_days', { from: '', to: '', step: '' }],
    ['series_last_months', year],
  ] as const
  return (
    <div className="pager">
      {periods.map(([name, period]) => (
        <Button key={name} look="plain" onClick={() => set({ ...filters, ...period })}>
          {t(name)}
        </Button>
      ))}
    </div>
  )
}

const isOfFailed = ({ group_by }: Pick<Series, 'group_by'>): boolean => group_by === 'failure_code'

function Charts({ of, query }: Readonly<{ of: Series; query: Query }>) {
  const { language } = useHere()
  const [from, to] = [wholeDay(of.from, language), wholeDay(of.to, language)]
  return (
    <>
      <h2>{t('series_period', { from, to })}</h2>
      {!of.is_complete && <p className="warned">{t('series_incomplete')}</p>}
      {of.series.length === 0 && (
        <Empty>
          <p>{t('series_nothing')}</p>
        </Empty>
      )}
      {of.series.map((one, nth) => (
        <Chart
          key={`${one.key} ${one.currency}`}
          of={one}
          by={of.group_by}
          isOneOfSeveral={of.series.some((other) => other !== one && other.key === one.key)}
          span={of}
          type={typeOf(of.group_by === 'type' ? one.key : query.transaction_type)}
          isFirst={nth === 0}
        />
      ))}
      <p className="mute small">
        {t(isOfFailed(of) ? 'series_day_of_failed' : 'day_is_of', {
          zone: placeOf(of.time_zone, language),
        })}
      </p>
      <Save query={query} />
    </>
  )
}

/** Of one point, in units of the drawing. */
const wide = { step: 12, bar: 9 } as const
const tall = 100

type ChartProps = Readonly<{
  of: OneSeries
  by: Series['group_by']
  span: Span
  type: Type | undefined
  /** The same is there in other currencies too. */
  isOneOfSeveral: boolean
  isFirst: boolean
}>

/** What is said of a sum and of how many it is of. */
const foundOf = {
  PAIEMENT: 'series_found',
  RETRAIT: 'series_found_payouts',
  RECHARGE: 'series_found_top_ups',
} as const

function useNameOf() {
  const { language } = useHere()
  const networkName = useNetworkNames()
  return ({ key, label, currency }: OneSeries, by: Series['group_by']): string => {
    // A cause goes only where what had failed has succeeded after all.
    if (key === '') return t(by === 'failure_code' ? 'series_failed_first' : 'series_unnamed')
    if (by === 'country') return countryName(key, language)
    if (by === 'network') return networkName(key)
    if (by === 'type') return isType(key) ? t(types[key]) : key
    return by === 'failure_code' || by === 'payment_link' ? label : currency
  }
}

function Chart({ of, by, span, type = 'PAIEMENT', isOneOfSeveral, isFirst }: ChartProps) {
  const { amount } = useHere()
  // Drawn once it is opened: it may have a line for each of a thousand days.
  const [isOpen, setIsOpen] = useState(false)
  const whenOf = useWhenOf(span)
  const name = useNameOf()(of, by)
  const { totals, points, currency } = of
  const count = by === 'failure_code' ? totals.failed : totals.succeeded
  const sentence =
    by === 'failure_code'
      ? t(isOneOfSeveral ? 'series_failures_in' : 'series_failures', { name, count, currency })
      : t(foundOf[type], { name, amount: amount(totals.amount, currency), count })
  const textOf = (point: Point): string => {
    const when = whenOf(point)
    if (by === 'failure_code')
      return t('series_failures', { name: `${when}${t('colon')}`, count: point.failed })
    const sum = amount(point.amount, currency)
    return t(foundOf[type], { name: when, amount: sum, count: point.succeeded })
  }
  return (
    <figure className="hours">
      <figcaption>{sentence}</figcaption>
      <Points name={sentence} of={points} textOf={textOf} isFirst={isFirst}>
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${points.length * wide.step} ${tall}`}
          preserveAspectRatio="none"
        >
          {points.map(({ date, at, height, is_provisional }, index) => (
            <rect
              key={at ?? date}
              className={is_provisional ? 'then' : 'now'}
              x={index * wide.step}
              width={wide.bar}
              y={tall - height}
              height={height}
            />
          ))}
        </svg>
      </Points>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>{t('glance_chart_as_table')}</summary>
        {isOpen && <PointTable of={of} span={span} caption={sentence} />}
      </details>
    </figure>
  )
}

type Point = OneSeries['points'][number]

/** "Sunday 22 November 2026". */
const wholeDay = (day: string, language: Language): string =>
  `${writeDay(day, language)} ${day.slice(0, 4)}`

/**
 * The hour, day, week or month that a point is of, and of which part of it where the period begins
 * or ends within it; and that it is not over yet.
 */
function useWhenOf(span: Span): (point: Point) => string {
  const { language, moment, today } = useHere()
  const year = today().slice(0, 4)
  const dayOf = (date: string): string =>
    (date.startsWith(year) ? writeDay : wholeDay)(date, language)
  const nameOf = (date: string): string => {
    if (span.step === 'month') return writeMonth(date.slice(0, 7), language)
    return span.step === 'week' ? t('series_week_of', { day: dayOf(date) }) : dayOf(date)
  }
  const partOf = ({ date, is_provisional }: Point): string => {
    if (beginsWithin(span.step, date)) {
      // Of a week that is cut no Monday is known: its first day here says all.
      const [name, day] = [nameOf(date), dayOf(date)]
      return span.step === 'week' ? t('series_since', { day }) : t('series_from', { name, day })
    }
    if (is_provisional || !endsWithin(span, date)) return nameOf(date)
    return t('series_until', { name: nameOf(date), day: dayOf(span.to) })
  }
  return (point) => {
    const when = point.at === null ? partOf(point) : moment(point.at)
    return point.is_provisional ? `${when} (${t('series_open')})` : when
  }
}

type PointTableProps = Pick<ChartProps, 'of' | 'span'> & Readonly<{ caption: string }>

function PointTable({ of, span, caption }: PointTableProps) {
  const { amount } = useHere()
  const whenOf = useWhenOf(span)
  const hasStarted = typeof of.totals.started === 'number'
  const heads = [
    ...(hasStarted ? [t('series_started')] : []),
    ...[t('glance_succeeded'), t('filter_FAILED'), t('amount'), t('fees')],
  ]
  return (
    <Scrolled name={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('date')}</th>
            {heads.map((head) => (
              <th key={head} scope="col" className="figure">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.points.map((point) => (
            <tr key={point.at ?? point.date}>
              <th scope="row" className="whole">
                {whenOf(point)}
              </th>
              {hasStarted && <td className="figure">{point.started}</td>}
              <td className="figure">{point.succeeded}</td>
              <td className="figure">{point.failed}</td>
              <td className="figure">{amount(point.amount, of.currency)}</td>
              <td className="figure">{amount(point.fees, of.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

function Save({ query }: { query: Query }) {
  const { place, language } = useHere()
  const labelOf = useFileLabel()
  const { isBusy, failure, run } = useAct()
  const chosen = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams([
    ...chosen.map(([name, value]) => [name, String(value)]),
    ...Object.entries({ format: 'csv', locale: language, bom: 'true' }),
    ['file_label', labelOf(query)],
  ])
  return (
    <div className="acts" data-key="e">
      <Refused failure={failure} />
      <GuardedButton
        name={t('save_csv')}
        whyNot={undefined}
        busy={isBusy}
        onClick={() => run(() => downloadFile(place, `/stats/transactions/?${text}`))}
      />
    </div>
  )
}
