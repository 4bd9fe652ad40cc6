// A merchant's hours, days, weeks or months one after the other: what began in each, what was paid
// and what failed. Days that are over are read as they were counted, what came of links too, the
// last ones live, and so are hours; nothing is summed over currencies.

import type { Db } from '../../platform/db.ts'
import { invalid, type Text } from '../../platform/errors.ts'
import { readPeriod } from '../day.ts'
import { type HoursOf, hour_ms } from '../overview/hours.ts'
import type { EndedLine } from '../overview/store.ts'
import { findNextMoment } from './count-later.ts'
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
import { type CountedLine, type DayLine, findProgress, listCounted, type Owner } from './store.ts'

export const steps = ['hour', 'day', 'week', 'month'] as const
export type Step = (typeof steps)[number]
type LongStep = Exclude<Step, 'hour'>

export const groupings = [
  ...(['currency', 'country', 'network', 'type', 'failure_code', 'payment_link'] as const),
] as const
export type Grouping = (typeof groupings)[number]

/** Sums in hundredths of one currency. */
export type Figures = Readonly<{
  started: number
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
  /** Without it payments; by type all of them. */
  type: EndedLine['type'] | undefined
  country: string | undefined
}>

/** A cause is of what failed, and of links what came of them is counted alone. */
export const hasStarted = (group_by: Grouping): boolean =>
  group_by !== 'failure_code' && group_by !== 'payment_link'

/** Four years of days. */
export const points_max = 1500
/** Of all series together: some 5 MB. */
const all_points_max = 30_000
/** A point has at most a line of what began, was paid and failed: more are of too many points. */
const lines_max = 3 * all_points_max
/** Days that are read as they are: today, and before it what a worker has not come to yet. */
const live_days_max = 3
/** Nobody counts hours beforehand: so many days of them are read at once. */
const hour_days_max = 7
/** Of many links those with the most; the totals have all. */
export const links_max = 20

const tooMany: Text = {
  en: 'At most 1,500 steps, and 30,000 points in all: choose a longer `step` or a shorter period.',
  fr:
    'Au plus 1 500 pas, et 30 000 points en tout : choisissez un `step` plus long ou une ' +
    'période plus courte.',
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
/** What ended by hours, of all and of what payment links had asked for; and what began. */
export type KeptHours = Readonly<{ hoursOf: HoursOf; hoursOfStarts: HoursOf<CountedLine> }> &
  Pick<LinkMeans, 'hoursOfLinks'>
type Reading = KeptHours & Readonly<{ db: Db; owner: Owner; query: SeriesQuery }>

export async function makeSeries(
  db: Db,
  owner: Owner,
  query: SeriesQuery,
  kept: KeptHours,
): Promise<Series> {
  const { step, group_by, country } = query
  const type = typeOf(query)
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
    (type === undefined || line.type === type) &&
    (country === undefined || line.country === country) &&
    (group_by !== 'failure_code' || line.status === 'FAILED')
  const found = lines.filter(wanted)
  const series = seriesOf(found, points, group_by)
  return {
    ...{ as_of: now, time_zone: period.time_zone, first, last },
    is_complete,
    series: group_by === 'payment_link' ? await named(db, owner, series) : series,
    // What came in and what went out add up to nothing that anybody has.
    totals: type === undefined ? [] : byCurrency(all.filter(wanted)),
  }
}

const typeOf = ({ type, group_by }: SeriesQuery): EndedLine['type'] | undefined =>
  type ?? (group_by === 'type' ? undefined : 'PAIEMENT')

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
  const { db, owner, query } = reading
  if (query.group_by === 'payment_link') return readLinksOf(reading, period, points)
  const { first, last, today, now } = period
  const wanted = { ...query, type: typeOf(query) }
  const { until_day, later_until_day, has_feed } = await findProgress(db, owner)
  const oldest_live = dayAfter(today, 1 - live_days_max)
  const live_from = latest(until_day ?? '', oldest_live)
  const later_from = latest(later_until_day ?? '', oldest_live)
  const fromOf = (line: DayLine) => (isCountedLater(line) ? later_from : live_from)
  // Of the days that are asked for: later ones may be counted when they are.
  const last_counted = earliest(last, dayAfter(oldest_live, -1))
  const asked = hasStarted(query.group_by) || wanted.type === 'RECHARGE'
  const counted_until = asked ? earliest(until_day ?? '', later_until_day ?? '') : until_day
  const uncounted = { first: latest(first, counted_until || first), last: last_counted }
  const isCounted = !has_feed || uncounted.first > uncounted.last
  const starts = points.map(({ name }) => name)
  const live_span = { first: latest(first, earliest(live_from, later_from)), last, now }
  const span = { first, last, live_from, later_from, starts }
  const [counted, live, is_complete] = await Promise.all([
    listCounted(db, owner, { ...span, limit: lines_max + 1 }, wanted),
    readLive(reading, live_span),
    isCounted || isEmpty(db, owner, uncounted, asked ? findNextMoment : undefined),
  ])
  if (counted.length > lines_max) throw invalid('to', tooMany)
  // What was counted meanwhile is not read twice.
  const lines = [...counted, ...live.filter((line) => line.day >= fromOf(line))]
  return { points, lines, is_complete }
}

