// Links as their merchant reads them, and as anybody does who holds one.

import { Type } from 'typebox'
import type { MerchantProfile } from '../../merchants/settings/profile.ts'
import { viewProfile } from '../../merchants/settings/read-settings.ts'
import { formatAmount } from '../../money/format.ts'
import { amountTypes, type Link } from '../../orders/link.ts'
import { ProfileSchema } from '../public/view.ts'
import { AnsweringMember } from '../view.ts'
import { CustomFieldsView } from './custom-fields.ts'

const uuid = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const momentOrNull = Type.Union([moment, Type.Null()])
const amountOrNull = Type.Union([Type.String(), Type.Null()])

const shown = {
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  amount_type: Type.Enum([...amountTypes]),
  amount: amountOrNull,
  min_amount: amountOrNull,
  currency: Type.String(),
  require_phone: Type.Boolean(),
  custom_fields: CustomFieldsView,
}

export const LinkSchema = Type.Object(
  {
    ...shown,
    id: uuid,
    merchant: uuid,
    created_by_member: AnsweringMember,
    url: Type.String({ format: 'uri' }),
    is_active: Type.Boolean(),
    expires_at: momentOrNull,
    redirect_url: Type.String({ description: 'Becomes the `return_url` of its sessions.' }),
    show_confirmation_page: Type.Boolean(),
    facebook_pixel_id: Type.String(),
    google_ads_id: Type.String(),
    admin_locked: Type.Boolean({
      description: 'Set by staff: the link accepts no payments. Read only.',
    }),
    usage_limit: Type.Union([Type.Integer(), Type.Null()]),
    usage_count: Type.Integer({ description: 'Number of successful payments.' }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'PaymentLink' },
)

export const PublicLinkSchema = Type.Object(
  {
    ...shown,
    merchant: ProfileSchema,
    merchant_name: Type.String(),
    is_usable: Type.Boolean({ description: 'Always true: a link that is not usable answers 410.' }),
    unusable_reason: Type.String({ description: 'Empty while the link is usable.' }),
    expires_at: momentOrNull,
  },
  { title: 'PublicPaymentLink' },
)

const viewShown = (link: Link) => ({
  slug: link.slug,
  name: link.name,
  description: link.description,
  amount_type: link.amount_type,
  amount: link.amount === null ? null : formatAmount(link.amount),
  min_amount: link.min_amount === null ? null : formatAmount(link.min_amount),
  currency: link.currency,
  require_phone: link.require_phone,
  custom_fields: link.custom_fields.map(({ name, label, type, required, options }) => ({
    name,
    label,
    type,
    required,
    options: [...options],
  })),
})

export const viewLink = (link: Link, public_url: string) => ({
  ...viewShown(link),
  id: link.id,
  merchant: link.merchant_id,
  created_by_member: link.created_by_member,
  url: `${public_url}/pay/${link.slug}`,
  is_active: link.is_active,
  expires_at: link.expires_at?.toISOString() ?? null,
  redirect_url: link.redirect_url,
  show_confirmation_page: link.show_confirmation_page,
  facebook_pixel_id: link.facebook_pixel_id,
  google_ads_id: link.google_ads_id,
  admin_locked: link.admin_locked,
  usage_limit: link.usage_limit,
  usage_count: link.usage_count,
  environment: link.environment,
  created_at: link.created_at.toISOString(),
  updated_at: link.updated_at.toISOString(),
})

export const viewPublicLink = (link: Link, profile: MerchantProfile, public_url: string) => ({
  ...viewShown(link),
  merchant: viewProfile(profile, public_url),
  merchant_name: viewProfile(profile, public_url).name,
  is_usable: true,
  unusable_reason: '',
  expires_at: link.expires_at?.toISOString() ?? null,
})

const slug = 'hT5nV8bQ2xK7mZ1cR4wJ9sL6dF3gY0pA'
const shownExample = {
  slug,
  name: 'Tontine of November',
  description: '',
  amount_type: 'FIXED',
  amount: '5000.00',
  min_amount: null,
  currency: 'XOF',
  require_phone: false,
  custom_fields: [{ name: 'team', label: 'Your team', type: 'TEXT', required: true, options: [] }],
  expires_at: null,
}
export const linkExample = {
  ...shownExample,
  id: '01981f3a-5b60-7c11-9a52-0242ac120201',
  merchant: '01981f3a-5b60-7c11-9a52-0242ac120001',
  created_by_member: null,
  url: `https://pay.example.com/pay/${slug}`,
  is_active: true,
  redirect_url: '',
  show_confirmation_page: true,
  facebook_pixel_id: '',
  google_ads_id: '',
  admin_locked: false,
  usage_limit: 100,
  usage_count: 3,
  environment: 'SANDBOX',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}
export const publicLinkExample = {
  ...shownExample,
  merchant: { name: 'Chez Awa', colour: '#0a7d4f', logo_url: null },
  merchant_name: 'Chez Awa',
  is_usable: true,
  unusable_reason: '',
}
