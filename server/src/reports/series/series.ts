// A merchant's hours, days, weeks or months one after the other: what was paid and what failed in
// each. Days that are over are read as they were counted, what came of links too, the last ones
// live, and so are hours; nothing is summed over currencies.

import type { Db } from '../../platform/db.ts'
import { invalid, type Text } from '../../platform/errors.ts'
import { readPeriod } from '../day.ts'
import { type HoursOf, hour_ms } from '../overview/hours.ts'
import type { EndedLine } from '../overview/store.ts'
import { findLinkNames, listCountedLinks, type Slot } from './links-store.ts'
import {
  dayAfter,
  earliest,
  type HourLine,
  isEmpty,
  latest,
  readDaysBy,
  type Span,
  slotsOfDays,
} from './live-days.ts'
import { type LinkMeans, readLinks } from './read-links.ts'
import { type DayLine, findProgress, listCounted, type Owner } from './store.ts'

export const steps = ['hour', 'day', 'week', 'month'] as const
export type Step = (typeof steps)[number]
type LongStep = Exclude<Step, 'hour'>

export const groupings = [
  ...(['currency', 'country', 'network', 'failure_code', 'payment_link'] as const),
] as const
export type Grouping = (typeof groupings)[number]

/** Sums in hundredths of one currency. */
export type Figures = Readonly<{
  succeeded: number
  failed: number
  amount: bigint
  fees: bigint
  net: bigint
}>

export type SeriesPoint = Figures &
  Readonly<{ date: string; at: Date | null; is_provisional: boolean }>

