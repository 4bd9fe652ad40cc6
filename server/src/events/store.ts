// Every statement about events that stands alone.

import type { Sql } from '../platform/db.ts'
import type { EventType, FeedKey, NumberedEvent } from './event.ts'

/** Feeds with events that have no number yet. Looks over all merchants: for the sequencer only. */
export async function listFeedsWithNews(sql: Sql, limit: number): Promise<FeedKey[]> {
  return sql<FeedKey[]>`
    select distinct merchant_id, environment from events where seq is null limit ${limit}`
}

/** Makes the row under whose lock a feed's numbers are given. */
export async function insertFeed(sql: Sql, { merchant_id, environment }: FeedKey): Promise<void> {
  await sql`
    insert into event_feeds (merchant_id, environment) values (${merchant_id}, ${environment})
    on conflict (merchant_id, environment) do nothing`
}

/** The events of a feed after a place in it, oldest first. */
export async function listEventsAfter(
  sql: Sql,
  { merchant_id, environment }: FeedKey,
  page: Readonly<{ after_seq: bigint; limit: number; type?: EventType }>,
): Promise<NumberedEvent[]> {
  return sql<NumberedEvent[]>`
    select id, seq, type, created_at, data
      from events
     where merchant_id = ${merchant_id} and environment = ${environment}
       and seq > ${page.after_seq}
       ${page.type === undefined ? sql`` : sql`and type = ${page.type}`}
     order by seq
     limit ${page.limit}`
}

/** Ids are made before their event commits, at most so long as a statement may take (120 s). */
const latest_commit = '2 minutes'
/** Numbers are not in the order of ids, but nearly: the smallest of so many is the first of all. */
const disorder_max = 1_000

/** See `placeSince`. */
export async function findPlaceSince(
  sql: Sql,
  { merchant_id, environment }: FeedKey,
  since: string,
): Promise<{ done_seq: bigint; last_seq: bigint }> {
  const [row] = await sql<{ done_seq: bigint; last_seq: bigint }[]>`
    with feed as (
      select coalesce((select last_seq from event_feeds
                        where merchant_id = ${merchant_id} and environment = ${environment}), 0)
             as last_seq),
    early as (
      select e.seq from events e
       where e.merchant_id = ${merchant_id} and e.environment = ${environment}
         and e.seq is not null
         and e.id >= uuid_floor(${since}::text::timestamptz - ${latest_commit}::interval)
       order by e.id
       limit ${disorder_max})
    select last_seq, least(coalesce((select min(seq) - 1 from early), last_seq), last_seq)
           as done_seq
      from feed`
  return row ?? { done_seq: 0n, last_seq: 0n }
}
