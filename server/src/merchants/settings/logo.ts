// A member uploads or deletes a logo. The new file is stored before the row names it, and the old
// one goes after the commit: a crash in between leaves a file that the sweep removes, never a row
// without its file.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db.ts'
import { assert, refuse, type Text } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { keepFile, loosenFile, putLoose, removeLoose } from '../../platform/storage/loose-files.ts'
import type { Scanner } from '../../platform/storage/scan.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { stripMetadata } from '../../platform/storage/strip-metadata.ts'
import { kycErrors } from '../kyc/errors.ts'
import { reviewNames } from './names.ts'
import { readSettings } from './read-settings.ts'
import { type LogoType, logoTag, type Settings } from './settings.ts'
import { findLogo, lockSettings, updateLogo } from './store.ts'

export type LogoDeps = Readonly<{ db: Db; storage: Storage; scanner: Scanner | null }>
export type LogoChangeDeps = LogoDeps & Readonly<{ keyring: Keyring }>

const broken: Text = {
  en:
    'The image is incomplete, or made of too many parts. Save it again in an image editor, then ' +
    'send it.',
  fr:
    'L’image n’est pas complète, ou comporte trop de parties. Enregistrez-la à nouveau, puis ' +
    'envoyez-la.',
}

export async function putLogo(
  deps: LogoChangeDeps,
  caller: Caller,
  { bytes, content_type }: Readonly<{ bytes: Uint8Array; content_type: LogoType }>,
): Promise<Settings> {
  const { merchant_id } = caller
  const picture = stripMetadata(content_type, bytes)
  if (picture === undefined)
    throw refuse(transportErrors.unsupported_media_type, { message: broken })
  if ((await deps.scanner?.scan(picture)) === 'infected') throw refuse(kycErrors.file_infected)
  const key = `logos/${merchant_id}/${newId()}`
  await putLoose(deps, { key, bytes: picture, content_type })
  await replaceLogo(deps, caller, { key, content_type })
  return readSettings(deps.db, merchant_id)
}

/** Where there is none, nothing is done. */
export const removeLogo = (deps: LogoChangeDeps, caller: Caller): Promise<void> =>
  replaceLogo(deps, caller, { key: '', content_type: '' })

type Logo = Readonly<{ key: string; content_type: LogoType | '' }>

async function replaceLogo(deps: LogoChangeDeps, caller: Caller, logo: Logo): Promise<void> {
  const { merchant_id } = caller
  const old_key = await writeInTurn(deps.db, caller, async (tx) => {
    const was = await lockSettings(tx, merchant_id)
    assert(was !== undefined, 'a caller without a merchant')
    const { brand_logo_key } = was
    if (logo.key === brand_logo_key) return ''
    if (logo.key !== '') await keepFile(tx, logo.key)
    if (brand_logo_key !== '') await loosenFile(tx, brand_logo_key)
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
  if (old_key !== '') await removeLoose(deps, old_key)
}

// A merchant's logo, for the visitors of its pages.

export type LogoAddress = Readonly<{
  merchant_id: string
  /** Of the upload that the address was made for; undefined: whichever is there. */
  tag: string | undefined
}>

/**
 * Not found: an unknown id, a merchant without a logo, one whose logo was just replaced. Law: an
 * address that was made for one upload shows no other, so a page of LIVE that names the reviewed
 * logo never shows one that nobody has looked at.
 */
export async function readLogo(
  { db, storage }: Pick<LogoDeps, 'db' | 'storage'>,
  { merchant_id, tag }: LogoAddress,
): Promise<{ bytes: Uint8Array; content_type: LogoType }> {
  const logo = isUuid(merchant_id) ? await findLogo(db, merchant_id) : undefined
  const isMeant = logo !== undefined && (tag === undefined || tag === logoTag(logo.key))
  const bytes = isMeant ? await storage.get(logo.key) : undefined
  if (logo === undefined || bytes === undefined) throw refuse(transportErrors.not_found)
  return { bytes, content_type: logo.content_type }
}
