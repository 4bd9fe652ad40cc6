// The body of a settlement (contract 5.9): its schema, and the rules on its amount that a schema
// cannot express.

import { type Static, Type } from 'typebox'
import type { Currency } from '../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../money/parse-amount.ts'
import { AmountInput } from '../planning/softpay-body.ts'
import type { Text } from '../platform/errors.ts'

export const SettlementBody = Type.Object(
  {
    country: Type.String({
      minLength: 2,
      maxLength: 2,
      description: 'ISO 3166 alpha-2: the balance it is paid from.',
    }),
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
