// A merchant gets a key. The secret is in the answer and nowhere else: only its hash is stored.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Environment, Scope } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { getMerchant } from '../get-merchant.ts'
import { newKey } from './api-key.ts'
import { insertKeyRow } from './store.ts'

export type KeyRequest = Readonly<{
  merchant_id: string
  environment: Environment
  scope: Scope
  name: string
  ip_whitelist?: readonly string[]
  read_only?: boolean
  /** Absent or null: it does not end by itself. */
  expires_at?: Date | null
  created_by_member?: string | null
}>

export type KeyMade = KeyRequest &
  Readonly<{ id: string; secret: string; key_prefix: string; last4: string }>

/** Refuses an unknown merchant, and a LIVE key of one that is not approved. */
export async function createKey(sql: Sql, request: KeyRequest): Promise<KeyMade> {
  const { merchant_id, environment, scope, name } = request
  const merchant = await getMerchant(sql, merchant_id)
  if (environment === 'LIVE' && !merchant.live_enabled) {
    throw refuse(accessErrors.live_mode_not_enabled)
  }
  const { secret, hash, key_prefix, last4 } = newKey(environment)
  const made = { id: newId(), merchant_id, environment, scope, name, key_prefix, last4 }
  const { expires_at = null, created_by_member = null } = request
  const { ip_whitelist = [], read_only = false } = request
  const bounds = { ip_whitelist, read_only, expires_at }
  await insertKeyRow(sql, { ...made, ...bounds, hash, created_by_member })
  return { ...made, secret }
}
