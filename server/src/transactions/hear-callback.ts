// A verified callback is evidence: it settles by the same decision as every other answer.

import { type SignedCallback, whomItMeans } from '../attempts/receive-callback.ts'
import {
  type ApplyDeps,
  type AttemptOwner,
  applyTo,
  type Owned,
  ofTransactions,
} from './apply-answer.ts'

type HeardOf = { kept: boolean; ask: boolean } | 'nobody'

/**
 * `kept`: the raw callback is in the commit that it caused; `ask`: the gateway is to be asked;
 * `nobody`: there is no transaction's attempt here that this gateway may speak of.
 */
export const hearCallback = (deps: ApplyDeps, signed: SignedCallback): Promise<HeardOf> =>
  hearFor(ofTransactions, deps, signed)

/** The same, whosever attempts they are. */
export async function hearFor<H extends Owned>(
  owner: AttemptOwner<H>,
  deps: ApplyDeps,
  signed: SignedCallback,
): Promise<HeardOf> {
  const held = await owner.find(deps.db, signed.key)
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
  const applied = await applyTo(owner, deps, heard, held)
  const ask = applied === undefined || applied.decision.is === 'ask'
  return { kept: applied?.moved ?? false, ask }
}
