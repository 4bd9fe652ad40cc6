// Tries a failed payment again on the same transaction (contract 5.5): every earlier attempt that
// its gateway has not ended is closed first, then one statement moves the transaction back to
// PENDING under a new attempt, and its routes are tried as for a new payment.

import { applyAnswer } from '../attempts/apply-answer.ts'
import { type Attempt, type AttemptPlan, isOpen } from '../attempts/attempt.ts'
import { type TriggeredBy, triggerOf } from '../attempts/evidence.ts'
import { keyAtGateway, queryAttempt } from '../attempts/query-attempt.ts'
import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import type { Network } from '../catalogue/catalogue.ts'
import { cancels } from '../gateways/gateway.ts'
import { countPrompts } from '../merchants/statements.ts'
import {
  beginReach,
  beginTarget,
  keyOf,
  lockTarget,
  readReach,
  type TargetIds,
  targetOf,
} from '../orders/statements.ts'
import { paymentErrors } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import type { Plans } from '../planning/plan-routes.ts'
import { feeOf, planRoutes } from '../planning/plan-routes.ts'
import { findCountry, findNetwork, requireOtp } from '../planning/plan-softpay.ts'
import { promptOf, tooManyPrompts } from '../planning/prompt-limit.ts'
import { inTurn } from '../platform/batch-calls.ts'
import { assert, Invalid, Refusal, refuse } from '../platform/errors.ts'
import type { Input } from '../platform/http/route.ts'
import { renewKey } from '../platform/idempotency/statements.ts'
import { newId } from '../platform/ids.ts'
import { composed, oneRow, selectCounts } from '../platform/sql.ts'
import { adoptedFrom } from '../transactions/move.ts'
import { sendTransaction } from '../transactions/send-transaction.ts'
import { moveStatus } from '../transactions/statements.ts'
import { inboundStates } from '../transactions/states.ts'
import { isErased, type Transaction } from '../transactions/transaction.ts'
import { readTransactionNow, type TransactionNow } from '../transactions/transaction-now.ts'
import { transactionPurpose } from '../transactions/transaction-purpose.ts'
import { readCheckoutTarget, refusalOf, requirePayable } from './require-payable.ts'
import { requireOwnNumber } from './top-ups/require-own-number.ts'

export type RetryBody = Readonly<{ methods?: readonly string[]; otp?: string }>

/** The caller, and the number to pay with this time; without one, the first one named. */
export type Retry = Pick<Input<RetryBody>, 'caller' | 'body' | 'once'> &
  Readonly<{ triggered_by?: TriggeredBy; phone?: string }>

/** The payment after the retry. `now` is its state when the caller's right to it was checked. */
export async function retryPayment(
  deps: PaymentDeps,
  input: Retry,
  now: TransactionNow,
): Promise<TransactionNow> {
  requireRetryable(now.transaction)
  if (now.transaction.transaction_type === 'RECHARGE') {
    await requireOwnNumber(deps.db, input.caller, numberOf(now.transaction, input.phone))
  }
  const plans = await planRetry(deps, input, now)
  const current = await closeEarlierAttempts(deps, input, now)
  requireRetryable(current.transaction)
  await startAgain(deps, input, current, plans)
  return reread(deps, current.transaction)
}

export function requireRetryable(transaction: Transaction): void {
  if (transaction.flow_direction !== 'INBOUND') throw refuse(paymentErrors.invalid_flow)
  if (transaction.status === 'SUCCESS') throw refuse(paymentErrors.not_retryable)
  if (isErased(transaction)) throw refuse(paymentErrors.not_retryable, { message: erased })
  if (transaction.status === 'PENDING') {
    throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 5 })
  }
  if (transaction.status === 'CANCELLED') throw refuse(paymentErrors.transaction_terminal)
}

const erased = {
  en: 'The payer’s data was erased at their request: nobody can be asked to pay.',
  fr: 'Les données du payeur ont été effacées à sa demande : il n’y a plus personne à solliciter.',
}

