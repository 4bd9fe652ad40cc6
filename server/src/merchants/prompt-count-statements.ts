// The limit on prompts to one phone (contract 3.6), as part of the statement that makes a payment.

import type { Sql } from '../platform/db.ts'
import { type Gate, jsonRows, type Part, part } from '../platform/sql.ts'

export type PromptLimit = Readonly<{
  /** The id in the gate relation that lets it count. */
  gate_id: string
  /** A MAC of phone and network: the number itself is not kept. No two of a statement are alike. */
  target: Buffer
  per_10min: number
  per_day: number
}>

/**
 * `prompt_wanted, prompt_counted, prompt as (…)`: a row `id` (the gate) for each phone that may be
 * prompted again; counts only those whose gate is among the ids of the relation `when`.
 */
export function countPrompts(sql: Sql, limits: readonly PromptLimit[], { when }: Gate): Part {
  const rows = limits
    .map((limit) => ({ ...limit, target: limit.target.toString('base64') }))
    .toSorted((a, b) => (a.target < b.target ? -1 : 1))
  return part(
    'prompt',
    sql`prompt_wanted as (
      select r.gate_id, decode(r.target, 'base64') as target, r.per_10min, r.per_day
        from ${jsonRows(
          sql,
          rows,
          sql`
        gate_id uuid, target text, per_10min int, per_day int`,
        )} as r
        join (select id as gate_id from ${sql(when.name)}) as open on open.gate_id = r.gate_id)`,
    sql`prompt_counted as (
      insert into prompt_windows as p
        (target, window_started_at, window_count, day_started_at, day_count)
      select target, now(), 1, now(), 1 from prompt_wanted
      on conflict (target) do update
         set window_count = case when p.window_started_at > now() - interval '10 minutes'
                                 then p.window_count + 1 else 1 end,
             window_started_at = case when p.window_started_at > now() - interval '10 minutes'
                                      then p.window_started_at else now() end,
             day_count = case when p.day_started_at > now() - interval '1 day'
                              then p.day_count + 1 else 1 end,
             day_started_at = case when p.day_started_at > now() - interval '1 day'
                                   then p.day_started_at else now() end
       where (p.window_started_at <= now() - interval '10 minutes'
              or p.window_count < (select w.per_10min from prompt_wanted w
                                    where w.target = p.target))
         and (p.day_started_at <= now() - interval '1 day'
              or p.day_count < (select w.per_day from prompt_wanted w
                                 where w.target = p.target))
      returning target)`,
    sql`prompt as (
      select w.gate_id as id from prompt_wanted w join prompt_counted c on c.target = w.target)`,
  )
}
