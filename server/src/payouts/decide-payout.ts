// A large payout waits for a second person: it is not sent before, and its money is on hold from
// the start. When it is approved, the same transaction writes its first attempt; rejected, or not
// decided for 72 hours, it fails and the hold is released. Of several who decide, one succeeds.

import { insertAttempts } from '../attempts/statements.ts'
import type { AuditAction } from '../audit/actions.ts'
import { actorOf, maskedText, systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { shareIsFrozen } from '../ledger/store.ts'
import { memberBehind } from '../merchants/keys/get-key.ts'
import {
  hindranceOf,
  memberKeyOf,
  requireApprover,
  requireMemberStillMay,
} from '../merchants/members/member-rights.ts'
import { requireUnstopped } from '../merchants/merchant.ts'
import { waitToLoosen } from '../merchants/settings/cooling-off.ts'
import { nobodySends } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { planPromised } from '../planning/plan-promised.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert, Refusal, refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { runWhole } from '../platform/sql.ts'
import { firstAttempt } from '../transactions/begin-transaction.ts'
import { failUnsent } from '../transactions/fail-unsent.ts'
import { lockUnsent } from '../transactions/statements.ts'
import { findTransaction } from '../transactions/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { type ApprovalNow, nameOfPayer } from '../transactions/view.ts'
import { insertWait } from '../transactions/wait-statements.ts'
import {
  type Approval,
  decideApproval,
  findApproval,
  listLapsed,
  putLapseOff,
} from './approval-statements.ts'
import { payoutErrors } from './errors.ts'
import { sendLater } from './initiate-payout.ts'
import { sendable, waitedFor } from './plan-payout.ts'

export type ApproveDeps = PaymentDeps &
  Readonly<{
    /** The cooling-off of a merchant that has none of its own. Hours. */
    cooling_hours: number
  }>

/**
 * Approves it and sends it. Refuses the person who requested it, in LIVE whoever is too new, and a
 * frozen balance.
 */
export async function approvePayout(
  deps: ApproveDeps,
  caller: Caller,
  transaction: Transaction,
): Promise<void> {
  await requireMayDecide(deps, caller, transaction)
  const facts = await factsFor(deps, caller)
  const { plans: planned, passed_over } = planPromised(facts, transaction)
  if (planned.length === 0) throw refuse(nobodySends)
  const plans = sendable(planned)
  const [first] = plans
  const { merchant_id, environment, id: transaction_id } = transaction
  const own = { merchant_id, environment, transaction_id }
  const since_ms = deps.clock()
  await transactInTurn(deps.db, transaction, async (tx) => {
    const decision = { ...decisionOf(caller, transaction), status: 'APPROVED', reason: '' } as const
    const unsent = (await decideApproval(tx, decision)) && (await lockUnsent(tx, transaction))
    if (!unsent) throw refuse(payoutErrors.approval_not_required)
    const made =
      first === undefined
        ? insertWait(tx, { ...own, reason: waitedFor(planned), passed_over })
        : insertAttempts(tx, [firstAttempt(deps, transaction, first)], unsent)
    await runWhole(tx, made, 1)
    const place = { merchant_id, environment, country: transaction.country_code }
    if (await shareIsFrozen(tx, place)) throw refuse(payoutErrors.balance_frozen)
    // Its merchant may have been stopped, or they have lost the right, while it waited.
    await requireMemberStillMay(tx, caller, 'payouts')
    await requireUnstopped(tx, transaction)
    await recordDecision({ caller, transaction, action: 'payout.approved', tx })
  })
  if (first === undefined) return
  const { request_id } = caller
  await sendLater(deps, transaction, { plans, since_ms, triggered_by: 'DASHBOARD', request_id })
}

/** Any member with the right may reject it, including the one who requested it. */
export async function rejectPayout(
  deps: Pick<PaymentDeps, 'db' | 'wake'>,
  caller: Caller,
  transaction: Transaction,
  reason: string,
): Promise<void> {
  await transactInTurn(deps.db, transaction, async (tx) => {
    const decision = { ...decisionOf(caller, transaction), status: 'REJECTED' as const, reason }
    const end = {
      failure_code: 'REJECTED_BY_MERCHANT' as const,
      reason: 'the second person said no',
      triggered_by: 'DASHBOARD' as const,
      request_id: caller.request_id,
    }
    const done = (await decideApproval(tx, decision)) && (await failUnsent(tx, transaction, end))
    if (!done) throw refuse(payoutErrors.approval_not_required)
    await recordDecision({ caller, transaction, action: 'payout.rejected', tx, reason })
  })
  deps.wake()
}

/** One portion. */
export const lapsed_at_once = 50

/**
 * Due work: those that were not decided in time. Returns how many there were. One holds up no
 * other.
 */
export async function lapseApprovals(deps: Pick<PaymentDeps, 'db' | 'wake'>): Promise<number> {
  const due = await listLapsed(deps.db, lapsed_at_once)
  const failures: unknown[] = []
  for (const one of due) {
    const { merchant_id, transaction_id: id } = one
    try {
      const transaction = await findTransaction(deps.db, { merchant_id, id })
      if (transaction !== undefined) await lapse(deps, transaction)
    } catch (error) {
      failures.push(error)
      await putLapseOff(deps.db, one)
    }
  }
  if (failures.length > 0) throw failures[0]
  return due.length
}

async function lapse(deps: Pick<PaymentDeps, 'db' | 'wake'>, transaction: Transaction) {
  const { merchant_id, id: transaction_id } = transaction
  const end = {
    failure_code: 'REJECTED_BY_MERCHANT' as const,
    reason: 'nobody approved it in time',
    triggered_by: 'SYSTEM' as const,
    request_id: '',
  }
  await inTransaction(homeOf(deps.db, merchant_id), async (tx) => {
    const lapsed = {
      merchant_id,
      transaction_id,
      status: 'LAPSED' as const,
      decided_by: null,
      reason: '',
    }
    if (!(await decideApproval(tx, lapsed))) return
    // An approval that is over with a payout that is not would hold its money for ever.
    const failed = await failUnsent(tx, transaction, end)
    assert(failed, `payout ${transaction_id} lapsed and did not move`)
    await recordAct(tx, {
      merchant_id,
      environment: transaction.environment,
      actor: systemActor,
      action: 'payout.lapsed',
      target_kind: 'transaction',
      target_id: transaction_id,
    })
  })
  deps.wake()
}

type DecideDeps = Pick<ApproveDeps, 'db' | 'cooling_hours'>

async function requireMayDecide(
  deps: DecideDeps,
  caller: Caller,
  transaction: Transaction,
): Promise<void> {
  const approval = await findApproval(deps.db, keyOf(transaction))
  if (approval?.status !== 'REQUIRED') throw refuse(payoutErrors.approval_not_required)
  await requireOther(deps, caller, approval)
}

async function requireOther(
  { db, cooling_hours }: DecideDeps,
  { member_id, environment }: Caller,
  approval: Approval,
): Promise<void> {
  const { merchant_id, requested_by_key: api_key_id } = approval
  const asked_by = await findRequester(db, approval)
  if (asked_by === member_id) throw refuse(payoutErrors.same_person)
  // Play money needs no wait: a shop tries its approvals with people whom it has just invited.
  if (environment === 'SANDBOX') return
  const wait_h = await waitToLoosen(db, { merchant_id, environment }, cooling_hours)
  await requireApprover(db, { merchant_id, member_id, asked_by, api_key_id, wait_h })
}

/**
 * Until when it can be approved, and whether the caller is somebody who may, by the same rules. It
 * locks nothing: what the approval itself says counts.
 */
export async function findApprovalNow(
  deps: DecideDeps,
  caller: Caller,
  transaction: Transaction,
): Promise<ApprovalNow> {
  const approval = await findApproval(deps.db, keyOf(transaction))
  const no = { may_approve: false, may_not: null }
  if (approval?.status !== 'REQUIRED') return { ...no, ends_at: null, after: null }
  const { lapses_at: ends_at, after_unknown: after } = approval
  if (!caller.session?.permissions.includes('payouts')) return { ...no, ends_at, after }
  try {
    await requireOther(deps, caller, approval)
    return { ...no, may_approve: !approval.is_over, ends_at, after }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const isOwn = error.row.code === payoutErrors.same_person.code
    const may_not = isOwn ? 'OWN' : await hindranceOf(deps.db, memberKeyOf(caller))
    return { ...no, may_not, ends_at, after }
  }
}

const keyOf = ({ merchant_id, id }: Transaction) => ({ merchant_id, transaction_id: id })

/** The member who made a key is responsible for what it does (contract 8.11). */
const findRequester = (db: Db, approval: Approval): Promise<string | null> =>
  memberBehind(db, {
    member_id: approval.requested_by_member,
    api_key_id: approval.requested_by_key,
  })

const decisionOf = ({ member_id }: Caller, transaction: Transaction) => ({
  merchant_id: transaction.merchant_id,
  transaction_id: transaction.id,
  decided_by: member_id,
})

type Recording = Readonly<{
  caller: Caller
  transaction: Transaction
  action: AuditAction
  tx: Parameters<typeof recordAct>[0]
  reason?: string
}>

const recordDecision = ({ caller, transaction, action, tx, reason }: Recording) =>
  recordAct(tx, {
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    actor: actorOf(caller),
    action,
    target_kind: 'transaction',
    target_id: transaction.id,
    after: reason === undefined ? {} : { reason: maskedText(reason, nameOfPayer(transaction)) },
  })
