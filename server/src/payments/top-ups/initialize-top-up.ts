// A merchant tops up its own balance (contract 5.11, 8.13): a payment like any other, of type
// RECHARGE, with its own price (none unless staff set one), and in LIVE only from one of its own
// numbers.

import { factsFor, type PaymentDeps } from '../../planning/facts.ts'
import { planSoftpay, type SoftpayPlan } from '../../planning/plan-softpay.ts'
import { promptOf, tooManyPrompts } from '../../planning/prompt-limit.ts'
import { rowOfCall } from '../../planning/row-of-call.ts'
import type { Caller, Input, Reply } from '../../platform/http/route.ts'
import { giveBackClaim, KeyInUse } from '../../platform/idempotency/run-once.ts'
import { createdEvent } from '../../transactions/created-event.ts'
import { firstAttempt } from '../../transactions/first-attempt.ts'
import type { NewTransaction } from '../../transactions/statements.ts'
import { sendPayment } from '../initialize-softpay.ts'
import { makeTopUp } from './make-top-up.ts'
import { requireOwnNumber } from './require-own-number.ts'
import type { TopUpBody } from './top-up-body.ts'

export async function initializeTopUp(deps: PaymentDeps, input: Input<TopUpBody>): Promise<Reply> {
  const { caller, body } = input
  const request = { ...body, transaction_type: 'RECHARGE' } as const
  const plan = planSoftpay(await factsFor(deps, caller), caller, request)
  await requireOwnNumber(deps.db, caller, plan.phone)
  const row = transactionOf(caller, body, plan)
  const since_ms = deps.clock()
  await createTopUp(deps, input, plan, row)
  return sendPayment(deps, input, { plan, row, since_ms })
}

const transactionOf = (caller: Caller, body: TopUpBody, plan: SoftpayPlan): NewTransaction => ({
  ...rowOfCall(caller, body, plan),
  transaction_type: 'RECHARGE',
  customer_email: '',
  customer_first_name: '',
  customer_last_name: '',
  customer_phone: plan.phone,
  return_url: body.return_url ?? '',
})

/** T1: everything that the top-up begins with, or none of it. */
async function createTopUp(
  deps: PaymentDeps,
  { once }: Input<TopUpBody>,
  plan: SoftpayPlan,
  row: NewTransaction,
): Promise<void> {
  const attempt = firstAttempt(deps, row, plan.plans[0])
  const { lease_s } = attempt
  const { merchant_id, environment } = row
  const prompt = { merchant_id, environment, network_code: plan.network.code, phone: plan.phone }
  const outcome = await makeTopUp(deps.db, {
    claiming: { once, claim: { transaction_id: row.id, attempt_id: attempt.plan.id, lease_s } },
    prompt: { ...promptOf(deps, prompt), gate_id: row.id },
    transaction: row,
    attempt,
    event: createdEvent(row),
  })
  if (outcome === 'key_taken') throw new KeyInUse()
  if (outcome === 'too_many_prompts') {
    await giveBackClaim(deps.db, once, row.id)
    throw tooManyPrompts(deps, prompt)
  }
  deps.wake()
}
