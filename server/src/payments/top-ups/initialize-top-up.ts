// A merchant tops up its own balance (contract 5.11, 8.13): a payment like any other, of type
// RECHARGE, with its own price (none unless staff set one), and in LIVE only from one of its own
// numbers.

import { type Static, Type } from 'typebox'
import { insertAttempts, type NewAttempt } from '../../attempts/statements.ts'
import { noCustomers } from '../../customers/statements.ts'
import type { FeedKey, NewEvent } from '../../events/event.ts'
import { recordEvents } from '../../events/statements.ts'
import {
  type CountedPrompts,
  countPrompts,
  type PromptLimit,
  withPrompts,
} from '../../merchants/prompt-count-statements.ts'
import { factsFor, type PaymentDeps } from '../../planning/facts.ts'
import { planSoftpay, type SoftpayPlan } from '../../planning/plan-softpay.ts'
import { promptOf, tooManyPrompts } from '../../planning/prompt-limit.ts'
import { rowOfCall } from '../../planning/row-of-call.ts'
import { checkAmountAndCurrency, checkMetadata, SoftpayBody } from '../../planning/softpay-body.ts'
import { inTurn } from '../../platform/batch-calls.ts'
import type { Db } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'
import type { Caller, Input, Reply } from '../../platform/http/route.ts'
import { giveBackClaim, KeyInUse } from '../../platform/idempotency/run-once.ts'
import { type Claiming, claimKeys } from '../../platform/idempotency/statements.ts'
import { homeOf } from '../../platform/places/places.ts'
import { composed, selectReached } from '../../platform/sql.ts'
import { createdEvent, firstAttempt } from '../../transactions/begin-transaction.ts'
import { insertTransactions, type NewTransaction } from '../../transactions/statements.ts'
import { sendPayment } from '../initialize-softpay.ts'
import type { CreationOutcome } from '../make-payment.ts'
import { requireOwnNumber } from './require-own-number.ts'

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
    throw await tooManyPrompts(deps, prompt)
  }
  deps.wake()
}

// T1 of a top-up: its key, prompt, transaction, attempt and event together, or none of them. A
// top-up has no customer, because the merchant pays in to its own balance.

/** Everything but the key is gated by the transaction's id. */
export type NewTopUp = Readonly<{
  claiming: Claiming
  prompt: PromptLimit
  transaction: NewTransaction
  attempt: NewAttempt
  event: NewEvent & FeedKey
}>

const makeTopUp = (db: Db, top_up: NewTopUp): Promise<CreationOutcome> => {
  const at = homeOf(db, top_up.transaction.merchant_id)
  return withPrompts(at, {
    limits: [top_up.prompt],
    run: (counted) => writeTopUp(db, top_up, counted),
    unused: (done) => (done === 'made' ? [] : [top_up.prompt.gate_id]),
  })
}

async function writeTopUp(
  db: Db,
  top_up: NewTopUp,
  counted: CountedPrompts | undefined,
): Promise<CreationOutcome> {
  const claimed = claimKeys(db, [top_up.claiming])
  const prompt = countPrompts(db, [top_up.prompt], { when: claimed, counted })
  const customer = noCustomers(db, { when: prompt })
  const made = insertTransactions(db, [top_up.transaction], { when: prompt, customer })
  const attempt = insertAttempts(db, [top_up.attempt], { when: made })
  const event = recordEvents(db, [top_up.event], { when: made })
  const parts = [claimed, prompt, customer, made, attempt, event]
  const last = selectReached(db, claimed, made)
  const [row] = await inTurn(db, top_up.transaction, () =>
    composed(homeOf(db, top_up.transaction.merchant_id), parts, last),
  )
  if (row === undefined) return 'key_taken'
  return row['reached'] === true ? 'made' : 'too_many_prompts'
}

// The body of a top-up (contract 5.11): as softpay, but the payer is the merchant.

const { customer: _payer, ...fields } = SoftpayBody.properties

export const TopUpBody = Type.Object(
  {
    ...fields,
    phone: Type.String({ minLength: 1, maxLength: 40, description: 'The person who pays in.' }),
  },
  { title: 'TopUpInitialize' },
)
export type TopUpBody = Static<typeof TopUpBody>

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

/** Adds invalid fields to the same 400. */
export function checkTopUp(body: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const faults: Record<string, Text[]> = { ...checkAmountAndCurrency(body), ...checkMetadata(body) }
  const { phone } = body
  if (typeof phone === 'string' && phone.trim() === '') faults['phone'] = [blank]
  return faults
}
