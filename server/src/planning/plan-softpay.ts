// From a valid body to a payment that can be made: country, network, phone, currency, price and
// routes, each refused with its own code, in the order in which a caller can correct them. Pure.

import type { AttemptPlan } from '../attempts/attempt.ts'
import {
  type Catalogue,
  type Country,
  cards,
  instructionIn,
  type Network,
} from '../catalogue/catalogue.ts'
import { refuseNetwork } from '../catalogue/refuse-network.ts'
import { readPhone } from '../customers/phone.ts'
import { refusePhone } from '../customers/refuse-phone.ts'
import { instructionsFor } from '../gateways/route-confirmation.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { parseAmount } from '../money/parse-amount.ts'
import { assert, invalid, type Locale, refuse, type Text } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { convert, type RateRow } from '../rates/convert.ts'
import { paymentErrors } from './errors.ts'
import type { Plans } from './plan-routes.ts'
import { feeOf, planRoutes, type RouteFacts } from './plan-routes.ts'
import type { SoftpayBody } from './softpay-body.ts'

export type SoftpayPlan = Readonly<{
  country: Country
  network: Network
  phone: string
  original: { amount: bigint; currency: string; rate_e8: bigint } | null
  plans: Plans
}>

export type SoftpayFacts = RouteFacts &
  Readonly<{ catalogue: Catalogue; rates: readonly RateRow[] }>

/** The part of a body that a plan is made from, be it a payer's or a merchant's own. */
export type SoftpayRequest = Pick<
  SoftpayBody,
  'amount' | 'currency' | 'country' | 'network' | 'fee_charge_mode' | 'otp' | 'preferred_gateway'
> &
  Readonly<{ phone: string; transaction_type: 'PAIEMENT' | 'RECHARGE' }>

export function planSoftpay(
  facts: SoftpayFacts,
  caller: Caller,
  body: SoftpayRequest,
): SoftpayPlan {
  const country = findCountryOf(facts.catalogue, caller, body)
  const network = findNetwork(facts.catalogue, country, body.network)
  const phone = readPhone(body.phone, country.iso_code)
  if (phone.is === 'impossible') {
    const field = body.transaction_type === 'RECHARGE' ? 'phone' : 'customer.phone'
    throw refusePhone(paymentErrors.invalid_customer, { field, country: country.iso_code })
  }
  const { requested, original } = requestedAmount(facts.rates, network, body)
  const mode = feeChargeMode(caller, body.fee_charge_mode)
  const plans = planRoutes(facts, {
    direction: 'COLLECT',
    fee: feeOf(body.transaction_type),
    environment: caller.environment,
    network,
    requested,
    operation_msisdn: phone.e164,
    fee_charge_mode: mode,
    preferred_gateway: body.preferred_gateway ?? '',
    has_code: isCode(body.otp),
  })
  requireOtp(network, body.otp, plans[0])
  return { country, network, phone: phone.e164, original, plans }
}

/** A country that we serve and that the merchant has not excluded (its `allowed_countries`). */
export function findCountry(catalogue: Catalogue, caller: Caller, code: string): Country {
  const country = catalogue.countryByCode(code)
  if (country === undefined) throw refuse(paymentErrors.invalid_country)
  if (isAllowed(caller, country)) return country
  throw refuse(paymentErrors.invalid_country, { message: shutText })
}

/**
 * The country of a call that names a network too. The code of cards names no country: with any
 * other network it is one that we do not serve.
 */
export function findCountryOf(
  catalogue: Catalogue,
  caller: Caller,
  { country: code, network: network_code }: Readonly<{ country: string; network: string }>,
): Country {
  const country = findCountry(catalogue, caller, code)
  if (country.iso_code !== cards) return country
  if (catalogue.networkByCode(network_code)?.country_id === country.id) return country
  throw refuse(paymentErrors.invalid_country)
}

export const isAllowed = (
  { allowed_countries }: Pick<Caller, 'allowed_countries'>,
  { iso_code }: Pick<Country, 'iso_code'>,
): boolean => allowed_countries === null || allowed_countries.includes(iso_code)

