// Reads a feed as a follower does: page by page, oldest first, and from its end on at each later
// call. Nothing is missed: numbers are given in the order of commits, without a gap.

import type { Db } from '../platform/db.ts'
import type { EventType, FeedKey, NumberedEvent } from './event.ts'
import { lastPlace, placeSince, readFeed } from './feed.ts'

export type FeedQuery = Readonly<{
  /** In UTC with microseconds, as text. */
  since: string | undefined
  type: EventType | undefined
  /** From a link; undefined: from `since`, else from the first event that is still kept. */
  from: Readonly<{ place: bigint; backwards: boolean }> | undefined
  page_size: number
}>

export type FeedPage = Readonly<{
  /** One more than the page shows, where there are more. */
  rows: readonly NumberedEvent[]
  /** Where to continue: behind the page, or at the end of what there is. */
  follow: bigint
}>

export async function followFeed(
  db: Db,
  feed: FeedKey,
  { since, type, from, page_size }: FeedQuery,
): Promise<FeedPage> {
  // Before the page is read: what is numbered in between comes after it and is found next time.
  const end = await lastPlace(db, feed)
  const place = from?.place ?? (await firstPlace(db, feed, since))
  const backwards = from?.backwards ?? false
  const stretch = { place, backwards, limit: page_size + 1, type, since }
  const rows = await readFeed(db, feed, stretch)
  const shown = rows.slice(0, page_size).map(({ seq }) => seq)
  const last = shown.at(backwards ? 0 : -1) ?? place
  const isWhole = !backwards && rows.length <= page_size
  return { rows, follow: isWhole && end > last ? end : last }
}

async function firstPlace(db: Db, feed: FeedKey, since: string | undefined): Promise<bigint> {
  if (since === undefined) return 0n
  return (await placeSince(db, feed, since)).done_seq
}