/** Every route of every requested network, in the order in which they are tried. */
async function planRetry(
  deps: PaymentDeps,
  { caller, body, phone }: Retry,
  now: TransactionNow,
): Promise<Plans> {
  const { transaction } = now
  const facts = await factsFor(deps, caller)
  const country = findCountry(facts.catalogue, caller, transaction.country_code)
  const codes = networkCodes(body, transaction)
  const networks = codes.map((code) => findNetwork(facts.catalogue, country, code))
  const plans: AttemptPlan[] = []
  let fault: unknown
  for (const network of networks) {
    try {
      requireSameCurrency(network, transaction)
      const some = planRoutes(facts, planRequestOn(network, transaction, phone))
      requireOtp(network, body.otp, some[0])
      plans.push(...some)
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Invalid)) throw error
      fault ??= error
    }
  }
  const [first, ...others] = plans
  if (first === undefined) throw fault ?? refuse(paymentErrors.no_route_available)
  return [first, ...others]
}

function networkCodes({ methods }: RetryBody, transaction: Transaction): readonly string[] {
  if (methods !== undefined && methods.length > 0) return [...new Set(methods)]
  return transaction.network_code === null ? [] : [transaction.network_code]
}

const numberOf = (transaction: Transaction, phone: string | undefined): string =>
  phone ?? (transaction.customer_phone || transaction.operation_msisdn)

/** The amount of a payment has one currency, so a network in another currency cannot take it. */
function requireSameCurrency({ code, currency }: Network, transaction: Transaction): void {
  if (currency === transaction.currency) return
  const owed = transaction.currency
  throw refuse(paymentErrors.invalid_method, {
    message: {
      en: `${code} takes ${currency} and this payment is in ${owed}. Choose a network in ${owed}.`,
      fr:
        `${code} fonctionne en ${currency} et ce paiement est en ${owed}. Choisissez un réseau ` +
        `en ${owed}.`,
    },
  })
}

function planRequestOn(network: Network, transaction: Transaction, phone: string | undefined) {
  return {
    direction: 'COLLECT' as const,
    fee: feeOf(transaction.transaction_type),
    environment: transaction.environment,
    network,
    requested: transaction.requested_amount,
    operation_msisdn: numberOf(transaction, phone),
    fee_charge_mode: transaction.fee_charge_mode,
    preferred_gateway: transaction.preferred_gateway,
  }
}

/** Nothing is tried again while an earlier attempt could still be paid (money 1). */
export async function closeEarlierAttempts(
  deps: PaymentDeps,
  by: Pick<Retry, 'caller' | 'triggered_by'>,
  now: TransactionNow,
): Promise<TransactionNow> {
  const unended = now.attempts.filter((one) => !one.gateway_ended && isOpen(one.status))
  if (unended.length === 0) return now
  for (const attempt of unended) await closeAttempt(deps, by, attempt)
  const after = await reread(deps, now.transaction)
  const open = after.attempts.some((one) => isOpen(one.status))
  if (open && after.transaction.status !== 'SUCCESS') {
    throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 30 })
  }
  return after
}

async function closeAttempt(
  deps: PaymentDeps,
  { caller, triggered_by = triggerOf(caller) }: Pick<Retry, 'caller' | 'triggered_by'>,
  attempt: Attempt,
): Promise<void> {
  const gateway = deps.gateways.get(attempt.gateway_code)
  if (gateway !== undefined && cancels(gateway)) {
    const reply = await gateway.cancel(keyAtGateway(attempt))
    const applied = await applyAnswer(deps, transactionPurpose, {
      merchant_id: attempt.merchant_id,
      attempt_id: attempt.id,
      answer: reply.answer,
      hash: reply.hash,
      triggered_by,
      evidence_kind: 'STATUS_ANSWER',
      age_at_query_s: attempt.grace_age_s,
      request_id: caller.request_id,
      gateway: gateway.facts,
    })
    if (applied?.moved === true) return
  }
  await queryAttempt(deps, attempt, { triggered_by, request_id: caller.request_id })
}

/**
 * FAILED becomes PENDING under the first new attempt, in one statement; then the routes are tried.
 */
