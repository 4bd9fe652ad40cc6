// Whose day it is: a merchant's days go by the clocks of its time zone (contract 8.20).

import type { Sql, Tx } from '../../platform/db.ts'
import { assert, invalid } from '../../platform/errors.ts'
import type { ZoneFrom } from '../../platform/export/columns.ts'
import { isTimeZone } from '../../platform/write-moment.ts'
import { findDays, findZoneName, type MerchantDays, updateZone } from './store.ts'

export async function readDays(
  sql: Sql,
  merchant_id: string,
  days: Readonly<{ first: string; last: string }>,
): Promise<MerchantDays> {
  const found = await findDays(sql, merchant_id, days)
  assert(found !== undefined, 'a caller without a merchant')
  return found
}

/** The zone that a moment is shown in. `zones`: in their order, the first from the beginning. */
export const zoneAt = (zones: readonly ZoneFrom[], moment: Date): string =>
  zones.findLast(({ from_at }) => from_at <= moment)?.zone ?? 'UTC'

/** The name in its usual letters; refuses what we and the database do not both know. */
export async function requireTimeZone(sql: Sql, name: string): Promise<string> {
  const known = isTimeZone(name) ? await findZoneName(sql, name) : undefined
  if (known === undefined) throw invalid('time_zone', noTimeZone)
  return known
}

const noTimeZone = {
  en: 'Must be the IANA name of a time zone, such as Africa/Porto-Novo.',
  fr: 'Doit être le nom IANA d’un fuseau horaire, par exemple Africa/Porto-Novo.',
}

/** From the next local midnight on. Under the merchant's lock, in its settings' transaction. */
export const changeTimeZone = (tx: Tx, merchant_id: string, zone: string): Promise<void> =>
  updateZone(tx, merchant_id, zone)
