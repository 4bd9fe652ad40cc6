// The caller’s own merchant as its members see it, and as payers do: its name and brand, and
// nothing of its account.

import type { Sql } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { MerchantProfile } from './profile.ts'
import { logoUrl, type Settings } from './settings.ts'
import { findProfile, findSettings } from './store.ts'

export async function readSettings(sql: Sql, merchant_id: string): Promise<Settings> {
  const settings = await findSettings(sql, merchant_id)
  assert(settings !== undefined, 'a caller without a merchant')
  return settings
}

export async function readProfile(sql: Sql, merchant_id: string): Promise<MerchantProfile> {
  const profile = await findProfile(sql, merchant_id)
  assert(profile !== undefined, `no merchant ${merchant_id}`)
  return profile
}

export const viewProfile = (profile: MerchantProfile, public_url: string) => ({
  name: profile.brand_name || profile.name,
  colour: profile.brand_colour,
  logo_url: logoUrl(profile, public_url),
})