async function startAgain(
  deps: PaymentDeps,
  input: Retry,
  now: TransactionNow,
  plans: Plans,
): Promise<void> {
  const { transaction, attempts } = now
  const { caller } = input
  const { merchant_id, environment } = caller
  const [first] = plans
  const priority = Math.max(0, ...attempts.map((one) => one.priority)) + 1
  const lease_s = leaseSeconds(deps, first.gateway_code)
  const attempt = {
    merchant_id,
    environment,
    transaction_id: transaction.id,
    priority,
    plan: first,
    lease_s,
  }
  const since_ms = deps.clock()
  await moveBack(deps, input, transaction, attempt)
  await sendTransaction(deps, {
    merchant_id,
    environment,
    transaction_id: transaction.id,
    version: transaction.version + 1,
    plans,
    first_priority: priority,
    since_ms,
    otp: input.body.otp,
    description: transaction.description,
    return_url: transaction.return_url,
    triggered_by: input.triggered_by ?? triggerOf(caller),
    request_id: caller.request_id,
    once: { none: true },
    answerWaiting: () => ({ status: 200, json: '' }),
  })
}

/**
 * In one statement the prompt is counted, the status moved and the attempt written; or it refuses.
 */
async function moveBack(
  deps: PaymentDeps,
  input: Retry,
  transaction: Transaction,
  attempt: NewAttempt,
): Promise<void> {
  const { db } = deps
  const { plan: first, lease_s } = attempt
  const { id } = transaction
  const prompt = {
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    network_code: first.network_code,
    phone: first.operation_msisdn,
  }
  const limit = promptOf(deps, prompt)
  const move = backToPending(transaction, first, input)
  const target = targetOf(transaction)
  const version = target && (await payableVersion(deps, target))
  const lock = target && lockTarget(db, target, { version, to_begin: true })
  const wanted = lock ?? oneRow(db, 'wanted', id)
  const counted = countPrompts(db, [{ ...limit, gate_id: id }], { when: wanted })
  const moved = moveStatus(db, [move], { when: counted })
  const gate = { when: moved }
  const made = insertAttempts(db, [attempt], gate)
  const parts = [
    wanted,
    counted,
    moved,
    made,
    ...(target === undefined ? [] : [beginTarget(db, target, gate)]),
    renewKey(db, input.once, { attempt_id: first.id, transaction_id: id, lease_s }, gate),
  ]
  if (target !== undefined && lock !== undefined) {
    const last = beginReach(db, { lock, prompt: counted, attempt: made })
    const [reach] = await inTurn(db, transaction, () => composed(db, parts, last))
    const came = readReach(reach)
    if (came?.attempt !== 1) throw await refusalOf(deps, target, came, prompt)
    return
  }
  const counts = selectCounts(db, [counted, made])
  const [done] = await inTurn(db, transaction, () => composed(db, parts, counts))
  if (done?.[counted.name] !== 1n) throw tooManyPrompts(deps, prompt)
  if (done[made.name] !== 1n) {
    throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 1 })
  }
}

/** The version of a session that may be paid, and whose last payment this is. */
async function payableVersion(deps: PaymentDeps, target: TargetIds): Promise<number> {
  const now = await readCheckoutTarget(deps.db, keyOf(target))
  assert(now !== undefined, 'a session does not go away')
  requirePayable(now, deps.limits)
  // A later payment of the session may still be open at its gateway.
  if (now.session.transaction_id !== target.transaction_id) {
    throw refuse(paymentErrors.not_retryable)
  }
  return now.session.version
}

function backToPending(transaction: Transaction, first: AttemptPlan, input: Retry) {
  const { caller } = input
  const byPayer = input.triggered_by === 'PAYER'
  assert(inboundStates.allows(transaction.status, 'PENDING'), 'only FAILED is tried again')
  return {
    ...adoptedFrom(first),
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    id: transaction.id,
    transaction_type: transaction.transaction_type,
    from_status: transaction.status,
    version: transaction.version,
    to_status: 'PENDING' as const,
    settled_attempt: null,
    external_reference: '',
    failure_code: '',
    failure_message: '',
    log_id: newId(),
    reason: byPayer ? 'payer tried again' : 'merchant retried',
    triggered_by: input.triggered_by ?? triggerOf(caller),
    attempt_id: first.id,
    evidence_kind: 'RULE',
    evidence_id: null,
    evidence_hash: null,
    evidence_said: 'retry requested',
    request_id: caller.request_id,
  }
}

async function reread(deps: PaymentDeps, key: { merchant_id: string; id: string }) {
  const now = await readTransactionNow(deps.db, key)
  assert(now !== undefined, 'a payment does not go away')
  return now
}
