// The events' parts of a statement: recording them with the change they announce, and numbering
// them there or afterwards. A number is given under the feed's row lock, so numbers grow in commit
// order and a reader of the feed never misses an event that committed late (money 4).

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { pack, unpack } from '../platform/packed/pack.ts'
import {
  type Gate,
  jsonRows,
  type OptionalGate,
  type Part,
  part,
  type Relation,
  relation,
  stringify,
} from '../platform/sql.ts'
import { lastTwo, names, type Traces } from '../platform/traces.ts'
import type { FeedKey, NewEvent } from './event.ts'

/**
 * `event_made as (…)`: records those events whose gate is among the ids of `when` (all without
 * it). Wake `sequence-events` after the commit.
 */
export function recordEvents(
  sql: Sql,
  events: readonly (NewEvent & FeedKey)[],
  { when }: OptionalGate = {},
): Part {
  const made = sql`event_made as (
    insert into events (merchant_id, id, environment, type, transaction_id, subject_id,
      payment_link, packed)
    select e.merchant_id, e.id, e.environment, e.type, e.transaction_id, e.subject_id,
           e.payment_link, decode(e.packed, 'base64')
      from ${eventRows(sql, events)} as e
      ${when === undefined ? sql`` : joinGate(sql, when)}
    returning id)`
  return part('event_made', made)
}

/**
 * `announced, feed_moved, event_made as (…)`: the same, and each event has its number at once, in
 * the order of ids. For statements that commit by themselves only, and given right after the gate:
 * PostgreSQL carries out the parts that nothing reads from the last to the first, so the feed's row
 * is locked last, for as long as the commit takes (docs/decisions/0042).
 */
export function recordNumbered(
  sql: Sql,
  events: readonly (NewEvent & FeedKey)[],
  { when }: Gate,
): Part {
  return part(
    'event_made',
    sql`announced as materialized (
      select e.merchant_id, e.id, e.environment, e.type, e.transaction_id, e.subject_id,
             e.payment_link, e.packed
        from ${eventRows(sql, events)} as e ${joinGate(sql, when)}
    )`,
    sql`feed_moved as (
      insert into event_feeds as f (merchant_id, environment, last_seq)
      select merchant_id, environment, count(*) from announced
       group by merchant_id, environment
       order by merchant_id, environment
      on conflict (merchant_id, environment) do update
         set last_seq = f.last_seq + excluded.last_seq
      returning merchant_id, environment, last_seq
    )`,
    sql`event_made as (
      insert into events (merchant_id, id, environment, type, transaction_id, subject_id,
        payment_link, packed, seq)
      select a.merchant_id, a.id, a.environment, a.type, a.transaction_id, a.subject_id,
             a.payment_link, decode(a.packed, 'base64'),
             f.last_seq + 1 - row_number() over (
               partition by a.merchant_id, a.environment order by a.id desc)
        from announced a
        join feed_moved f on f.merchant_id = a.merchant_id and f.environment = a.environment
      returning id
    )`,
  )
}

const eventRows = (sql: Sql, events: readonly (NewEvent & FeedKey)[]): Fragment =>
  jsonRows(
    sql,
    events.map(({ data, ...event }) => ({ ...event, ...packedData(data) })),
    sql`
        merchant_id uuid, environment text, gate_id uuid, id uuid, type text,
        transaction_id uuid, subject_id uuid, payment_link uuid, packed text`,
  )

/** An event of a payment link is found without being unpacked. */
const packedData = (data: object) => ({
  payment_link: 'payment_link' in data ? data.payment_link : null,
  packed: pack(stringify(data)).toString('base64'),
})

const joinGate = (sql: Sql, { name }: Relation): Fragment => sql`
  join (select id as gate_id from ${sql(name)}) as open on open.gate_id = e.gate_id`

type FeedColumn = 'merchant_id' | 'environment'
type NumberedColumn = FeedColumn | 'id' | 'seq'

/**
 * `feed_seen, feed, unnumbered, numbered, feed_moved as (…)`: gives the next numbers of each of
 * these feeds to at most `limit` of its events, oldest id first. `feed` has those that have a row
 * and that nobody else has locked. A rival may have numbered between our snapshot and our lock:
 * then the row that we lock is newer than the row that we see, our list of events is out of date,
 * and nothing of that feed is numbered.
 */
