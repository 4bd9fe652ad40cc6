// A key of the caller (contract 3.5). A deleted one is not found.

import type { Sql } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { ApiKey } from './api-key.ts'
import { findKey, findMemberBehindKey, type KeyId, requireOwnKey } from './store.ts'

export const keyIdOf = ({ merchant_id, environment }: Caller, id: string): KeyId => ({
  merchant_id,
  environment,
  id,
})

export const getKey = async (sql: Sql, key: KeyId): Promise<ApiKey> =>
  requireOwnKey(sql, key, await findKey(sql, key))

// The member who answers for a call (contract: created_by_member), whom a session or a link names:
// the one who is signed in; for a key, the one who made it; for a key that no member made (the
// demo's, the command line's), the first owner. Null only where there is no owner yet.

export async function memberBehind(
  sql: Sql,
  { member_id, api_key_id }: Pick<Caller, 'member_id' | 'api_key_id'>,
): Promise<string | null> {
  if (member_id !== null || api_key_id === null) return member_id
  return findMemberBehindKey(sql, api_key_id)
}

// A key as people know it from the list: what is shown of its secret. For e-mails.

/** `sk_live_4fG7…x0Qs`; empty when it is no longer listed. */
export async function nameKey(sql: Sql, key: KeyId): Promise<string> {
  const found = await findKey(sql, key)
  return found === undefined ? '' : `${found.key_prefix}…${found.last4}`
}
