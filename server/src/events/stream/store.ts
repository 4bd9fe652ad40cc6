// The one statement by which a process follows the feeds of all its streams.

import type { Sql } from '../../platform/db.ts'
import { eachGroup } from '../../platform/places/places.ts'
import { jsonRows } from '../../platform/sql.ts'
import type { FeedKey } from '../event.ts'
import type { Placed } from './hint.ts'

/** A feed that streams follow. */
export type Followed = FeedKey &
  Readonly<{
    /** Everything up to here has been sent; undefined: only where the feed ends is asked. */
    place: bigint | undefined
    /** Somebody must know where it ends, news or not. */
    is_end_wanted: boolean
  }>

/** Of a feed that has news or whose end is wanted; `events` in their order. */
export type News = FeedKey & Readonly<{ last_seq: bigint; events: readonly Placed[] }>

type Row = FeedKey & { last_seq: bigint } & { [K in keyof Placed]: Placed[K] | null }

/** The end of each feed, and its last events beyond the place, at most `limit` of each. */
export async function readNews(
  sql: Sql,
  feeds: readonly Followed[],
  limit: number,
): Promise<News[]> {
  const asked = feeds.map(({ place, ...feed }) => ({ ...feed, place: place?.toString() ?? null }))
  const rows = await eachGroup(
    sql,
    (at) => at<Row[]>`
    select f.merchant_id, f.environment, f.last_seq, e.seq, e.type, e.transaction_id, e.subject_id
      from ${jsonRows(
        at,
        asked,
        at`merchant_id uuid, environment text, place bigint, is_end_wanted boolean`,
      )} as k
      join event_feeds f on f.merchant_id = k.merchant_id and f.environment = k.environment
      left join lateral (
           select e.seq, e.type, e.transaction_id, e.subject_id
             from events e
            where e.merchant_id = f.merchant_id and e.environment = f.environment
              and e.seq > greatest(coalesce(k.place, f.last_seq), f.last_seq - ${limit}::bigint)
              and f.last_seq > k.place
            order by e.seq
            limit ${limit}) as e on true
     where k.is_end_wanted or f.last_seq > k.place`,
  )
  return newsOf(rows)
}

function newsOf(rows: readonly Row[]): News[] {
  const found = new Map<string, FeedKey & { last_seq: bigint; events: Placed[] }>()
  for (const { merchant_id, environment, last_seq, seq, type, ...about } of rows) {
    const name = `${merchant_id} ${environment}`
    const news = found.get(name) ?? { merchant_id, environment, last_seq, events: [] }
    if (seq !== null && type !== null) news.events.push({ seq, type, ...about })
    found.set(name, news)
  }
  return [...found.values()]
}
