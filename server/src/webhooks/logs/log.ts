// What was sent to an endpoint, as its merchant reads it: one log for each delivery, with its last
// try and, in the detail, the tries before it.

import type { EventType } from '../../events/event.ts'
import { int, jsonb, orNull, type RowOf, text, timestamptz, uuid } from '../../platform/columns.ts'
import type { Environment } from '../../platform/http/route.ts'
import { deliveryBody, type Headers } from '../delivery.ts'
import type { DeliveryStatus } from '../states.ts'

export type LogKey = Readonly<{ merchant_id: string; environment: Environment; id: string }>

/** The columns of `deliveries` that a log shows, said once. */
export const logRow = {
  /** The log's own id; the receiver knows the event's. */
  id: uuid(),
  environment: text<Environment>(),
  webhook_id: uuid(),
  event_id: uuid(),
  event_type: text<EventType>(),
  transaction_id: orNull(uuid()),
  /** The record it is about when that is no transaction. */
  subject_id: orNull(uuid()),
  /** The last try's; before the first, the endpoint's at that time. */
  url: text(),
  status: text<DeliveryStatus>(),
  attempt: int(),
  /** Those that the row does not hold by itself (`request-headers.ts`). */
  request_headers: orNull(jsonb<Headers>()),
  http_status: orNull(int()),
  response_headers: orNull(jsonb<Headers>()),
  response_body: text(),
  took_ms: orNull(int()),
  sent_at: orNull(timestamptz()),
  due_at: orNull(timestamptz()),
  exhausted_at: orNull(timestamptz()),
  created_at: timestamptz(),
}

export type Log = RowOf<typeof logRow> &
  Readonly<{
    event_at: Date | null
    /** The event's data as JSON text; null when the event is no longer kept. */
    data: string | null
  }>

/** A try that was followed by another. */
export type EarlierTry = Readonly<{
  attempt: number
  /** As PostgreSQL's JSON prints it. */
  sent_at: string
  url: string
  http_status: number | null
  response_headers: Headers | null
  response_body: string
  took_ms: number | null
}>

/** A merchant may have a delivery resent without end: only the newest tries are shown. */
export const earlier_tries_max = 99

export type LogDetail = Log &
  Readonly<{
    /** The oldest first. */
    earlier_tries: readonly EarlierTry[]
  }>

/** The bytes of every try, from the row that they are made from; null when it is no longer kept. */
export function bodyOf({ event_at, environment, ...log }: Log): string | null {
  if (event_at === null || log.data === null) return null
  const sent_id = log.request_headers?.['X-Webhook-Id'] ?? log.event_id
  return deliveryBody({ ...log, sent_id, event_at }, environment)
}

/** The record that the event is about, under the name of its kind. */
export function subjectOf({ event_type, subject_id }: Log) {
  const named = (kind: string) => (event_type.startsWith(`${kind}.`) ? subject_id : null)
  return {
    settlement: named('settlement'),
    wallet_transfer: named('wallet_transfer'),
    checkout_session: named('checkout_session'),
  }
}
