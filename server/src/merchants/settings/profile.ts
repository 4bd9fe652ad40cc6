// What a payer may know of a merchant: no more than is on a shop's sign.

import type { FeeChargeMode } from '../../money/fee-charge-mode.ts'
import type { ZoneFrom } from '../../platform/export/columns.ts'
import type { Environment } from '../../platform/http/route.ts'
import { type Contact, contactIn } from './contact.ts'

export type MerchantProfile = Readonly<{
  id: string
  name: string
  /** ISO 3166; null: it has named none. */
  country: string | null
  brand_name: string
  brand_colour: string
  brand_logo_key: string
  /** The name that staff have reviewed; null: they have approved nothing yet. */
  reviewed_name: string | null
  reviewed_brand_name: string | null
  reviewed_logo_key: string | null
  contact: Contact
  reviewed_contact: Contact | null
  fee_charge_mode_locked: FeeChargeMode | null
  allowed_countries: readonly string[] | null
  sandbox_dialects: Readonly<Record<string, string>>
  /** No payment begins; by `profileIn`, also in LIVE for whom it is closed. */
  is_suspended: boolean
  live_enabled: boolean
  /** All it has had, in their order: a moment is shown by the clocks of its day. */
  time_zones: readonly ZoneFrom[]
  catalogue_version: bigint
}>

/**
 * What a payer is shown there. In LIVE: the name that staff have reviewed, beside a brand that
 * differs; what was changed since waits for them. Whom staff have sent back to the sandbox keeps
 * that name there, and takes no payment. Law: a new name makes nobody look like a bank.
 */
export function profileIn(own: MerchantProfile, environment: Environment): MerchantProfile {
  if (environment !== 'LIVE') return own
  const profile = { ...own, is_suspended: own.is_suspended || !own.live_enabled }
  const { reviewed_name: name, reviewed_brand_name, reviewed_logo_key, brand_logo_key } = profile
  if (name === null) return profile
  const brand = reviewed_brand_name ?? ''
  return {
    ...profile,
    name,
    brand_name: brand === '' || brand === name ? brand : `${brand} (${name})`,
    brand_logo_key: brand_logo_key === reviewed_logo_key ? brand_logo_key : '',
    contact: contactIn(profile),
  }
}
