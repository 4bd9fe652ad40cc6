// Keys whose secrets were lost: the old ones end, and new ones of the same names take their place.

import type { Sql, Tx } from '../platform/db.ts'
import { hashKey } from './api-key.ts'
import { createKey, type KeyMade, type KeyRequest } from './create-key.ts'
import { countKeysOf, lockMerchant, revokeKeysNamed } from './store.ts'

/**
 * Are all these secrets keys of the merchant, revoked ones included? Inside a transaction the
 * merchant's row stays locked, so that of several who find a key lost only one replaces it.
 */
export async function knowsKeys(
  tx: Tx,
  merchant_id: string,
  secrets: readonly string[],
): Promise<boolean> {
  await lockMerchant(tx, merchant_id)
  return (await countKeysOf(tx, merchant_id, secrets.map(hashKey))) === secrets.length
}

/** Revokes what bears the same name in the same environment, then makes the key. */
export async function replaceKey(sql: Sql, request: KeyRequest): Promise<KeyMade> {
  await revokeKeysNamed(sql, request)
  return createKey(sql, request)
}
