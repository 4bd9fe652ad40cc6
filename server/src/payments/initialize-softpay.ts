// A softpay payment from the merchant's call to the operator's first answer. Three round trips to
// the database at most: the statement that makes it (T1), the gateway's call with nothing open, and
// the statement that records the answer together with the reply (T2). A crash between any two lines
// leaves a PENDING attempt that is asked about before anything else is done with it.

import { nextActionOf } from '../attempts/acceptance.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { paymentErrors } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { mismatchOf } from '../planning/initial-warning.ts'
import { otpInstructions, planSoftpay, type SoftpayPlan } from '../planning/plan-softpay.ts'
import { promptOf, tooManyPrompts } from '../planning/prompt-limit.ts'
import { rowOfCall } from '../planning/row-of-call.ts'
import { payerColumns, type SoftpayBody } from '../planning/softpay-body.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Caller, Input, Reply } from '../platform/http/route.ts'
import { giveBackClaim, KeyInUse } from '../platform/idempotency/run-once.ts'
import { newId } from '../platform/ids.ts'
import { createdEvent, firstAttempt } from '../transactions/begin-transaction.ts'
import { sendTransaction } from '../transactions/send-transaction.ts'
import type { NewTransaction } from '../transactions/statements.ts'
import { readTransactionNow, stateOf } from '../transactions/transaction-now.ts'
import { initialFigures } from '../transactions/view.ts'
import { makePayment } from './make-payment.ts'
import { softpayReply } from './payment-reply.ts'

export async function initializeSoftpay(
  deps: PaymentDeps,
  input: Input<SoftpayBody>,
): Promise<Reply> {
  const { caller, body } = input
  const added = { phone: body.customer.phone, transaction_type: 'PAIEMENT' } as const
  const request = Object.assign({}, body, added)
  const plan = planSoftpay(await factsFor(deps, caller), caller, request)
  const row = transactionOf(caller, body, plan)
  const since_ms = deps.clock()
  await createPayment(deps, input, plan, row)
  return sendPayment(deps, input, { plan, row, since_ms })
}

/** A payment that was just made, with the plan of its first attempt. */
export type PaymentToSend = Readonly<{
  plan: Pick<SoftpayPlan, 'network' | 'plans'>
  row: NewTransaction
  /** When the statement that made it was sent. */
  since_ms: number
}>

type SendInput = Pick<Input<{ otp?: string }>, 'caller' | 'body' | 'once' | 'locale'>

/**
 * Calls the operators one after the other, and records the first that takes the payment with the
 * reply.
 */
export async function sendPayment(
  deps: PaymentDeps,
  input: SendInput,
  { plan, row, since_ms }: PaymentToSend,
): Promise<Reply> {
  const { caller, body, locale } = input
  const catalogue = await deps.catalogue(caller.catalogue_version)
  const outcome = await sendTransaction(deps, {
    merchant_id: caller.merchant_id,
    environment: caller.environment,
    transaction_id: row.id,
    version: 1,
    plans: plan.plans,
    first_priority: 1,
    since_ms,
    otp: body.otp,
    description: row.description,
    return_url: row.return_url,
    triggered_by: triggerOf(caller),
    request_id: caller.request_id,
    once: input.once,
    answerWaiting: (attempt, waiting) => {
      const state = {
        id: row.id,
        reference: row.reference,
        status: 'PENDING' as const,
        failure_code: '',
        next_action: nextActionOf(waiting),
        checkout_url: typeof waiting.next === 'object' ? waiting.next.redirect_to : '',
        unknown: false,
        otp_instructions: otpInstructions(plan.network, attempt),
      }
      // The figures of the route that took it; what was converted stands in the row.
      const facts = {
        figures: initialFigures(row, attempt),
        warning: mismatchOf(catalogue, attempt, locale),
      }
      return { status: 201, json: JSON.stringify(softpayReply(state, facts, locale)) }
    },
  })
  if (outcome.is === 'waiting') return { ...outcome.reply, stored: true }
  if (outcome.is === 'no_route') {
    throw refuse(paymentErrors.no_route_available, { extra: { transaction: row.id } })
  }
  return currentSoftpay(deps, input, row.id)
}

/** The answer of initialize for a payment that exists already, however far it has come. */
export async function currentSoftpay(
  deps: PaymentDeps,
  { caller, locale }: Pick<Input, 'caller' | 'locale'>,
  id: string,
): Promise<Reply> {
  const now = await readTransactionNow(deps.db, { merchant_id: caller.merchant_id, id })
  assert(now !== undefined, `payment ${id} is gone`)
  const catalogue = await deps.catalogue(caller.catalogue_version)
  const { transaction: figures } = now
  const facts = { figures, warning: mismatchOf(catalogue, figures, locale) }
  return { status: 201, data: softpayReply(stateOf(now, catalogue), facts, locale) }
}

const transactionOf = (caller: Caller, body: SoftpayBody, plan: SoftpayPlan): NewTransaction => ({
  transaction_type: 'PAIEMENT',
  ...rowOfCall(caller, body, plan),
  ...payerColumns(body.customer),
  customer_phone: plan.phone,
  return_url: body.return_url ?? '',
})

/** T1: everything that the payment begins with, or none of it. */
async function createPayment(
  deps: PaymentDeps,
  input: Input<SoftpayBody>,
  plan: SoftpayPlan,
  row: NewTransaction,
): Promise<void> {
  const { caller, once } = input
  const { merchant_id, environment } = caller
  const attempt = firstAttempt(deps, row, plan.plans[0])
  const { lease_s } = attempt
  const prompt = { merchant_id, environment, network_code: plan.network.code, phone: plan.phone }
  const outcome = await makePayment(deps.db, {
    claiming: { once, claim: { transaction_id: row.id, attempt_id: attempt.plan.id, lease_s } },
    prompt: { gate_id: row.id, ...promptOf(deps, prompt) },
    customer: {
      gate_id: row.id,
      id: newId(),
      merchant_id,
      environment,
      phone: plan.phone,
      email: row.customer_email.toLowerCase() || null,
      first_name: row.customer_first_name,
      last_name: row.customer_last_name,
    },
    transaction: row,
    attempt,
    event: createdEvent(row),
  })
  if (outcome === 'key_taken') throw new KeyInUse()
  if (outcome === 'too_many_prompts') {
    await giveBackClaim(deps.db, once, row.id)
    throw await tooManyPrompts(deps, prompt)
  }
  deps.wake({ merchant_id, environment })
}
