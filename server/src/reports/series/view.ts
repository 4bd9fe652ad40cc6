// Series as they are shown, as JSON and as CSV: every figure and height as the reader needs it.

import { type Static, Type } from 'typebox'
import { failureText } from '../../attempts/failure-texts.ts'
import { formatAmount } from '../../money/format.ts'
import { divideHalfUp } from '../../money/round.ts'
import { type CsvForm, csvDay, csvDecimal, csvText } from '../../platform/csv.ts'
import type { Locale } from '../../platform/errors.ts'
import { percentOf } from '../overview/view.ts'
import {
  type Figures,
  type Grouping,
  groupings,
  hasStarted,
  links_max,
  type OneSeries,
  points_max,
  type Series,
  type SeriesPoint,
  type SeriesQuery,
  steps,
} from './series.ts'

const amount = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description })
const day = (description: string) => Type.String({ format: 'date', description })

const figures = {
  started: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Those that began then, whenever they ended, by the network that was asked first; null by ' +
      'cause of failure and by link.',
  }),
  succeeded: count('Those that were paid.'),
  failed: count('Those that failed; one that failed and was paid after all counts for both.'),
  success_percent: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Of those that ended, in whole percent; null where fewer than 20 did.',
  }),
  amount: amount('What the paid ones asked for.'),
  fees: amount('Their fees.'),
  net: amount('What was booked to the merchant, or what receivers of payouts got.'),
}

const PointView = Type.Object(
  {
    date: day('Its first day; of an hour, the day that it is of.'),
    at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it begins, by `step=hour`; else null.',
    }),
    ...figures,
    height: count(
      '0 to 100: `amount`, of the largest in this currency; by cause of failure, `failed`.',
    ),
    is_provisional: Type.Boolean({ description: 'It has not ended: there may be more.' }),
  },
  { title: 'SeriesPoint' },
)

const OneView = Type.Object(
  {
    key: Type.String({
      description:
        'What it is of: a currency, a country’s or network’s code, a transaction type, a failure ' +
        'code or the id of a payment link; empty where there is none.',
    }),
    label: Type.String({
      description: 'What a failure code means, in words, or the name of a link; else empty.',
    }),
    currency: Type.String({ description: 'ISO 4217.' }),
    points: Type.Array(PointView, { maxItems: points_max, description: 'In the order of time.' }),
    totals: Type.Object(figures, { title: 'SeriesTotals' }),
  },
  { title: 'OneSeries' },
)

const TotalView = Type.Object(
  { currency: Type.String({ description: 'ISO 4217.' }), ...figures },
  { title: 'SeriesTotal' },
)

export const SeriesView = Type.Object(
  {
    as_of: Type.String({ format: 'date-time', description: 'When it was counted.' }),
    time_zone: Type.String({ description: 'By whose midnights days end: an IANA name.' }),
    from: day('The first day.'),
    to: day('The last day, today at the latest.'),
    step: Type.Enum([...steps], { description: 'What each point is of.' }),
    group_by: Type.Enum([...groupings], { description: 'What each series is of.' }),
    is_complete: Type.Boolean({
      description:
        'False while a long history is counted for the first time: days, or what began on them ' +
        'and their top-ups, are missing at the end, except the last three. Ask again later.',
    }),
    series: Type.Array(OneView, {
      maxItems: 200,
      description:
        'One for each key and currency; those with the most first, of links ' +
        `the first ${links_max}.`,
    }),
    totals: Type.Array(TotalView, {
      maxItems: 100,
      description: 'Of all series, by currency; none by type, unless one is asked for.',
    }),
  },
  { title: 'Series' },
)

type View = Static<typeof SeriesView>

// Property by property, as are points: an answer may have a hundred thousand.
const viewFigures = (of: Figures, group_by: Grouping) => ({
  started: hasStarted(group_by) ? of.started : null,
  succeeded: of.succeeded,
  failed: of.failed,
  success_percent: percentOf({ succeeded: of.succeeded, ended: of.succeeded + of.failed }),
  amount: formatAmount(of.amount),
  fees: formatAmount(of.fees),
  net: formatAmount(of.net),
})

const tallOf = ({ amount: sum, failed }: Figures, group_by: Grouping): bigint =>
  group_by === 'failure_code' ? BigInt(failed) : sum

