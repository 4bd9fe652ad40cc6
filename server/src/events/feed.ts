// The feed of events, as other folders use it: what waits for a number, and what has one. The feed
// is exact: a number is visible only when every smaller one is.

import type { Db, Sql } from '../platform/db.ts'
import type { EventType, FeedKey, NumberedEvent } from './event.ts'
import { findPlaceSince, insertFeed, listEventsAfter, listFeedsWithNews } from './store.ts'

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

/**
 * Where to begin, so that every event since that moment (in UTC, as text) lies behind it, and where
 * the feed ends now. Some that lie behind it may be older: commits are not in the order of clocks.
 */
export function placeSince(
  sql: Sql,
  feed: FeedKey,
  since: string,
): Promise<{ done_seq: bigint; last_seq: bigint }> {
  return findPlaceSince(sql, feed, since)
}
