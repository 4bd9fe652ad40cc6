// The feed of events, for other folders: what waits for a number, and what has one. The feed is
// exact: a number is visible only when every smaller one is.

import type { Db, Sql } from '../platform/db.ts'
import { isUuid } from '../platform/ids.ts'
import { nameAbout } from '../platform/jobs/notify.ts'
import type { EventType, FeedKey, NumberedEvent } from './event.ts'
import {
  findLastPlace,
  findPlaceSince,
  findPlaceUntil,
  insertFeed,
  listEventsFrom,
  listFeedsWithNews,
  type Places,
  type Stretch,
} from './store.ts'

/** A feed in a wake-up: what the job is to look at. */
export const subjectOfFeed = ({ merchant_id, environment }: FeedKey): string =>
  `${merchant_id}/${environment}`

/** The name by which the sequencers are woken: about this feed, or about no certain one. */
export const sequencersOf = (feed?: FeedKey): string =>
  feed === undefined ? 'sequence-events' : nameAbout('sequence-events', subjectOfFeed(feed))

/** The feed that `subjectOfFeed` names; nothing for what is no name of one. */
export function readSubject(subject: string): FeedKey | undefined {
  const [merchant_id = '', environment] = subject.split('/')
  if (environment !== 'SANDBOX' && environment !== 'LIVE') return undefined
  return isUuid(merchant_id) ? { merchant_id, environment } : undefined
}

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
function lastPlace(db: Db, feed: FeedKey): Promise<bigint> {
  return findLastPlace(db, feed)
}

/**
 * Where to begin, so that every event since that moment (in UTC, as text) comes after it, and where
 * the feed ends now. Some events after it may be older: commits are not in the order of clocks.
 */
export function placeSince(sql: Sql, feed: FeedKey, since: string): Promise<Places> {
  return findPlaceSince(sql, feed, since)
}

/** Where to end, so that no event until that moment (in UTC, as text) comes after it. */
export function placeUntil(sql: Sql, feed: FeedKey, until: string): Promise<bigint> {
  return findPlaceUntil(sql, feed, until)
}

// Reads a feed as a follower does: page by page, oldest first, and from its end on at each later
// call. Nothing is missed: numbers are given in the order of commits, without a gap.

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
