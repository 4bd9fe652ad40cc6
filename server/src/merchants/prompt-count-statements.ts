// The limit on prompts to one phone (contract 3.6), as part of the statement that makes a payment.

import { type Db, type Fragment, isDatabaseAway, type Sql } from '../platform/db.ts'
import { control } from '../platform/places/places.ts'
import { type Gate, jsonRows, type Part, part, relation } from '../platform/sql.ts'

export type PromptLimit = Readonly<{
  /** The id in the gate relation that lets it count. */
  gate_id: string
  /** A MAC of phone and network: the number itself is not kept. No two of a statement are alike. */
  target: Buffer
  per_10min: number
  per_day: number
}>

/** Those of the gates whose phones have been counted already: see `withPrompts`. */
export type CountedPrompts = ReadonlySet<string>

/**
 * `prompt_wanted, prompt_counted, prompt as (…)`: a row `id` (the gate) for each phone that may be
 * prompted again; counts only those whose gate is among the ids of the relation `when`.
 */
export function countPrompts(
  sql: Sql,
  limits: readonly PromptLimit[],
  { when, counted }: Gate & Readonly<{ counted?: CountedPrompts | undefined }>,
): Part {
  if (counted !== undefined) {
    return part(
      'prompt',
      sql`prompt as (
      select id from ${sql(when.name)} where id = any(${[...counted]}::uuid[]))`,
    )
  }
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

/**
 * Of a phone that was refused: the seconds until it may be prompted again, which is when the later
 * of its windows that are full is over.
 */
export async function promptAgainS(
  db: Db,
  { target, per_10min, per_day }: Omit<PromptLimit, 'gate_id'>,
): Promise<number> {
  const at = control(db)
  // What began after our statement did has no more left than it lasts.
  const left = (began: Fragment, lasts: string) =>
    at`extract(epoch from least(${began} + ${lasts}::interval - now(), ${lasts}::interval))`
  const [row] = await at<{ again_s: number }[]>`
    select greatest(
             case when window_count >= ${per_10min}
                  then ${left(at`window_started_at`, '10 minutes')} end,
             case when day_count >= ${per_day} then ${left(at`day_started_at`, '1 day')} end,
             1)::float8 as again_s
      from prompt_windows where target = ${target}`
  return row?.again_s ?? 1
}

type Prompting<T> = Readonly<{
  limits: readonly PromptLimit[]
  /** Sends the statement; its part `countPrompts` takes what is `counted`. */
  run: (counted: CountedPrompts | undefined) => Promise<T>
  /** The gates of which nothing became. */
  unused: (done: T) => readonly string[]
}>

/**
 * A phone has one limit, whichever merchants ask it: where these have places of their own, it is
 * counted at control before the statement, and given back when nothing came of it. A process that
 * dies in between has counted one too many; never one too few. On one PostgreSQL the statement
 * counts by itself.
 */
export async function withPrompts<T>(db: Db, { limits, run, unused }: Prompting<T>): Promise<T> {
  const at = control(db)
  if (at === db) return run(undefined)
  const counted = await countAlone(at, limits)
  const giveBack = (gate_ids: readonly string[]) =>
    uncount(
      at,
      limits.filter(({ gate_id }) => counted.has(gate_id) && gate_ids.includes(gate_id)),
    )
  try {
    const done = await run(counted)
    await giveBack(unused(done))
    return done
  } catch (error) {
    // Whether it was written is not known then, and the phone may ring.
    if (!isDatabaseAway(error)) await giveBack([...counted])
    throw error
  }
}

async function countAlone(at: Db, limits: readonly PromptLimit[]): Promise<CountedPrompts> {
  const ids = limits.map(({ gate_id }) => gate_id)
  const when = relation('wanted')
  const [wants, counts, prompt] = countPrompts(at, limits, { when }).fragments
  const rows = await at<{ id: string }[]>`
    with wanted as (select id from unnest(${ids}::uuid[]) as id),
         ${wants ?? at``}, ${counts ?? at``}, ${prompt ?? at``}
    select id from prompt`
  return new Set(rows.map(({ id }) => id))
}

async function uncount(at: Db, limits: readonly PromptLimit[]): Promise<void> {
  if (limits.length === 0) return
  const targets = limits.map(({ target }) => target.toString('base64'))
  await at`
    update prompt_windows
       set window_count = greatest(window_count - 1, 0), day_count = greatest(day_count - 1, 0)
     where target in (select decode(t, 'base64') from unnest(${targets}::text[]) as t)`
}
