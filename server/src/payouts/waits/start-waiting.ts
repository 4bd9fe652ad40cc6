// Due work: payouts that wait for an operator's float are sent when there is one again. The attempt
// is written by the statement that ends the wait, so of several workers one sends.

import { insertAttempts } from '../../attempts/statements.ts'
import { factsFor, type PaymentDeps } from '../../payments/initialize-softpay.ts'
import { again } from '../../platform/db.ts'
import { idsOf, joined } from '../../platform/sql.ts'
import { firstAttempt } from '../../transactions/first-attempt.ts'
import { waitingUnsent } from '../../transactions/statements.ts'
import { findTransaction } from '../../transactions/transaction-record.ts'
import { planAgain, sendable } from '../plan-payout.ts'
import { sendLater } from '../send-later.ts'
import { endWait } from './statements.ts'
import { claimDueWaits, type DueWait } from './store.ts'

const batch = 20

/** How many were looked at. What a suspended merchant asked for goes on: its money is held. */
export async function startWaiting(deps: PaymentDeps): Promise<number> {
  const due = await claimDueWaits(deps.db, batch)
  await Promise.all(due.map((wait) => start(deps, wait)))
  return due.length
}

async function start(deps: PaymentDeps, wait: DueWait): Promise<void> {
  const { merchant_id, transaction_id: id, catalogue_version } = wait
  const transaction = await findTransaction(deps.db, { merchant_id, id })
  if (transaction === undefined) return
  const facts = await factsFor(deps, { merchant_id, catalogue_version })
  const [first, ...others] = sendable(planAgain(facts, transaction))
  if (first === undefined) return
  const attempt = firstAttempt(deps, transaction, first)
  const since_ms = deps.clock()
  const parts = [
    endWait(deps.db, wait),
    waitingUnsent(deps.db, transaction, 'wait_ended'),
    insertAttempts(deps.db, [attempt], 'waiting_unsent'),
  ]
  const sent = await again(() => joined(deps.db, parts, idsOf(deps.db, 'attempt_made')))
  if (sent.length === 0) return
  const plans = [first, ...others]
  await sendLater(deps, transaction, { plans, since_ms, triggered_by: 'SYSTEM', request_id: '' })
}
