// Jobs that simply run every so often.

import type { Db } from '../platform/db.ts'
import { takeLease } from '../platform/jobs/leases.ts'
import type { Job, JobContext } from '../platform/jobs/worker.ts'
import { countOutgrownTables } from './store.ts'

export function periodic(name: string, every_ms: number, run: () => Promise<unknown>): Job {
  return {
    name,
    poll_ms: every_ms,
    async run() {
      await run()
      return 'rest'
    },
  }
}

type Portions = Readonly<{
  every_ms: number
  /** How many are one portion. */
  portion: number
  /** Answers how many there were. None is there again a moment later, whatever came of it. */
  run: (context: JobContext) => Promise<number>
}>

/** One that takes due work in portions: where one was full, the next follows at once. */
export const inPortions = (name: string, { every_ms, portion, run }: Portions): Job => ({
  name,
  poll_ms: every_ms,
  run: async (context) => ((await run(context)) < portion ? 'rest' : 'more'),
})

// A young table doubles in seconds, and a plan made when it was empty may read far too much of it:
// any index looks as good as the right one then. PostgreSQL plans anew only after an analyze, so
// until a table is large it is analyzed each time it has grown by half. Each one makes every
// connection plan anew, so this is done rarely.

const name = 'fresh-statistics'
const every_ms = 10_000
const lease_s = 30

export function freshStatistics({ quick }: { quick: Db }): Job {
  return {
    name,
    poll_ms: every_ms,
    async run() {
      if ((await takeLease(quick, name, lease_s)) !== undefined) await countOutgrownTables(quick)
      return 'rest'
    },
  }
}
