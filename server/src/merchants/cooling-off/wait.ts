// How long a change that loosens a merchant's own safety has to wait: as long as the longer of both
// cooling-off times, in LIVE a day at least (contract 8.11). A merchant without LIVE has nothing
// that could be stolen, and waits for nothing.

import type { Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { findCoolingOff } from './store.ts'

export const live_wait_least_h = 24

type Of = Readonly<{ merchant_id: string; environment: Environment }>

/** Hours; `cooling_hours` is for a merchant that has no time of its own. */
export async function waitToLoosen(
  sql: Sql,
  { merchant_id, environment }: Of,
  cooling_hours: number,
): Promise<number> {
  const current = await findCoolingOff(sql, merchant_id)
  if (!current.live_enabled) return 0
  const hours = current.cooling_off_hours ?? cooling_hours
  const next = current.next === null ? 0 : (current.next.hours ?? cooling_hours)
  return Math.max(hours, next, environment === 'LIVE' ? live_wait_least_h : 0)
}
