// A merchant pays in to his own balance (decisions 5.11): a payment like any other, of type
// RECHARGE, without a fee; what the route costs is the platform's.

import { assert } from '../../platform/errors.ts'
import type { Caller, Input, Reply } from '../../platform/http/route.ts'
import { giveBackClaim, KeyTaken } from '../../platform/idempotency/run-once.ts'
import { newId, newReference } from '../../platform/ids.ts'
import { createdEvent } from '../../transactions/created-event.ts'
import { adoptedFrom } from '../../transactions/move.ts'
import type { NewTransaction } from '../../transactions/statements.ts'
import { leaseOf } from '../../transactions/try-routes.ts'
import {
  factsFor,
  type PaymentDeps,
  promptOf,
  sendPayment,
  tooManyPrompts,
} from '../initialize-softpay.ts'
import { planSoftpay, type SoftpayPlan } from '../plan-softpay.ts'
import { metadataOf } from '../softpay-body.ts'
import { makeTopUp } from './make-top-up.ts'
import type { TopUpBody } from './top-up-body.ts'

export async function initializeTopUp(deps: PaymentDeps, input: Input<TopUpBody>): Promise<Reply> {
  const { caller, body } = input
  const wish = { ...body, transaction_type: 'RECHARGE' } as const
  const plan = planSoftpay(await factsFor(deps, caller), caller, wish)
  const row = rowOf(caller, body, plan)
  const since_ms = deps.clock()
  await begin(deps, input, plan, row)
  return sendPayment(deps, input, { plan, row, since_ms })
}

function rowOf(caller: Caller, body: TopUpBody, plan: SoftpayPlan): NewTransaction {
  const [first] = plan.plans
  assert(first !== undefined, 'a plan has a route')
  const { original } = plan
  return {
    ...adoptedFrom(first),
    merchant_id: caller.merchant_id,
    id: newId(),
    environment: caller.environment,
    reference: newReference('TXN'),
    transaction_type: 'RECHARGE',
    fee_charge_mode: first.fee_charge_mode,
    customer_email: '',
    customer_first_name: '',
    customer_last_name: '',
    customer_phone: plan.phone,
    country_id: plan.country.id,
    country_code: plan.country.iso_code,
    description: body.description ?? '',
    metadata: metadataOf(body.metadata),
    merchant_reference: body.merchant_reference ?? '',
    return_url: body.return_url ?? '',
    currency: first.currency,
    original_amount: original?.amount ?? null,
    original_currency: original?.currency ?? null,
    exchange_rate: original?.rate_e8 ?? null,
    preferred_gateway: body.preferred_gateway ?? '',
    checkout_session: null,
    payment_link: null,
    ip_address: caller.ip,
    request_id: caller.request_id,
    api_key_id: caller.api_key_id,
    member_id: caller.member_id,
  }
}

/** T1: all that the top-up begins with, or none of it. */
async function begin(
  deps: PaymentDeps,
  { caller, once }: Input<TopUpBody>,
  plan: SoftpayPlan,
  row: NewTransaction,
): Promise<void> {
  const { merchant_id, environment } = caller
  const [first] = plan.plans
  assert(first !== undefined, 'a plan has a route')
  const lease_s = leaseOf(deps, first.gateway_code)
  const begun = await makeTopUp(deps.db, {
    claiming: { once, claim: { transaction_id: row.id, attempt_id: first.id, lease_s } },
    prompt: { ...promptOf(deps, plan.network.code, plan.phone), gate: row.id },
    transaction: row,
    attempt: {
      merchant_id,
      environment,
      transaction_id: row.id,
      priority: 1,
      plan: first,
      lease_s,
    },
    event: createdEvent(row),
  })
  if (begun === 'key_taken') throw new KeyTaken()
  if (begun === 'too_many_prompts') {
    await giveBackClaim(deps.db, once, row.id)
    throw tooManyPrompts()
  }
  deps.wake()
}
