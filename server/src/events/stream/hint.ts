// What a stream says: that something of a kind has changed, by its id and its place in the feed.
// Law: no amount, no name, no number of anybody; whoever wants to know more reads the record.

import { isEventType } from '../event.ts'

/** An event that has its place in a feed, without its content. */
export type Placed = Readonly<{
  /** Its place in the feed. */
  seq: bigint
  type: string
  transaction_id: string | null
  subject_id: string | null
}>

/** What it was about, by the first word of its type: a refund's event names its payment too. */
function aboutOf({ type, transaction_id, subject_id }: Placed) {
  const [kind = ''] = type.split('.')
  const id = kind === 'transaction' ? transaction_id : (subject_id ?? transaction_id)
  return { kind, id }
}

/** The event as text on the wire; nothing for one that the catalogue does not know. */
export function hintText(placed: Placed): string {
  const { kind, id } = aboutOf(placed)
  if (id === null || !isEventType(placed.type)) return ''
  return message('hint', placed.seq, { event: placed.type, kind, id })
}

/** The stream follows the feed from this place on. */
export const readyText = (seq: bigint): string => message('ready', seq)

/** More has happened than is sent one by one: whatever is shown may be out of date. */
export const resyncText = (seq: bigint): string => message('resync', seq)

/** A network stopped or works again: no event of the feed, so the follower's place stays. */
export const networksText = (seq: bigint): string =>
  `event: networks\ndata: ${JSON.stringify({ sequence: Number(seq), kind: 'network' })}\n\n`

/** Keeps proxies from taking a quiet stream for a dead one. */
export const heartbeatText = ': still here\n\n'

/** Sent at once. After a break the client comes back in so long, in milliseconds. */
export const openingText = (retry_ms: number): string => `retry: ${retry_ms}\n\n`

const message = (name: string, seq: bigint, more: object = {}): string =>
  `id: ${seq}\nevent: ${name}\ndata: ${JSON.stringify({ sequence: Number(seq), ...more })}\n\n`

/** For OpenAPI: a stream's beginning. */
export const streamExample =
  openingText(3_000) +
  readyText(40n) +
  hintText({
    seq: 41n,
    type: 'transaction.success',
    transaction_id: '01981f3a-0000-7000-8000-000000000001',
    subject_id: null,
  })
