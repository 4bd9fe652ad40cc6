// A day of the books: midnight to midnight, UTC.

import { invalid, type Text } from '../platform/errors.ts'

export type Day = Readonly<{
  /** `2026-11-21`. */
  date: string
  from: Date
  /** The first moment of the next day. */
  to: Date
  /** Something may still be booked into it. */
  is_provisional: boolean
}>

/**
 * No transaction of ours lasts longer, so what began before midnight is booked by then: until so
 * long after its end a day is provisional, and so far from midnight a day's entries are searched.
 */
export const books_settle_min = 5

const day_ms = 24 * 3600 * 1000

/** `date` is a day of the calendar (the query's schema); one that has not begun is a 400. */
export function dayOf(date: string, now: Date, field = 'date'): Day {
  const from = new Date(`${date}T00:00:00Z`)
  if (from > now) throw invalid(field, inFuture)
  const to = new Date(from.getTime() + day_ms)
  const settled = to.getTime() + books_settle_min * 60_000
  return { date, from, to, is_provisional: now.getTime() < settled }
}

const inFuture: Text = {
  en: 'Must be today or an earlier day (UTC).',
  fr: 'Doit être aujourd’hui ou un jour passé (UTC).',
}
