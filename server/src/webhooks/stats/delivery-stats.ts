// What came of an endpoint's deliveries in a time, whole and hour by hour.

import type { Db } from '../../platform/db.ts'
import type { FieldErrors, Text } from '../../platform/errors.ts'
import { checkTimes, type Query, readTimes } from '../../platform/http/filters.ts'
import type { Caller } from '../../platform/http/route.ts'
import { getWebhook, webhookKeyOf } from '../registrations/get-webhook.ts'
import { type DeliveryFigures, listCounted, type Span } from './store.ts'

export const stats_days_max = 7
const hour_ms = 3_600_000
const usual_ms = 24 * hour_ms
/** The first moment that a bound can name (`readMoment`). */
const earliest_ms = Date.parse('0001-01-01T00:00:00Z')
const longest_ms = stats_days_max * 24 * hour_ms

/** Of one type of event; more are counted from a later moment on. */
export const deliveries_read_max = 50_000

export type DeliveryStats = Readonly<{
  webhook_id: string
  from: Date
  to: Date
  counted_from: Date
  totals: DeliveryFigures
  /** All hours from `counted_from` on, in the order of time. */
  hours: readonly (DeliveryFigures & Readonly<{ from: Date }>)[]
}>

const tooLong: Text = {
  en: `Must be at most ${stats_days_max} days before the end of the period.`,
  fr: `Doit précéder la fin de la période de ${stats_days_max} jours au plus.`,
}

const backwards: Text = {
  en: 'Must not be before the beginning of the period.',
  fr: 'Ne doit pas précéder le début de la période.',
}

/** Without an end: until now. Without a beginning: a day before the end. */
export function readSpan(query: Query): Span {
  const { created_at__gte: first, created_at__lte: last } = readTimes(query)
  const to = last === undefined ? new Date() : new Date(last)
  const usual = Math.max(to.getTime() - usual_ms, earliest_ms)
  return { from: first === undefined ? new Date(usual) : new Date(first), to }
}

/** What is wrong with a period, by field. */
export function checkSpan(query: Query): FieldErrors {
  const wrong = checkTimes(query)
  if (Object.keys(wrong).length > 0) return wrong
  const { from, to } = readSpan(query)
  if (from > to) {
    return { [query['created_at__lte'] ? 'created_at__lte' : 'created_at__gte']: [backwards] }
  }
  return to.getTime() - from.getTime() > longest_ms ? { created_at__gte: [tooLong] } : {}
}

const none: DeliveryFigures = {
  ...{ deliveries: 0, tries: 0, succeeded: 0, failed: 0, exhausted: 0, waiting: 0 },
  ...{ answer_ms_p50: null, answer_ms_p95: null },
}

/** Of the caller's endpoint (contract 3.5), whether it is switched on or off. */
export async function countDeliveries(
  db: Db,
  caller: Caller,
  id: string,
  span: Span,
): Promise<DeliveryStats> {
  const { merchant_id, id: webhook_id } = await getWebhook(db, webhookKeyOf(caller, id))
  const lines = await listCounted(db, { merchant_id, webhook_id }, span, deliveries_read_max)
  const whole = lines.find(({ hour }) => hour === null)
  const counted_from = whole?.cut_at ?? span.from
  const counted = new Map(lines.map((line) => [line.hour?.getTime(), line]))
  const hours = hoursOf({ from: counted_from, to: span.to }).map((from) => ({
    ...{ ...none, ...counted.get(from.getTime()) },
    from,
  }))
  return { webhook_id, ...span, counted_from, totals: whole ?? none, hours }
}

/** The hours, by UTC, that a time has a part of. */
function hoursOf({ from, to }: Span): Date[] {
  const hours: Date[] = []
  const first = Math.floor(from.getTime() / hour_ms) * hour_ms
  for (let at = first; at <= to.getTime(); at += hour_ms) hours.push(new Date(at))
  return hours
}
