// Due work of this folder: transfers that were not approved in time.

import type { Job } from '../platform/jobs/worker.ts'
import type { DecideDeps } from './decide-transfer.ts'
import { lapseTransfers } from './lapse-transfers.ts'

const batchMax = 100

export const walletJobs = (deps: DecideDeps): Job[] => [
  {
    name: 'lapse-transfers',
    poll_ms: 2_000,
    async run() {
      return (await lapseTransfers(deps, batchMax)) === batchMax ? 'more' : 'rest'
    },
  },
]
