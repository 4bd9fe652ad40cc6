// Asking the gateway what became of a settlement, and hearing it when it calls back or is told.

import type { AttemptKeyOf } from '../attempts/attempt.ts'
import type { SignedCallback } from '../attempts/receive-callback.ts'
import { type ApplyDeps, applyTo } from '../transactions/apply-answer.ts'
import { type AskDeps, askFor, type Question } from '../transactions/ask-attempt.ts'
import { hearFor } from '../transactions/hear-callback.ts'
import type { Heard } from '../transactions/heard.ts'
import { ofSettlements } from './settlement-attempts.ts'

/** By its attempt's key, as the pollers find it. */
export const askSettlement = (
  deps: AskDeps,
  attempt: AttemptKeyOf,
  question: Question,
): Promise<'asked' | 'busy'> => askFor(ofSettlements, deps, attempt, question)

/** `nobody`: there is no settlement's attempt here that this gateway may speak of. */
export const hearOfSettlement = (deps: ApplyDeps, signed: SignedCallback) =>
  hearFor(ofSettlements, deps, signed)

/** What was heard of it in another way. */
export const applyToSettlement = (deps: ApplyDeps, heard: Heard) =>
  applyTo(ofSettlements, deps, heard)
