// The limit on prompts to one phone (decisions 3.6), as part of the statement that makes a payment.

import type { Fragment, Sql } from '../platform/db.ts'

export type PromptLimit = Readonly<{
  /** A MAC of phone and network: the number itself is not kept. */
  target: Buffer
  per_10min: number
  per_day: number
}>

/** `prompt as (…)`: one row while the phone may be asked again; counts only if `gate` has a row. */
export function countPrompt(sql: Sql, limit: PromptLimit, gate: string): Fragment {
  const { target, per_10min, per_day } = limit
  return sql`prompt as (
    insert into prompt_windows as p
      (target, window_started_at, window_count, day_started_at, day_count)
    select ${target}, now(), 1, now(), 1 where exists (select 1 from ${sql(gate)})
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
            or p.window_count < ${per_10min})
       and (p.day_started_at <= now() - interval '1 day' or p.day_count < ${per_day})
    returning 1 as one)`
}
