// Links as their merchant reads them, and as anybody does who holds one.

import { Type } from 'typebox'
import type { Face } from '../../merchants/face/face.ts'
import { viewFace } from '../../merchants/face/read-face.ts'
import { formatAmount } from '../../money/format.ts'
import { amountTypes, type Link } from '../../orders/link.ts'
import { FaceSchema } from '../public/view.ts'

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
}

export const LinkSchema = Type.Object(
  {
    ...shown,
    id: uuid,
    merchant: uuid,
    created_by_member: Type.Union([uuid, Type.Null()]),
    url: Type.String({ format: 'uri' }),
    is_active: Type.Boolean(),
    expires_at: momentOrNull,
    usage_limit: Type.Union([Type.Integer(), Type.Null()]),
    usage_count: Type.Integer({ description: 'Payments that succeeded.' }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'PaymentLink' },
)

export const PublicLinkSchema = Type.Object(
  { ...shown, merchant: FaceSchema, expires_at: momentOrNull },
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
})

export const viewLink = (link: Link, public_url: string) => ({
  ...viewShown(link),
  id: link.id,
  merchant: link.merchant_id,
  created_by_member: link.created_by_member,
  url: `${public_url}/pay/${link.slug}`,
  is_active: link.is_active,
  expires_at: link.expires_at?.toISOString() ?? null,
  usage_limit: link.usage_limit,
  usage_count: link.usage_count,
  environment: link.environment,
  created_at: link.created_at.toISOString(),
  updated_at: link.updated_at.toISOString(),
})

export const viewPublicLink = (link: Link, face: Face, public_url: string) => ({
  ...viewShown(link),
  merchant: viewFace(face, public_url),
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
  expires_at: null,
}
export const linkExample = {
  ...shownExample,
  id: '01981f3a-5b60-7c11-9a52-0242ac120201',
  merchant: '01981f3a-5b60-7c11-9a52-0242ac120001',
  created_by_member: null,
  url: `https://pay.example.com/pay/${slug}`,
  is_active: true,
  usage_limit: 100,
  usage_count: 3,
  environment: 'SANDBOX',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}
export const publicLinkExample = {
  ...shownExample,
  merchant: { name: 'Chez Awa', colour: '#0a7d4f', logo_url: null },
}
