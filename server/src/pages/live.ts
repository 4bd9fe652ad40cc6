// The waiting page's ear: one event when the page opens and one when it has something else to say,
// then the end. It reads our own rows, and never asks an operator anything.

import { setTimeout as pause } from 'node:timers/promises'
import { findSession } from '../orders/order-record.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { type PageDeps, paymentNow, stateWord, type Visit, visit } from './visit.ts'

/** In one process; whoever comes later asks again by himself. */
const streams_max = 200
const look_ms = 1_000
/** Who waits long is told a little later. */
const look_later_ms = 3_000
const soon_ms = 60_000
const heartbeat_ms = 15_000
/** Then the browser asks anew: a reader who has gone without a word is not served for ever. */
const stream_ms = 10 * 60_000

export type Streams = { open: number }

export const liveIn =
  (deps: PageDeps, streams: Streams = { open: 0 }) =>
  async (input: PageInput): Promise<PageReply> => {
    if (streams.open >= streams_max) throw refuse(transportErrors.service_unavailable)
    const own = await visit(deps, input)
    return { is: 'events', events: (signal) => counted(streams, statesOf(deps, own, signal)) }
  }

async function* counted(streams: Streams, events: AsyncIterable<string>) {
  // Whoever came at the same moment as the last one asks again in a few seconds.
  if (streams.open >= streams_max) return
  streams.open += 1
  try {
    yield* events
  } finally {
    streams.open -= 1
  }
}

async function* statesOf(deps: PageDeps, { opened }: Visit, signal: AbortSignal) {
  const since = Date.now()
  let [told, told_at] = ['', since]
  yield 'retry: 3000\n\n'
  while (!signal.aborted && Date.now() - since < stream_ms) {
    const session = await findSession(deps.db, opened.order.session)
    assert(session !== undefined, 'a session does not go away')
    const payment = await paymentNow(deps, session, opened.face)
    const state = stateWord(session, payment)
    const isNew = state !== told
    if (isNew || Date.now() - told_at > heartbeat_ms) {
      yield isNew ? `data: ${state}\n\n` : ': still here\n\n'
      told_at = Date.now()
    }
    told = state
    if (payment?.state.status !== 'PENDING') return
    const wait_ms = Date.now() - since < soon_ms ? look_ms : look_later_ms
    await pause(wait_ms, undefined, { signal }).catch(() => undefined)
  }
}
