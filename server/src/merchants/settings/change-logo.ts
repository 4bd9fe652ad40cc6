// A member puts up a logo, or takes it down. The new file is stored before the row names it, and
// the old one goes after the commit: a crash in between leaves a file that nobody asks for, never a
// row without its file.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { readSettings } from './read-settings.ts'
import { reviewNames } from './review-names.ts'
import type { LogoType, Settings } from './settings.ts'
import { lockSettings, updateLogo } from './store.ts'

export type LogoDeps = Readonly<{ db: Db; storage: Storage }>
export type LogoChangeDeps = LogoDeps & Readonly<{ keyring: Keyring }>

export async function putLogo(
  deps: LogoChangeDeps,
  caller: Caller,
  { bytes, content_type }: Readonly<{ bytes: Uint8Array; content_type: LogoType }>,
): Promise<Settings> {
  const { merchant_id } = caller
  const key = `logos/${merchant_id}/${newId()}`
  await deps.storage.put(key, bytes, content_type)
  await replaceLogo(deps, caller, { key, content_type })
  return readSettings(deps.db, merchant_id)
}

/** Where there is none, nothing is done. */
export const removeLogo = (deps: LogoChangeDeps, caller: Caller): Promise<void> =>
  replaceLogo(deps, caller, { key: '', content_type: '' })

type Logo = Readonly<{ key: string; content_type: LogoType | '' }>

async function replaceLogo(deps: LogoChangeDeps, caller: Caller, logo: Logo): Promise<void> {
  const { db, storage } = deps
  const { merchant_id } = caller
  const old_key = await inTransaction(db, async (tx) => {
    const was = await lockSettings(tx, merchant_id)
    assert(was !== undefined, 'a caller without a merchant')
    const { brand_logo_key } = was
    if (logo.key === brand_logo_key) return ''
    await updateLogo(tx, merchant_id, logo)
    await reviewNames(tx, deps, merchant_id)
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: logo.key === '' ? 'merchant.logo_removed' : 'merchant.logo_changed',
      target_kind: 'merchant',
      target_id: merchant_id,
      before: { has_logo: brand_logo_key !== '' },
      after: { has_logo: logo.key !== '', content_type: logo.content_type },
    })
    return brand_logo_key
  })
  if (old_key !== '') await storage.remove(old_key)
}
