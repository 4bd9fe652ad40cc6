// The feed of events, as other folders use it: what waits for a number, and what has one. The feed
// is exact: a number is visible only when every smaller one is.

import type { Db } from '../platform/db.ts'
import type { EventType, FeedKey, NumberedEvent } from './event.ts'
import { insertFeed, listEventsAfter, listFeedsWithNews } from './store.ts'

/** Feeds that hold events without a number, of any merchant. */
export function feedsWithNews(db: Db, limit: number): Promise<FeedKey[]> {
  return listFeedsWithNews(db, limit)
}

/** Makes a feed numberable; safe to repeat. */
export function openFeed(db: Db, feed: FeedKey): Promise<void> {
  return insertFeed(db, feed)
}

/** The events after `after_seq` (0n: from the first that is still kept), oldest first. */
export function readFeed(
  db: Db,
  feed: FeedKey,
  page: Readonly<{ after_seq: bigint; limit: number; type?: EventType }>,
): Promise<NumberedEvent[]> {
  return listEventsAfter(db, feed, page)
}
