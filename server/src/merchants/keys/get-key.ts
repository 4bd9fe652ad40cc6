// A key of the caller (contract 3.5). A deleted one is not found.

import type { Sql } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { ApiKey } from './api-key.ts'
import { findKey, type KeyId, listMembersBehindKeys, requireOwnKey } from './store.ts'

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

type Made = Pick<Caller, 'member_id' | 'api_key_id'>

export async function memberBehind(sql: Sql, made: Made): Promise<string | null> {
  const [member_id = null] = await membersBehind(sql, [made])
  return member_id
}

/** The same of several at once, in their order. */
export async function membersBehind(
  sql: Sql,
  made: readonly Made[],
): Promise<readonly (string | null)[]> {
  const keys = made.flatMap(({ member_id, api_key_id }) =>
    member_id === null && api_key_id !== null ? [api_key_id] : [],
  )
  const behind = keys.length === 0 ? undefined : await listMembersBehindKeys(sql, keys)
  return made.map(({ member_id, api_key_id }) => member_id ?? behind?.get(api_key_id ?? '') ?? null)
}

// A key as people know it from the list: what is shown of its secret. For e-mails.

/** `sk_live_4fG7…x0Qs`; empty when it is no longer listed. */
export async function nameKey(sql: Sql, key: KeyId): Promise<string> {
  const found = await findKey(sql, key)
  return found === undefined ? '' : `${found.key_prefix}…${found.last4}`
}
