// A key as people know it from the list: what is shown of its secret. For e-mails.

import type { Sql } from '../../platform/db.ts'
import { findKey, type KeyId } from './store.ts'

/** `sk_live_4fG7…x0Qs`; empty when it is no longer listed. */
export async function nameKey(sql: Sql, key: KeyId): Promise<string> {
  const found = await findKey(sql, key)
  return found === undefined ? '' : `${found.key_prefix}…${found.last4}`
}
