// A merchant's logo, for the visitors of its pages.

import { refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { LogoDeps } from './change-logo.ts'
import type { LogoType } from './settings.ts'
import { findLogo } from './store.ts'

/** Not found: an unknown id, a merchant without a logo, one whose logo was just replaced. */
export async function readLogo(
  { db, storage }: Pick<LogoDeps, 'db' | 'storage'>,
  merchant_id: string,
): Promise<{ bytes: Uint8Array; content_type: LogoType }> {
  const logo = isUuid(merchant_id) ? await findLogo(db, merchant_id) : undefined
  const bytes = logo && (await storage.get(logo.key))
  if (logo === undefined || bytes === undefined) throw refuse(transportErrors.not_found)
  return { bytes, content_type: logo.content_type }
}
