// The last days of a merchant, read hour by hour as they are: today, and before it what a worker
// has not counted yet.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Db } from '../../platform/db.ts'
import { invalid, type Text } from '../../platform/errors.ts'
import type { HoursOf } from '../overview/hours.ts'
import type { Slot } from './links-store.ts'
import { type DayLine, findNextEnded, type Owner } from './store.ts'

/** What ended in an hour. */
export type HourLine = Omit<DayLine, 'day'>

const tooLong = (days: number): Text => ({
  en: `At most ${days} days: choose a shorter period, another \`step\` or \`group_by\`.`,
  fr:
    `Au plus ${days} jours : choisissez une période plus courte, un autre \`step\` ou un autre ` +
    '`group_by`.',
})

export type Span = Readonly<{ first: string; last: string; now: Date }>

/** Each day from its beginning to its end, today until now. */
export async function slotsOfDays(
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

type Days = Readonly<{ db: Db; owner: Owner; days: readonly Slot[]; now: Date }>

/** Days hour by hour, of which a process keeps those that are over. */
export async function readDaysBy(
  hoursOf: HoursOf<HourLine>,
  { db, owner, days, now }: Days,
): Promise<DayLine[]> {
  const read = await Promise.all(
    days.map(async (day) => {
      const hours = await hoursOf(db, owner, day, now)
      return hours.flatMap(({ lines }) => lines.map((line) => ({ ...line, day: day.name })))
    }),
  )
  return read.flat()
}

/** Nothing ended on these days, counted or not; or nothing of what `findNext` looks for. */
export async function isEmpty(
  db: Db,
  owner: Owner,
  days: Readonly<{ first: string; last: string }>,
  findNext = findNextEnded,
): Promise<boolean> {
  const { from, to } = await readDays(db, owner.merchant_id, days)
  const next = await findNext(db, owner, from)
  return next === null || next >= to
}

export const latest = (a: string, b: string): string => (a > b ? a : b)
export const earliest = (a: string, b: string): string => (a < b ? a : b)

/** `days` later in the calendar. */
export function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
