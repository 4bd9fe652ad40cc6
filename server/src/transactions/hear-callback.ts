// A verified callback is evidence: it settles by the same decision as every other answer.

import type { SignedCallback } from '../attempts/receive-callback.ts'
import { type ApplyDeps, applyAnswer } from './apply-answer.ts'

/** `kept`: the raw callback is in the commit that it caused; `ask`: the gateway is to be asked. */
export async function hearCallback(
  deps: ApplyDeps,
  signed: SignedCallback,
): Promise<{ kept: boolean; ask: boolean }> {
  const applied = await applyAnswer(deps, {
    merchant_id: signed.key.merchant_id,
    attempt_id: signed.key.id,
    answer: signed.reading.answer,
    hash: signed.hash,
    triggered_by: 'CALLBACK',
    evidence_kind: 'CALLBACK',
    request_id: signed.request_id,
    gateway: signed.gateway.facts,
    callback: signed.callback,
  })
  const ask = applied === undefined || applied.decision.is === 'ask'
  return { kept: applied?.moved ?? false, ask }
}
