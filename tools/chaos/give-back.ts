// A merchant that gives payments back: whole, or by two calls at once that together are more than
// was paid, of which one must be refused. Each call is repeated with its key.

import type { Random } from '../fuzz/random.ts'
import { type Answer, type Call, codeOf, paymentIn } from './caller.ts'
import { refundKindOf } from './payers.ts'
import { note, type Sent, type SentRefund, statusIn } from './sent.ts'

export type GivingBack = Readonly<{
  random: Random
  /** The merchant's API key. */
  secret: string
  sent: Sent
  /** The payment. */
  id: string
  /** Until it is answered for good; undefined when the load is over before that. */
  call(call: Call): Promise<Answer | undefined>
  /** Told of an answer that no call should get. */
  onStrange(what: string, answer: Answer): void
}>

/** Nothing is begun by these, and the key is free. */
const refusals = new Set(['refund_too_large', 'not_refundable', 'insufficient_balance'])

export async function giveBack(giving: GivingBack): Promise<void> {
  const { random, sent } = giving
  const part = String(Math.ceil(Number(sent.amount) * 0.6))
  const ways: readonly (readonly (string | undefined)[])[] = [
    [undefined],
    [undefined, undefined],
    [part, part],
  ]
  const refunds = random.pick(ways).map((amount, at): SentRefund => {
    const own = { key: `${sent.key}-refund-${at}`, answers: [], ...refundKindOf(random) }
    const sum = amount === undefined ? {} : { amount }
    return { ...own, ...sum, was_refused: false, was_success: false }
  })
  sent.refunds.push(...refunds)
  await Promise.all(refunds.map((refund) => refundOnce(giving, refund)))
}

async function refundOnce(giving: GivingBack, refund: SentRefund): Promise<void> {
  const { random, secret, id } = giving
  const { key, amount, reason } = refund
  const path = `/payments/${id}/refunds/`
  const body = { reason, reference: key, ...(amount === undefined ? {} : { amount }) }
  const call: Call = { method: 'POST', path, secret, idempotency_key: key, body }
  for (let times = random.chance(0.3) ? 2 : 1; times > 0; times -= 1) {
    const answer = await giving.call(call)
    if (answer === undefined) return
    if (refusals.has(codeOf(answer))) refund.was_refused = true
    else if (answer.status === 201) note(refund, answer)
    else giving.onStrange('refund', answer)
  }
  const [first] = refund.answers
  if (first === undefined || !random.chance(0.5)) return
  const verify: Call = { method: 'POST', path: `/refunds/${first.payment}/verify/`, secret }
  const seen = await giving.call(verify)
  if (seen === undefined) return
  if (paymentIn(seen) !== first.payment) giving.onStrange('verify of a refund', seen)
  if (statusIn(seen) === 'SUCCESS') refund.was_success = true
}