/** What is counted of a day after the day itself. */
const isCountedLater = ({ type, status }: DayLine): boolean =>
  type === 'RECHARGE' || status === 'STARTED'

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
async function readHours(reading: Reading, { first, last, now }: Period): Promise<Read> {
  const { db, owner } = reading
  const days = await slotsOfDays(db, owner, { first, last, now }, hour_days_max)
  const slots = days.flatMap(hoursOfDay)
  const points = slots.map(({ name, date, from }) => ({
    ...{ name, date, at: from, is_provisional: from.getTime() + hour_ms > now.getTime() },
  }))
  const kept = hoursFor(reading)
  const read = await Promise.all(
    kept.flatMap((hoursOf) => days.map((day) => hoursOf(db, owner, day, now))),
  )
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

async function readLive(reading: Reading, span: Span): Promise<DayLine[]> {
  const { db, owner } = reading
  const days = await slotsOfDays(db, owner, span, live_days_max)
  const read = await Promise.all(
    hoursFor(reading).map((hoursOf) => readDaysBy(hoursOf, { db, owner, days, now: span.now })),
  )
  return read.flat()
}

/** The kept hours that an answer is made of. */
function hoursFor({ query, ...kept }: Reading): HoursOf<HourLine>[] {
  if (query.group_by === 'payment_link') return [kept.hoursOfLinks]
  return hasStarted(query.group_by) ? [kept.hoursOf, kept.hoursOfStarts] : [kept.hoursOf]
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
  const named = gathered(lines, (line) => `${line[group_by] ?? ''} ${line.currency}`)
  if (group_by !== 'payment_link' && named.size * points.length > all_points_max) {
    throw invalid('to', tooMany)
  }
  const pointsOf = (own: readonly DayLine[]) => {
    const places = gathered(own, ({ day }) => placeOf(day, points))
    return points.map(({ date, at, is_provisional }, place) => ({
      date,
      at,
      is_provisional,
      ...figuresOf(places.get(place)),
    }))
  }
  const sorted = [...named.values()]
    .map((own) => ({ own, totals: figuresOf(own), key: own[0]?.[group_by] ?? '' }))
    .sort((a, b) => countOf(b.totals) - countOf(a.totals) || (a.key < b.key ? -1 : 1))
  return sorted.slice(0, group_by === 'payment_link' ? links_max : undefined).map((one) => ({
    ...{ key: one.key, label: '', currency: one.own[0]?.currency ?? '' },
    ...{ points: pointsOf(one.own), totals: one.totals },
  }))
}

function gathered<Key>(
  lines: readonly DayLine[],
  keyOf: (line: DayLine) => Key,
): ReadonlyMap<Key, readonly DayLine[]> {
  const found = new Map<Key, DayLine[]>()
  for (const line of lines) {
    const own = found.get(keyOf(line))
    if (own === undefined) found.set(keyOf(line), [line])
    else own.push(line)
  }
  return found
}

/** Which point a day or an hour falls in: the last one that begins no later. */
function placeOf(day: string, points: readonly Point[]): number {
  let [from, to] = [0, points.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((points[middle]?.name ?? '') <= day) from = middle + 1
    else to = middle
  }
  return from - 1
}

const countOf = ({ succeeded, failed }: Figures): number => succeeded + failed

const byCurrency = (lines: readonly DayLine[]): Series['totals'] =>
  [...new Set(lines.map(({ currency }) => currency))].sort().map((currency) => ({
    currency,
    figures: figuresOf(lines.filter((line) => line.currency === currency)),
  }))

function figuresOf(lines: readonly CountedLine[] = []): Figures {
  const figures = { started: 0, succeeded: 0, failed: 0, amount: 0n, fees: 0n, net: 0n }
  for (const { status, count, requested, fees, net } of lines) {
    figures[countedAs[status]] += count
    figures.amount += requested
    figures.fees += fees
    figures.net += net
  }
  return figures
}

const countedAs = { STARTED: 'started', SUCCESS: 'succeeded', FAILED: 'failed' } as const