export function numberEvents(
  sql: Sql,
  feeds: readonly FeedKey[],
  limit: number,
): Part<NumberedColumn> & Readonly<{ seen: Relation<FeedColumn> }> {
  const requested = jsonRows(sql, feeds, sql`merchant_id uuid, environment text`)
  const ofFeed = (one: string, other: string) => sql`
        ${sql(one)}.merchant_id = ${sql(other)}.merchant_id
        and ${sql(one)}.environment = ${sql(other)}.environment`
  const numbered = part<NumberedColumn>(
    'numbered',
    sql`feed_seen as materialized (
      select f.merchant_id, f.environment, f.last_seq
        from ${requested} as k join event_feeds f on ${ofFeed('f', 'k')}
    )`,
    sql`feed as materialized (
      select f.merchant_id, f.environment, f.last_seq
        from ${requested} as k join event_feeds f on ${ofFeed('f', 'k')}
         for update of f skip locked
    )`,
    sql`unnumbered as materialized (
      select feed.merchant_id, feed.environment, due.id,
             feed.last_seq + row_number() over (
               partition by feed.merchant_id, feed.environment order by due.id) as seq
        from feed
        join feed_seen on ${ofFeed('feed_seen', 'feed')} and feed_seen.last_seq = feed.last_seq
       cross join lateral (
             select e.id from events e
              where ${ofFeed('e', 'feed')} and e.seq is null
              order by e.id
              limit ${limit}) as due
    )`,
    sql`numbered as (
      update events e
         set seq = u.seq
        from unnumbered u
       where e.merchant_id = u.merchant_id and e.id = u.id
         -- Not "is null": it would be looked for among all that waits, and that looks like nothing.
         and coalesce(e.seq, 0) = 0
      returning e.merchant_id, e.environment, e.id, e.seq
    )`,
    sql`feed_moved as (
      update event_feeds f
         set last_seq = f.last_seq + u.events
        from (select merchant_id, environment, count(*) as events
                from unnumbered group by merchant_id, environment) u
       where ${ofFeed('f', 'u')}
    )`,
  )
  return { ...numbered, seen: relation('feed_seen') }
}

// Removes a person from the events of payments and sessions. Deliveries are made from these, so
// later tries and the logs no longer contain the person.

const person_keys = ['customer_email', 'customer_name', 'customer_phone', 'ip_address']

type Erased = Readonly<{
  merchant_id: string
  /** Payments, and sessions that nobody has paid. */
  subject_ids: readonly string[]
  /** Of these sessions what stands under these payments, whoever paid. */
  session_ids?: readonly string[]
  payment_ids?: readonly string[]
}>

export async function eraseEvents(
  tx: Tx,
  { merchant_id, subject_ids, session_ids = [], payment_ids = [] }: Erased,
  traces: Traces,
): Promise<void> {
  // One that has the id of its subject is in no index but that of its key.
  const subjects = tx`any(${[...subject_ids]}::uuid[])`
  const which = tx`
    e.merchant_id = ${merchant_id}
       and (e.id = ${subjects} and e.transaction_id = e.id
            or coalesce(e.transaction_id, e.subject_id) = ${subjects}
               and e.id <> coalesce(e.transaction_id, e.subject_id)
            or coalesce(e.transaction_id, e.subject_id) = any(${[...payment_ids]}::uuid[])
               and e.id <> coalesce(e.transaction_id, e.subject_id)
               and e.subject_id = any(${[...session_ids]}::uuid[]))`
  await layOpen(tx, merchant_id, which)
  await tx`
    update events e
       set plain = (
           select coalesce(jsonb_object_agg(key,
                    case when key = 'msisdn'
                           then to_jsonb(${lastTwo(tx, tx`(value #>> '{}')`)})
                         when key = any(${person_keys}::text[]) then '""'::jsonb
                         when jsonb_typeof(value) = 'object'
                              and ${names(tx, tx`value::text`, traces)} then '{}'::jsonb
                         when jsonb_typeof(value) = 'string'
                              and ${names(tx, tx`value::text`, traces)} then '""'::jsonb
                         else value end), '{}'::jsonb)
             from jsonb_each(e.plain))
     where ${which} and e.plain is not null`
}

/** Keeps these events unpacked from now on, locked until the transaction's end. */
async function layOpen(tx: Tx, merchant_id: string, which: Fragment): Promise<void> {
  const packed = await tx<{ id: string; packed: Uint8Array }[]>`
    select e.id, e.packed from events e
     where ${which} and e.packed is not null
     order by e.id
       for update`
  const open = packed.map(({ id, packed }) => ({ id, plain: JSON.parse(unpack(packed)) }))
  await tx`
    update events e
       set plain = o.plain, packed = null
      from ${jsonRows(tx, open, tx`id uuid, plain jsonb`)} as o
     where e.merchant_id = ${merchant_id} and e.id = o.id`
}
