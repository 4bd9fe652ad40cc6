// A page of a transaction's story: one statement, one snapshot, in the merchant's place.

import type { Db, Fragment, Sql } from '../platform/db.ts'
import type { Cursor } from '../platform/http/pages.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed } from '../platform/sql.ts'
import { waits_at_most_h } from '../transactions/wait-statements.ts'
import { type StoryKey, story, subjects } from './statements.ts'
import type { Step, StepKind } from './step.ts'

export type StoryQuery = StoryKey &
  Readonly<{
    cursor: Cursor | undefined
    /** The number of rows to read, one more than the page shows. */
    limit: number
    /** Only these; undefined: all. */
    kinds: readonly StepKind[] | undefined
    /** Newest first. */
    descending: boolean
  }>

/** `id`: what orders the steps of one moment. `place`: `at` as PostgreSQL prints it. */
export type StepFound = Step & Readonly<{ id: string; place: string }>

export type StoryPage = Readonly<{
  last_question_at: Date | null
  next_question_at: Date | null
  ends_at: Date | null
  steps: readonly StepFound[]
}>

type Head = Pick<StoryPage, 'last_question_at' | 'next_question_at' | 'ends_at'>

/** In its order; before a `prev` cursor the nearest first. Undefined: there is no such one here. */
export async function findStory(sql: Db, query: StoryQuery): Promise<StoryPage | undefined> {
  const { merchant_id, cursor, limit, kinds, descending } = query
  const goesBack = descending !== (cursor?.dir === 'prev')
  const order = goesBack ? sql`desc` : sql`asc`
  const page = sql`
    select s.at, s.at::text as place, s.id, s.kind, s.ref, s.actor_kind, s.actor_id, s.facts
      from (select s.at, s.kind, s.ref, s.actor_kind, s.actor_id, s.facts,
                   (lpad(s.rank::text, 2, '0') || ' ' || s.ref || ' '
                     || lpad(s.nth::text, 6, '0')) collate "C" as id
              from story s) as s
     where true ${kinds === undefined ? sql`` : sql`and s.kind = any(${[...kinds]}::text[])`}
       ${cursor === undefined ? sql`` : beyond(sql, cursor, goesBack)}
     order by s.at ${order}, s.id ${order}
     limit ${limit}`
  const all = sql`
    select ${head(sql)}, p.at, p.place, p.id, p.kind, p.ref, p.actor_kind, p.actor_id, p.facts
      from story_of t left join (${page}) as p on true
     order by p.at ${order}, p.id ${order}`
  const rows = await homeOf(sql, merchant_id)<(Head & StepFound)[]>`
    ${composed(sql, [subjects(sql, query), story(sql, query)], all)}`
  const [first] = rows
  if (first === undefined) return undefined
  const { last_question_at, next_question_at, ends_at } = first
  return {
    last_question_at,
    next_question_at,
    ends_at,
    steps: rows.filter(({ at }) => at !== null),
  }
}

/**
 * A payment ends when its query time is over, a payout that nobody has approved, and one that could
 * not be sent for so long; a payout that has left ends by its operator's word alone. What has ended
 * has no end before it, though its attempt may still be asked about.
 */
const head = (sql: Sql): Fragment => sql`
  (select max(a.asked_at) from story_attempts a
    where a.status in ('PENDING', 'UNKNOWN')) as last_question_at,
  (select min(a.due_at) from story_attempts a
    where a.status in ('PENDING', 'UNKNOWN')) as next_question_at,
  case when t.status = 'PENDING' then coalesce(
    (select p.lapses_at from payout_approvals p
      where p.merchant_id = t.merchant_id and p.transaction_id = t.id and p.status = 'REQUIRED'),
    (select w.created_at + ${waits_at_most_h} * interval '1 hour' from payout_waits w
      where w.merchant_id = t.merchant_id and w.transaction_id = t.id),
    (select a.asking_until from story_attempts a
      where a.direction = 'COLLECT' and a.status in ('PENDING', 'UNKNOWN') limit 1)) end as ends_at`

const beyond = (sql: Sql, { created_at, id }: Cursor, goesBack: boolean): Fragment =>
  goesBack
    ? sql`and (s.at, s.id) < (${created_at}::text::timestamptz, ${id})`
    : sql`and (s.at, s.id) > (${created_at}::text::timestamptz, ${id})`
