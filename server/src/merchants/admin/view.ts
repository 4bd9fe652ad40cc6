// A merchant as staff see it: its settings, and in the detail its people (staff may see their
// e-mails), its balances in both environments, and the state of its KYC.

import { Type } from 'typebox'
import { formatAmount } from '../../money/format.ts'
import { roles } from '../roles.ts'
import { ContactSchema, contactExample, viewContact } from '../settings/contact.ts'
import type { MerchantDetail } from './change-merchant.ts'
import {
  type BalanceRow,
  kycStatuses,
  type MemberRow,
  type MerchantRow,
  merchantStatuses,
} from './store.ts'

const id = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const momentOrNone = Type.Union([moment, Type.Null()])

const row = {
  id,
  name: Type.String(),
  status: Type.Enum([...merchantStatuses]),
  suspended_reason: Type.String({ description: 'Empty when active.' }),
  country: Type.Union([Type.String({ description: 'ISO 3166 alpha-2.' }), Type.Null()]),
  live_enabled: Type.Boolean(),
  approved_at: momentOrNone,
  kyc_status: Type.Enum([...kycStatuses]),
  kyc_note: Type.String({
    description: 'A note from staff to the merchant. Empty when there is none.',
  }),
  rate_limit_per_minute: Type.Integer(),
  fee_charge_mode_locked: Type.Union([Type.Enum(['ADD_ON', 'DEDUCTED']), Type.Null()]),
  allowed_countries: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Null: every country that we serve.',
  }),
  notification_emails: Type.Array(Type.String()),
  brand_name: Type.String(),
  brand_colour: Type.String(),
  reviewed_name: Type.Union([Type.String(), Type.Null()], {
    description: 'The name shown in LIVE; null before the first approval.',
  }),
  reviewed_brand_name: Type.Union([Type.String(), Type.Null()]),
  contact: ContactSchema,
  reviewed_contact: Type.Union([ContactSchema, Type.Null()], {
    description: 'The contact shown in LIVE; null: none has been seen.',
  }),
  name_review_since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Since when a change of name, brand, logo or contact has been waiting for review.',
  }),
  cooling_off_hours: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The cooling-off of new payout methods in LIVE. Null: the platform’s default.',
  }),
  created_at: moment,
  updated_at: moment,
}

export const MerchantRowSchema = Type.Object(row, { title: 'MerchantAccount' })

const MemberSchema = Type.Object({
  id,
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role: Type.Enum([...roles]),
  email_verified: Type.Boolean(),
  totp_enabled: Type.Boolean(),
  disabled: Type.Boolean(),
  last_login_at: momentOrNone,
  joined_at: moment,
})

const BalanceSchema = Type.Object({
  id,
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  country: Type.String(),
  currency: Type.String(),
  available_amount: Type.String(),
  pending_amount: Type.String(),
  frozen_amount: Type.String(),
  is_frozen: Type.Boolean(),
})

export const MerchantDetailSchema = Type.Object(
  { ...row, members: Type.Array(MemberSchema), balances: Type.Array(BalanceSchema) },
  { title: 'MerchantAccountDetail' },
)

export const viewMerchantRow = (merchant: MerchantRow) => ({
  id: merchant.id,
  name: merchant.name,
  status: merchant.status,
  suspended_reason: merchant.suspended_reason,
  country: merchant.country,
  live_enabled: merchant.live_enabled,
  approved_at: merchant.approved_at?.toISOString() ?? null,
  kyc_status: merchant.kyc_status,
  kyc_note: merchant.kyc_note,
  rate_limit_per_minute: merchant.rate_limit_per_minute,
  fee_charge_mode_locked: merchant.fee_charge_mode_locked,
  allowed_countries: merchant.allowed_countries,
  notification_emails: merchant.notification_emails,
  brand_name: merchant.brand_name,
  brand_colour: merchant.brand_colour,
  reviewed_name: merchant.reviewed_name,
  reviewed_brand_name: merchant.reviewed_brand_name,
  contact: viewContact(merchant.contact),
  reviewed_contact: merchant.reviewed_contact && viewContact(merchant.reviewed_contact),
  name_review_since: merchant.name_review_since?.toISOString() ?? null,
  cooling_off_hours: merchant.cooling_off_hours,
  created_at: merchant.created_at.toISOString(),
  updated_at: merchant.updated_at.toISOString(),
})

export const viewMerchantDetail = ({ merchant, members, balances }: MerchantDetail) => ({
  ...viewMerchantRow(merchant),
  members: members.map(viewMember),
  balances: balances.map(viewBalance),
})

const viewMember = (member: MemberRow) => ({
  id: member.person_id,
  email: member.email,
  first_name: member.first_name,
  last_name: member.last_name,
  role: member.role,
  email_verified: member.email_verified,
  totp_enabled: member.totp_enabled,
  disabled: member.is_disabled,
  last_login_at: member.last_login_at?.toISOString() ?? null,
  joined_at: member.joined_at.toISOString(),
})

const viewBalance = (balance: BalanceRow) => ({
  id: balance.id,
  environment: balance.environment,
  country: balance.country,
  currency: balance.currency,
  available_amount: formatAmount(balance.available),
  pending_amount: formatAmount(balance.pending),
  frozen_amount: formatAmount(balance.frozen),
  is_frozen: balance.is_frozen,
})

/** For OpenAPI. */
export const merchantExample = {
  id: '01981f3a-0000-7000-8000-00000000a001',
  name: 'Boutique Awa',
  status: 'ACTIVE',
  suspended_reason: '',
  country: 'SN',
  live_enabled: true,
  approved_at: '2026-11-21T08:00:00.000Z',
  kyc_status: 'APPROVED',
  kyc_note: '',
  rate_limit_per_minute: 300,
  fee_charge_mode_locked: null,
  allowed_countries: null,
  notification_emails: ['till@shop.example'],
  brand_name: '',
  brand_colour: '',
  reviewed_name: 'Boutique Awa',
  reviewed_brand_name: '',
  contact: contactExample,
  reviewed_contact: null,
  name_review_since: null,
  cooling_off_hours: null,
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}

export const detailExample = {
  ...merchantExample,
  members: [
    {
      id: '01981f3a-0000-7000-8000-00000000b001',
      email: 'awa@shop.example',
      first_name: 'Awa',
      last_name: 'Diop',
      role: 'OWNER',
      email_verified: true,
      totp_enabled: true,
      disabled: false,
      last_login_at: '2026-11-21T08:00:00.000Z',
      joined_at: '2026-11-20T08:00:00.000Z',
    },
  ],
  balances: [
    {
      id: '01981f3a-0000-8000-8000-00000000b001',
      environment: 'SANDBOX',
      country: 'SN',
      currency: 'XOF',
      available_amount: '150000.00',
      pending_amount: '10000.00',
      frozen_amount: '0.00',
      is_frozen: false,
    },
  ],
}
