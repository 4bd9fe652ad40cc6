// Due work of this folder: sessions whose time is over. Any number of workers may do it at once:
// each end is a statement from the version that was decided from.

import type { Job } from '../platform/jobs/worker.ts'
import { type EndDeps, expireSessions } from './end-session.ts'

const batchMax = 100

export const checkoutJobs = (deps: EndDeps): Job[] => [
  {
    name: 'expire-sessions',
    poll_ms: 1_000,
    async run() {
      return (await expireSessions(deps, batchMax)) === batchMax ? 'more' : 'rest'
    },
  },
]
