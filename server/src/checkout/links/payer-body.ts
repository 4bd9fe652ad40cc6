// The payer's own details and, where the link is free, the sum, as a link's holder sends them
// (contract 6.2).

import { Type } from 'typebox'
import { AmountInput } from '../../planning/softpay-body.ts'
import type { Text } from '../../platform/errors.ts'
import { ValuesInput } from './custom-fields.ts'
import { amountFault } from './link-body.ts'

export const LinkPayerBody = Type.Object(
  {
    amount: Type.Optional(AmountInput),
    custom_field_values: Type.Optional(ValuesInput),
    customer: Type.Object({
      email: Type.String({ format: 'email' }),
      first_name: Type.String({ minLength: 1, maxLength: 100 }),
      last_name: Type.String({ minLength: 1, maxLength: 100 }),
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
