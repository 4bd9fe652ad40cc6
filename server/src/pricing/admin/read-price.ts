// A figure of ours (a price, a floor, a cost) as staff send it: an amount of which zero is one.

import { Type } from 'typebox'
import type { Currency } from '../../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../../money/parse-amount.ts'
import type { Text } from '../../platform/errors.ts'

export const PriceInput = Type.String({
  maxLength: 32,
  description: 'Decimal, in the network’s currency: "100", "100.00".',
  'x-message': {
    en: 'Must be an amount as a string, such as "100" or "12.50".',
    fr: 'Doit être un montant en chaîne de caractères, comme "100" ou "12.50".',
  },
})

export const PercentInput = Type.String({
  maxLength: 16,
  description: 'Percent of the amount, 0 to 100, at most four decimals: "3.25".',
  'x-message': {
    en: 'Must be a percentage as a string, such as "3.25".',
    fr: 'Doit être un pourcentage en chaîne de caractères, comme "3.25".',
  },
})

export const percentText: Text = {
  en: 'Must be between 0 and 100, with at most 4 decimals, such as "3.25".',
  fr: 'Doit être entre 0 et 100, avec 4 décimales au plus, par exemple "3.25".',
}

export const aboveCapText: Text = {
  en: 'Must not be above the cap.',
  fr: 'Ne peut pas dépasser le plafond.',
}

export type PriceReading =
  | Readonly<{ is: 'price'; hundredths: bigint }>
  | Readonly<{ is: 'invalid'; text: Text }>

/** Without a currency the form alone is checked; with one, that the sum can be paid in it. */
export function readPrice(input: unknown, currency: Currency | undefined): PriceReading {
  const reading = currency === undefined ? parseDecimal(input) : parseAmount(input, currency)
  if (reading.is === 'amount') return { is: 'price', hundredths: reading.hundredths }
  if (reading.why === 'zero') return { is: 'price', hundredths: 0n }
  return { is: 'invalid', text: amountFaultText[reading.why] }
}
