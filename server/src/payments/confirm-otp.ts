// The second step of networks that send the payer a code (contract 5.4). Confirmations run one at a
// time; a wrong code leaves the payment PENDING and the fifth ends it; an unknown outcome does not
// count as a wrong code.

import { applyAnswer } from '../attempts/apply-answer.ts'
import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { claimConfirm, countWrongOtp, freeLease } from '../attempts/attempt-statements.ts'
import { type TriggeredBy, triggerOf } from '../attempts/evidence.ts'
import { keyAtGateway, type QueryDeps } from '../attempts/query-attempt.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import { takesOtp } from '../gateways/gateway.ts'
import { paymentErrors } from '../planning/errors.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Input } from '../platform/http/route.ts'
import { idempotencyErrors, markCommitted } from '../platform/idempotency/run-once.ts'
import { closeUnended } from '../transactions/close-unended.ts'
import { lastAttempt } from '../transactions/instructions.ts'
import { findTransactionContext } from '../transactions/store.ts'
import { readTransactionNow, type TransactionNow } from '../transactions/transaction-now.ts'
import { transactionPurpose } from '../transactions/transaction-purpose.ts'

const wrongCodesMax = 5

/** The payment after the code was given. Refuses in the order of contract 5.4. */
export async function confirmOtp(
  deps: QueryDeps,
  { caller, body, once }: Pick<Input<{ otp: string }>, 'caller' | 'body' | 'once'>,
  now: TransactionNow,
  triggered_by: TriggeredBy = triggerOf(caller),
): Promise<TransactionNow> {
  const attempt = requireConfirmable(now)
  const gateway = deps.gateways.get(attempt.gateway_code)
  assert(gateway !== undefined && takesOtp(gateway), `${attempt.gateway_code} takes no code`)
  const lease_s = leaseSeconds(deps, attempt.gateway_code)
  const lease_no = await claimConfirm(deps.db, attempt, lease_s)
  if (lease_no === undefined) {
    throw refuse(idempotencyErrors.idempotency_in_progress, { retry_after_s: 1 })
  }
  // From here on a replay does not send the code again: it answers with what became of it.
  const begun = { transaction_id: now.transaction.id, attempt_id: attempt.id }
  await markCommitted(deps.db, once, { ...begun, names_person: true })
  const { answer, hash } = await gateway.confirmOtp(keyAtGateway(attempt), body.otp)
  if (answer.is === 'wrong_otp') {
    // Counted while no other code can be given, so that the sixth finds the payment ended.
    await countCode(deps, attempt, { triggered_by, request_id: caller.request_id })
    await freeLease(deps.db, attempt, lease_no)
    throw refuse(paymentErrors.otp_confirmation_failed)
  } else {
    await applyAnswer(deps, transactionPurpose, {
      merchant_id: attempt.merchant_id,
      attempt_id: attempt.id,
      answer,
      hash,
      triggered_by,
      evidence_kind: 'STATUS_ANSWER',
      age_at_query_s: attempt.grace_age_s,
      request_id: caller.request_id,
      gateway: gateway.facts,
    })
    await freeLease(deps.db, attempt, lease_no)
  }
  const after = await readTransactionNow(deps.db, now.transaction)
  assert(after !== undefined, 'a payment does not go away')
  return after
}

/** The attempt that waits for a code; each refusal has its own code, in the documented order. */
function requireConfirmable(now: TransactionNow): Attempt {
  const { transaction } = now
  const attempt = lastAttempt(now)
  if (transaction.flow_direction !== 'INBOUND') throw refuse(paymentErrors.invalid_flow)
  if (attempt !== undefined && attempt.otp_kind !== 'POST') {
    throw refuse(paymentErrors.otp_not_applicable)
  }
  if (transaction.status !== 'PENDING') throw refuse(paymentErrors.transaction_terminal)
  if (attempt === undefined || attempt.accepted_at === null) throw refuse(paymentErrors.no_attempt)
  return attempt
}

type By = Readonly<{ triggered_by: TriggeredBy; request_id: string }>

async function countCode(deps: QueryDeps, attempt: Attempt, by: By): Promise<void> {
  const wrong = await countWrongOtp(deps.db, attempt)
  if (wrong < wrongCodesMax) return
  const context = await findTransactionContext(deps.db, attempt)
  if (context?.transaction.status !== 'PENDING' || !isOpen(context.attempt.status)) return
  await closeUnended(deps, context, {
    failure_code: 'INVALID_OTP',
    reason: `${wrong} wrong codes`,
    ...by,
    ask_after_s: 60,
    incident: false,
  })
}
