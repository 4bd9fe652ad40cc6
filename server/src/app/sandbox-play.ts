// What testers can make the sandbox operator do, for the list that they are shown. Law: it is read
// from the operator's own scripts, and its reasons as its answers are, so that it cannot differ.

import { playedOutcomes } from '../../../simulator/src/outcomes.ts'
import { right_otp } from '../../../simulator/src/place-order.ts'
import { failureFor } from '../gateways/simulator/read-answer.ts'
import type { SandboxPlay } from '../sandbox/outcome-routes.ts'

const kindOf = { COLLECTION: 'PAYIN', PAYOUT: 'PAYOUT', REFUND: 'REFUND' } as const

/** What it plays, in our words: its reasons are read as its answers are. */
export const sandboxPlay = (): SandboxPlay => ({
  right_otp,
  outcomes: playedOutcomes().map(({ kind, ending, steps, text }) => ({
    kind: kindOf[kind],
    ending,
    steps: steps.map(({ status, reason = '' }) =>
      status === 'SUCCESSFUL'
        ? { is: 'SUCCESS' }
        : { is: 'FAILED', failure_code: failureFor(reason) },
    ),
    text,
  })),
})
