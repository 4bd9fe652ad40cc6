// Takes a payout back. The answer has no documented body: a 2xx is only that it was taken, and what
// became of the payout is its own state, which is asked for.

import type { Answer, AttemptKey, GatewayReply } from '../gateway.ts'
import { deadline, isTheirs, replyOf, type Talk } from './ask.ts'
import { readRefusal } from './read-answer.ts'
import { paths } from './wire.ts'

export async function reversePayout(
  { call, context }: Talk,
  payout: AttemptKey,
): Promise<GatewayReply> {
  const { external_reference: id } = payout
  if (!isTheirs(id)) {
    const because = 'its reference is not known'
    return replyOf({ is: 'unknown', because }, { is: 'never_sent', because })
  }
  const result = await call({ method: 'POST', path: paths.reversePayout(id) }, deadline())
  if (result.is !== 'answered') return replyOf(result, result)
  const isTaken = result.status >= 200 && result.status < 300
  const taken: Answer = { is: 'waiting', external_reference: id, next: 'payer' }
  return replyOf(isTaken ? taken : readRefusal(payout, result, context()), result)
}
