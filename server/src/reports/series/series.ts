// A merchant's hours, days, weeks or months one after the other: what was paid and what failed in
// each. Days that are over are read as they were counted, what came of links too, the last ones
// live, and so are hours; nothing is summed over currencies.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Db } from '../../platform/db.ts'
import { invalid, type Text } from '../../platform/errors.ts'
import { readPeriod } from '../day.ts'
import type { HoursOf } from '../overview/hours.ts'
import type { EndedLine } from '../overview/store.ts'
import { findLinksProgress, listCountedLinks, listOfLinks, type Slot } from './links-store.ts'
import { type DayLine, findNextEnded, findProgress, listCounted, type Owner } from './store.ts'

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
const hour_ms = 3_600_000
/** Links have been counted since they were there; what is not counted yet is read as it is. */
const live_links_days_max = 31
/** Nobody counts hours beforehand: so many days of them are read at once. */
const hour_days_max = 7
/** Of many links those with the most; the totals have all. */
export const links_max = 20

const tooMany: Text = {
  en: `At most ${points_max} steps: choose a longer \`step\` or a shorter period.`,
  fr: `Au plus ${points_max} pas : choisissez un \`step\` plus long ou une période plus courte.`,
}

const tooLong = (days: number): Text => ({
  en: `At most ${days} days: choose a shorter period, another \`step\` or \`group_by\`.`,
  fr:
    `Au plus ${days} jours : choisissez une période plus courte, un autre \`step\` ou un autre ` +
    '`group_by`.',
})

type Period = Awaited<ReturnType<typeof readPeriod>>

/** A point of each series, and the lines that fall between it and the next one. */
type Point = Readonly<{ name: string; date: string; at: Date | null; is_provisional: boolean }>
type Read = Readonly<{ points: readonly Point[]; lines: readonly DayLine[]; is_complete: boolean }>
type Reading = Readonly<{ db: Db; owner: Owner; query: SeriesQuery; hoursOf: HoursOf }>

export async function makeSeries(
  db: Db,
  owner: Owner,
  query: SeriesQuery,
  hoursOf: HoursOf,
): Promise<Series> {
  const { step, group_by, type, country } = query
  const period = await readPeriod(db, owner.merchant_id, query)
  const { first, last, now } = period
  const reading = { db, owner, query, hoursOf }
  const { points, lines, is_complete } =
    step === 'hour'
      ? await readHours(reading, period)
      : await readDaysOf(reading, period, pointsOfDays(period, step))
  const wanted = (line: DayLine) =>
    line.type === type &&
    (country === undefined || line.country === country) &&
    (group_by !== 'failure_code' || line.status === 'FAILED')
  const found = lines.filter(wanted)
  return {
    ...{ as_of: now, time_zone: period.time_zone, first, last },
    is_complete,
    series: seriesOf(found, points, group_by),
    totals: byCurrency(found),
  }
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

/** What came of links: as counted, by step, and live what is not counted yet. */
async function readLinksOf(
  { db, owner }: Reading,
  { first, last, today, now }: Period,
  points: readonly Point[],
): Promise<Read> {
  const until_day = (await findLinksProgress(db, owner)) ?? first
  const oldest_live = dayAfter(today, 1 - live_links_days_max)
  const live_from = latest(until_day, oldest_live)
  const last_counted = earliest(last, dayAfter(live_from, -1))
  const uncounted = { first: latest(first, until_day), last: last_counted }
  const live = { first: latest(first, live_from), last, now }
  const slots = await slotsOfDays(db, owner, live, live_links_days_max)
  const starts = points.map(({ name }) => name)
  const [counted, ended, is_complete] = await Promise.all([
    listCountedLinks(db, owner, { first, last: last_counted, starts }),
    listOfLinks(db, owner, slots),
    uncounted.first > uncounted.last || isEmpty(db, owner, uncounted),
  ])
  return { points, lines: [...counted, ...ended], is_complete }
}

/** From each day's first moment on; the last hour may be a part of one. */
async function readHours(
  { db, owner, query: { group_by }, hoursOf }: Reading,
  { first, last, now }: Period,
): Promise<Read> {
  const days = await slotsOfDays(db, owner, { first, last, now }, hour_days_max)
  const slots = days.flatMap(hoursOfDay)
  const points = slots.map(({ name, date, from }) => ({
    ...{ name, date, at: from, is_provisional: from.getTime() + hour_ms > now.getTime() },
  }))
  if (group_by === 'payment_link') {
    return { points, lines: await listOfLinks(db, owner, slots), is_complete: true }
  }
  const read = await Promise.all(days.map((day) => hoursOf(db, owner, day, now)))
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

/** Each day from its beginning to its end, today until now. */
async function slotsOfDays(
  db: Db,
  { merchant_id }: Owner,
  { first, last, now }: Span,
  most: number,
): Promise<Slot[]> {
  const days: string[] = []
  for (let day = first; day <= last && days.length <= most; day = dayAfter(day, 1)) days.push(day)
  if (days.length > most) throw invalid('to', tooLong(most))
  return Promise.all(
    days.map(async (name) => {
      const { from, to } = await readDays(db, merchant_id, { first: name, last: name })
      return { name, from, to: to < now ? to : now }
    }),
  )
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

async function readLive(db: Db, owner: Owner, span: Span, hoursOf: HoursOf): Promise<DayLine[]> {
  const days = await slotsOfDays(db, owner, span, live_days_max)
  const read = await Promise.all(
    days.map(async (day) => {
      const hours = await hoursOf(db, owner, day, span.now)
      return hours.flatMap(({ lines }) => lines.map((line) => ({ ...line, day: day.name })))
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
    ...{ key: one.key, label: one.own[0]?.label ?? '', currency: one.own[0]?.currency ?? '' },
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
