// A payment link: reusable, its uses counted on its own row. A slot is reserved while a payment is
// under way, so that the limit holds for payments at the same moment (money 2).

import type { Environment } from '../platform/http/route.ts'

export const amountTypes = ['FIXED', 'FREE'] as const

export const customFieldTypes = ['TEXT', 'NUMBER', 'EMAIL', 'PHONE', 'SELECT'] as const

/** An extra field for the payer. */
export type CustomField = Readonly<{
  name: string
  label: string
  type: (typeof customFieldTypes)[number]
  required: boolean
  options: readonly string[]
}>

/** What a link requires of its payer, and where it sends them afterwards. */
export type LinkForm = Readonly<{
  custom_fields: readonly CustomField[]
  require_phone: boolean
  /** The `return_url` of the session that it opens; empty: none. */
  redirect_url: string
  show_confirmation_page: boolean
  /** Kept and shown for the merchant's own pages; ours load no tracker. */
  facebook_pixel_id: string
  google_ads_id: string
}>

/** A row of `payment_links` with its form; amounts in hundredths. */
export type Link = LinkForm &
  Readonly<{
    merchant_id: string
    id: string
    environment: Environment
    created_by_member: string | null
    name: string
    description: string
    amount_type: (typeof amountTypes)[number]
    amount: bigint | null
    min_amount: bigint | null
    currency: string
    slug: string
    is_active: boolean
    expires_at: Date | null
    usage_limit: number | null
    /** Payments that succeeded. */
    usage_count: number
    /** Payments that are under way. */
    reserved: number
    is_deleted: boolean
    /** Locked by staff: it cannot be paid. */
    admin_locked: boolean
    created_at: Date
    updated_at: Date
    /** Judged by the database's clock. */
    has_expired: boolean
  }>

export type LinkFault = 'payment_link_inactive' | 'payment_link_expired' | 'payment_link_exhausted'

/** Why no payment may begin by it now. */
export function faultOf(link: Link): LinkFault | undefined {
  if (!link.is_active || link.is_deleted || link.admin_locked) return 'payment_link_inactive'
  if (link.has_expired) return 'payment_link_expired'
  const { usage_limit, usage_count, reserved } = link
  const isFull = usage_limit !== null && usage_count + reserved >= usage_limit
  return isFull ? 'payment_link_exhausted' : undefined
}
