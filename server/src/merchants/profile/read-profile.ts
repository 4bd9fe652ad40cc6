// The merchant as payers see it: its name and brand, and nothing of its account.

import type { Sql } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { logoUrl } from '../settings/settings.ts'
import type { MerchantProfile } from './profile.ts'
import { findProfile } from './store.ts'

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
