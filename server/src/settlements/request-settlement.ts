// A settlement from the merchant's call to its answer: priced by what counts now, frozen, and made
// by one statement. It then waits for staff, unless its amount is below the limit of its
// environment and currency; one that needs no approval and goes through a gateway is sent before
// the answer.

import { type Static, Type } from 'typebox'
import { triggerOf } from '../attempts/evidence.ts'
import type { Country } from '../catalogue/catalogue.ts'
import { CountryInput } from '../catalogue/view.ts'
import { isFrozen } from '../ledger/read-balance.ts'
import {
  getPayoutMethod,
  getUsablePayoutMethod,
} from '../merchants/payout-methods/get-payout-method.ts'
import type { PayoutMethod } from '../merchants/payout-methods/payout-method.ts'
import type { Currency } from '../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../money/parse-amount.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { autoBelow } from '../planning/auto-below.ts'
import { paymentErrors } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { feeChargeMode } from '../planning/plan-softpay.ts'
import { AmountInput } from '../planning/softpay-body.ts'
import type { Db } from '../platform/db.ts'
import { assert, invalid, Refusal, refuse, type Text } from '../platform/errors.ts'
import { type Caller, created, type Input, type Reply } from '../platform/http/route.ts'
import { giveBackClaim, KeyInUse } from '../platform/idempotency/run-once.ts'
import { newId, newReference } from '../platform/ids.ts'
import { makeSettlement, type NewSettlement, stateAfter } from './make-settlement.ts'
import { type Price, plansNow, priceSettlement, type SettlementRequest } from './plan-settlement.ts'
import { attemptOn, sendSettlement } from './send-settlement.ts'
import { moved, type Settlement } from './settlement.ts'
import { findNow, findSettlement } from './store.ts'
import type { SettlementTerms } from './terms.ts'
import { viewSettlement } from './view.ts'

export type SettlementDeps = PaymentDeps &
  Readonly<{
    /** What the bank costs, and from which amount staff approve a settlement. */
    terms: SettlementTerms
  }>

export async function requestSettlement(
  deps: SettlementDeps,
  input: Input<SettlementBody>,
): Promise<Reply> {
  const { db, terms } = deps
  const { caller, body, once } = input
  const facts = { ...(await factsFor(deps, caller)), terms }
  const country = facts.catalogue.countryByCode(body.country)
  if (country === undefined) throw refuse(paymentErrors.invalid_country)
  const method = await usableMethod(db, caller, { id: body.payout_method, country })
  const request = requestOf(caller, body, { country, method })
  const price = priceSettlement(facts, request)
  const requested = rowOf(caller, { country, method, price, now: await findNow(db) })
  const auto_below = autoBelow(terms, caller.environment, requested.currency)
  const automatic = request.requested < auto_below
  const plans = automatic ? plansNow(facts, requested, method) : []
  const [first] = plans
  const since_ms = deps.clock()
  const draft = {
    once,
    requested,
    approved: automatic ? moved(requested, ['APPROVED'], requested.created_at) : null,
    auto_below,
    attempt: first === undefined ? null : attemptOn(deps, requested, first, 1),
  }
  const result = await makeOrRefuse(db, draft)
  deps.wake()
  if (first !== undefined && result === 'made') {
    const { request_id } = caller
    const settlement = stateAfter(draft)
    await sendSettlement(deps, {
      settlement,
      plans,
      since_ms,
      triggered_by: triggerOf(caller),
      request_id,
      once,
    })
  }
  const reply = await currentSettlement(deps, input, requested.id)
  assert(reply !== undefined, `settlement ${requested.id} is gone`)
  return reply
}

/** The answer to its request, however far it has come; undefined when nothing was made. */
export async function currentSettlement(
  { db }: Pick<SettlementDeps, 'db'>,
  { caller, locale }: Pick<Input, 'caller' | 'locale'>,
  id: string,
): Promise<Reply | undefined> {
  const settlement = await findSettlement(db, { merchant_id: caller.merchant_id, id })
  return settlement && created(viewSettlement(settlement, locale))
}

type Chosen = Readonly<{ country: Country; method: PayoutMethod }>

const notYours: Text = {
  en: 'Is not one of your payout methods.',
  fr: 'N’est pas un de vos moyens de versement.',
}
const elsewhere: Text = {
  en: 'Is a payout method in another country.',
  fr: 'Est un moyen de versement d’un autre pays.',
}

