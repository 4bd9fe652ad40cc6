// What can be done to an order that waits: enter its OTP, cancel it, resolve it, decide on its
// page, taken back once it was paid out. Law: each of these works once; on an order that ended the
// answer of the others is 409 with the order.

import { endOrder, follow } from './end-order.ts'
import { atOnce, onApproval, scriptOf } from './magic-numbers.ts'
import { type Ending, hasEnded, type Order } from './order.ts'
import { answerBy, right_otp, showOrder } from './place-order.ts'
import { json, type Reply } from './reply.ts'
import type { SimulatorDeps } from './simulator-deps.ts'

function conflict(deps: SimulatorDeps, order: Order, code: string): Reply {
  return json(409, { code, collection: showOrder(deps, order) })
}

function replyCurrent(deps: SimulatorDeps, order: Order): Reply {
  return json(200, showOrder(deps, deps.books.find(order) ?? order))
}

/** A right code starts the number's script at once; a wrong one changes nothing. */
export async function confirmOtp(deps: SimulatorDeps, order: Order, otp: string): Promise<Reply> {
  if (hasEnded(order)) return conflict(deps, order, 'ALREADY_ENDED')
  if (order.status !== 'OTP_REQUIRED') return conflict(deps, order, 'OTP_NOT_EXPECTED')
  if (otp !== right_otp) {
    const message = 'The code is wrong.'
    return json(200, { ...showOrder(deps, order), code: 'INVALID_OTP', message })
  }
  const script = scriptOf(deps, order)
  const delivered = follow(deps, order, atOnce(script.turns))
  return answerBy(deps, script, delivered, replyCurrent(deps, order))
}

/** Ends a waiting order without a callback: the caller has the answer already. */
export function cancelOrder(deps: SimulatorDeps, order: Order): Reply {
  if (hasEnded(order)) return conflict(deps, order, 'ALREADY_ENDED')
  void endOrder(
    deps,
    { ...order, turns: [] },
    {
      status: 'FAILED',
      reason: 'CANCELLED',
      callbacks_ms: [],
    },
  )
  return replyCurrent(deps, order)
}

export type Resolution = Readonly<{ status: Ending; reason: string | undefined }>

/** The test control: ends a waiting order as instructed and sends the callback too. */
export function resolveOrder(deps: SimulatorDeps, order: Order, resolution: Resolution): Reply {
  if (hasEnded(order)) return conflict(deps, order, 'ALREADY_ENDED')
  void endOrder(deps, { ...order, turns: [] }, { ...resolution, callbacks_ms: [0] })
  return replyCurrent(deps, order)
}

/** The payer's own decision on the page. On an order that ended it does nothing. */
export function decideOrder(
  deps: SimulatorDeps,
  order: Order,
  decision: 'approve' | 'refuse',
): void {
  if (hasEnded(order)) return
  if (decision === 'approve') {
    void follow(deps, order, onApproval(scriptOf(deps, order).turns))
    return
  }
  void endOrder(
    deps,
    { ...order, turns: [] },
    {
      status: 'FAILED',
      reason: 'NOT_APPROVED',
      callbacks_ms: [0],
    },
  )
}

/**
 * Takes a payout back from its recipient: it fails after it had succeeded, without a callback.
 * Asked for again it is the same; what was never paid out, or is no payout, cannot come back.
 */
export function reverseOrder(deps: SimulatorDeps, order: Order): Reply {
  if (order.status === 'FAILED' && order.reason === 'REVERSED') return replyCurrent(deps, order)
  if (order.kind !== 'PAYOUT' || order.status !== 'SUCCESSFUL') {
    return conflict(deps, order, 'NOT_REVERSIBLE')
  }
  const outcome = { status: 'FAILED', reason: 'REVERSED', callbacks_ms: [] } as const
  void endOrder(deps, { ...order, turns: [] }, outcome)
  return replyCurrent(deps, order)
}
