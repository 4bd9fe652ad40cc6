// Keys whose secrets were lost: the old ones end, and new ones of the same names take their place.

import type { Sql, Tx } from '../../platform/db.ts'
import { lockMerchant } from '../store.ts'
import { hashKey } from './api-key.ts'
import { createKey, type KeyMade, type KeyRequest } from './create-key.ts'
import { countKeysOf, revokeKeysNamed } from './store.ts'

/**
 * Of several processes that find keys lost, the first goes on and the others wait for its commit.
 */
export const lockForReplacement = (tx: Tx, merchant_id: string): Promise<void> =>
  lockMerchant(tx, merchant_id)

/** Are all these secrets keys of the merchant, revoked ones included? */
export async function knowsKeys(
  sql: Sql,
  merchant_id: string,
  secrets: readonly string[],
): Promise<boolean> {
  return (await countKeysOf(sql, merchant_id, secrets.map(hashKey))) === secrets.length
}

/** Revokes what bears the same name in the same environment, then makes the key. */
export async function replaceKey(sql: Sql, request: KeyRequest): Promise<KeyMade> {
  await revokeKeysNamed(sql, request)
  return createKey(sql, request)
}
