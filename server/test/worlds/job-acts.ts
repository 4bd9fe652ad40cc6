// Due work as a worker does it, of this world alone: what lapses, what waits for a float, what was
// approved and could not go, sessions whose time is over.

import { expireSessions } from '../../src/checkout/end-session.ts'
import { lapseApprovals } from '../../src/payouts/decide-payout.ts'
import { sendReversals } from '../../src/payouts/reversals/send-reversals.ts'
import { startWaiting } from '../../src/payouts/start-waiting.ts'
import { lapseRefunds } from '../../src/refunds/decide-refund.ts'
import { sendRefundsAgain } from '../../src/refunds/send-again.ts'
import { startApproved } from '../../src/settlements/jobs.ts'
import { sendSettlementsAgain } from '../../src/settlements/send-again.ts'
import { lapseTransfers } from '../../src/wallets/jobs.ts'
import { type Hands, handsOf, type Scene } from './scene.ts'
import { start } from './start-line.ts'
import { assertOwn, type DueList } from './stepping-db.ts'
import type { Crash } from './world.ts'

const batchMax = 100

type Job = Readonly<{ list: DueList; run: (deps: Hands['deps']) => Promise<unknown> }>

const jobs = {
  lapse: { list: 'approvals that lapse', run: lapseApprovals },
  send_refunds_again: { list: 'refunds sent again', run: sendRefundsAgain },
  send_settlements_again: { list: 'settlements sent again', run: sendSettlementsAgain },
  lapse_refunds: { list: 'refunds that lapse', run: lapseRefunds },
  start_waiting: { list: 'payouts that wait', run: startWaiting },
  take_back: { list: 'payouts asked back', run: sendReversals },
  start_approved: { list: 'settlements unsent', run: startApproved },
  lapse_transfers: {
    list: 'transfers that lapse',
    run: (deps) => lapseTransfers(deps, batchMax),
  },
  expire_sessions: {
    list: 'sessions that expire',
    run: (deps) => expireSessions(deps, batchMax),
  },
} satisfies Record<string, Job>

export type JobName = keyof typeof jobs
export const jobNames = Object.keys(jobs) as JobName[]

export function runJob(scene: Scene, name: JobName, crash: Crash | null): void {
  const job: Job = jobs[name]
  start(scene, {
    what: name,
    crash,
    work: async (line) => {
      await job.run(handsOf(scene, line).deps)
      assertOwn(job.list)
      if (name === 'take_back') assertOwn('returns looked for')
    },
  })
}
