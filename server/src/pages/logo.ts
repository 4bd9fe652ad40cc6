// A merchant's logo inside the page itself, so that the first page is one request. For one that is
// too heavy for that, or that cannot be fetched now, the merchant's initials are shown.

import { type LogoAddress, readLogo } from '../merchants/settings/logo.ts'
import type { MerchantProfile } from '../merchants/settings/profile.ts'
import { logoTag } from '../merchants/settings/settings.ts'
import type { Sql } from '../platform/db.ts'
import { Refusal } from '../platform/errors.ts'
import type { Storage } from '../platform/storage/storage.ts'

/** A `data:` address, or nothing. */
export type LogoOf = (profile: Pick<MerchantProfile, 'id' | 'brand_logo_key'>) => Promise<string>

/** The size of the file: what base64 adds, compression takes away again. */
const inline_bytes_max = 4_096
const cached_max = 500

type Deps = Parameters<typeof readLogo>[0] & Readonly<{ db: Sql; storage: Storage }>

/** Keeps what it has read: each upload has another key, and under a key no other is kept. */
export function logosIn(deps: Deps): LogoOf {
  const cached = new Map<string, string>()
  return async ({ id, brand_logo_key: key }) => {
    if (key === '') return ''
    const known = cached.get(key)
    if (known !== undefined) return known
    const read = await addressOf(deps, { merchant_id: id, tag: logoTag(key) })
    if (read === undefined) return ''
    if (cached.size >= cached_max) cached.clear()
    cached.set(key, read)
    return read
  }
}

/** Undefined when it could not be read now. */
async function addressOf(deps: Deps, logo: LogoAddress): Promise<string | undefined> {
  try {
    const { bytes, content_type } = await readLogo(deps, logo)
    if (bytes.length > inline_bytes_max) return ''
    return `data:${content_type};base64,${Buffer.from(bytes).toString('base64')}`
  } catch (error) {
    // A page without a logo is better than no page; anything but a refusal is a bug.
    if (error instanceof Refusal) return undefined
    throw error
  }
}
