// The statements about events that are not part of a composed one.

import type { Fragment, Sql } from '../platform/db.ts'
import { type Kept, keptText } from '../platform/packed/kept.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import type { EventType, FeedKey, NumberedEvent } from './event.ts'

/** Feeds with events that have no number yet. Reads over all merchants: for the sequencer only. */
export async function listFeedsWithNews(sql: Sql, limit: number): Promise<FeedKey[]> {
  return eachGroup(
    sql,
    (at) => at<FeedKey[]>`
    select distinct merchant_id, environment from events where seq is null limit ${limit}`,
  )
}

/** Inserts the row under whose lock a feed's numbers are given. */
export async function insertFeed(sql: Sql, { merchant_id, environment }: FeedKey): Promise<void> {
  await homeOf(sql, merchant_id)`
    insert into event_feeds (merchant_id, environment) values (${merchant_id}, ${environment})
    on conflict (merchant_id, environment) do nothing`
}

/** A query of a feed: a stretch of it, and which of the events there. */
export type Stretch = Readonly<{
  /** Only those after this place; with `backwards`, those before it, the nearest first. */
  place: bigint
  backwards?: boolean
  limit: number
  type?: EventType | undefined
  /** In UTC with microseconds, as text. */
  since?: string | undefined
}>

/** The events of a feed from a place in it, oldest first. */
export async function listEventsFrom(
  sql: Sql,
  { merchant_id, environment }: FeedKey,
  { place, backwards = false, limit, type, since }: Stretch,
): Promise<NumberedEvent[]> {
  const rows = await homeOf(sql, merchant_id)<(Omit<NumberedEvent, 'data'> & Kept)[]>`
    select id, seq, type, created_at, ${keptColumns(sql)}
      from events
     where merchant_id = ${merchant_id} and environment = ${environment}
       ${backwards ? sql`and seq < ${place}` : sql`and seq > ${place}`}
       ${type === undefined ? sql`` : ofType(sql, type)}
       ${since === undefined ? sql`` : sql`and created_at >= ${since}::text::timestamptz`}
     order by seq ${backwards ? sql`desc` : sql`asc`}
     limit ${limit}`
  return rows.map(({ plain, packed, ...event }) => ({
    ...event,
    data: JSON.parse(keptText({ plain, packed }) ?? '{}'),
  }))
}

/** An event's data in either form, both as they are kept. */
const keptColumns = (sql: Sql): Fragment => sql`plain::text as plain, packed`

/**
 * Those of every payment are never far apart; for the others the planner must see the partial
 * index.
 */
const ofType = (sql: Sql, type: EventType): Fragment =>
  type === 'transaction.created' || type === 'transaction.success'
    ? sql`and type = ${type}`
    : sql`and type = ${type} and type not in ('transaction.created', 'transaction.success')`

/**
 * An id has the moment of a process's clock, which may be five minutes from the database's, and is
 * made up to a statement's length (120 s) before its event commits.
 */
const clocks_apart = '10 minutes'
/**
 * Numbers are nearly, but not quite, in the order of ids: the smallest of so many is the first of
 * all.
 */
const disorder_max = 1_000

/** Where a reading begins, and where the feed ends. */
export type Places = Readonly<{ done_seq: bigint; last_seq: bigint }>

/** See `placeSince`. */
export async function findPlaceSince(
  sql: Sql,
  { merchant_id, environment }: FeedKey,
  since: string,
): Promise<Places> {
  const [row] = await homeOf(sql, merchant_id)<Places[]>`
    with feed as (
      select coalesce((select last_seq from event_feeds
                        where merchant_id = ${merchant_id} and environment = ${environment}), 0)
             as last_seq),
    early as (
      select e.seq from events e
       where e.merchant_id = ${merchant_id} and e.environment = ${environment}
         and e.seq is not null
         -- There is no id from before 1970.
         and e.id >= uuid_floor(
               greatest(${since}::text::timestamptz - ${clocks_apart}::interval, 'epoch'))
       order by e.id
       limit ${disorder_max})
    select last_seq, least(coalesce((select min(seq) - 1 from early), last_seq), last_seq)
           as done_seq
      from feed`
  return row ?? { done_seq: 0n, last_seq: 0n }
}

/** See `placeUntil`. Looked for among the nearest by id, as the first place is. */
export async function findPlaceUntil(
  sql: Sql,
  { merchant_id, environment }: FeedKey,
  until: string,
): Promise<bigint> {
  const [row] = await homeOf(sql, merchant_id)<{ seq: bigint }[]>`
    select coalesce(max(seq), 0) as seq
      from (select e.seq from events e
             where e.merchant_id = ${merchant_id} and e.environment = ${environment}
               and e.seq is not null
               and e.id < uuid_floor(
                     greatest(${until}::text::timestamptz + ${clocks_apart}::interval, 'epoch'))
             order by e.id desc
             limit ${disorder_max}) as late`
  return row?.seq ?? 0n
}

/** The last number of a feed; every smaller one is visible too. */
export async function findLastPlace(
  sql: Sql,
  { merchant_id, environment }: FeedKey,
): Promise<bigint> {
  const [row] = await homeOf(sql, merchant_id)<{ last_seq: bigint }[]>`
    select last_seq from event_feeds
     where merchant_id = ${merchant_id} and environment = ${environment}`
  return row?.last_seq ?? 0n
}
