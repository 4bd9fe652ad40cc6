// A test decides what its payer, or who receives a settlement or refund, does (contract 6.9): the
// sandbox operator is instructed, and what it then answers ends the record as any other answer
// would.

import { applyAnswer } from '../attempts/apply-answer.ts'
import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { findOpenAttemptOf, listAttemptsOf } from '../attempts/attempt-statements.ts'
import { triggerOf } from '../attempts/evidence.ts'
import type { AttemptContext, Purpose } from '../attempts/purpose.ts'
import { askNow, keyAtGateway, type QueryDeps } from '../attempts/query-attempt.ts'
import {
  type Answer,
  type AttemptKey,
  type Gateway,
  type GatewayReply,
  resolves,
} from '../gateways/gateway.ts'
import type { Ending, Steering } from '../gateways/open-dialect.ts'
import { paymentErrors } from '../planning/errors.ts'
import { defineErrors, refuse } from '../platform/errors.ts'
import type { Caller, Guard } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import type { Refund } from '../refunds/refund.ts'
import { refundPurpose } from '../refunds/refund-purpose.ts'
import { settlementErrors } from '../settlements/errors.ts'
import type { Settlement } from '../settlements/settlement.ts'
import { settlementPurpose } from '../settlements/settlement-purpose.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { transactionPurpose } from '../transactions/transaction-purpose.ts'

/** Before the body is read: for LIVE these addresses do not exist, whatever is sent to them. */
export const sandboxOnly: Guard = {
  rule: 'sandbox_only',
  check: async ({ environment }) => {
    if (environment !== 'SANDBOX') throw refuse(transportErrors.not_found)
  },
}

export type Outcome = Ending

type SteeredKey = AttemptKey & Readonly<{ is_refund: boolean }>

export type ResolveDeps = QueryDeps &
  Readonly<{
    /** Decides at an imitation how what waits there ends; undefined: the account is with none. */
    steerDialect(
      gateway_code: string,
      about: Readonly<{ key: SteeredKey; ending: Ending }>,
    ): Promise<Steering> | undefined
  }>

export async function resolveTransaction(
  deps: ResolveDeps,
  caller: Caller,
  transaction: Transaction,
  outcome: Outcome,
): Promise<void> {
  if (transaction.status !== 'PENDING') throw refuse(paymentErrors.transaction_terminal)
  const attempts = await listAttemptsOf(deps.db, transaction.merchant_id, transaction.id)
  const attempt = attempts.find((one) => isOpen(one.status))
  await resolveAttempt(deps, caller, { attempt, purpose: transactionPurpose }, outcome)
}

export async function resolveSettlement(
  deps: ResolveDeps,
  caller: Caller,
  settlement: Settlement,
  outcome: Outcome,
): Promise<void> {
  if (settlement.completed_at !== null) throw refuse(settlementErrors.transaction_terminal)
  const attempt = await findOpenAttemptOf(deps.db, settlement)
  await resolveAttempt(deps, caller, { attempt, purpose: settlementPurpose }, outcome)
}

export async function resolveRefund(
  deps: ResolveDeps,
  caller: Caller,
  refund: Refund,
  outcome: Outcome,
): Promise<void> {
  if (refund.status !== 'PENDING') throw refuse(paymentErrors.transaction_terminal)
  const attempt = await findOpenAttemptOf(deps.db, refund, 'refund_id')
  await resolveAttempt(deps, caller, { attempt, purpose: refundPurpose }, outcome)
}

type Resolving<C extends AttemptContext> = Readonly<{
  attempt: Attempt | undefined
  purpose: Purpose<C>
}>

/**
 * The operator is instructed, and its answer is applied as the answer to a query. Where it has not
 * answered the same call may be made again: what has ended there by then answers how.
 */
async function resolveAttempt<C extends AttemptContext>(
  deps: ResolveDeps,
  caller: Caller,
  { attempt, purpose }: Resolving<C>,
  outcome: Outcome,
): Promise<void> {
  const gateway = attempt && deps.gateways.get(attempt.gateway_code)
  if (attempt === undefined || gateway === undefined) throw refuse(sandboxErrors.not_resolvable)
  const reply = await instruct(deps, gateway, attempt, outcome)
  if (isAway(reply.answer)) throw notNow()
  await applyAnswer(deps, purpose, {
    merchant_id: attempt.merchant_id,
    attempt_id: attempt.id,
    answer: reply.answer,
    hash: reply.hash,
    triggered_by: triggerOf(caller),
    evidence_kind: 'STATUS_ANSWER',
    age_at_query_s: attempt.grace_age_s,
    request_id: caller.request_id,
    gateway: gateway.facts,
  })
}

const notNow = () => refuse(transportErrors.service_unavailable, { retry_after_s: 5 })

const isAway = ({ is }: Answer): boolean => is === 'unknown' || is === 'never_sent'

/**
 * The plain operator answers the instruction itself. An imitation is instructed beside its wire,
 * and then asked on it, as its operator would be. Refuses what the imitation does not know.
 */
async function instruct(
  deps: ResolveDeps,
  gateway: Gateway,
  attempt: Attempt,
  ending: Ending,
): Promise<GatewayReply> {
  const key = { ...keyAtGateway(attempt), is_refund: attempt.refund_of !== null }
  if (resolves(gateway)) return gateway.resolve(key, ending)
  const steering = await deps.steerDialect(gateway.code, { key, ending })
  if (steering === 'steered') return askNow(deps, gateway, attempt)
  throw steering === 'away' ? notNow() : refuse(sandboxErrors.not_resolvable)
}

// What the sandbox's own routes can refuse (contract 6.9).

export const sandboxErrors = defineErrors({
  not_resolvable: {
    status: 409,
    message: {
      en: 'This transaction has no attempt that is waiting for its payer.',
      fr: 'Cette transaction n’a pas de tentative en attente de son payeur.',
    },
  },
})
