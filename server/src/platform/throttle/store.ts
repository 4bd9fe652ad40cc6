// The counters of tries: a window starts with its first try.

import type { Fragment, Sql } from '../db.ts'

/** `began`: when the window began, as a name of it. */
export type Window = Readonly<{ used: number; began: string }>

export async function countTry(
  sql: Sql,
  target: Buffer,
  within_s: number,
): Promise<Window & { ends_in_s: number }> {
  const [row] = await sql<(Window & { ends_in_s: number })[]>`
    insert into throttle_windows as t (target, started_at, used, ends_at)
    values (${target}, now(), 1, now() + ${within_s} * interval '1 second')
    on conflict (target) do update
       set used = case when t.started_at > now() - ${within_s} * interval '1 second'
                       then t.used + 1 else 1 end,
           ends_at = case when t.started_at > now() - ${within_s} * interval '1 second'
                          then t.ends_at else now() + ${within_s} * interval '1 second' end,
           started_at = case when t.started_at > now() - ${within_s} * interval '1 second'
                             then t.started_at else now() end
    returning used, ${began(sql)}, greatest(1, ceil(extract(epoch from
      started_at + ${within_s} * interval '1 second' - now())))::int as ends_in_s`
  return row ?? { used: 1, began: '', ends_in_s: 1 }
}

const began = (sql: Sql): Fragment => sql`extract(epoch from started_at)::text as began`

/** What was used of it by now; nothing is counted. Undefined: no window of it is under way. */
export async function readTries(
  sql: Sql,
  target: Buffer,
  within_s: number,
): Promise<Window | undefined> {
  const [row] = await sql<Window[]>`
    select used, ${began(sql)} from throttle_windows
     where target = ${target} and started_at > now() - ${within_s} * interval '1 second'`
  return row
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
