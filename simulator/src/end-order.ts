// Moves the money of an order, now or by its script, and announces it. The only file that changes a
// status to an ending; an order that ended moves again only by a turn of its own script (09, 9913).

import { randomUUID } from 'node:crypto'
import { formatAmount } from './amount.ts'
import { deliverCallback } from './deliver-callback.ts'
import { type ScriptTurn, scriptOf } from './magic-numbers.ts'
import type { Call, Ending, Order, Turn } from './order.ts'
import { later, type SimulatorDeps } from './simulator-deps.ts'

export type Outcome = Readonly<{
  status: Ending
  reason?: string | undefined
  callbacks_ms: readonly number[]
}>

/** What really moves. Number 9910: a hundred less, or a hundred more of what is too small. */
function movedAmount(deps: SimulatorDeps, order: Order): bigint {
  if (!scriptOf(deps, order).wrong_amount) return order.amount
  return order.amount > 100_00n ? order.amount - 100_00n : order.amount + 100_00n
}

function callsOf(deps: SimulatorDeps, order: Order, callbacks_ms: readonly number[]): Call[] {
  const { id, reference, status, currency, reason } = order
  const amount = formatAmount(order.moved_amount ?? order.amount)
  const event = { event_id: randomUUID(), id, reference, status, amount, currency, reason }
  const body = JSON.stringify(event)
  const now = Date.now()
  return callbacks_ms.map((late_ms) => ({
    id: randomUUID(),
    body,
    at: later(deps, now, late_ms),
    tries: 0,
  }))
}

/** Ends an order. The promise is over when the first try of each of its callbacks is. */
export async function endOrder(deps: SimulatorDeps, order: Order, outcome: Outcome): Promise<void> {
  const succeeded = outcome.status === 'SUCCESSFUL'
  const ended: Order = {
    ...order,
    status: outcome.status,
    reason: outcome.reason,
    debited_at: succeeded ? Date.now() : undefined,
    moved_amount: succeeded ? movedAmount(deps, order) : undefined,
  }
  const calls = callsOf(deps, ended, outcome.callbacks_ms)
  deps.books.save({ ...ended, calls: [...order.calls, ...calls] })
  await Promise.all(calls.map((call) => deliverCallback(deps, ended, call)))
}

async function takeTurn(deps: SimulatorDeps, order: Order, turn: Turn): Promise<void> {
  const current = deps.books.find(order)
  // A cancel or a resolve has emptied the agenda meanwhile: the turn is not taken.
  if (!current?.turns.includes(turn)) return
  const turns = current.turns.filter((each) => each !== turn)
  await endOrder(deps, { ...current, turns }, turn)
}

/**
 * Puts a script's turns on the order's agenda and takes at once those that are due.
 * The promise is over when the callbacks of these have had their first try.
 */
export async function follow(
  deps: SimulatorDeps,
  order: Order,
  script_turns: readonly ScriptTurn[],
): Promise<void> {
  const now = Date.now()
  const turns = script_turns.map(({ after_ms, status, reason, callbacks_ms }) => {
    return { at: later(deps, now, after_ms), status, reason, callbacks_ms }
  })
  const planned: Order = { ...order, status: 'PENDING', turns }
  deps.books.save(planned)
  const due = turns.filter((turn) => turn.at <= now)
  for (const turn of turns.filter((each) => each.at > now)) {
    deps.alarms.at(turn.at, () => takeTurn(deps, planned, turn))
  }
  await Promise.all(due.map((turn) => takeTurn(deps, planned, turn)))
}

/** After a restart: takes up every unfinished agenda and every undelivered callback. */
export function resume(deps: SimulatorDeps): void {
  for (const order of deps.books.all()) {
    for (const turn of order.turns) deps.alarms.at(turn.at, () => takeTurn(deps, order, turn))
    for (const call of order.calls) void deliverCallback(deps, order, call)
  }
}
