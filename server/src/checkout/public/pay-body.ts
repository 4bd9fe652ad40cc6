// What a payer sends (contract 6.1).

import { type Static, Type } from 'typebox'

export const PayBody = Type.Object(
  {
    network: Type.String({ minLength: 1, maxLength: 40 }),
    country: Type.Optional(Type.String({ minLength: 2, maxLength: 2 })),
    customer: Type.Optional(
      Type.Object({
        email: Type.Optional(Type.String({ format: 'email' })),
        first_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
        last_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
        phone: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
      }),
    ),
    otp: Type.Optional(Type.String({ minLength: 1, maxLength: 12, pattern: '\\S' })),
  },
  { title: 'CheckoutPay' },
)
export type PayBody = Static<typeof PayBody>
