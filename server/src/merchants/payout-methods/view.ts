// A payout method as JSON, field by field. Of an account number the last 4 are shown, from its
// creation on: enough to recognise it, and no more.

import { type TSchema, Type } from 'typebox'
import { masked } from '../../audit/audit.ts'
import { maskedAccount, methodTypes, type PayoutMethod } from './payout-method.ts'

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const moment = Type.String({ format: 'date-time' })
const uuid = Type.String({ format: 'uuid' })

export const PayoutMethodSchema = Type.Object(
  {
    id: uuid,
    merchant: uuid,
    country: Type.String({ description: 'ISO 3166 alpha-2.' }),
    type: Type.Enum([...methodTypes]),
    label: Type.String(),
    network: Type.Union([Type.String(), Type.Null()], { description: 'Network code.' }),
    msisdn: nullable(Type.String()),
    bank_name: nullable(Type.String()),
    account_number: Type.Union([Type.String(), Type.Null()], {
      description: 'Masked except for the last 4 characters.',
    }),
    account_name: nullable(Type.String()),
    usable_from: Type.String({ format: 'date-time', description: 'When the cooling-off ends.' }),
    is_usable: Type.Boolean(),
    created_by_member: nullable(uuid),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'PayoutMethod' },
)

const maskedOrNull = (account_number: string | null): string | null =>
  account_number === null ? null : maskedAccount(account_number)

export const viewPayoutMethod = (method: PayoutMethod) => ({
  id: method.id,
  merchant: method.merchant_id,
  country: method.country,
  type: method.type,
  label: method.label,
  network: method.network_code,
  msisdn: method.msisdn,
  bank_name: method.bank_name,
  account_number: maskedOrNull(method.account_number),
  account_name: method.account_name,
  usable_from: method.usable_from.toISOString(),
  is_usable: method.is_usable,
  created_by_member: method.created_by_member,
  created_at: method.created_at.toISOString(),
  updated_at: method.updated_at.toISOString(),
})

/** What the audit log keeps of it: no person's number, and no person's name. */
export const shownInAudit = (method: PayoutMethod) => ({
  country: method.country,
  type: method.type,
  label: method.label,
  network: method.network_code,
  msisdn: method.msisdn === null ? null : masked(method.msisdn),
  bank_name: method.bank_name,
  account_number: maskedOrNull(method.account_number),
  usable_from: method.usable_from.toISOString(),
})

export const payoutMethodExample = {
  id: '01981f3a-0000-7000-8000-00000000c001',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  country: 'SN',
  type: 'MOBILE_MONEY',
  label: 'Till of Dakar',
  network: 'orange_sn',
  msisdn: '+221770000010',
  bank_name: null,
  account_number: null,
  account_name: null,
  usable_from: '2026-11-21T08:00:00.000Z',
  is_usable: false,
  created_by_member: '01981f3a-0000-7000-8000-00000000b001',
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-20T08:00:00.000Z',
}
