// `queue-replays`: gives each replay under way its next portion, and ends those that are done. Few
// at a time, since each one at work takes a place among the queues.

import { type Db, retryOnDeadlock } from '../../platform/db.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { listOpenReplays, queuePortion } from './store.ts'

export type QueueDeps = Readonly<{ db: Db; wake: (name: string) => void }>

const replays_at_once = 20

export function queueReplays({ db, wake }: QueueDeps): Job {
  return {
    name: 'queue-replays',
    poll_ms: 1_000,
    async run({ signal }) {
      let queued = 0
      for (const replay of await listOpenReplays(db, replays_at_once)) {
        if (signal.aborted) return 'rest'
        queued += await retryOnDeadlock(() => queuePortion(db, replay))
      }
      if (queued > 0) wake('deliver-webhooks')
      return 'rest'
    },
  }
}
