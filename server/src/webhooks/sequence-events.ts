// `sequence-events`: makes the deliveries of each numbered event, up to a mark that the same
// statement moves, so that a crash leaves either both or none. The events of a payment have their
// number from the statement that made them; those recorded in a transaction of several steps get
// theirs here. Feeds that have news at the same moment are batched (docs/decisions/0011). Several
// workers may do it at once: each skips a feed that another has locked. Which feeds have news is
// known from wake-ups; what they miss a look over all feeds finds (docs/decisions/0085).

import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedKey } from '../events/event.ts'
import { feedsWithNews, openFeed, readSubject } from '../events/feed.ts'
import { type BatchOptions, batchCalls, batchPool, perPool } from '../platform/batch-calls.ts'
import { type Db, isLockTimeout, retryOnDeadlock } from '../platform/db.ts'
import { type RareLooks, rareLooks } from '../platform/jobs/rare-looks.ts'
import { Troubles } from '../platform/jobs/troubles.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { homeOf } from '../platform/places/places.ts'
import {
  type Delivered,
  deliverFeeds,
  insertMark,
  listFeedsBehind,
  type Numbered,
  numberFeeds,
} from './sequence-store.ts'

export type SequenceDeps = Readonly<{
  db: Db
  /** Wakes a job of this process, and of the others. */
  wake: (name: string) => void
  /** When all feeds are looked at. */
  looks?: RareLooks
}>

/** How many events of one feed go in one statement. */
const events_at_once = 100
const feeds_at_once = 500
/** After so many portions, other feeds have their turn. */
const portions_max = 50
const feeds_in_parallel = 65

export function sequenceEvents({ db, wake, looks = rareLooks() }: SequenceDeps): Job {
  const pool = batchPool(db, 'LIVE')
  // Feeds of one shard group go together.
  const numberBatch = perPool((on) =>
    batchCalls(byFeed((feeds) => numberFeeds(on, feeds, events_at_once))),
  )
  const deliverBatch = perPool((on) =>
    batchCalls(byFeed((feeds) => deliverFeeds(on, feeds, events_at_once))),
  )
  const number: Step<Numbered> = {
    open: (feed) => openFeed(db, feed),
    next: (feed) => numberBatch(homeOf(pool, feed.merchant_id))(feed),
  }
  const deliver: Step<Delivered> = {
    open: (feed) => insertMark(db, feed),
    next: (feed) => deliverBatch(homeOf(pool, feed.merchant_id))(feed),
  }
  const behind = new FeedsBehind()
  const troubles = new Troubles()
  const isReady = (feed: FeedKey) => !troubles.isResting(nameOf(feed))
  return {
    name: 'sequence-events',
    async run({ signal, subjects = [], onFault }) {
      let done = 0
      const each = async (feeds: readonly FeedKey[], work: (feed: FeedKey) => Promise<void>) => {
        const spared = (feed: FeedKey) => troubles.spare(nameOf(feed), () => work(feed), onFault)
        await inParallel(feeds.filter(isReady), signal, spared)
      }
      for (const subject of subjects) behind.add(readSubject(subject))
      await each(await feedsWithNews(db, feeds_at_once), async (feed) => {
        behind.add(feed)
        done += await takeAll(feed, number, () => undefined)
      })
      for (const feed of await looks.look(() => listFeedsBehind(db, feeds_at_once))) {
        behind.add(feed)
      }
      await each(behind.take(feeds_at_once, isReady), async (feed) => {
        // Until it is known to be done, it is not: a rival may have it, or a row be locked.
        behind.add(feed)
        const events = await takeAll(feed, deliver, ({ deliveries, is_rivals, events }) => {
          if (deliveries > 0) wake('deliver-webhooks')
          if (!is_rivals && events < events_at_once) behind.delete(feed)
        })
        done += events
      })
      // Nothing was done though there was news: a rival is at work.
      if (done === 0) return 'rest'
      await pause(signal)
      return 'more'
    },
  }
}

/** Feeds whose deliveries are perhaps not all made, as far as this process knows. */
class FeedsBehind {
  readonly #feeds = new Map<string, FeedKey>()

  add(feed: FeedKey | undefined) {
    if (feed !== undefined) this.#feeds.set(nameOf(feed), feed)
  }

  delete(feed: FeedKey) {
    this.#feeds.delete(nameOf(feed))
  }

  /** Of those that are ready the first to come, so many at most. */
  take(most: number, isReady: (feed: FeedKey) => boolean): FeedKey[] {
    const taken = [...this.#feeds.values()].filter(isReady).slice(0, most)
    for (const feed of taken) this.delete(feed)
    return taken
  }
}

/** What is done to a feed portion by portion; `next` answers nothing as long as it is not open. */
type Step<Done extends Numbered> = Readonly<{
  open: (feed: FeedKey) => Promise<void>
  next: (feed: FeedKey) => Promise<Done | undefined>
}>

const nameOf = ({ merchant_id, environment }: FeedKey): string => `${merchant_id} ${environment}`

function byFeed<Done extends FeedKey>(
  run: (feeds: readonly FeedKey[]) => Promise<Done[]>,
): BatchOptions<FeedKey, Done | undefined> {
  return {
    run: async (feeds) => {
      // A queue that is locked is waited for briefly, as a payment's rows are.
      const done = await retryOnDeadlock(() => run(feeds))
      const found = new Map(done.map((one) => [nameOf(one), one]))
      return feeds.map((feed) => found.get(nameOf(feed)))
    },
    // Twice in one statement, a feed would be numbered twice.
    names: (feed) => [nameOf(feed)],
    owner: nameOf,
    // It is tried again by the next run: a run ends with its slowest feed, and others wait for it.
    alone_tries: 1,
  }
}

async function inParallel(
  feeds: readonly FeedKey[],
  signal: AbortSignal,
  work: (feed: FeedKey) => Promise<unknown>,
): Promise<void> {
  const left = feeds.values()
  const takeTurns = async () => {
    for (const feed of left) {
      if (signal.aborted) return
      await work(feed).catch(unlessLocked)
    }
  }
  await Promise.all(Array.from({ length: feeds_in_parallel }, takeTurns))
}

/** A queue that somebody has locked is left to the next run; any other error is the run's. */
function unlessLocked(error: unknown): void {
  if (!isLockTimeout(error)) throw error
}

/** What comes meanwhile is numbered and delivered together, for a fraction of the statements. */
const pause_ms = 30

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(pause_ms, undefined, { signal }).catch(() => undefined)
}

/** Portions of one feed, how many events in all; ends early at its end, or when a rival has it. */
async function takeAll<Done extends Numbered>(
  feed: FeedKey,
  { open, next }: Step<Done>,
  after: (done: Done) => void,
): Promise<number> {
  let events = 0
  for (let portion = 0; portion < portions_max; portion += 1) {
    let done = await next(feed)
    if (done === undefined) {
      await open(feed)
      done = await next(feed)
    }
    if (done === undefined) break
    after(done)
    events += done.events
    if (done.events < events_at_once) break
  }
  return events
}
