// A day of the books: midnight to midnight by the merchant's own clocks (contract 8.20).

import type { MerchantDays } from '../merchants/time-zones/store.ts'
import { readDays } from '../merchants/time-zones/time-zone.ts'
import type { Sql } from '../platform/db.ts'
import { invalid, type Text } from '../platform/errors.ts'

export type Day = Readonly<{
  /** `2026-11-21`. */
  date: string
  from: Date
  /** The first moment of the next day. */
  to: Date
  /** Whose midnight: an IANA name. */
  time_zone: string
  /** Something may still be booked into it. */
  is_provisional: boolean
}>

/**
 * No transaction of ours lasts longer, so what began before midnight is booked by then: until so
 * long after its end a day is provisional, and so far from midnight a day's entries are searched.
 */
export const books_settle_min = 5

/** `date` is a day of the calendar (the query's schema); one that has not begun is a 400. */
export async function readDay(sql: Sql, merchant_id: string, date: string): Promise<Day> {
  const { now, today, from, to, time_zone } = await readDays(sql, merchant_id, {
    first: date,
    last: date,
  })
  if (date > today) throw invalid('date', inFuture(await zoneOfDay(sql, merchant_id, today)))
  const settled = to.getTime() + books_settle_min * 60_000
  return { date, from, to, time_zone, is_provisional: now.getTime() < settled }
}

/** Days of a merchant one after the other; a last one in the future is the merchant's today. */
export async function readPeriod(
  sql: Sql,
  merchant_id: string,
  { first, last }: Readonly<{ first: string; last: string }>,
): Promise<MerchantDays & Readonly<{ first: string; last: string }>> {
  const days = await readDays(sql, merchant_id, { first, last })
  if (first > days.today) {
    throw invalid('from', inFuture(await zoneOfDay(sql, merchant_id, days.today)))
  }
  if (last < first) throw invalid('to', beforeFrom)
  if (last <= days.today) return { ...days, first, last }
  const until_today = await readDays(sql, merchant_id, { first, last: days.today })
  return { ...until_today, first, last: days.today }
}

const inFuture = (time_zone: string): Text => ({
  en: `Must be today or an earlier day (${time_zone}).`,
  fr: `Doit être aujourd’hui ou un jour passé (${time_zone}).`,
})

const beforeFrom: Text = {
  en: 'Must not be before `from`.',
  fr: 'Ne doit pas précéder `from`.',
}

/** By whose clocks today is decided, while another zone waits for its midnight. */
async function zoneOfDay(sql: Sql, merchant_id: string, day: string): Promise<string> {
  const { time_zone } = await readDays(sql, merchant_id, { first: day, last: day })
  return time_zone
}
