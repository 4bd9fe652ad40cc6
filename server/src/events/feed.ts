// The feed of events, for other folders: what waits for a number, and what has one. The feed is
// exact: a number is visible only when every smaller one is.

import type { Db, Sql } from '../platform/db.ts'
import type { FeedKey, NumberedEvent } from './event.ts'
import {
  findLastPlace,
  findPlaceSince,
  insertFeed,
  listEventsFrom,
  listFeedsWithNews,
  type Places,
  type Stretch,
} from './store.ts'

/** Feeds that have events without a number, of any merchant. */
export function feedsWithNews(db: Db, limit: number): Promise<FeedKey[]> {
  return listFeedsWithNews(db, limit)
}

/** Makes a feed numberable; safe to repeat. */
export function openFeed(db: Db, feed: FeedKey): Promise<void> {
  return insertFeed(db, feed)
}

/** The events of a stretch of a feed, oldest first unless it is read backwards. */
export function readFeed(db: Db, feed: FeedKey, stretch: Stretch): Promise<NumberedEvent[]> {
  return listEventsFrom(db, feed, stretch)
}

/** The end of a feed: no event will be inserted before this place any more. */
export function lastPlace(db: Db, feed: FeedKey): Promise<bigint> {
  return findLastPlace(db, feed)
}

/**
 * Where to begin, so that every event since that moment (in UTC, as text) comes after it, and where
 * the feed ends now. Some events after it may be older: commits are not in the order of clocks.
 */
export function placeSince(sql: Sql, feed: FeedKey, since: string): Promise<Places> {
  return findPlaceSince(sql, feed, since)
}
