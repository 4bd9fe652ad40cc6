// The caller's own merchant.

import type { Sql } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Settings } from './settings.ts'
import { findSettings } from './store.ts'

export async function readSettings(sql: Sql, merchant_id: string): Promise<Settings> {
  const settings = await findSettings(sql, merchant_id)
  assert(settings !== undefined, 'a caller without a merchant')
  return settings
}
