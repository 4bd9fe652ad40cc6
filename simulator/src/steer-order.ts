// What can be done to an order that waits: enter its OTP, cancel it, resolve it, decide on its
// page. Law: each of these works once; on an order that ended the answer is 409 with the order.

import type { House } from './house.ts'
import { atOnce, onApproval, scriptOf } from './magic-numbers.ts'
import { type Ending, hasEnded, type Order } from './order.ts'
import { answerBy, right_otp } from './place-order.ts'
import { json, type Reply } from './reply.ts'
import { follow, settle } from './settle-order.ts'
import { showOrder } from './show-order.ts'

function conflict(house: House, order: Order, code: string): Reply {
  return json(409, { code, collection: showOrder(house, order) })
}

function shown(house: House, order: Order): Reply {
  return json(200, showOrder(house, house.books.find(order) ?? order))
}

/** A right code starts the number's script at once; a wrong one changes nothing. */
export async function confirmOtp(house: House, order: Order, otp: string): Promise<Reply> {
  if (hasEnded(order)) return conflict(house, order, 'ALREADY_ENDED')
  if (order.status !== 'OTP_REQUIRED') return conflict(house, order, 'OTP_NOT_EXPECTED')
  if (otp !== right_otp) {
    const message = 'The code is wrong.'
    return json(200, { ...showOrder(house, order), code: 'INVALID_OTP', message })
  }
  const script = scriptOf(house, order)
  const told = follow(house, order, atOnce(script.turns))
  return answerBy(house, script, told, shown(house, order))
}

/** Ends a waiting order without a callback: the caller has the answer in his hand. */
export function cancelOrder(house: House, order: Order): Reply {
  if (hasEnded(order)) return conflict(house, order, 'ALREADY_ENDED')
  void settle(
    house,
    { ...order, turns: [] },
    {
      status: 'FAILED',
      reason: 'CANCELLED',
      callbacks_ms: [],
    },
  )
  return shown(house, order)
}

export type Resolution = Readonly<{ status: Ending; reason: string | undefined }>

/** The test door: settles a waiting order as told and sends the callback too. */
export function resolveOrder(house: House, order: Order, resolution: Resolution): Reply {
  if (hasEnded(order)) return conflict(house, order, 'ALREADY_ENDED')
  void settle(house, { ...order, turns: [] }, { ...resolution, callbacks_ms: [0] })
  return shown(house, order)
}

/** The payer's own decision on the page. On an order that ended it does nothing. */
export function decideOrder(house: House, order: Order, decision: 'approve' | 'refuse'): void {
  if (hasEnded(order)) return
  if (decision === 'approve') {
    void follow(house, order, onApproval(scriptOf(house, order).turns))
    return
  }
  void settle(
    house,
    { ...order, turns: [] },
    {
      status: 'FAILED',
      reason: 'NOT_APPROVED',
      callbacks_ms: [0],
    },
  )
}