function viewOne(of: OneSeries, most: bigint, locale: Locale, { group_by }: SeriesQuery) {
  const heightOf = (sum: bigint) => (most === 0n ? 0 : Number(divideHalfUp(sum * 100n, most)))
  return {
    key: of.key,
    label: group_by === 'failure_code' && of.key !== '' ? failureText(of.key, locale) : of.label,
    currency: of.currency,
    points: of.points.map((point) => {
      const figures = viewFigures(point, group_by)
      return {
        date: point.date,
        at: point.at?.toISOString() ?? null,
        started: figures.started,
        succeeded: figures.succeeded,
        failed: figures.failed,
        success_percent: figures.success_percent,
        amount: figures.amount,
        fees: figures.fees,
        net: figures.net,
        height: heightOf(tallOf(point, group_by)),
        is_provisional: point.is_provisional,
      }
    }),
    totals: viewFigures(of.totals, group_by),
  }
}

export function viewSeries(of: Series, query: SeriesQuery, locale: Locale): View {
  const { step, group_by } = query
  const most = new Map<string, bigint>()
  for (const { currency, points } of of.series) {
    for (const point of points) {
      const tall = tallOf(point, group_by)
      if (tall > (most.get(currency) ?? 0n)) most.set(currency, tall)
    }
  }
  const viewIn = (one: OneSeries) => viewOne(one, most.get(one.currency) ?? 0n, locale, query)
  return {
    as_of: of.as_of.toISOString(),
    ...{ time_zone: of.time_zone, from: of.first, to: of.last, step, group_by },
    is_complete: of.is_complete,
    series: of.series.map(viewIn),
    totals: of.totals.map(({ currency, figures: sums }) => ({
      ...{ currency, ...viewFigures(sums, group_by) },
    })),
  }
}

const sums = ['succeeded', 'failed', 'amount', 'fees', 'net'] as const

/** A line for each point of each series; hours by their moment, links with their name. */
export function seriesCsv(
  { series, time_zone }: Series,
  { step, group_by }: Pick<SeriesQuery, 'step' | 'group_by'>,
  form: CsvForm,
): string {
  const write = (sum: bigint) => csvDecimal(form, formatAmount(sum))
  const isHour = step === 'hour'
  const isNamed = group_by === 'payment_link'
  const columns = [
    ...['date', ...(isHour ? ['hour'] : []), 'key', ...(isNamed ? ['label'] : []), 'currency'],
    ...sums,
    // Last, so that whoever reads by places finds the others where they were.
    ...(hasStarted(group_by) ? ['started'] : []),
  ]
  const rows = series.flatMap(({ key, label, currency, points }) =>
    points.map((point) => [
      ...[csvDay(form, point.date), ...(isHour ? [hourOf(point, time_zone)] : [])],
      ...[key, ...(isNamed ? [label] : []), currency],
      ...[point.succeeded, point.failed].map(String),
      ...[point.amount, point.fees, point.net].map(write),
      ...(hasStarted(group_by) ? [String(point.started)] : []),
    ]),
  )
  return form.start + csvText(form, [columns, ...rows])
}

/** `14:00` by the merchant’s clocks, with what it is apart from UTC: an hour may come twice. */
function hourOf({ at }: SeriesPoint, time_zone: string): string {
  if (at === null) return ''
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const offset = { timeZoneName: 'longOffset' } as const
  return new Intl.DateTimeFormat('en-GB', { ...time, ...offset, timeZone: time_zone }).format(at)
}

const figuresExample = {
  started: 94,
  ...{ succeeded: 83, failed: 8, success_percent: 91 },
  ...{ amount: '412500.00', fees: '13406.00', net: '412500.00' },
}

export const seriesExample: View = {
  as_of: '2026-11-22T14:05:00.000Z',
  time_zone: 'Africa/Porto-Novo',
  ...{ from: '2026-11-21', to: '2026-11-22', step: 'day', group_by: 'currency' },
  is_complete: true,
  series: [
    {
      ...{ key: 'XOF', label: '', currency: 'XOF' },
      points: [
        {
          ...{ date: '2026-11-22', at: null, ...figuresExample },
          ...{ height: 100, is_provisional: true },
        },
      ],
      totals: figuresExample,
    },
  ],
  totals: [{ currency: 'XOF', ...figuresExample }],
}
