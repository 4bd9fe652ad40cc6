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
