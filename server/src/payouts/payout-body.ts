// The body of a payout (contract 5.9): its schema, and the rules on amounts that a schema cannot
// express.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../catalogue/view.ts'
import {
  AmountInput,
  CurrencyInput,
  checkAmountAndCurrency,
  checkMetadata,
  MetadataInput,
  payerFields,
} from '../planning/softpay-body.ts'
import type { Text } from '../platform/errors.ts'

export const PayoutBody = Type.Object(
  {
    amount: AmountInput,
    currency: CurrencyInput,
    country: CountryInput,
    method: Type.String({ minLength: 1, maxLength: 40, description: 'Network code.' }),
    recipient: Type.Object({
      msisdn: Type.String({ minLength: 1, maxLength: 40, description: 'The recipient.' }),
    }),
    customer: Type.Optional(
      Type.Object(
        { ...payerFields, phone: Type.Optional(Type.String({ maxLength: 40 })) },
        { description: 'Optional: without it, the recipient’s number is the customer’s.' },
      ),
    ),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    metadata: Type.Optional(MetadataInput),
    fee_charge_mode: Type.Optional(Type.Enum(['ADD_ON', 'DEDUCTED'])),
    preferred_gateway: Type.Optional(Type.String({ maxLength: 100 })),
    merchant_reference: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { title: 'PayoutInitialize' },
)
export type PayoutBody = Static<typeof PayoutBody>

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

/** Adds invalid fields to the same 400. */
export function checkPayout(body: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const faults = { ...checkAmountAndCurrency(body), ...checkMetadata(body) }
  const { recipient } = body
  if (typeof recipient === 'object' && recipient !== null && 'msisdn' in recipient) {
    if (typeof recipient.msisdn === 'string' && recipient.msisdn.trim() === '') {
      faults['recipient.msisdn'] = [blank]
    }
  }
  return faults
}
