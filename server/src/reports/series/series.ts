// A merchant's days, weeks or months one after the other: what was paid and what failed in each.
// Days that are over are read as they were counted, the last ones live; nothing is summed over
// currencies.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Db } from '../../platform/db.ts'
import { invalid, type Text } from '../../platform/errors.ts'
import { readPeriod } from '../day.ts'
import type { HoursOf } from '../overview/hours.ts'
import type { EndedLine } from '../overview/store.ts'
import { type DayLine, findNextEnded, findProgress, listCounted, type Owner } from './store.ts'

export const steps = ['day', 'week', 'month'] as const
export type Step = (typeof steps)[number]

export const groupings = ['currency', 'country', 'network', 'failure_code'] as const
export type Grouping = (typeof groupings)[number]

/** Sums in hundredths of one currency. */
export type Figures = Readonly<{
  succeeded: number
  failed: number
  amount: bigint
  fees: bigint
  net: bigint
}>

export type SeriesPoint = Figures & Readonly<{ date: string; is_provisional: boolean }>

export type OneSeries = Readonly<{
  key: string
  currency: string
  points: readonly SeriesPoint[]
  totals: Figures
}>

export type Series = Readonly<{
  as_of: Date
  time_zone: string
  first: string
  last: string
  /** False while a history is being counted for the first time: days are missing. */
  is_complete: boolean
  series: readonly OneSeries[]
  totals: readonly Readonly<{ currency: string; figures: Figures }>[]
}>

export type SeriesQuery = Readonly<{
  first: string
  last: string
  step: Step
  group_by: Grouping
  type: EndedLine['type']
  country: string | undefined
}>

const points_max = 400
/** Days that are read as they are: today, and before it what a worker has not come to yet. */
const live_days_max = 3

const tooMany: Text = {
  en: `At most ${points_max} steps: choose a longer \`step\` or a shorter period.`,
  fr: `Au plus ${points_max} pas : choisissez un \`step\` plus long ou une période plus courte.`,
}

export async function makeSeries(
  db: Db,
  owner: Owner,
  query: SeriesQuery,
  hoursOf: HoursOf,
): Promise<Series> {
  const { step, group_by, type, country } = query
  const period = await readPeriod(db, owner.merchant_id, query)
  const { first, last, today, now } = period
  const dates = datesOf(first, last, step)
  if (dates.length > points_max) throw invalid('to', tooMany)
  const { until_day, has_feed } = await findProgress(db, owner)
  const oldest_live = dayAfter(today, 1 - live_days_max)
  const live_from = latest(until_day ?? '', oldest_live)
  // Of the days that are asked for: later ones may be counted when they are.
  const last_counted = earliest(last, dayAfter(oldest_live, -1))
  const uncounted = { first: latest(first, until_day ?? first), last: last_counted }
  const isCounted = !has_feed || uncounted.first > uncounted.last
  const [counted, live, is_complete] = await Promise.all([
    listCounted(db, owner, { first, last, type }),
    readLive(db, owner, { first: latest(first, live_from), last, now }, hoursOf),
    isCounted || isEmpty(db, owner, uncounted),
  ])
  const wanted = (line: DayLine) =>
    line.type === type &&
    (country === undefined || line.country === country) &&
    (group_by !== 'failure_code' || line.status === 'FAILED')
  // What was counted meanwhile is not read twice.
  const lines = [...counted.filter(({ day }) => day < live_from), ...live].filter(wanted)
  const of = { step, dates, today, group_by }
  return {
    ...{ as_of: now, time_zone: period.time_zone, first, last },
    is_complete,
    series: seriesOf(lines, of),
    totals: byCurrency(lines),
  }
}

const latest = (a: string, b: string): string => (a > b ? a : b)
const earliest = (a: string, b: string): string => (a < b ? a : b)

