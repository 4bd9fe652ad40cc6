// The payer's own details and, where the link is free, the sum, as a link's holder sends them
// (contract 6.2).

import { Type } from 'typebox'
import { AmountInput, payerFields } from '../../planning/softpay-body.ts'
import type { Text } from '../../platform/errors.ts'
import { ValuesInput } from './custom-fields.ts'
import { amountFault } from './link-body.ts'

export const LinkPayerBody = Type.Object(
  {
    amount: Type.Optional(AmountInput),
    custom_field_values: Type.Optional(ValuesInput),
    customer: Type.Object({
      ...payerFields,
      phone: Type.Optional(Type.String({ maxLength: 40 })),
    }),
  },
  { title: 'PaymentLinkCheckout' },
)

/**
 * What is no amount in any currency, reported with the other fields; the link's own check follows.
 */
export function checkPayer({ amount }: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const fault = amountFault(amount, '')
  return fault === undefined ? {} : { amount: [fault] }
}