export type OneSeries = Readonly<{
  key: string
  /** The name of a link; else empty. */
  label: string
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
/** Nobody counts hours beforehand: so many days of them are read at once. */
const hour_days_max = 7
/** Of many links those with the most; the totals have all. */
export const links_max = 20

const tooMany: Text = {
  en: `At most ${points_max} steps: choose a longer \`step\` or a shorter period.`,
  fr: `Au plus ${points_max} pas : choisissez un \`step\` plus long ou une période plus courte.`,
}

type Period = Awaited<ReturnType<typeof readPeriod>>

/** A point of each series, and the lines that fall between it and the next one. */
type Point = Readonly<{ name: string; date: string; at: Date | null; is_provisional: boolean }>
type Read = Readonly<{
  points: readonly Point[]
  lines: readonly DayLine[]
  is_complete: boolean
  /** What the totals are of, where the lines are of some series only. */
  all?: readonly DayLine[]
}>
/** What ended by hours: of all, and of what payment links had asked for. */
export type KeptHours = Readonly<{ hoursOf: HoursOf }> & Pick<LinkMeans, 'hoursOfLinks'>
type Reading = KeptHours & Readonly<{ db: Db; owner: Owner; query: SeriesQuery }>

export async function makeSeries(
  db: Db,
  owner: Owner,
  query: SeriesQuery,
  kept: KeptHours,
): Promise<Series> {
  const { step, group_by, type, country } = query
  const period = await readPeriod(db, owner.merchant_id, query)
  const { first, last, now } = period
  const reading = { db, owner, query, ...kept }
  const {
    points,
    lines,
    is_complete,
    all = lines,
  } = step === 'hour'
    ? await readHours(reading, period)
    : await readDaysOf(reading, period, pointsOfDays(period, step))
  const wanted = (line: DayLine) =>
    line.type === type &&
    (country === undefined || line.country === country) &&
    (group_by !== 'failure_code' || line.status === 'FAILED')
  const found = lines.filter(wanted)
  const series = seriesOf(found, points, group_by)
  return {
    ...{ as_of: now, time_zone: period.time_zone, first, last },
    is_complete,
    series: group_by === 'payment_link' ? await named(db, owner, series) : series,
    totals: byCurrency(all.filter(wanted)),
  }
}

async function named(db: Db, owner: Owner, series: readonly OneSeries[]): Promise<OneSeries[]> {
  const ids = [...new Set(series.map(({ key }) => key))]
  const names = await findLinkNames(db, owner.merchant_id, ids)
  return series.map((one) => ({ ...one, label: names.get(one.key) ?? '' }))
}

function pointsOfDays({ first, last, today }: Period, step: LongStep): Point[] {
  const dates = datesOf(first, last, step)
  if (dates.length > points_max) throw invalid('to', tooMany)
  const is_open = (date: string) => beginningOf(date, step) === beginningOf(today, step)
  return dates.map((date) => ({ name: date, date, at: null, is_provisional: is_open(date) }))
}

/** As counted, and the last days live. */
async function readDaysOf(
  reading: Reading,
  period: Period,
  points: readonly Point[],
): Promise<Read> {
  const { db, owner, query, hoursOf } = reading
  if (query.group_by === 'payment_link') return readLinksOf(reading, period, points)
  const { first, last, today, now } = period
  const { type } = query
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
  // What was counted meanwhile is not read twice.
  const lines = [...counted.filter(({ day }) => day < live_from), ...live]
  return { points, lines, is_complete }
}

/** What came of links, by step, of those with the most; the totals are of all. */
async function readLinksOf(
  { db, owner, query: { country }, hoursOfLinks }: Reading,
  period: Period,
  points: readonly Point[],
): Promise<Read> {
  const means = { db, owner, hoursOfLinks }
  const { sums, ended, counted, is_complete } = await readLinks(means, period, { country })
  const all = [
    ...sums,
    ...ended.filter((line) => country === undefined || line.country === country),
  ]
  const largest = seriesOf(all, [], 'payment_link')
  const links = largest.map(({ key }) => key)
  const currencies = largest.map(({ currency }) => currency)
  const starts = points.map(({ name }) => name)
  const of = { country, links, currencies }
  const lines = await listCountedLinks(db, owner, { ...counted, starts }, of)
  const names = new Set(largest.map(({ key, currency }) => `${key} ${currency}`))
  const own = ended.filter(({ payment_link, currency }) => names.has(`${payment_link} ${currency}`))
  return { points, lines: [...lines, ...own], is_complete, all }
}

/** From each day's first moment on; the last hour may be a part of one. */
async function readHours(
  { db, owner, query: { group_by }, hoursOf, hoursOfLinks }: Reading,
  { first, last, now }: Period,
): Promise<Read> {
  const days = await slotsOfDays(db, owner, { first, last, now }, hour_days_max)
  const slots = days.flatMap(hoursOfDay)
  const points = slots.map(({ name, date, from }) => ({
    ...{ name, date, at: from, is_provisional: from.getTime() + hour_ms > now.getTime() },
  }))
  const kept: HoursOf<HourLine> = group_by === 'payment_link' ? hoursOfLinks : hoursOf
  const read = await Promise.all(days.map((day) => kept(db, owner, day, now)))
  const lines = read
    .flat()
    .flatMap((hour) => hour.lines.map((line) => ({ ...line, day: hour.at.toISOString() })))
  return { points, lines, is_complete: true }
}

function hoursOfDay({ name: date, from, to }: Slot): (Slot & Readonly<{ date: string }>)[] {
  const hours: (Slot & Readonly<{ date: string }>)[] = []
  for (let at_ms = from.getTime(); at_ms < to.getTime(); at_ms += hour_ms) {
    const end_ms = Math.min(at_ms + hour_ms, to.getTime())
    const at = new Date(at_ms)
    hours.push({ name: at.toISOString(), date, from: at, to: new Date(end_ms) })
  }
  return hours
}

async function readLive(db: Db, owner: Owner, span: Span, hoursOf: HoursOf): Promise<DayLine[]> {
  const days = await slotsOfDays(db, owner, span, live_days_max)
  return readDaysBy(hoursOf, { db, owner, days, now: span.now })
}

/** The first day of the step that a day is in; weeks begin on Mondays. */
function beginningOf(day: string, step: LongStep): string {
  if (step === 'day') return day
  if (step === 'month') return `${day.slice(0, 7)}-01`
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return dayAfter(day, -((weekday + 6) % 7))
}

/** The steps from a day to another; the first may begin within one. */
function datesOf(first: string, last: string, step: LongStep): string[] {
  const dates: string[] = []
  let day = first
  while (day <= last && dates.length <= points_max) {
    dates.push(day)
    day = nextOf(beginningOf(day, step), step)
  }
  return dates
}

function nextOf(beginning: string, step: LongStep): string {
  if (step === 'month') return beginningOf(dayAfter(beginning, 31), 'month')
  return dayAfter(beginning, step === 'week' ? 7 : 1)
}

function seriesOf(
  lines: readonly DayLine[],
  points: readonly Point[],
  group_by: Grouping,
): OneSeries[] {
  const named = new Map<string, DayLine[]>()
  for (const line of lines) {
    const name = `${line[group_by] ?? ''} ${line.currency}`
    const own = named.get(name)
    if (own === undefined) named.set(name, [line])
    else own.push(line)
  }
  const pointsOf = (own: readonly DayLine[]) =>
    points.map(({ name, ...point }, at) => ({
      ...point,
      ...figuresOf(own.filter(({ day }) => isIn(day, name, points[at + 1]?.name))),
    }))
  const sorted = [...named.values()]
    .map((own) => ({ own, totals: figuresOf(own), key: own[0]?.[group_by] ?? '' }))
    .sort((a, b) => countOf(b.totals) - countOf(a.totals) || (a.key < b.key ? -1 : 1))
  return sorted.slice(0, group_by === 'payment_link' ? links_max : undefined).map((one) => ({
    ...{ key: one.key, label: '', currency: one.own[0]?.currency ?? '' },
    ...{ points: pointsOf(one.own), totals: one.totals },
  }))
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
