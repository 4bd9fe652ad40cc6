// `index-transactions`: makes the search rows of ended transactions, from the numbered events, in
// portions. Until then a search looks at those transactions themselves, so nothing waits for this.
// Several workers may do it at once: each skips a feed that another has locked.

import { type Db, retryOnDeadlock, type Tx } from '../../platform/db.ts'
import { rareLooks } from '../../platform/jobs/rare-looks.ts'
import { Troubles } from '../../platform/jobs/troubles.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { indexEvents, indexThese, insertMark, listFeedsBehind } from './index-store.ts'

/** Commits need not be durable: a lost mark is lost with its rows, and both are made again. */
type Deps = Readonly<{ quick: Db }>

const feeds_at_once = 200
const events_at_once = 1_000
/** Rare enough for a portion to hold both events of a payment, so that its row is written once. */
const every_ms = 3_000

export function indexTransactions({ quick }: Deps): Job {
  const looks = rareLooks()
  const troubles = new Troubles()
  return {
    name: 'index-transactions',
    poll_ms: every_ms,
    async run({ signal, onFault }) {
      const feeds = await looks.look(() => listFeedsBehind(quick, feeds_at_once))
      let full = false
      let failed = 0
      for (const feed of feeds) {
        if (signal.aborted) return 'rest'
        const name = `${feed.merchant_id} ${feed.environment}`
        const index = async () => {
          await insertMark(quick, feed)
          const read = await retryOnDeadlock(() => indexEvents(quick, feed, events_at_once))
          full ||= read === events_at_once
        }
        if (troubles.isResting(name) || !(await troubles.spare(name, index, onFault))) failed += 1
      }
      return full || feeds.length - failed === feeds_at_once ? 'more' : 'rest'
    },
  }
}

/** For history that was made up without events. */
export const indexMadeUp = (tx: Tx, merchant_id: string, ids: readonly string[]): Promise<void> =>
  indexThese(tx, merchant_id, ids)
