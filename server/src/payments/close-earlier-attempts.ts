// Before a payment is tried again, what was tried before is closed: its gateway is asked to cancel
// it, or queried, until no attempt is left that could still be paid (money 1).

import { applyAnswer } from '../attempts/apply-answer.ts'
import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { type TriggeredBy, triggerOf } from '../attempts/evidence.ts'
import { keyAtGateway, queryAttempt } from '../attempts/query-attempt.ts'
import { cancels } from '../gateways/gateway.ts'
import { cameOtherwise } from '../incidents/sent-again-statements.ts'
import { paymentErrors } from '../planning/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { getTransactionNow, type TransactionNow } from '../transactions/transaction-now.ts'
import { transactionPurpose } from '../transactions/transaction-purpose.ts'

type ClosedBy = Readonly<{ caller: Caller; triggered_by?: TriggeredBy }>

/** Nothing is tried again while an earlier attempt could still be paid (money 1). */
export async function closeEarlierAttempts(
  deps: PaymentDeps,
  by: ClosedBy,
  now: TransactionNow,
): Promise<TransactionNow> {
  const after = await closeUnended(deps, by, now)
  const { merchant_id, id, status } = after.transaction
  const of = { merchant_id, by: 'transaction_id', id } as const
  if (status === 'SUCCESS' || !(await cameOtherwise(deps.db, of))) return after
  throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 3600, message: otherwise })
}

const otherwise = {
  en: 'Another amount came for this payment, so it is not asked for again: see its incident.',
  fr:
    'Un autre montant est arrivé pour ce paiement, qui n’est donc pas redemandé : ' +
    'voir son incident.',
}

async function closeUnended(
  deps: PaymentDeps,
  by: ClosedBy,
  now: TransactionNow,
): Promise<TransactionNow> {
  const unended = now.attempts.filter((one) => !one.gateway_ended && isOpen(one.status))
  if (unended.length === 0) return now
  for (const attempt of unended) await closeAttempt(deps, by, attempt)
  const after = await getTransactionNow(deps.db, now.transaction)
  const open = after.attempts.some((one) => isOpen(one.status))
  if (open && after.transaction.status !== 'SUCCESS') {
    throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 30 })
  }
  return after
}

async function closeAttempt(
  deps: PaymentDeps,
  { caller, triggered_by = triggerOf(caller) }: ClosedBy,
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
