// Cancels a payout that no operator has received, for its merchant or for staff. It waits for a
// person or for a float, so the transaction that fails it can release its hold. Approving, sending
// or lapsing it at the same moment needs the same row's lock: one of them wins.

import { hasNews } from '../attempts/attempt-statements.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { type Actor, actorOf, actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller, Person } from '../platform/http/route.ts'
import { runPart } from '../platform/sql.ts'
import { failUnsent, type UnsentEnd } from '../transactions/fail-unsent.ts'
import { transactionAsDecided } from '../transactions/statements.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { endWait } from '../transactions/wait-statements.ts'
import { decideApproval } from './approval-statements.ts'
import { payoutErrors } from './errors.ts'

type Deps = Pick<PaymentDeps, 'db' | 'wake'>

export async function cancelPayout(
  deps: Deps,
  caller: Caller,
  transaction: Transaction,
): Promise<void> {
  const end = {
    failure_code: 'CANCELLED_BY_MERCHANT',
    reason: 'its merchant took it back',
    triggered_by: triggerOf(caller),
    request_id: caller.request_id,
  } as const
  const by = { actor: actorOf(caller), member_id: caller.member_id, after: {} }
  await cancel(deps.db, transaction, end, by)
  deps.wake()
}

export async function cancelPayoutByStaff(
  deps: Deps,
  person: Person,
  transaction: Transaction,
  reason: string,
): Promise<void> {
  const end = {
    failure_code: 'CANCELLED_BY_STAFF',
    reason: 'staff took it back',
    triggered_by: 'ADMIN',
    request_id: person.request_id,
  } as const
  const by = { actor: actorOfPerson(person), member_id: null, after: { reason } }
  await cancel(deps.db, transaction, end, by)
  deps.wake()
}

type By = Readonly<{ actor: Actor; member_id: string | null; after: Record<string, string> }>

const cancel = (db: Db, transaction: Transaction, end: UnsentEnd, by: By): Promise<void> =>
  inTransaction(db, async (tx) => {
    // An approval given meanwhile may leave a wait behind, so the wait is checked second.
    const cancelled =
      (await endApproval(tx, transaction, end, by)) || (await endWaiting(tx, transaction, end))
    if (!cancelled) throw refuse(payoutErrors.not_cancellable)
    await recordAct(tx, {
      merchant_id: transaction.merchant_id,
      environment: transaction.environment,
      actor: by.actor,
      action: 'payout.cancelled',
      target_kind: 'transaction',
      target_id: transaction.id,
      after: by.after,
    })
  })

async function endApproval(
  tx: Tx,
  transaction: Transaction,
  end: UnsentEnd,
  by: By,
): Promise<boolean> {
  const { merchant_id, id: transaction_id } = transaction
  const decided = {
    merchant_id,
    transaction_id,
    status: 'CANCELLED',
    decided_by: by.member_id,
    reason: by.after['reason'] ?? '',
  } as const
  return (await decideApproval(tx, decided)) && failUnsent(tx, transaction, end)
}

async function endWaiting(tx: Tx, transaction: Transaction, end: UnsentEnd): Promise<boolean> {
  const { merchant_id, id: transaction_id } = transaction
  if ((await runPart(tx, transactionAsDecided(tx, transaction))) === 0) return false
  // An operator that had refused it may have paid it after all: it is asked first.
  if (await hasNews(tx, { merchant_id, transaction_id })) return false
  if ((await runPart(tx, endWait(tx, { merchant_id, transaction_id }))) === 0) return false
  return failUnsent(tx, transaction, end)
}
