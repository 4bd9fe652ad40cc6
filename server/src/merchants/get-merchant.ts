// One merchant by id, for those who act on it from outside: staff and the command line.

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { isUuid } from '../platform/ids.ts'
import { findMerchant, type MerchantFound } from './store.ts'

/** Refuses an unknown id, or a text that is no id. */
export async function getMerchant(sql: Sql, id: string): Promise<MerchantFound> {
  const merchant = isUuid(id) ? await findMerchant(sql, id) : undefined
  if (merchant === undefined) throw noMerchant(id)
  return merchant
}

export const noMerchant = (id: string) =>
  refuse(transportErrors.not_found, {
    message: { en: `There is no merchant ${id}.`, fr: `Le marchand ${id} n’existe pas.` },
  })
