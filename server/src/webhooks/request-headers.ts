// The headers of a try, as they are sent and as they are kept. What the delivery's row has by
// itself is not written once more with each try: it was half of what a try wrote
// (docs/decisions/0067).

import type { DueDelivery, Headers, Receiver } from './delivery.ts'
import { signatureHeaders } from './sign.ts'

/** The same with each try. Should one ever change, it is to be kept from then on. */
const always = { 'content-type': 'application/json', 'user-agent': 'Pirogue-Webhooks' } as const

/** What the row has, by the header that says it; `webhook-timestamp` is said twice. */
const from_row = [...Object.keys(always), 'X-Webhook-Event', 'webhook-id', 'webhook-timestamp']

type Sending = Readonly<{ delivery: DueDelivery; body: string; timestamp_s: number }>

/** All headers of a try, as they are sent. */
export function headersOf(
  { secret, next_secret }: Receiver,
  { delivery, body, timestamp_s }: Sending,
): Headers {
  const signed = signatureHeaders({
    id: delivery.sent_id,
    event: delivery.event_type,
    body,
    timestamp_s,
    secret,
    ...(next_secret === undefined ? {} : { next_secret }),
  })
  // The last one is a hint, and not signed: the event's place in the pull feed.
  return { ...always, ...signed, 'X-Webhook-Sequence': String(delivery.sequence) }
}

/** What is kept of them: signatures, time, number, and an id that is not the event's. */
export function keptHeaders(sent: Headers, { id }: Pick<DueDelivery, 'id'>): Headers {
  const left_out = sent['X-Webhook-Id'] === id ? from_row : [...from_row, 'X-Webhook-Id']
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !left_out.includes(name)))
}

type Kept = Readonly<{ event_id: string; event_type: string; request_headers: Headers | null }>

/** As they were sent; null when nothing was. Rows of older versions have all of them. */
export function sentHeaders({ event_id, event_type, request_headers }: Kept): Headers | null {
  if (request_headers === null) return null
  const id = request_headers['X-Webhook-Id'] ?? event_id
  const at = request_headers['X-Webhook-Timestamp']
  const named = { ...always, 'X-Webhook-Id': id, 'X-Webhook-Event': event_type }
  const standard = { 'webhook-id': id, ...(at === undefined ? {} : { 'webhook-timestamp': at }) }
  return { ...named, ...standard, ...request_headers }
}
