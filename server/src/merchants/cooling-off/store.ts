// The statements about a merchant's cooling-off time and its pending change.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { coolingOffOf } from './statements.ts'

export type NextCoolingOff = Readonly<{
  /** Null: the platform's own. */
  hours: number | null
  at: Date
  by: string | null
  wait_h: number
}>

export type CoolingOff = Readonly<{
  live_enabled: boolean
  /** In force; null: the platform's own. */
  cooling_off_hours: number | null
  next: NextCoolingOff | null
}>

type Row = Readonly<{
  live_enabled: boolean
  cooling_off_hours: number | null
  cooling_off_next: number | null
  cooling_off_next_at: Date | null
  cooling_off_next_by: string | null
  cooling_off_wait_h: number | null
}>

const columns = (sql: Sql): Fragment => sql`
  m.live_enabled, ${coolingOffOf(sql)} as cooling_off_hours, m.cooling_off_next,
  case when m.cooling_off_next_at > now() then m.cooling_off_next_at end as cooling_off_next_at,
  m.cooling_off_next_by, m.cooling_off_wait_h`

function coolingOff(row: Row): CoolingOff {
  const { live_enabled, cooling_off_hours, cooling_off_next_at: at } = row
  const next = {
    hours: row.cooling_off_next,
    by: row.cooling_off_next_by,
    wait_h: row.cooling_off_wait_h ?? 0,
  }
  return { live_enabled, cooling_off_hours, next: at === null ? null : { ...next, at } }
}

export async function findCoolingOff(sql: Sql, merchant_id: string): Promise<CoolingOff> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from merchants m where m.id = ${merchant_id}`
  assert(row !== undefined, 'a cooling-off without a merchant')
  return coolingOff(row)
}

export async function lockCoolingOff(tx: Tx, merchant_id: string): Promise<CoolingOff> {
  const [row] = await tx<Row[]>`
    select ${columns(tx)} from merchants m where m.id = ${merchant_id} for no key update`
  assert(row !== undefined, 'a cooling-off without a merchant')
  return coolingOff(row)
}

/** At once; what was to come is no more. */
export async function updateCoolingOff(
  tx: Tx,
  merchant_id: string,
  hours: number | null,
): Promise<void> {
  await tx`
    update merchants
       set cooling_off_hours = ${hours}, cooling_off_next = null, cooling_off_next_at = null,
           cooling_off_next_by = null, cooling_off_wait_h = null, updated_at = now()
     where id = ${merchant_id}`
}

/** To come after `wait_h` hours; `hours` is in force until then. */
export async function updateNextCoolingOff(
  tx: Tx,
  merchant_id: string,
  hours: number | null,
  next: Omit<NextCoolingOff, 'at'>,
): Promise<void> {
  await tx`
    update merchants
       set cooling_off_hours = ${hours}, cooling_off_next = ${next.hours},
           cooling_off_next_by = ${next.by}, cooling_off_wait_h = ${next.wait_h},
           cooling_off_next_at = now() + ${next.wait_h} * interval '1 hour', updated_at = now()
     where id = ${merchant_id}`
}

/** The merchants whose change is due. */
export async function listDueMerchants(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from merchants
     where cooling_off_next_at <= now()
     order by cooling_off_next_at
     limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The hours that a due change brings; undefined when it is done already. */
export async function lockDueCoolingOff(
  tx: Tx,
  merchant_id: string,
): Promise<Readonly<{ before: number | null; after: number | null }> | undefined> {
  const [row] = await tx<{ before: number | null; after: number | null }[]>`
    select cooling_off_hours as before, cooling_off_next as after from merchants
     where id = ${merchant_id} and cooling_off_next_at <= now()
       for no key update`
  return row
}
