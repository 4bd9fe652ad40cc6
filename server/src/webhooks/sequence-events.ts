// `sequence-events`: gives each committed event its number and makes its deliveries, in one
// statement, so that a crash leaves either both or none. Feeds that have news at the same moment
// are batched (docs/decisions/0011). Several workers may do it at once: each skips a feed that
// another has locked.

import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedKey } from '../events/event.ts'
import { feedsWithNews, openFeed } from '../events/feed.ts'
import { batchCalls, batchPool } from '../platform/batch-calls.ts'
import { type Db, isLockTimeout, retryOnDeadlock } from '../platform/db.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { type Sequenced, sequenceFeeds } from './store.ts'

export type SequenceDeps = Readonly<{
  db: Db
  /** Wakes a job of this process, and of the others. */
  wake: (name: string) => void
}>

/** How many events of one feed go in one statement. */
const events_at_once = 100
const feeds_at_once = 500
/** After so many portions, other feeds have their turn. */
const portions_max = 50
const feeds_in_parallel = 65

export function sequenceEvents({ db, wake }: SequenceDeps): Job {
  const sequence = batchCalls<FeedKey, Sequenced | undefined>({
    run: async (feeds) => {
      // A queue that is locked is waited for briefly, as a payment's rows are.
      const pool = batchPool(db, 'LIVE')
      const done = await retryOnDeadlock(() => sequenceFeeds(pool, feeds, events_at_once))
      const found = new Map(done.map((one) => [nameOf(one), one]))
      return feeds.map((feed) => found.get(nameOf(feed)))
    },
    // Twice in one statement, a feed would be numbered twice.
    names: (feed) => [nameOf(feed)],
    owner: nameOf,
    // It is tried again by the next run: a run ends with its slowest feed, and others wait for it.
    alone_tries: 1,
  })
  return {
    name: 'sequence-events',
    async run({ signal }) {
      const feeds = await feedsWithNews(db, feeds_at_once)
      let numbered = 0
      const left = feeds.values()
      const takeTurns = async () => {
        for (const feed of left) {
          if (signal.aborted) return
          const { events, deliveries } = await sequenceOne(db, feed, sequence).catch(unlessHeld)
          numbered += events
          if (deliveries > 0) wake('deliver-webhooks')
        }
      }
      await Promise.all(Array.from({ length: feeds_in_parallel }, takeTurns))
      // Nothing was numbered though there was news: a rival is at work.
      if (numbered === 0) return 'rest'
      await pause(signal)
      return 'more'
    },
  }
}

/** A queue that somebody holds is left to the next run; any other error is the run's. */
function unlessHeld(error: unknown): { events: number; deliveries: number } {
  if (isLockTimeout(error)) return { events: 0, deliveries: 0 }
  throw error
}

/** What comes meanwhile is numbered and delivered together, for a fraction of the statements. */
const pause_ms = 30

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(pause_ms, undefined, { signal }).catch(() => undefined)
}

const nameOf = ({ merchant_id, environment }: FeedKey): string => `${merchant_id} ${environment}`

type Sequence = (feed: FeedKey) => Promise<Sequenced | undefined>

/** Portions of one feed; ends early when nothing is left or another worker has it. */
async function sequenceOne(
  db: Db,
  feed: FeedKey,
  sequence: Sequence,
): Promise<{ events: number; deliveries: number }> {
  const total = { events: 0, deliveries: 0 }
  for (let portion = 0; portion < portions_max; portion += 1) {
    let done = await sequence(feed)
    if (done === undefined) {
      await openFeed(db, feed)
      done = await sequence(feed)
    }
    if (done === undefined) break
    total.events += done.events
    total.deliveries += done.deliveries
    if (done.events < events_at_once) break
  }
  return total
}
