// The body of a top-up (contract 5.11): as softpay, but the payer is the merchant.

import { type Static, Type } from 'typebox'
import { checkAmountAndCurrency, checkMetadata, SoftpayBody } from '../../planning/softpay-body.ts'
import type { Text } from '../../platform/errors.ts'

const { customer: _payer, fee_charge_mode: _mode, ...fields } = SoftpayBody.properties

export const TopUpBody = Type.Object(
  {
    ...fields,
    phone: Type.String({ minLength: 1, maxLength: 40, description: 'The person who pays in.' }),
  },
  { title: 'TopUpInitialize' },
)
export type TopUpBody = Static<typeof TopUpBody>

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

/** Adds invalid fields to the same 400. */
export function checkTopUp(body: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const faults: Record<string, Text[]> = { ...checkAmountAndCurrency(body), ...checkMetadata(body) }
  const { phone } = body
  if (typeof phone === 'string' && phone.trim() === '') faults['phone'] = [blank]
  return faults
}