/** Whether a payer of this merchant may pay by card now. */
export const takesCards = (
  { networks }: Pick<Catalogue, 'networks'>,
  merchant: Pick<Caller, 'allowed_countries'>,
): boolean =>
  isAllowed(merchant, { iso_code: cards }) &&
  networks.some((one) => one.country_code === cards && one.is_active && one.takes_payins)

const shutText: Text = {
  en: 'The merchant’s settings do not allow this country. See allowed_countries.',
  fr: 'Les réglages du marchand n’autorisent pas ce pays. Voir allowed_countries.',
}

/** A network of that country that takes payins now. */
export function findNetwork(catalogue: Catalogue, country: Country, code: string): Network {
  const network = catalogue.networkByCode(code)
  if (!network?.is_active || !network.takes_payins || network.country_id !== country.id) {
    const wrong = { country, code, takes: 'takes_payins' } as const
    throw refuseNetwork(paymentErrors.invalid_method, catalogue, wrong)
  }
  return network
}

type Requested<Row extends RateRow> = Readonly<{
  /** Hundredths in the network's currency. */
  requested: bigint
  original: SoftpayPlan['original']
  /** The rates it rests on; none where nothing was converted. */
  rows: readonly Row[]
}>

/** In the network's currency; another currency is converted at the current rate (contract 2.5). */
export function requestedAmount<Row extends RateRow>(
  rates: readonly Row[],
  network: Pick<Network, 'currency'>,
  body: Pick<SoftpayRequest, 'amount' | 'currency'>,
): Requested<Row> {
  const currency = body.currency.toUpperCase()
  const reading = parseAmount(body.amount, currency)
  assert(reading.is === 'amount', 'the body was checked')
  const amount = reading.hundredths
  if (currency === network.currency) return { requested: amount, original: null, rows: [] }
  const conversion = convert(rates, { amount, from: currency, to: network.currency })
  if (conversion === undefined) throw refuse(paymentErrors.no_exchange_rate)
  if (conversion.converted <= 0n) {
    throw invalid('amount', {
      en: `The amount is too small in ${network.currency}.`,
      fr: `Le montant est trop petit en ${network.currency}.`,
    })
  }
  const original = { amount, currency, rate_e8: conversion.rate_e8 }
  return { requested: conversion.converted, original, rows: conversion.rows }
}

/**
 * The merchant's setting may lock it: a different request is refused, never silently ignored
 * (contract 2.3).
 */
export function feeChargeMode(caller: Caller, mode: FeeChargeMode | undefined) {
  const locked = caller.fee_charge_mode_locked
  if (locked !== null && mode !== undefined && mode !== locked) {
    throw refuse(paymentErrors.fee_charge_mode_locked)
  }
  return locked ?? mode
}

export const isCode = (otp: string | undefined): boolean => otp !== undefined && otp !== ''

/**
 * The payer makes a pre-payment code first, where the first route wants one; without one the
 * refusal explains how (contract 5.4).
 */
export function requireOtp(network: Network, otp: string | undefined, plan: AttemptPlan): void {
  if (plan.otp_kind !== 'PRE' || isCode(otp)) return
  const how = otpInstructions(network, plan)
  const { message } = paymentErrors.prepayment_otp_missing
  const textIn = (locale: Locale) => `${message[locale]} ${instructionIn(locale, how)}.`
  throw refuse(paymentErrors.prepayment_otp_missing, {
    message: how === '' ? message : { en: textIn('en'), fr: textIn('fr') },
  })
}

/**
 * The network's own instruction for such a code, with the amount the payer will be asked for (whole
 * units); empty where it has none.
 */
export function otpInstructions(
  network: Network,
  { otp_kind, debited_amount }: Pick<AttemptPlan, 'otp_kind' | 'debited_amount'>,
): string {
  const units = (debited_amount / 100n).toString()
  return instructionsFor(network, otp_kind).replaceAll('{amount}', units)
}
