// From a valid body to a payout that can be made: country, currency, method, recipient, amount,
// each refused with its own code in the documented order (contract 5.9). Pure.

import { type Static, Type } from 'typebox'
import type { AttemptPlan } from '../attempts/attempt.ts'
import type { Catalogue, Country, Network } from '../catalogue/catalogue.ts'
import { refuseNetwork } from '../catalogue/refuse-network.ts'
import { CountryInput } from '../catalogue/view.ts'
import { readPhone } from '../customers/phone.ts'
import { refusePhone } from '../customers/refuse-phone.ts'
import type { SkippedRoute } from '../gateways/routing.ts'
import { parseAmount } from '../money/parse-amount.ts'
import { paymentErrors } from '../planning/errors.ts'
import { type Plans, planRoutes, type RouteFacts } from '../planning/plan-routes.ts'
import { feeChargeMode, findCountryOf } from '../planning/plan-softpay.ts'
import {
  AmountInput,
  CurrencyInput,
  checkAmountAndCurrency,
  checkMetadata,
  MetadataInput,
  payerFields,
} from '../planning/softpay-body.ts'
import { assert, refuse, type Text } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import type { WaitingReason } from '../transactions/transaction.ts'
import { payoutErrors } from './errors.ts'

export type PayoutPlan = Readonly<{
  country: Country
  network: Network
  /** E.164 of the recipient. */
  msisdn: string
  /** E.164 of the customer: as given, the recipient's where nothing else says who; else null. */
  customer_phone: string | null
  /** All of them cost the merchant the same and pay out the same. */
  plans: Plans
  /** Each route that was put last or left out, and why. */
  passed_over: readonly SkippedRoute[]
}>

export type PayoutFacts = RouteFacts & Readonly<{ catalogue: Catalogue }>

export function planPayout(facts: PayoutFacts, caller: Caller, body: PayoutBody): PayoutPlan {
  const { country, network } = findPayoutNetwork(facts.catalogue, caller, body)
  const currency = network.currency
  const recipient = readPhone(body.recipient.msisdn, country.iso_code)
  if (recipient.is === 'impossible') throw noNumber('recipient.msisdn', country)
  const { phone, email = '' } = body.customer ?? {}
  const named = phoneOf(phone, country)
  const customer_phone = named ?? (email === '' ? recipient.e164 : null)
  const reading = parseAmount(body.amount, currency)
  assert(reading.is === 'amount', 'the body was checked')
  const [first, ...others] = planRoutes(facts, {
    direction: 'DISBURSE',
    fee: 'TIER',
    environment: caller.environment,
    network,
    requested: reading.hundredths,
    operation_msisdn: recipient.e164,
    fee_charge_mode: feeChargeMode(caller, body.fee_charge_mode),
    preferred_gateway: body.preferred_gateway ?? '',
  })
  // The hold is made once and the net is promised once: a route that would cost the merchant, or
  // pay out, a different sum is not tried.
  const same = others.filter(
    ({ debited_amount, net_amount }) =>
      debited_amount === first.debited_amount && net_amount === first.net_amount,
  )
  const left_out = others.filter((other) => !same.includes(other))
  const passed_over = [
    ...first.skipped_routes,
    ...left_out.map(({ gateway_code }) => ({ gateway_code, reason: 'other_amounts' })),
  ]
  const plans: Plans = [first, ...same]
  return { country, network, msisdn: recipient.e164, customer_phone, plans, passed_over }
}

/** Where it goes, and on which network. A currency that is left out is the network's. */
export function findPayoutNetwork(
  catalogue: Catalogue,
  caller: Caller,
  body: Readonly<{ country: string; method: string; currency: string | undefined }>,
): Pick<PayoutPlan, 'country' | 'network'> {
  const country = findCountryOf(catalogue, caller, { ...body, network: body.method })
  const network = catalogue.networkByCode(body.method)
  const ofCountry = network?.country_id === country.id
  const expected = ofCountry ? network.currency : country.default_currency
  const currency = body.currency?.toUpperCase() ?? expected
  if (currency !== expected) throw refuse(payoutErrors.currency_country_mismatch)
  if (!network?.is_active || !ofCountry) {
    const wrong = { country, code: body.method, takes: 'takes_payouts' } as const
    throw refuseNetwork(paymentErrors.invalid_method, catalogue, wrong)
  }
  if (!network.takes_payouts) throw refuse(payoutErrors.payout_not_enabled)
  return { country, network }
}

const noNumber = (field: string, { iso_code: country }: Country) =>
  refusePhone(paymentErrors.invalid_customer, { field, country })

function phoneOf(typed: string | undefined, country: Country): string | null {
  if (typed === undefined || typed.trim() === '') return null
  const phone = readPhone(typed, country.iso_code)
  if (phone.is === 'impossible') throw noNumber('customer.phone', country)
  return phone.e164
}

/** The routes that may be taken now; when there is none, the payout waits. */
export const sendable = (plans: readonly AttemptPlan[]): AttemptPlan[] =>
  plans.filter(({ held_back }) => held_back === undefined)

/** What it waits for, when none of these may be taken now: what the first one waits for. */
export const waitedFor = ([first]: readonly AttemptPlan[]): WaitingReason =>
  first?.held_back ?? 'NO_ROUTE'

/** When the first of them opens that are closed, where that is known. Unix milliseconds. */
export function opensAt(plans: readonly AttemptPlan[]): number | null {
  const known = plans.flatMap(({ opens_ms }) => opens_ms ?? [])
  return known.length === 0 ? null : Math.min(...known)
}

// The body of a payout (contract 5.9): its schema, and the rules on amounts that a schema cannot
// express.

export const PayoutBody = Type.Object(
  {
    amount: AmountInput,
    currency: CurrencyInput,
    country: CountryInput,
    method: Type.String({ minLength: 1, maxLength: 40, description: 'Network code.' }),
    recipient: Type.Object({
      msisdn: Type.String({ minLength: 1, maxLength: 40, description: 'The recipient.' }),
    }),
    customer: Type.Optional(
      Type.Object(
        { ...payerFields, phone: Type.Optional(Type.String({ maxLength: 40 })) },
        { description: 'Optional: without it, the recipient’s number is the customer’s.' },
      ),
    ),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    metadata: Type.Optional(MetadataInput),
    fee_charge_mode: Type.Optional(Type.Enum(['ADD_ON', 'DEDUCTED'])),
    preferred_gateway: Type.Optional(Type.String({ maxLength: 100 })),
    merchant_reference: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { title: 'PayoutInitialize' },
)
export type PayoutBody = Static<typeof PayoutBody>

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

/** Adds invalid fields to the same 400. */
export function checkPayout(body: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const faults = { ...checkAmountAndCurrency(body), ...checkMetadata(body) }
  const { recipient } = body
  if (typeof recipient === 'object' && recipient !== null && 'msisdn' in recipient) {
    if (typeof recipient.msisdn === 'string' && recipient.msisdn.trim() === '') {
      faults['recipient.msisdn'] = [blank]
    }
  }
  return faults
}
