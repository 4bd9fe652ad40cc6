// Cancels a payout, for its merchant or for staff. One that no operator has received waits for a
// person or for a float, so the transaction that fails it can release its hold; approving, sending
// or lapsing it at the same moment needs the same row's lock: one of them wins. One that is in an
// operator's own queue is asked back, and ends only by that operator's answer.

import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { findAttempt, listAttemptsOf, noteAskedBack } from '../attempts/attempt-statements.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { queryAttempt } from '../attempts/query-attempt.ts'
import { type Actor, actorOf, actorOfPerson, maskedText } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { cancelsQueued } from '../gateways/gateway.ts'
import { hasUndecided } from '../incidents/sent-again-statements.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Sql, Tx } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller, Person } from '../platform/http/route.ts'
import { runPart } from '../platform/sql.ts'
import { failUnsent, type UnsentEnd } from '../transactions/fail-unsent.ts'
import { transactionAsDecided } from '../transactions/statements.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { nameOfPayer } from '../transactions/view.ts'
import { endWait } from '../transactions/wait-statements.ts'
import { decideApproval } from './approval-statements.ts'
import { payoutErrors } from './errors.ts'

type Deps = PaymentDeps

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
  await cancel(deps, transaction, end, by)
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
  const after = { reason: maskedText(reason, nameOfPayer(transaction)) }
  const by = { actor: actorOfPerson(person), member_id: null, after }
  await cancel(deps, transaction, end, by)
  deps.wake()
}

type By = Readonly<{ actor: Actor; member_id: string | null; after: Record<string, string> }>

async function cancel(deps: Deps, transaction: Transaction, end: UnsentEnd, by: By): Promise<void> {
  if (!(await cancelUnsent(deps, transaction, end, by))) await takeBack(deps, transaction, end, by)
}

/** False where it does not wait, for a person or to be sent. */
const cancelUnsent = (
  { db }: Deps,
  transaction: Transaction,
  end: UnsentEnd,
  by: By,
): Promise<boolean> =>
  transactInTurn(db, transaction, async (tx) => {
    // An approval given meanwhile may leave a wait behind, so the wait is checked second.
    const cancelled =
      (await endApproval(tx, transaction, end, by)) || (await endWaiting(tx, transaction, end))
    if (cancelled) await recordCancelled(tx, transaction, by)
    return cancelled
  })

const recordCancelled = (
  sql: Sql,
  { merchant_id, environment, id }: Transaction,
  by: By,
): Promise<void> =>
  recordAct(sql, {
    ...{ merchant_id, environment, actor: by.actor, action: 'payout.cancelled' },
    ...{ target_kind: 'transaction', target_id: id, after: by.after },
  })

const lookEveryMs = 250
const waitMaxMs = 5_000

/**
 * The request is kept; then the operator is asked to give it back, and queried for what has become
 * of it. Until it answers that it is refused, the payout stays as it is, with its hold. A question
 * under way is waited for. Whoever dies from here on leaves the request to the poller.
 */
async function takeBack(
  deps: Deps,
  transaction: Transaction,
  end: UnsentEnd,
  by: By,
): Promise<void> {
  const { triggered_by, request_id } = end
  const request = { triggered_by, request_id, take_back: true } as const
  const until = deps.clock() + waitMaxMs
  const queued = await requireQueued(deps, transaction)
  await keepRequest(deps, transaction, { queued, by })
  while ((await queryAttempt(deps, queued, request)) === 'busy') {
    if (deps.clock() >= until) return
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    if (await hasFailed(deps, queued)) return
  }
  // It went on, or was paid: the operator has had its say.
  if (!(await hasFailed(deps, queued))) await requireQueued(deps, transaction)
}

type AskedBack = Readonly<{ queued: Attempt; by: By }>

const keepRequest = (
  { db }: Deps,
  transaction: Transaction,
  { queued, by }: AskedBack,
): Promise<void> =>
  transactInTurn(db, transaction, async (tx) => {
    if (!(await noteAskedBack(tx, queued))) throw refuse(payoutErrors.not_cancellable)
    const after = { ...by.after, asked_of: queued.gateway_code }
    await recordCancelled(tx, transaction, { ...by, after })
  })

const hasFailed = async ({ db }: Deps, queued: Attempt): Promise<boolean> =>
  (await findAttempt(db, queued))?.status === 'FAILED'

/** The attempt that an operator keeps in its queue, where that operator gives any back. */
async function requireQueued(
  { db, gateways }: Deps,
  { merchant_id, id }: Transaction,
): Promise<Attempt> {
  const attempts = await listAttemptsOf(db, merchant_id, id)
  const queued = attempts.find(({ is_queued, status, gateway_code }) => {
    const gateway = gateways.get(gateway_code)
    return is_queued && isOpen(status) && gateway !== undefined && cancelsQueued(gateway)
  })
  if (queued === undefined) throw refuse(payoutErrors.not_cancellable)
  return queued
}

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
  if (!(await decideApproval(tx, decided))) return false
  await failOrKeep(tx, transaction, end)
  return true
}

async function endWaiting(tx: Tx, transaction: Transaction, end: UnsentEnd): Promise<boolean> {
  const { merchant_id, id: transaction_id } = transaction
  if ((await runPart(tx, transactionAsDecided(tx, transaction))) === 0) return false
  // An operator that had refused it may have paid it after all: it, or people, say so first.
  if (await hasUndecided(tx, { merchant_id, by: 'transaction_id', id: transaction_id }))
    return false
  if ((await runPart(tx, endWait(tx, { merchant_id, transaction_id }))) === 0) return false
  await failOrKeep(tx, transaction, end)
  return true
}

/**
 * One that has changed since it was read keeps its approval or its wait, by which it ends: refused
 * here, all that this transaction did is taken back.
 */
async function failOrKeep(tx: Tx, transaction: Transaction, end: UnsentEnd): Promise<void> {
  if (!(await failUnsent(tx, transaction, end))) throw refuse(payoutErrors.not_cancellable)
}
