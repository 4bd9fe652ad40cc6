// Queries the gateway about a settlement, and applies its callbacks and other answers.

import type { AnswerReceived } from '../attempts/answer-received.ts'
import type { AttemptKeyOf } from '../attempts/attempt.ts'
import type { SignedCallback } from '../attempts/receive-callback.ts'
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

/** `nobody`: there is no attempt of a settlement here that this gateway may speak of. */
export const receiveForSettlement = (deps: ApplyDeps, signed: SignedCallback) =>
  applyCallbackFor(ofSettlements, deps, signed)

/** Applies an answer that came in another way. */
export const applyToSettlement = (deps: ApplyDeps, received: AnswerReceived) =>
  applyAnswerFor(ofSettlements, deps, received)
