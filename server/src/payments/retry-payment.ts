// Tries a failed payment again on the same transaction (contract 5.5): every earlier attempt that
// its gateway has not ended is closed first, then one statement moves the transaction back to
// PENDING under a new attempt, and its routes are tried as for a new payment.

import { triggerOf } from '../attempts/evidence.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import { paymentErrors } from '../planning/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import type { Plans } from '../planning/plan-routes.ts'
import { refuse } from '../platform/errors.ts'
import { sendTransaction } from '../transactions/send-transaction.ts'
import { isErased, type Transaction } from '../transactions/transaction.ts'
import { getTransactionNow, type TransactionNow } from '../transactions/transaction-now.ts'
import { beginRetry } from './begin-retry.ts'
import { closeEarlierAttempts } from './close-earlier-attempts.ts'
import { numberOf, planRetry, type Retry } from './plan-retry.ts'
import { requireOwnNumber } from './top-ups/require-own-number.ts'

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
  const plans = await planRetry(deps, input, now.transaction)
  const current = await closeEarlierAttempts(deps, input, now)
  requireRetryable(current.transaction)
  await startAgain(deps, input, current, plans)
  return getTransactionNow(deps.db, current.transaction)
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
  await beginRetry(deps, input, transaction, attempt)
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
