// A payment link: reusable, its uses counted on its own row. A slot is reserved while a payment is
// under way, so that the limit holds for payments at the same moment (money 2).

import {
  bigint,
  boolean,
  int,
  jsonb,
  orNull,
  type RowOf,
  text,
  timestamptz,
  uuid,
} from '../platform/columns.ts'
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

/**
 * The columns of `payment_link_forms`, said once: what a link requires of its payer, and where it
 * sends them afterwards.
 */
export const linkFormRow = {
  custom_fields: jsonb<readonly CustomField[]>(),
  require_phone: boolean(),
  /** The `return_url` of the session that it opens; empty: none. */
  redirect_url: text(),
  show_confirmation_page: boolean(),
  /** Kept and shown for the merchant's own pages; ours load no tracker. */
  facebook_pixel_id: text(),
  google_ads_id: text(),
}

export type LinkForm = RowOf<typeof linkFormRow>

/** What may be written again and again; amounts in hundredths. */
export const writableLinkRow = {
  name: text(),
  description: text(),
  amount_type: text<(typeof amountTypes)[number]>(),
  amount: orNull(bigint()),
  min_amount: orNull(bigint()),
  currency: text(),
  is_active: boolean(),
  expires_at: orNull(timestamptz()),
  usage_limit: orNull(int()),
}

export type WritableLink = RowOf<typeof writableLinkRow> & LinkForm

export const newLinkRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  created_by_member: orNull(uuid()),
  slug: text(),
  ...writableLinkRow,
}

export type NewLink = RowOf<typeof newLinkRow> & LinkForm

/** The columns of `payment_links`, said once. */
export const linkRow = {
  ...newLinkRow,
  /** Payments that succeeded. */
  usage_count: int(),
  /** Payments that are under way. */
  reserved: int(),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

export type Link = RowOf<typeof linkRow> &
  LinkForm &
  Readonly<{
    is_deleted: boolean
    /** Locked by staff: it cannot be paid. */
    admin_locked: boolean
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
