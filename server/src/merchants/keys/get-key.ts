// A key of the caller (contract 3.5). A deleted one is not found.

import type { Sql } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { ApiKey } from './api-key.ts'
import { findKey, type KeyId, requireOwnKey } from './store.ts'

export const keyIdOf = ({ merchant_id, environment }: Caller, id: string): KeyId => ({
  merchant_id,
  environment,
  id,
})

export const getKey = async (sql: Sql, key: KeyId): Promise<ApiKey> =>
  requireOwnKey(sql, key, await findKey(sql, key))
