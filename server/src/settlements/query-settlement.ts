// Asking the gateway what became of a settlement, and hearing it when it calls back or is told.

import type { AttemptKeyOf } from '../attempts/attempt.ts'
import type { SignedCallback } from '../attempts/receive-callback.ts'
import type { AnswerReceived } from '../transactions/answer-received.ts'
import { type ApplyDeps, applyAnswerFor } from '../transactions/apply-answer.ts'
import { applyCallbackFor } from '../transactions/apply-callback.ts'
import { type QueryDeps, queryAttemptFor, type StatusQuery } from '../transactions/query-attempt.ts'
import { ofSettlements } from './settlement-attempts.ts'

/** By its attempt's key, as the pollers find it. */
export const querySettlement = (
  deps: QueryDeps,
  attempt: AttemptKeyOf,
  question: StatusQuery,
): Promise<'queried' | 'busy'> => queryAttemptFor(ofSettlements, deps, attempt, question)

/** `nobody`: there is no settlement's attempt here that this gateway may speak of. */
export const receiveForSettlement = (deps: ApplyDeps, signed: SignedCallback) =>
  applyCallbackFor(ofSettlements, deps, signed)

/** What was heard of it in another way. */
export const applyToSettlement = (deps: ApplyDeps, received: AnswerReceived) =>
  applyAnswerFor(ofSettlements, deps, received)
