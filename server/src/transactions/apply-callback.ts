// A verified callback is evidence: it is applied by the same decision as every other answer.

import { matchAttempt, type SignedCallback } from '../attempts/receive-callback.ts'
import {
  type ApplyDeps,
  type AttemptOwner,
  applyAnswerFor,
  transactionOwner,
  type WithAttempt,
} from './apply-answer.ts'

type CallbackOutcome = { kept: boolean; ask: boolean } | 'nobody'

/**
 * `kept`: the raw callback is in the commit that it caused; `ask`: the gateway must be queried;
 * `nobody`: there is no attempt of a transaction here that this gateway may speak of.
 */
export const applyCallback = (deps: ApplyDeps, signed: SignedCallback): Promise<CallbackOutcome> =>
  applyCallbackFor(transactionOwner, deps, signed)

/** The same for any owner of attempts. */
export async function applyCallbackFor<H extends WithAttempt>(
  owner: AttemptOwner<H>,
  deps: ApplyDeps,
  signed: SignedCallback,
): Promise<CallbackOutcome> {
  const context = await owner.find(deps.db, signed.key)
  if (context === undefined) return 'nobody'
  const match = matchAttempt(context.attempt, signed)
  if (match !== 'this') return match === 'nobody' ? 'nobody' : { kept: false, ask: true }
  const received = {
    merchant_id: signed.key.merchant_id,
    attempt_id: signed.key.id,
    answer: signed.reading.answer,
    hash: signed.hash,
    triggered_by: 'CALLBACK' as const,
    evidence_kind: 'CALLBACK' as const,
    request_id: signed.request_id,
    gateway: signed.gateway.facts,
    callback: signed.callback,
  }
  const applied = await applyAnswerFor(owner, deps, received, context)
  const ask = applied === undefined || applied.decision.is === 'query'
  return { kept: applied?.moved ?? false, ask }
}
