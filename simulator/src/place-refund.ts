// Gives a collection back to its payer, whole or in parts. Law: all refunds of a collection
// together never pass what it collected; what is under way counts.

import type { Operator, Order } from './order.ts'
import type { RefundRequest } from './parse-order.ts'
import { placeOrder, showOrder } from './place-order.ts'
import { json, type Reply } from './reply.ts'
import type { SimulatorDeps } from './simulator-deps.ts'

const refused = (message: string): Reply =>
  json(200, { status: 'REFUSED', code: 'ORDER_REFUSED', message })

/** An order of its own, which takes over from the collection who is paid, and in which network. */
export async function placeRefund(
  deps: SimulatorDeps,
  operator: Operator,
  request: RefundRequest,
): Promise<Reply> {
  const { collection: reference, reason, ...sum } = request
  const existing = deps.books.find({ operator, kind: 'REFUND', reference: sum.reference })
  if (existing) return json(409, { code: 'ALREADY_EXISTS', collection: showOrder(deps, existing) })
  const collected = deps.books.find({ operator, kind: 'COLLECTION', reference })
  const moved = collected?.moved_amount
  if (collected === undefined || moved === undefined) return refused('Nothing was collected.')
  if (collected.currency !== sum.currency) return refused('It was collected in another currency.')
  if (givenBack(deps, collected) + sum.amount > moved) return refused('More than was collected.')
  return placeOrder(deps, {
    operator,
    kind: 'REFUND',
    otp: undefined,
    request: {
      ...sum,
      msisdn: collected.msisdn,
      network: collected.network,
      flow: 'push',
      otp_kind: 'NONE',
      description: reason,
      return_url: undefined,
      collection: reference,
    },
  })
}

/** Hundredths: what was given back, and what is on its way. */
function givenBack(deps: SimulatorDeps, { operator, reference }: Order): bigint {
  let sum = 0n
  for (const order of deps.books.all()) {
    const isIts = order.operator === operator && order.collection === reference
    if (isIts && order.status !== 'FAILED') sum += order.moved_amount ?? order.amount
  }
  return sum
}
