// A verified callback is evidence: it settles by the same decision as every other answer.

import { type SignedCallback, whomItMeans } from '../attempts/receive-callback.ts'
import { type ApplyDeps, applyAnswer } from './apply-answer.ts'
import { findHeld } from './store.ts'

/**
 * `kept`: the raw callback is in the commit that it caused; `ask`: the gateway is to be asked;
 * `nobody`: there is no transaction's attempt here that this gateway may speak of.
 */
export async function hearCallback(
  deps: ApplyDeps,
  signed: SignedCallback,
): Promise<{ kept: boolean; ask: boolean } | 'nobody'> {
  const held = await findHeld(deps.db, signed.key)
  if (held === undefined) return 'nobody'
  const meant = whomItMeans(held.attempt, signed)
  if (meant !== 'this') return meant === 'nobody' ? 'nobody' : { kept: false, ask: true }
  const heard = {
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
  const applied = await applyAnswer(deps, heard, held)
  const ask = applied === undefined || applied.decision.is === 'ask'
  return { kept: applied?.moved ?? false, ask }
}
