// The statements about when each account's callbacks last came.

import type { Sql } from '../platform/db.ts'
import { jsonRows } from '../platform/sql.ts'

/** `age_s`: seconds since it came. */
export type CallbackTime = Readonly<{ gateway_id: string; age_s: number }>

/** Of two the later one counts. An account that is gone is passed over. */
export async function addCallbackTimes(sql: Sql, times: readonly CallbackTime[]): Promise<void> {
  if (times.length === 0) return
  await sql`
    insert into gateway_callback_times as t (gateway_id, last_at)
    select c.gateway_id, now() - c.age_s * interval '1 second'
      from ${jsonRows(sql, times, sql`gateway_id uuid, age_s double precision`)} as c
      join gateways g on g.id = c.gateway_id
     order by c.gateway_id
    on conflict (gateway_id) do update
       set last_at = excluded.last_at
     where t.last_at < excluded.last_at`
}

/** Of the accounts whose callbacks came within the hour. */
export const listCallbackTimes = (sql: Sql): Promise<CallbackTime[]> => sql<CallbackTime[]>`
  select gateway_id, extract(epoch from now() - last_at)::float8 as age_s
    from gateway_callback_times
   where last_at > now() - interval '1 hour'`
