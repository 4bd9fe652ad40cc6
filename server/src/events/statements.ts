// The events' parts of a statement: recording them with the change they announce, and numbering
// them afterwards. A number is given under the feed's row lock, so numbers grow in commit order and
// a reader of the feed never misses an event that committed late (money 4).

import type { Fragment, Sql } from '../platform/db.ts'
import { records } from '../platform/sql.ts'
import type { FeedKey, NewEvent } from './event.ts'

/**
 * `event_made as (…)`: records those events whose gate has a row (column `id`) in the relation
 * named `gate`. Ring `sequence-events` after the commit.
 */
export function recordEvents(
  sql: Sql,
  gate: string,
  events: readonly (NewEvent & FeedKey)[],
): Fragment {
  return sql`event_made as (
    insert into events (merchant_id, id, environment, type, transaction_id, subject_id, data)
    select e.merchant_id, e.id, e.environment, e.type, e.transaction_id, e.subject_id, e.data
      from ${records(
        sql,
        events,
        sql`
        merchant_id uuid, environment text, gate uuid, id uuid, type text,
        transaction_id uuid, subject_id uuid, data jsonb`,
      )} as e
      join (select id as gate_id from ${sql(gate)}) as open on open.gate_id = e.gate
    returning id)`
}

/**
 * `feed_seen, feed, unnumbered, numbered, feed_moved as (…)`: gives the next numbers of one feed to
 * at most `limit` events, oldest id first. `feed` is empty when there is no row yet or another
 * sequencer holds it. `numbered` has id, seq, type, transaction_id, subject_id, payment_link.
 *
 * A rival may have numbered between our snapshot and our lock: then the row that we lock is newer
 * than the row that we see, our list of events is old news, and nothing is numbered.
 */
export function numberEvents(
  sql: Sql,
  { merchant_id, environment }: FeedKey,
  limit: number,
): Fragment[] {
  return [
    sql`feed_seen as materialized (
      select last_seq from event_feeds
       where merchant_id = ${merchant_id} and environment = ${environment}
    )`,
    sql`feed as materialized (
      select last_seq from event_feeds
       where merchant_id = ${merchant_id} and environment = ${environment}
         for update skip locked
    )`,
    sql`unnumbered as materialized (
      select due.id, feed.last_seq + row_number() over (order by due.id) as seq
        from feed
        join feed_seen on feed_seen.last_seq = feed.last_seq
       cross join lateral (
             select e.id from events e
              where e.merchant_id = ${merchant_id} and e.environment = ${environment}
                and e.seq is null
              order by e.id
              limit ${limit}) as due
    )`,
    sql`numbered as (
      update events e
         set seq = u.seq
        from unnumbered u
       where e.merchant_id = ${merchant_id} and e.environment = ${environment}
         and e.id = u.id and e.seq is null
         -- However the join is done, it reads this stretch of the index and not the whole backlog.
         and e.id >= (select id from unnumbered order by id limit 1)
         and e.id <= (select id from unnumbered order by id desc limit 1)
      returning e.id, e.seq, e.type, e.transaction_id, e.subject_id,
                e.data ->> 'payment_link' as payment_link
    )`,
    sql`feed_moved as (
      update event_feeds
         set last_seq = last_seq + (select count(*) from unnumbered)
       where merchant_id = ${merchant_id} and environment = ${environment}
         and exists (select 1 from unnumbered)
    )`,
  ]
}