/** Nothing ended on these days, counted or not. */
async function isEmpty(
  db: Db,
  owner: Owner,
  days: Readonly<{ first: string; last: string }>,
): Promise<boolean> {
  const { from, to } = await readDays(db, owner.merchant_id, days)
  const next = await findNextEnded(db, owner, from)
  return next === null || next >= to
}

type Span = Readonly<{ first: string; last: string; now: Date }>

async function readLive(
  db: Db,
  owner: Owner,
  { first, last, now }: Span,
  hoursOf: HoursOf,
): Promise<DayLine[]> {
  const days: string[] = []
  for (let day = first; day <= last; day = dayAfter(day, 1)) days.push(day)
  const read = await Promise.all(
    days.map(async (day) => {
      const { from, to } = await readDays(db, owner.merchant_id, { first: day, last: day })
      const hours = await hoursOf(db, owner, { from, to: to < now ? to : now }, now)
      return hours.flatMap(({ lines }) => lines.map((line) => ({ ...line, day })))
    }),
  )
  return read.flat()
}

/** `days` later in the calendar. */
export function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** The first day of the step that a day is in; weeks begin on Mondays. */
function beginningOf(day: string, step: Step): string {
  if (step === 'day') return day
  if (step === 'month') return `${day.slice(0, 7)}-01`
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return dayAfter(day, -((weekday + 6) % 7))
}

/** The steps from a day to another; the first may begin within one. */
function datesOf(first: string, last: string, step: Step): string[] {
  const dates: string[] = []
  let day = first
  while (day <= last && dates.length <= points_max) {
    dates.push(day)
    day = nextOf(beginningOf(day, step), step)
  }
  return dates
}

function nextOf(beginning: string, step: Step): string {
  if (step === 'month') return beginningOf(dayAfter(beginning, 31), 'month')
  return dayAfter(beginning, step === 'week' ? 7 : 1)
}

type Drawing = Readonly<{
  step: Step
  dates: readonly string[]
  today: string
  group_by: Grouping
}>

function seriesOf(lines: readonly DayLine[], of: Drawing): OneSeries[] {
  const { step, dates, today, group_by } = of
  const named = new Map<string, DayLine[]>()
  for (const line of lines) {
    const name = `${line[group_by]} ${line.currency}`
    named.set(name, [...(named.get(name) ?? []), line])
  }
  const pointsOf = (own: readonly DayLine[]) =>
    dates.map((date, at) => ({
      ...{ date, ...figuresOf(own.filter(({ day }) => isIn(day, date, dates[at + 1]))) },
      is_provisional: beginningOf(date, step) === beginningOf(today, step),
    }))
  return [...named.values()]
    .map((own) => ({
      ...{ key: own[0]?.[group_by] ?? '', currency: own[0]?.currency ?? '' },
      ...{ points: pointsOf(own), totals: figuresOf(own) },
    }))
    .sort((a, b) => countOf(b.totals) - countOf(a.totals) || (a.key < b.key ? -1 : 1))
}

const isIn = (day: string, date: string, next: string | undefined): boolean =>
  day >= date && (next === undefined || day < next)

const countOf = ({ succeeded, failed }: Figures): number => succeeded + failed

const byCurrency = (lines: readonly DayLine[]): Series['totals'] =>
  [...new Set(lines.map(({ currency }) => currency))].sort().map((currency) => ({
    currency,
    figures: figuresOf(lines.filter((line) => line.currency === currency)),
  }))

function figuresOf(lines: readonly EndedLine[]): Figures {
  let figures: Figures = { succeeded: 0, failed: 0, amount: 0n, fees: 0n, net: 0n }
  for (const { status, count, requested, fees, net } of lines) {
    const isPaid = status === 'SUCCESS'
    figures = {
      succeeded: figures.succeeded + (isPaid ? count : 0),
      failed: figures.failed + (isPaid ? 0 : count),
      ...{ amount: figures.amount + requested, fees: figures.fees + fees, net: figures.net + net },
    }
  }
  return figures
}
