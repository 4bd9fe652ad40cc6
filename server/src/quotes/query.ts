// What is asked of a quote: its query, and which of it each kind needs.

import { Type } from 'typebox'
import { CountryInput } from '../catalogue/view.ts'
import { isCurrency } from '../money/currency.ts'
import { type FeeChargeMode, feeChargeModes } from '../money/fee-charge-mode.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../money/parse-amount.ts'
import { type FieldErrors, Invalid, invalid, type Text } from '../platform/errors.ts'
import { enumFilter, uuidFilter } from '../platform/http/filters.ts'
import type { Input } from '../platform/http/route.ts'
import { type QuoteKind, quoteKinds } from './quote.ts'

const code = { minLength: 1, maxLength: 40 }

const notACurrency: Text = {
  en: 'Must be an ISO 4217 currency code, such as XOF.',
  fr: 'Doit être un code de devise ISO 4217, par exemple XOF.',
}

export const QuoteQuery = Type.Object({
  kind: Type.Enum([...quoteKinds], { description: 'Which call it would be.' }),
  country: {
    ...CountryInput,
    description: 'Alpha-2: where the payer or recipient is, or whose balance it leaves.',
  },
  amount: Type.String({ maxLength: 32, description: 'As the call would send it.' }),
  currency: Type.Optional(
    Type.String({
      description: 'ISO 4217; the network’s or the country’s where it is left out.',
      'x-message': notACurrency,
    }),
  ),
  network: Type.Optional(
    Type.String({ ...code, description: 'A network’s code: for PAYIN, TOP_UP and PAYOUT.' }),
  ),
  payout_method: Type.Optional(
    Type.String({ format: 'uuid', description: 'One of your payout methods: for SETTLEMENT.' }),
  ),
  to_country: Type.Optional({ ...CountryInput, description: 'Alpha-2: for TRANSFER.' }),
  msisdn: Type.Optional(
    Type.String({
      ...code,
      description:
        'The payer’s or recipient’s number: then `number` says what is known of it. At most 60 ' +
        'such calls a minute. A `+` that is not escaped arrives as a space: same.',
    }),
  ),
  fee_charge_mode: Type.Optional(
    Type.Enum([...feeChargeModes], {
      description: 'For PAYIN, PAYOUT and SETTLEMENT; the usual one where it is left out.',
    }),
  ),
})

const missing: Text = {
  en: 'Required for this kind.',
  fr: 'Obligatoire pour ce type.',
}

const needed: Readonly<Record<QuoteKind, 'network' | 'payout_method' | 'to_country'>> = {
  PAYIN: 'network',
  PAYOUT: 'network',
  TOP_UP: 'network',
  SETTLEMENT: 'payout_method',
  TRANSFER: 'to_country',
}

const sameCountry: Text = {
  en: 'Must be a country other than country.',
  fr: 'Doit être un autre pays que country.',
}

/** What the schema cannot express: what a kind needs, the form of the amount, two countries. */
export function checkQuoteQuery(query: Input['query']): FieldErrors {
  const faults: Record<string, readonly Text[]> = {}
  const kind = quoteKinds.find((one) => one === query['kind'])
  const field = kind && needed[kind]
  if (field !== undefined && (query[field] ?? '') === '') faults[field] = [missing]
  const { amount, currency = '', country = '', to_country } = query
  if (currency !== '' && !isCurrency(currency.toUpperCase())) faults['currency'] = [notACurrency]
  const reading = isCurrency(currency.toUpperCase())
    ? parseAmount(amount, currency.toUpperCase())
    : parseDecimal(amount)
  if (amount !== undefined && reading.is === 'invalid') {
    faults['amount'] = [amountFaultText[reading.why]]
  }
  if (kind === 'TRANSFER' && to_country?.toUpperCase() === country.toUpperCase()) {
    faults['to_country'] = [sameCountry]
  }
  return faults
}

export type QuoteQuestion = Readonly<{
  kind: QuoteKind
  country: string
  amount: string
  /** Upper case. */
  currency: string | undefined
  network: string
  payout_method: string
  to_country: string
  msisdn: string | undefined
  fee_charge_mode: FeeChargeMode | undefined
}>

/** The query has passed its schema and `checkQuoteQuery`. */
export function readQuestion({ query }: Pick<Input, 'query'>): QuoteQuestion {
  const { country = '', amount = '', network = '', to_country = '', currency, msisdn } = query
  return {
    kind: enumFilter(query, 'kind', quoteKinds) ?? 'PAYIN',
    country,
    amount,
    currency: currency === undefined || currency === '' ? undefined : currency.toUpperCase(),
    network,
    payout_method: uuidFilter(query, 'payout_method') ?? '',
    to_country,
    msisdn: msisdn?.replace(/^ /, '+'),
    fee_charge_mode: enumFilter(query, 'fee_charge_mode', feeChargeModes),
  }
}

/** Hundredths; what the amount cannot be in that currency is its fault. */
export function amountIn({ amount }: Pick<QuoteQuestion, 'amount'>, currency: string): bigint {
  const reading = parseAmount(amount, currency)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  return reading.hundredths
}

/** The calls name their amount in their own way; a quote has one name for it. */
export async function onAmount<T>(field: string, plan: () => T | Promise<T>): Promise<T> {
  try {
    return await plan()
  } catch (error) {
    const faults = error instanceof Invalid ? error.fields[field] : undefined
    throw faults === undefined ? error : new Invalid({ amount: faults })
  }
}
