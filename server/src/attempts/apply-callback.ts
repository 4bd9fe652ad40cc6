// A verified callback is evidence: it is applied by the same decision as every other answer.

import { applyAnswer } from './apply-answer.ts'
import type { ApplyDeps, AttemptContext, Purpose } from './purpose.ts'
import { type CallbackApplied, matchAttempt, type SignedCallback } from './receive-callback.ts'
import { noteAlarm, type SendDeps } from './send-attempt.ts'

type CallbackDeps = ApplyDeps & Pick<SendDeps, 'alarm'> & Readonly<{ purposes: readonly Purpose[] }>

/**
 * `kept`: the raw callback is in the commit that it caused; `ask`: the gateway must be queried;
 * `nobody`: there is no attempt that this gateway may speak of.
 */
export async function applyCallback(
  deps: CallbackDeps,
  signed: SignedCallback,
): Promise<CallbackApplied | 'nobody'> {
  for (const purpose of deps.purposes) {
    const context = await purpose.find(deps.db, signed.key)
    if (context !== undefined) return applyTo(deps, purpose, signed, context)
  }
  return 'nobody'
}

async function applyTo(
  deps: CallbackDeps,
  purpose: Purpose,
  signed: SignedCallback,
  context: AttemptContext,
): Promise<CallbackApplied | 'nobody'> {
  const match = matchAttempt(context.attempt, signed)
  if (match !== 'this') return match === 'nobody' ? 'nobody' : { kept: false, ask: true }
  // Before it counts as received: it comes once, and nothing else may ever say it.
  await noteAlarm(deps, { ...context.attempt, call: 'ASK' }, signed.reading.answer)
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
  const applied = await applyAnswer(deps, purpose, received, context)
  const ask = applied === undefined || applied.decision.is === 'query'
  return { kept: applied?.moved ?? false, ask }
}
