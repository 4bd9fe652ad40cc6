// The event stream of a waiting page: one event when the page opens and one when its content
// changes, then the end. It reads our own rows, and never queries an operator.

import { setTimeout as pause } from 'node:timers/promises'
import { findSession } from '../orders/order-statements.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { networkOf } from '../platform/throttle/throttle.ts'
import { type PageDeps, paymentNow, stateWord, type Visit, visit } from './visit.ts'

/** In one process; a browser beyond that reconnects by itself. */
const streams_max = 200
/** For one session: its payer's, and some that were left open. */
const of_session_max = 3
/** For one network: an address of IPv4, a /64 of IPv6. */
const of_network_max = 10
const poll_ms = 1_000
/** After a long wait, changes are noticed a little later. */
const poll_later_ms = 3_000
const soon_ms = 60_000
const heartbeat_ms = 15_000
/** Then the browser reconnects: a reader who has gone without a word is not served for ever. */
const stream_ms = 10 * 60_000

/** How many are open, in all and by what each is counted under. */
export type Streams = { open: number; readonly by: Map<string, number> }

type Places = readonly Readonly<{ name: string; most: number }>[]

const placesOf = ({ params, ip }: PageInput): Places => [
  { name: `session ${params['slug']}`, most: of_session_max },
  { name: `network ${networkOf(ip)}`, most: of_network_max },
]

const isFull = ({ open, by }: Streams, places: Places): boolean =>
  open >= streams_max || places.some(({ name, most }) => (by.get(name) ?? 0) >= most)

export const liveIn =
  (deps: PageDeps, streams: Streams = { open: 0, by: new Map() }) =>
  async (input: PageInput): Promise<PageReply> => {
    const places = placesOf(input)
    if (isFull(streams, places)) throw refuse(transportErrors.service_unavailable)
    const own = await visit(deps, input)
    const events = (signal: AbortSignal) => counted(streams, places, statesOf(deps, own, signal))
    return { is: 'events', events }
  }

async function* counted(streams: Streams, places: Places, events: AsyncIterable<string>) {
  // A browser that came at the same moment as the last one reconnects in a few seconds.
  if (isFull(streams, places)) return
  count(streams, places, 1)
  try {
    yield* events
  } finally {
    count(streams, places, -1)
  }
}

function count(streams: Streams, places: Places, change: 1 | -1): void {
  streams.open += change
  for (const { name } of places) {
    const now = (streams.by.get(name) ?? 0) + change
    if (now === 0) streams.by.delete(name)
    else streams.by.set(name, now)
  }
}

async function* statesOf(deps: PageDeps, { checkout }: Visit, signal: AbortSignal) {
  const since = Date.now()
  let [sent, sent_at] = ['', since]
  yield 'retry: 3000\n\n'
  while (!signal.aborted && Date.now() - since < stream_ms) {
    const session = await findSession(deps.db, checkout.target.session)
    assert(session !== undefined, 'a session does not go away')
    const payment = await paymentNow(deps, session, checkout.profile)
    const state = stateWord(session, payment)
    const isNew = state !== sent
    if (isNew || Date.now() - sent_at > heartbeat_ms) {
      yield isNew ? `data: ${state}\n\n` : ': still here\n\n'
      sent_at = Date.now()
    }
    sent = state
    if (payment?.state.status !== 'PENDING') return
    const wait_ms = Date.now() - since < soon_ms ? poll_ms : poll_later_ms
    await pause(wait_ms, undefined, { signal }).catch(() => undefined)
  }
}
