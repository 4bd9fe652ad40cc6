// Delivers callbacks: signed, tried again until taken or given up, remembered between the tries so
// that a killed operator goes on where it was. NOT guaranteed: exactly once, nor their order.

import { createHmac } from 'node:crypto'
import { scriptOf } from './magic-numbers.ts'
import type { Call, Order } from './order.ts'
import { later, type SimulatorDeps } from './simulator-deps.ts'

/** Waits before each further try; after an hour and a half the operator gives up. */
const waits_s = [1, 2, 4, 8, 16, 30, 30, 30, 30, 60, 120, 300, 600, 1200, 3000]
const waits_ms = waits_s.map((seconds) => seconds * 1000)

/** Lower-case hex HMAC-SHA256 of `{timestamp}.{raw body}`, as the receiver must compute it. */
export function signBody(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
}

function headersOf(deps: SimulatorDeps, order: Order, call: Call): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000).toString()
  const headers = { 'content-type': 'application/json', 'x-sim-timestamp': timestamp }
  if (!scriptOf(deps, order).signed) return headers
  const signature = signBody(deps.callback_secret, timestamp, call.body)
  return { ...headers, 'x-sim-signature': signature }
}

/** Fires at the call's time. Resolves when that one try is over, taken or not. */
export function deliverCallback(deps: SimulatorDeps, order: Order, call: Call): Promise<void> {
  return new Promise((resolve) => {
    deps.alarms.at(call.at, async () => {
      await tryCall(deps, order, call)
      resolve()
    })
  })
}

async function tryCall(deps: SimulatorDeps, order: Order, call: Call): Promise<void> {
  // The event is on disk before it is sent to anyone.
  await deps.books.flushed()
  if (deps.alarms.stopped()) return
  const headers = headersOf(deps, order, call)
  const accepted = await deps.poster.post({ url: order.callback_url, body: call.body, headers })
  if (deps.alarms.stopped()) return

  const wait_ms = waits_ms[call.tries]
  const ended = accepted || wait_ms === undefined
  const next = ended
    ? []
    : [{ ...call, tries: call.tries + 1, at: later(deps, Date.now(), wait_ms) }]
  const current = deps.books.find(order) ?? order
  const calls = current.calls.flatMap((each) => (each.id === call.id ? next : [each]))
  deps.books.save({ ...current, calls })
  for (const retry of next) void deliverCallback(deps, order, retry)
}
