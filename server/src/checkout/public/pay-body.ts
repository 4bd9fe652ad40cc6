// What a payer sends (contract 6.1).

import { type Static, Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import { payerFields } from '../../planning/softpay-body.ts'

export const PayBody = Type.Object(
  {
    network: Type.String({ minLength: 1, maxLength: 40 }),
    country: Type.Optional(CountryInput),
    customer: Type.Optional(
      Type.Object({
        ...payerFields,
        phone: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
      }),
    ),
    otp: Type.Optional(Type.String({ minLength: 1, maxLength: 12, pattern: '\\S' })),
  },
  { title: 'CheckoutPay' },
)
export type PayBody = Static<typeof PayBody>
