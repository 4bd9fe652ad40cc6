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

/**
 * What is kept of them: signatures, time, number, and an id that is the delivery's own, as older
 * versions sent it. As text and under their names the first three take twice the room of what they
 * say.
 */
export function keptHeaders(sent: Headers, { id }: Pick<DueDelivery, 'id'>): Headers {
  const signed = signedOf(sent)
  const from_signed = signed === undefined ? [] : told_by_signed
  const from_event = sent['X-Webhook-Id'] === id ? [] : ['X-Webhook-Id']
  const left_out = [...from_row, ...from_signed, ...from_event]
  const kept = Object.entries(sent).filter(([name]) => !left_out.includes(name))
  return { ...(signed === undefined ? {} : { [signed_name]: signed }), ...Object.fromEntries(kept) }
}

type Kept = Readonly<{ event_id: string; event_type: string; request_headers: Headers | null }>

/** As they were sent; null when nothing was. Rows of older versions have all of them. */
export function sentHeaders({ event_id, event_type, request_headers }: Kept): Headers | null {
  if (request_headers === null) return null
  const { [signed_name]: signed, ...others } = request_headers
  const own = signed === undefined ? others : { ...headersSigned(signed), ...others }
  const id = own['X-Webhook-Id'] ?? event_id
  const at = own['X-Webhook-Timestamp']
  const named = { ...always, 'X-Webhook-Id': id, 'X-Webhook-Event': event_type }
  const standard = { 'webhook-id': id, ...(at === undefined ? {} : { 'webhook-timestamp': at }) }
  return { ...named, ...standard, ...own }
}

/** No header's name: number, time and both signatures of a try, the signatures as bytes. */
const signed_name = 'signed'
const told_by_signed = [
  'webhook-signature',
  'X-Webhook-Sequence',
  'X-Webhook-Signature',
  'X-Webhook-Timestamp',
]
const signature_bytes = 32

/** Undefined where a secret is being replaced, or where it would not be the same text again. */
function signedOf(sent: Headers): string | undefined {
  if (sent['X-Webhook-Signature-Next'] !== undefined) return undefined
  const ours = Buffer.from(sent['X-Webhook-Signature'] ?? '', 'hex')
  const standard = Buffer.from((sent['webhook-signature'] ?? '').replace(/^v1,/, ''), 'base64')
  const macs = Buffer.concat([ours, standard]).toString('base64url')
  const signed = `${sent['X-Webhook-Sequence']} ${sent['X-Webhook-Timestamp']} ${macs}`
  const again = Object.entries(headersSigned(signed))
  return again.every(([name, value]) => sent[name] === value) ? signed : undefined
}

function headersSigned(signed: string): Headers {
  const [sequence = '', timestamp = '', macs = ''] = signed.split(' ')
  const both = Buffer.from(macs, 'base64url')
  return {
    'webhook-signature': `v1,${both.subarray(signature_bytes).toString('base64')}`,
    'X-Webhook-Sequence': sequence,
    'X-Webhook-Signature': both.subarray(0, signature_bytes).toString('hex'),
    'X-Webhook-Timestamp': timestamp,
  }
}
