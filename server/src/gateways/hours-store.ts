// The statements about opening hours and closings of accounts.

import type { Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { jsonRows } from '../platform/sql.ts'
import type { Direction } from './gateway.ts'
import type { OpenWindow } from './opening-hours.ts'

/** Whose hours they are: an account's, in one country and direction. */
export type HoursOf = Readonly<{ gateway_id: string; country: string; direction: Direction }>

export type HoursRow = Readonly<{
  gateway_code: string
  country: string
  direction: Direction
  windows: readonly OpenWindow[]
}>

/** What has no hours is not in the list: it is always open. */
export const listHours = (sql: Sql, environment: Environment): Promise<HoursRow[]> => sql<
  HoursRow[]
>`
  select g.code as gateway_code, w.country, w.direction,
         jsonb_agg(jsonb_build_object('weekday', w.weekday, 'opens_min', w.opens_min,
                                      'closes_min', w.closes_min)
                   order by w.weekday, w.opens_min) as windows
    from gateway_windows w
    join gateways g on g.id = w.gateway_id
   where g.environment = ${environment}
   group by g.code, w.country, w.direction
   order by g.code, w.country, w.direction`

export const listWindows = (
  sql: Sql,
  { gateway_id, country, direction }: HoursOf,
): Promise<OpenWindow[]> => sql<OpenWindow[]>`
  select weekday, opens_min, closes_min
    from gateway_windows
   where gateway_id = ${gateway_id} and country = ${country} and direction = ${direction}
   order by weekday, opens_min`

/** Under the account's lock. */
export async function replaceWindows(
  tx: Tx,
  { gateway_id, country, direction }: HoursOf,
  windows: readonly OpenWindow[],
): Promise<void> {
  await tx`
    delete from gateway_windows
     where gateway_id = ${gateway_id} and country = ${country} and direction = ${direction}`
  if (windows.length === 0) return
  await tx`
    insert into gateway_windows (gateway_id, country, direction, weekday, opens_min, closes_min)
    select ${gateway_id}, ${country}, ${direction}, w.weekday, w.opens_min, w.closes_min
      from ${jsonRows(tx, windows, tx`weekday int, opens_min int, closes_min int`)} as w`
}

export type ClosingRow = Readonly<{
  id: string
  gateway_code: string
  country: string
  direction: Direction | null
  from_at: Date
  ends_at: Date | null
  note: string
  set_by: string | null
  created_at: Date
}>

/** Those that have not ended, the first to begin first. */
export const listClosings = (sql: Sql, environment: Environment): Promise<ClosingRow[]> => sql<
  ClosingRow[]
>`
  select c.id, g.code as gateway_code, c.country, c.direction, c.from_at, c.ends_at, c.note,
         c.set_by, c.created_at
    from gateway_closings c
    join gateways g on g.id = c.gateway_id
   where g.environment = ${environment} and (c.ends_at is null or c.ends_at > now())
   order by c.from_at, c.id`

export type NewClosing = Pick<
  ClosingRow,
  'id' | 'country' | 'direction' | 'ends_at' | 'note' | 'set_by'
> &
  Readonly<{
    gateway_id: string
    /** Null: now. */
    from_at: Date | null
  }>

/** Undefined where it would end before it begins. */
export async function insertClosing(
  sql: Sql,
  closing: NewClosing,
): Promise<ClosingRow | undefined> {
  const [row] = await sql<ClosingRow[]>`
    insert into gateway_closings as c
      (id, gateway_id, country, direction, from_at, ends_at, note, set_by)
    select ${closing.id}, ${closing.gateway_id}, ${closing.country}, ${closing.direction}::text,
           coalesce(${closing.from_at}::timestamptz, now()), ${closing.ends_at}::timestamptz,
           ${closing.note}, ${closing.set_by}::uuid
     where coalesce(${closing.ends_at}::timestamptz > coalesce(${closing.from_at}, now()), true)
    returning c.id, (select g.code from gateways g where g.id = c.gateway_id) as gateway_code,
              c.country, c.direction, c.from_at, c.ends_at, c.note, c.set_by, c.created_at`
  return row
}

/** It ends now; one that has not begun never does. Undefined where it has ended already. */
export async function endClosing(
  sql: Sql,
  { id, environment }: Readonly<{ id: string; environment: Environment }>,
): Promise<Pick<ClosingRow, 'gateway_code' | 'country' | 'direction'> | undefined> {
  const [row] = await sql<Pick<ClosingRow, 'gateway_code' | 'country' | 'direction'>[]>`
    update gateway_closings c
       set ends_at = greatest(now(), c.from_at)
      from gateways g
     where c.id = ${id} and g.id = c.gateway_id and g.environment = ${environment}
       and (c.ends_at is null or c.ends_at > now())
       -- One that is lifted before it begins is empty, and is not lifted again.
       and c.ends_at is distinct from c.from_at
    returning g.code as gateway_code, c.country, c.direction`
  return row
}
