// A new merchant: in the sandbox at once, in LIVE only after an approval (contract 3.1).

import type { Sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { insertKnownMerchants, insertMerchant } from './store.ts'

export type MerchantRequest = Readonly<{
  name: string
  /** Calls a minute, all keys and sessions together (contract 3.6); 300 when absent. */
  rate_limit_per_minute?: number
  live_enabled?: boolean
}>

export type MerchantMade = Readonly<{
  id: string
  name: string
  rate_limit_per_minute: number
  live_enabled: boolean
}>

const rateLimitDefault = 300

export async function createMerchant(sql: Sql, request: MerchantRequest): Promise<MerchantMade> {
  const { name, rate_limit_per_minute = rateLimitDefault, live_enabled = false } = request
  const merchant = { id: newId(), name, rate_limit_per_minute, live_enabled }
  await insertMerchant(sql, merchant)
  return merchant
}

/**
 * Merchants whose ids are known beforehand: the platform's, the demo. Returns how many were
 * missing.
 */
export const ensureMerchants = (
  sql: Sql,
  merchants: readonly { id: string; name: string; is_house: boolean }[],
): Promise<number> => insertKnownMerchants(sql, merchants)