/**
 * A method of the caller's, of that country, whose cooling-off is over. In SANDBOX it may be under
 * way: it guards money, and a shop that is let into LIVE goes on testing.
 */
export async function usableMethod(
  db: Db,
  { merchant_id, environment }: Caller,
  { id, country }: Readonly<{ id: string; country: Country }>,
): Promise<PayoutMethod> {
  const method = await getPayoutMethod(db, { merchant_id, id }).catch((error: unknown) => {
    // When a body names a method that is another's or does not exist, that is one more wrong field.
    throw error instanceof Refusal ? invalid('payout_method', notYours) : error
  })
  if (method.country !== country.iso_code) throw invalid('payout_method', elsewhere)
  if (method.is_usable || environment === 'SANDBOX') return method
  return getUsablePayoutMethod(db, merchant_id, id)
}

function requestOf(
  caller: Caller,
  body: SettlementBody,
  { country, method }: Chosen,
): SettlementRequest {
  const reading = parseAmount(body.requested_amount, country.default_currency)
  if (reading.is === 'invalid') throw invalid('requested_amount', amountFaultText[reading.why])
  return {
    environment: caller.environment,
    country,
    method,
    requested: reading.hundredths,
    fee_charge_mode: feeChargeMode(caller, body.fee_charge_mode),
  }
}

type Priced = Chosen & Readonly<{ price: Price; now: Date }>

function rowOf(caller: Caller, { country, method, price, now }: Priced): Settlement {
  return {
    ...price,
    merchant_id: caller.merchant_id,
    id: newId(),
    environment: caller.environment,
    reference: newReference('STL'),
    payout_method: method.id,
    country: country.iso_code,
    currency: country.default_currency,
    status: 'PENDING',
    version: 1,
    settled_attempt: null,
    waits_until: null,
    gateway_reference: '',
    proof_url: '',
    proof_key: '',
    proof_type: '',
    failure_code: '',
    failure_reason: '',
    ip_address: caller.ip,
    request_id: caller.request_id,
    api_key_id: caller.api_key_id,
    member_id: caller.member_id,
    approved_at: null,
    executed_at: null,
    completed_at: null,
    returned_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** T1: everything that the settlement begins with, or none of it. */
async function makeOrRefuse(db: Db, draft: NewSettlement): Promise<'made' | 'made_waiting'> {
  const { once, requested } = draft
  const result = await makeSettlement(db, draft)
  if (result === 'made' || result === 'made_waiting') return result
  if (result === 'key_taken') throw new KeyInUse()
  if (result === 'insufficient_balance') throw refuse(payoutErrors.insufficient_balance)
  // Nothing was made under the key, so it keeps the refusal.
  await giveBackClaim(db, once, requested.id)
  const frozen = await isFrozen(db, requested, requested.country)
  throw refuse(frozen ? payoutErrors.balance_frozen : payoutErrors.insufficient_balance)
}

// The body of a settlement (contract 5.9): its schema, and the rules on its amount that a schema
// cannot express.

export const SettlementBody = Type.Object(
  {
    country: { ...CountryInput, description: 'ISO 3166 alpha-2: the balance it is paid from.' },
    requested_amount: AmountInput,
    payout_method: Type.String({
      format: 'uuid',
      description: 'One of your payout methods, in the same country.',
    }),
    fee_charge_mode: Type.Optional(Type.Enum(['ADD_ON', 'DEDUCTED'])),
  },
  { title: 'SettlementRequest' },
)
export type SettlementBody = Static<typeof SettlementBody>

/** The currency of a country that we serve. */
export type CurrencyOf = (country: string) => Currency | undefined

/** Adds invalid fields to the same 400; an amount is judged by the currency that it leaves. */
export function checkSettlement(
  { country, requested_amount }: Readonly<Record<string, unknown>>,
  currencyOf: CurrencyOf,
): Record<string, Text[]> {
  if (typeof requested_amount !== 'string' && typeof requested_amount !== 'number') return {}
  const currency = typeof country === 'string' ? currencyOf(country) : undefined
  const reading =
    currency === undefined
      ? parseDecimal(requested_amount)
      : parseAmount(requested_amount, currency)
  return reading.is === 'invalid' ? { requested_amount: [amountFaultText[reading.why]] } : {}
}
