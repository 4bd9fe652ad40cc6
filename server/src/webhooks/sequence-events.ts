// `sequence-events`: gives each committed event its number and makes its deliveries, in one
// statement a portion, so that a crash leaves either both or none. Several workers may do it at
// once: a feed that one of them holds is left out by the others.

import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedKey } from '../events/event.ts'
import { feedsWithNews, openFeed } from '../events/feed.ts'
import { again, type Db } from '../platform/db.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { sequenceFeed } from './store.ts'

export type SequenceDeps = Readonly<{
  db: Db
  /** Rings a job of this process, and of others where there are any. */
  wake: (name: string) => void
}>

const events_at_once = 500
const feeds_at_once = 500
/** Then other feeds have their turn. */
const portions_max = 10
const feeds_in_parallel = 4

export function sequenceEvents({ db, wake }: SequenceDeps): Job {
  return {
    name: 'sequence-events',
    async run({ signal }) {
      const feeds = await feedsWithNews(db, feeds_at_once)
      let numbered = 0
      const left = feeds.values()
      const takeTurns = async () => {
        for (const feed of left) {
          if (signal.aborted) return
          const { events, deliveries } = await sequenceOne(db, feed)
          numbered += events
          if (deliveries > 0) wake('deliver-webhooks')
        }
      }
      await Promise.all(Array.from({ length: feeds_in_parallel }, takeTurns))
      // Nothing numbered though there was news: a rival is at it.
      if (numbered === 0) return 'rest'
      await breathe(signal)
      return 'more'
    },
  }
}

/** What comes meanwhile is numbered and delivered together, for a fraction of the statements. */
const breath_ms = 15

async function breathe(signal: AbortSignal): Promise<void> {
  await sleep(breath_ms, undefined, { signal }).catch(() => undefined)
}

/** Up to ten portions of one feed; ends early when nothing is left or another worker holds it. */
async function sequenceOne(db: Db, feed: FeedKey): Promise<{ events: number; deliveries: number }> {
  const total = { events: 0, deliveries: 0 }
  for (let portion = 0; portion < portions_max; portion += 1) {
    let done = await again(() => sequenceFeed(db, feed, events_at_once))
    if (!done.has_feed) {
      await openFeed(db, feed)
      done = await again(() => sequenceFeed(db, feed, events_at_once))
    }
    total.events += done.events
    total.deliveries += done.deliveries
    if (done.events < events_at_once) break
  }
  return total
}
