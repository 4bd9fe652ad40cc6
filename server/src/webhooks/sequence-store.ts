// The statements of `sequence-events`: numbers for events that were recorded without one, and the
// deliveries of those that have one, each feed up to a mark.

import type { FeedKey } from '../events/event.ts'
import { numberEvents } from '../events/statements.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { composed, jsonRows, type Part, part, type Relation, relation } from '../platform/sql.ts'
import { linkOfEvent, makeDeliveries } from './statements.ts'

/** What was done to a feed that has its row. */
export type Numbered = FeedKey & Readonly<{ events: number }>
/** `is_rivals`: another worker holds its mark, and may not see what has come meanwhile. */
export type Delivered = Numbered & Readonly<{ deliveries: number; is_rivals: boolean }>

const countOf = (sql: Sql, { name }: Relation<keyof FeedKey>): Fragment => sql`
    (select count(*)::int from ${sql(name)} r
      where r.merchant_id = f.merchant_id and r.environment = f.environment)`

/** Numbers the next events of these feeds that have none, all or nothing. */
export async function numberFeeds(
  sql: Sql,
  feeds: readonly FeedKey[],
  limit: number,
): Promise<Numbered[]> {
  const numbered = numberEvents(sql, feeds, limit)
  const last = sql`
    select f.merchant_id, f.environment, ${countOf(sql, numbered)} as events
      from ${sql(numbered.seen.name)} f`
  return sql<Numbered[]>`${composed(sql, [numbered], last)}`
}

/** Feeds with numbered events whose deliveries have not been made; reads the marks of all. */
export const listFeedsBehind = (sql: Sql, limit: number): Promise<FeedKey[]> =>
  eachGroup(
    sql,
    (at) => at<FeedKey[]>`
  select f.merchant_id, f.environment
    from event_feeds f
    left join delivery_marks m
      on m.merchant_id = f.merchant_id and m.environment = f.environment
   where f.last_seq > coalesce(m.seq, 0)
   limit ${limit}`,
  )

/** Inserts the row whose lock guards a feed's deliveries; safe to repeat. */
export async function insertMark(sql: Sql, { merchant_id, environment }: FeedKey): Promise<void> {
  await homeOf(sql, merchant_id)`
    insert into delivery_marks (merchant_id, environment) values (${merchant_id}, ${environment})
    on conflict (merchant_id, environment) do nothing`
}

/**
 * Makes the deliveries of the next numbered events of these feeds and moves their marks, all or
 * nothing. One whose mark a rival holds has none; one without a mark is not answered for.
 */
export async function deliverFeeds(
  sql: Sql,
  feeds: readonly FeedKey[],
  limit: number,
): Promise<Delivered[]> {
  const numbered = nextEvents(sql, feeds, limit)
  const deliveries = makeDeliveries(sql, { of: numbered, feed: numbered.feed })
  const last = sql`
    select f.merchant_id, f.environment, ${countOf(sql, numbered)} as events,
           ${countOf(sql, deliveries)} as deliveries,
           ${countOf(sql, numbered.feed)} = 0 as is_rivals
      from ${sql(numbered.seen.name)} f`
  return sql<Delivered[]>`${composed(sql, [numbered, deliveries], last)}`
}

type FeedColumn = keyof FeedKey
type EventColumn = FeedColumn | 'id' | 'type' | 'transaction_id' | 'subject_id'

/**
 * `mark_seen, mark, numbered, mark_moved as (…)`: `numbered` has at most `limit` events beyond the
 * mark of each feed. What our snapshot has of a feed is without a gap, and the mark is read under
 * its lock: a rival that was quicker leaves us what comes after, or nothing.
 */
function nextEvents(
  sql: Sql,
  feeds: readonly FeedKey[],
  limit: number,
): Part<EventColumn> & Readonly<{ seen: Relation<FeedColumn>; feed: Relation<FeedColumn> }> {
  const requested = jsonRows(sql, feeds, sql`merchant_id uuid, environment text`)
  const marks = sql`
        from ${requested} as k
        join delivery_marks m
          on m.merchant_id = k.merchant_id and m.environment = k.environment`
  const numbered = part<EventColumn>(
    'numbered',
    sql`mark_seen as materialized (
      select m.merchant_id, m.environment ${marks}
    )`,
    sql`mark as materialized (
      select m.merchant_id, m.environment, m.seq ${marks}
         for update of m skip locked
    )`,
    sql`numbered as materialized (
      select mark.merchant_id, mark.environment, e.id, e.seq, e.type, e.transaction_id,
             e.subject_id, ${linkOfEvent(sql)} as payment_link
        from mark
       cross join lateral (
             select e.id, e.seq, e.type, e.transaction_id, e.subject_id, e.payment_link,
                    e.plain
               from events e
              where e.merchant_id = mark.merchant_id and e.environment = mark.environment
                and e.seq > mark.seq
              order by e.seq
              limit ${limit}) as e
    )`,
    sql`mark_moved as (
      update delivery_marks m
         set seq = t.seq
        from (select merchant_id, environment, max(seq) as seq
                from numbered group by merchant_id, environment) t
       where m.merchant_id = t.merchant_id and m.environment = t.environment
    )`,
  )
  return { ...numbered, seen: relation('mark_seen'), feed: relation('mark') }
}
