// The body of a transfer (contract 5.10): its schema, and the rules that a schema cannot express.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../catalogue/view.ts'
import type { Currency } from '../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../money/parse-amount.ts'
import { AmountInput } from '../planning/softpay-body.ts'
import type { Text } from '../platform/errors.ts'

export const TransferBody = Type.Object(
  { from_country: CountryInput, to_country: CountryInput, from_amount: AmountInput },
  { title: 'WalletTransferRequest' },
)
export type TransferBody = Static<typeof TransferBody>

const sameCountry: Text = {
  en: 'Must be another country than from_country.',
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
