// Moves the money of an order, now or by its script, and announces it. The only file that changes a
// status to an ending; an order that ended moves again only by a turn of its own script (09, 9913).

import { randomUUID } from 'node:crypto'
import { formatAmount } from './amount.ts'
import { type House, later } from './house.ts'
import { type ScriptTurn, scriptOf } from './magic-numbers.ts'
import type { Call, Ending, Order, Turn } from './order.ts'
import { ring } from './ring.ts'

export type Outcome = Readonly<{
  status: Ending
  reason?: string | undefined
  callbacks_ms: readonly number[]
}>

/** What really moves. Number 9910: a hundred less, or a hundred more of what is too small. */
function movedAmount(house: House, order: Order): bigint {
  if (!scriptOf(house, order).wrong_amount) return order.amount
  return order.amount > 100_00n ? order.amount - 100_00n : order.amount + 100_00n
}

function callsOf(house: House, order: Order, callbacks_ms: readonly number[]): Call[] {
  const { id, reference, status, currency, reason } = order
  const amount = formatAmount(order.moved_amount ?? order.amount)
  const event = { event_id: randomUUID(), id, reference, status, amount, currency, reason }
  const body = JSON.stringify(event)
  const now = Date.now()
  return callbacks_ms.map((late_ms) => ({
    id: randomUUID(),
    body,
    at: later(house, now, late_ms),
    tries: 0,
  }))
}

/** Ends an order. The promise is over when the first try of each of its callbacks is. */
export async function settle(house: House, order: Order, outcome: Outcome): Promise<void> {
  const succeeded = outcome.status === 'SUCCESSFUL'
  const settled: Order = {
    ...order,
    status: outcome.status,
    reason: outcome.reason,
    debited_at: succeeded ? Date.now() : undefined,
    moved_amount: succeeded ? movedAmount(house, order) : undefined,
  }
  const calls = callsOf(house, settled, outcome.callbacks_ms)
  house.books.save({ ...settled, calls: [...order.calls, ...calls] })
  await Promise.all(calls.map((call) => ring(house, settled, call)))
}

async function takeTurn(house: House, order: Order, turn: Turn): Promise<void> {
  const current = house.books.find(order)
  // A cancel or a resolve has emptied the agenda meanwhile: the turn is not to be taken.
  if (!current?.turns.includes(turn)) return
  const turns = current.turns.filter((each) => each !== turn)
  await settle(house, { ...current, turns }, turn)
}

/**
 * Puts a script's turns on the order's agenda and takes at once those that are due.
 * The promise is over when the callbacks of these have had their first try.
 */
export async function follow(
  house: House,
  order: Order,
  script_turns: readonly ScriptTurn[],
): Promise<void> {
  const now = Date.now()
  const turns = script_turns.map(({ after_ms, status, reason, callbacks_ms }) => {
    return { at: later(house, now, after_ms), status, reason, callbacks_ms }
  })
  const planned: Order = { ...order, status: 'PENDING', turns }
  house.books.save(planned)
  const due = turns.filter((turn) => turn.at <= now)
  for (const turn of turns.filter((each) => each.at > now)) {
    house.alarms.at(turn.at, () => takeTurn(house, planned, turn))
  }
  await Promise.all(due.map((turn) => takeTurn(house, planned, turn)))
}

/** After a restart: takes up every unfinished agenda and every undelivered callback. */
export function resume(house: House): void {
  for (const order of house.books.all()) {
    for (const turn of order.turns) house.alarms.at(turn.at, () => takeTurn(house, order, turn))
    for (const call of order.calls) void ring(house, order, call)
  }
}
