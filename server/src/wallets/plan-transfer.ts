// What a transfer would take and what would arrive, each refusal with its own code in the
// documented order. Pure: one conversion, each figure rounded once, the fee half up and at least
// one unit, what arrives down: no money is made by moving it to and fro (contract 5.10, 8.13).

import { type Static, Type } from 'typebox'
import type { Catalogue, Country } from '../catalogue/catalogue.ts'
import { CountryInput } from '../catalogue/view.ts'
import { type Currency, smallestUnit } from '../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../money/parse-amount.ts'
import { percentOf } from '../money/percent.ts'
import { paymentErrors } from '../planning/errors.ts'
import { findCountry } from '../planning/plan-softpay.ts'
import { AmountInput } from '../planning/softpay-body.ts'
import { assert, invalid, refuse, type Text } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { convert, type RateRow } from '../rates/convert.ts'
import { rateErrors } from '../rates/errors.ts'

export type TransferFacts = Readonly<{
  catalogue: Catalogue
  rates: readonly (RateRow & Readonly<{ id: string }>)[]
  fee_percent_ppm: bigint
}>

export type TransferPlan = Readonly<{
  from: Country
  to: Country
  from_amount: bigint
  fee_amount: bigint
  to_amount: bigint
  exchange_rate: bigint
  rate_ids: readonly string[]
}>

export function planTransfer(
  facts: TransferFacts,
  caller: Caller,
  body: TransferBody,
): TransferPlan {
  const from = facts.catalogue.countryByCode(body.from_country)
  if (from === undefined) throw refuse(paymentErrors.invalid_country)
  // Value may leave a country that the merchant has closed, and go to none.
  const to = findCountry(facts.catalogue, caller, body.to_country)
  const reading = parseAmount(body.from_amount, from.default_currency)
  assert(reading.is === 'amount', 'the body was checked')
  const from_amount = reading.hundredths
  const fee_amount = feeOn(from_amount, facts.fee_percent_ppm, from.default_currency)
  const [leaving, arriving] = [from.default_currency, to.default_currency]
  const rest = { amount: from_amount - fee_amount, from: leaving, to: arriving }
  const conversion = convert(facts.rates, rest, 'DOWN')
  // A rate that eight digits cannot show could not be frozen either.
  if (conversion === undefined || conversion.rate_e8 === 0n) {
    throw refuse(rateErrors.no_exchange_rate)
  }
  if (fee_amount >= from_amount) throw invalid('from_amount', feeEatsIt)
  const { converted: to_amount, rate_e8: exchange_rate } = conversion
  if (to_amount <= 0n) throw invalid('from_amount', tooSmallIn(to.default_currency))
  if (to_amount > to_amount_max) throw invalid('from_amount', tooLargeIn(to.default_currency))
  const rate_ids = conversion.rows.map(({ id }) => id)
  return { from, to, from_amount, fee_amount, to_amount, exchange_rate, rate_ids }
}

/** Half up, and never nothing where there is a price. */
function feeOn(amount: bigint, percent_ppm: bigint, currency: Currency): bigint {
  const fee = percentOf(amount, percent_ppm, currency)
  return fee === 0n && percent_ppm > 0n ? smallestUnit(currency) : fee
}

/** In hundredths: what arrives can be sent on, so it has no more digits than an amount may have. */
const to_amount_max = 10n ** 14n - 1n

const feeEatsIt: Text = {
  en: 'The fee takes the whole amount. Transfer more.',
  fr: 'Les frais absorbent tout le montant. Transférez davantage.',
}

const tooSmallIn = (currency: string): Text => ({
  en: `The amount is too small in ${currency}.`,
  fr: `Le montant est trop petit en ${currency}.`,
})

const tooLargeIn = (currency: string): Text => ({
  en: `The amount is too large in ${currency}.`,
  fr: `Le montant est trop grand en ${currency}.`,
})

// The body of a transfer (contract 5.10): its schema, and the rules that a schema cannot express.

export const TransferBody = Type.Object(
  { from_country: CountryInput, to_country: CountryInput, from_amount: AmountInput },
  { title: 'WalletTransferRequest' },
)
export type TransferBody = Static<typeof TransferBody>

const sameCountry: Text = {
  en: 'Must be a country other than from_country.',
  fr: 'Doit être un autre pays que from_country.',
}

/** The currency of a country that we serve. */
export type CurrencyOf = (country: string) => Currency | undefined

/** Adds invalid fields to the same 400; an amount is judged by the currency that it leaves. */
export function checkTransfer(
  body: Readonly<Record<string, unknown>>,
  currencyOf: CurrencyOf,
): Record<string, Text[]> {
  const faults: Record<string, Text[]> = {}
  const { from_country: from, to_country: to, from_amount: amount } = body
  if (typeof from === 'string' && typeof to === 'string') {
    if (from.toUpperCase() === to.toUpperCase()) faults['to_country'] = [sameCountry]
  }
  if (typeof amount !== 'string' && typeof amount !== 'number') return faults
  const currency = typeof from === 'string' ? currencyOf(from) : undefined
  const reading = currency === undefined ? parseDecimal(amount) : parseAmount(amount, currency)
  if (reading.is === 'invalid') faults['from_amount'] = [amountFaultText[reading.why]]
  return faults
}
