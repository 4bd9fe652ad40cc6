// The counters of tries: a window starts with its first try.

import type { Sql } from '../db.ts'

export async function countTry(
  sql: Sql,
  target: Buffer,
  within_s: number,
): Promise<{ used: number; ends_in_s: number }> {
  const [row] = await sql<{ used: number; ends_in_s: number }[]>`
    insert into throttle_windows as t (target, started_at, used, ends_at)
    values (${target}, now(), 1, now() + ${within_s} * interval '1 second')
    on conflict (target) do update
       set used = case when t.started_at > now() - ${within_s} * interval '1 second'
                       then t.used + 1 else 1 end,
           ends_at = case when t.started_at > now() - ${within_s} * interval '1 second'
                          then t.ends_at else now() + ${within_s} * interval '1 second' end,
           started_at = case when t.started_at > now() - ${within_s} * interval '1 second'
                             then t.started_at else now() end
    returning used, greatest(1, ceil(extract(epoch from
      started_at + ${within_s} * interval '1 second' - now())))::int as ends_in_s`
  return row ?? { used: 1, ends_in_s: 1 }
}

/** What was used of these by now, in their order; nothing is counted. */
export async function readTries(
  sql: Sql,
  targets: readonly Buffer[],
  within_s: number,
): Promise<number[]> {
  const rows = await sql<{ target: Buffer; used: number }[]>`
    select target, used from throttle_windows
     where target in ${sql(targets)} and started_at > now() - ${within_s} * interval '1 second'`
  return targets.map((target) => rows.find((row) => row.target.equals(target))?.used ?? 0)
}

export async function forgetTries(sql: Sql, target: Buffer): Promise<void> {
  await sql`delete from throttle_windows where target = ${target}`
}

/** Windows that are over; a second later, because their ends are whole seconds. */
export async function deleteOldTries(sql: Sql): Promise<number> {
  const deleted = await sql`
    delete from throttle_windows where ends_at < now() - interval '1 second'`
  return deleted.count
}
