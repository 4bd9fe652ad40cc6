// A key of the caller's, or the right refusal (contract 3.5): another merchant's is refused; an
// unknown one, a deleted one and one of the caller's other environment are not found.

import type { Sql } from '../../platform/db.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { ApiKey } from './api-key.ts'
import { findKey, isKeyOfAnother, type KeyId } from './store.ts'

export const keyIdOf = ({ merchant_id, environment }: Caller, id: string): KeyId => ({
  merchant_id,
  environment,
  id,
})

export async function getKey(sql: Sql, key: KeyId): Promise<ApiKey> {
  const found = await findKey(sql, key)
  if (found === undefined) throw await whyNoKey(sql, key)
  return found
}

/** Only for a key that was not found under `key`. */
export async function whyNoKey(sql: Sql, key: KeyId): Promise<Refusal> {
  const elsewhere = await isKeyOfAnother(sql, key)
  return refuse(elsewhere ? transportErrors.permission_denied : transportErrors.not_found)
}
