// Due work of this folder: approved settlements that no gateway could take yet.

import type { PaymentDeps } from '../planning/facts.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { startApproved } from './start-approved.ts'

export const settlementJobs = (deps: PaymentDeps): Job[] => [
  {
    name: 'start-approved-settlements',
    poll_ms: 5_000,
    async run() {
      await startApproved(deps)
      return 'rest'
    },
  },
]
