// A refund that waits for a person: a second member or our staff let it go or refuse it, its
// merchant cancels it, or its time runs out. Nothing of it has been sent, so whoever ends it
// releases its hold; so does whoever ends one that waits for a route, when all its operators have
// taken nothing. All of them need the same row's lock: of several who decide, one succeeds.

import { lockAttempt } from '../attempts/attempt-statements.ts'
import { insertAttempts } from '../attempts/statements.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import type { AuditAction } from '../audit/actions.ts'
import { type Actor, actorOf, actorOfPerson, maskedText, systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { getCatalogueVersion } from '../catalogue/store.ts'
import { recordEvents } from '../events/statements.ts'
import { hasUndecided, sumBooked } from '../incidents/sent-again-statements.ts'
import { returnOutflow } from '../ledger/day-limit-statements.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { shareIsFrozen } from '../ledger/store.ts'
import { memberBehind, membersBehind } from '../merchants/keys/get-key.ts'
import {
  type Hindrance,
  hindranceOf,
  requireApprover,
  requireMemberStillMay,
} from '../merchants/members/member-rights.ts'
import { listApprovable } from '../merchants/members/store.ts'
import { requireUnstopped } from '../merchants/merchant.ts'
import { waitToLoosen } from '../merchants/settings/cooling-off.ts'
import { readDialects } from '../merchants/store.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { requireStaffStillMay } from '../people/proposals/first-person.ts'
import { nobodySends } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import type { SendFacts } from '../planning/plan-promised.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Tx } from '../platform/db.ts'
import { assert, Refusal, refuse } from '../platform/errors.ts'
import type { Caller, Person } from '../platform/http/route.ts'
import { runPart, runWhole } from '../platform/sql.ts'
import { isDisputed, lockPayment, updateRefunded } from '../transactions/refund-statements.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { nameOfPayer } from '../transactions/view.ts'
import { notCancellable, notWaiting, refundErrors, samePerson } from './errors.ts'
import { keepLook } from './look-statements.ts'
import { attemptOn, type Drafted } from './make-refund.ts'
import { waysOf } from './plan-refund.ts'
import {
  decidingWaits,
  givenUp,
  holdOf,
  moved,
  type Refund,
  type RefundKey,
  type RefundWait,
  sendingWaits,
  waitsToBeSent,
} from './refund.ts'
import type { RefundRouteDeps } from './request-refund.ts'
import { sendRefund } from './send-refund.ts'
import { approveWaiting, moveRefund } from './statements.ts'
import {
  findRefund,
  findTimes,
  listLapsedRefunds,
  lockRefund,
  putRefundOff,
  type RefundNow,
} from './store.ts'
import { type RefundSeen, refundEvent } from './view.ts'

type Approving = Readonly<{
  refund: Refund
  waits: RefundWait
  facts: SendFacts
  actor: Actor
  by: string
  /** Refuses who may not any more. */
  requireStill: (tx: Tx) => Promise<void>
}>

/** A second member lets it go: not who requested it, and in LIVE nobody who is too new. */
export async function approveRefund(
  deps: RefundRouteDeps,
  caller: Caller,
  refund: Refund,
): Promise<void> {
  await requireSecondMember(deps, caller, refund)
  const { member_id, request_id } = caller
  assert(member_id !== null, 'a member is meant')
  const facts = await factsFor(deps, caller)
  const actor = actorOf(caller)
  const requireStill = (tx: Tx) => requireMemberStillMay(tx, caller, 'payouts')
  const which = { refund, waits: 'SECOND_MEMBER' as const, facts }
  const approving = { ...which, actor, by: member_id, requireStill }
  await letGo(deps, approving, { triggered_by: 'DASHBOARD', request_id })
}

/** Staff let go what no second member of its merchant could. */
export async function approveByStaff(
  deps: RefundRouteDeps,
  person: Person,
  refund: Refund,
): Promise<void> {
  const { merchant_id } = refund
  const catalogue_version = await getCatalogueVersion(deps.db)
  const sandbox_dialects = await readDialects(deps.db, refund)
  const facts = await factsFor(deps, { merchant_id, catalogue_version, sandbox_dialects })
  const { person_id: by, request_id } = person
  const actor = actorOfPerson(person)
  const requireStill = (tx: Tx) => requireStaffStillMay(tx, person, 'approvals')
  const approving = { refund, waits: 'STAFF' as const, facts, actor, by, requireStill }
  await letGo(deps, approving, { triggered_by: 'ADMIN', request_id })
}

type Trigger = Readonly<{ triggered_by: 'DASHBOARD' | 'ADMIN'; request_id: string }>

async function letGo(deps: RefundRouteDeps, approving: Approving, trigger: Trigger) {
  const since_ms = deps.clock()
  const drafted = await transactInTurn(deps.db, approving.refund, (tx) =>
    approve(tx, deps, approving),
  )
  if (drafted.plans.length > 0) await sendRefund(deps, drafted, { ...trigger, since_ms })
}

async function approve(
  tx: Tx,
  deps: RefundRouteDeps,
  { refund, waits, facts, actor, by, requireStill }: Approving,
): Promise<Drafted> {
  const { before, payment } = await lockWaiting(tx, refund, [waits])
  const { merchant_id, refund_of } = before
  const attempt = await lockAttempt(tx, { merchant_id, id: refund_of })
  assert(attempt !== undefined, `refund ${before.id} of no attempt`)
  await requireMayLeave(tx, before, payment)
  await requireStill(tx)
  const collected = { payment, attempt }
  const ways = waysOf(facts, collected, { ...before, one_at_a_time: false })
  const { plans, waits_for: waiting_for, passed_over } = ways
  const [first] = plans
  if (first === undefined && waiting_for === null) throw refuse(nobodySends)
  // Its time may be over, and its end be due.
  if (!(await approveWaiting(tx, before, { by, waits_for: waiting_for }))) throw notWaiting()
  if (first !== undefined) {
    const made = attemptOn(before, first, 1, leaseSeconds(deps, first.gateway_code))
    await runWhole(tx, insertAttempts(tx, [made], { customer_id: null }), 1)
  }
  if (waiting_for !== null) await keepLook(tx, before, { reason: waiting_for, passed_over })
  await recordRefundAct(tx, before, { actor, action: 'refund.approved' })
  return { refund: { ...before, waiting_for, decided_by: by }, collected, plans }
}

/** Under the payment's lock: nobody looks into it, and staff have stopped nothing. */
export async function requireMayLeave(tx: Tx, refund: Refund, payment: Transaction): Promise<void> {
  const { merchant_id, environment, country_code: country } = refund
  if (await isDisputed(tx, payment)) throw refuse(refundErrors.not_refundable)
  if (await shareIsFrozen(tx, { merchant_id, environment, country })) {
    throw refuse(payoutErrors.balance_frozen)
  }
  await requireUnstopped(tx, refund)
}

/** Under the payment's lock and then its own: it waits for this, and for nothing else. */
export async function lockWaiting(
  tx: Tx,
  { merchant_id, id, payment_id }: Refund,
  waits?: readonly RefundWait[],
  otherwise: () => Error = notWaiting,
) {
  const payment = await lockPayment(tx, { merchant_id, id: payment_id })
  const before = await lockRefund(tx, { merchant_id, id })
  assert(payment !== undefined && before !== undefined, `refund ${id} is gone`)
  const { waiting_for } = before
  const isWaiting = waiting_for !== null && (waits === undefined || waits.includes(waiting_for))
  if (!isWaiting) throw otherwise()
  return { payment, before }
}

async function requireSecondMember(
  { db, cooling_hours }: RefundRouteDeps,
  { member_id }: Caller,
  refund: Refund,
): Promise<void> {
  const { merchant_id, environment, api_key_id } = refund
  if (refund.waiting_for !== 'SECOND_MEMBER') throw notWaiting()
  const asked_by = await memberBehind(db, refund)
  if (asked_by === member_id) throw samePerson()
  // Play money needs no wait.
  if (environment === 'SANDBOX') return
  const wait_h = await waitToLoosen(db, { merchant_id, environment }, cooling_hours)
  await requireApprover(db, { merchant_id, member_id, asked_by, api_key_id, wait_h })
}

/**
 * Each with whether the caller may approve it now, by the rules of `requireSecondMember`: in three
 * statements, however many there are. It locks nothing, and the call itself remains the judge.
 */
export async function seenBy<R extends RefundNow>(
  deps: Pick<RefundRouteDeps, 'db' | 'cooling_hours'>,
  caller: Caller,
  refunds: readonly R[],
): Promise<(R & RefundSeen)[]> {
  const mayDecide = caller.session?.permissions.includes('payouts') === true
  const waiting = refunds.filter(({ waiting_for, lapses_at }) => {
    const isOver = lapses_at !== null && lapses_at.getTime() <= Date.now()
    return mayDecide && waiting_for === 'SECOND_MEMBER' && !isOver
  })
  const hindered = waiting.length === 0 ? undefined : await hindrancesTo(deps, caller, waiting)
  return refunds.map((refund) => {
    const may_not_approve = hindered?.get(refund.id)
    const may_approve = may_not_approve === null
    return { ...refund, may_approve, may_not_approve: may_not_approve ?? null }
  })
}

/** By their ids, what keeps the caller from approving them; null: nothing. */
async function hindrancesTo(
  { db, cooling_hours }: Pick<RefundRouteDeps, 'db' | 'cooling_hours'>,
  { merchant_id, environment, member_id }: Caller,
  waiting: readonly Refund[],
): Promise<Map<string, Hindrance | null> | undefined> {
  if (member_id === null) return undefined
  const behind = await membersBehind(db, waiting)
  const others = waiting
    .map(({ id, api_key_id }, nth) => ({ id, api_key_id, asked_by: behind[nth] ?? null }))
    .filter(({ asked_by }) => asked_by !== member_id)
  const hindered = new Map<string, Hindrance | null>(waiting.map(({ id }) => [id, 'OWN']))
  for (const { id } of others) hindered.set(id, null)
  if (environment === 'SANDBOX' || others.length === 0) return hindered
  const wait_h = await waitToLoosen(db, { merchant_id, environment }, cooling_hours)
  const places = await listApprovable(db, { merchant_id, member_id, wait_h }, others)
  if (places.length === others.length) return hindered
  const hindrance = await hindranceOf(db, { merchant_id, person_id: member_id })
  others.forEach(({ id }, nth) => {
    if (!places.includes(nth + 1)) hindered.set(id, hindrance)
  })
  return hindered
}

/** How one ends that no operator has received. */
type Ending = Readonly<{
  to: 'FAILED' | 'CANCELLED'
  failure_code: string
  actor: Actor
  action: AuditAction
  by: string | null
  /** What it must be waiting for; absent: for whatever. */
  waits?: readonly RefundWait[]
  reason?: string
}>

type Acted = Pick<Ending, 'actor' | 'action'> & Readonly<{ reason?: string | undefined }>

type EndDeps = Pick<PaymentDeps, 'db' | 'wake'>

/** Any member with the right may reject it, including the one who requested it. */
export const rejectRefund = (deps: EndDeps, caller: Caller, refund: Refund, reason: string) =>
  endWaiting(deps, refund, {
    to: 'FAILED',
    failure_code: 'REJECTED_BY_MERCHANT',
    actor: actorOf(caller),
    action: 'refund.rejected',
    by: caller.member_id,
    waits: decidingWaits,
    reason,
  })

export const rejectByStaff = (deps: EndDeps, person: Person, refund: Refund, reason: string) =>
  endWaiting(deps, refund, {
    to: 'FAILED',
    failure_code: 'CANCELLED_BY_STAFF',
    actor: actorOfPerson(person),
    action: 'refund.rejected',
    by: person.person_id,
    reason,
  })

/** Its merchant takes it back; once an operator may have it, nobody can. */
export async function cancelRefund(deps: EndDeps, caller: Caller, refund: Refund): Promise<void> {
  if (refund.waiting_for === null) throw notCancellable()
  await endWaiting(deps, refund, {
    to: 'CANCELLED',
    failure_code: '',
    actor: actorOf(caller),
    action: 'refund.cancelled',
    by: caller.member_id,
  })
}

async function endWaiting(deps: EndDeps, refund: Refund, ending: Ending): Promise<void> {
  await transactInTurn(deps.db, refund, (tx) => endRefund(tx, refund, ending))
  deps.wake()
}

async function endRefund(tx: Tx, refund: Refund, ending: Ending): Promise<void> {
  // Somebody else was quicker, and a cancel is refused by a code of its own.
  const otherwise = ending.to === 'CANCELLED' ? notCancellable : notWaiting
  const { before, payment } = await lockWaiting(tx, refund, ending.waits, otherwise)
  const { merchant_id, id: cause_id } = before
  const attempts = { merchant_id, by: 'refund_id', id: cause_id } as const
  // An operator that had refused it may have paid it after all: it, or people, say so first.
  if (await hasUndecided(tx, attempts)) throw otherwise()
  const { now } = await findTimes(tx, 0)
  const { to, failure_code } = ending
  const decided_by = ending.by ?? before.decided_by
  const after = moved(before, to, now, { failure_code, decided_by })
  await runWhole(tx, moveRefund(tx, { before, after }), 1)
  await updateRefunded(tx, payment, givenUp(before, await sumBooked(tx, attempts), payment))
  await runWhole(tx, insertHoldEnd(tx, holdOf(before), { how: 'RELEASE' }), 1)
  await runPart(tx, returnOutflow(tx, { merchant_id, cause_id }))
  const type = to === 'FAILED' ? 'refund.failed' : 'refund.cancelled'
  await runWhole(tx, recordEvents(tx, [refundEvent(type, after, payment)]), 1)
  const { reason } = ending
  const masked = reason === undefined ? undefined : maskedText(reason, nameOfPayer(payment))
  await recordRefundAct(tx, before, { ...ending, reason: masked })
}

const recordRefundAct = (
  tx: Tx,
  { merchant_id, environment, id }: Refund,
  { actor, action, reason }: Acted,
): Promise<void> =>
  recordAct(tx, {
    merchant_id,
    environment,
    actor,
    action,
    target_kind: 'refund',
    target_id: id,
    after: reason === undefined ? {} : { reason },
  })

/** One portion. */
export const refunds_lapsed_at_once = 50

/** Due work: those that nobody decided in time. Returns how many there were. */
export async function lapseRefunds(deps: EndDeps): Promise<number> {
  const due = await listLapsedRefunds(deps.db, refunds_lapsed_at_once)
  const failures: unknown[] = []
  for (const key of due) {
    try {
      await lapse(deps, key)
    } catch (error) {
      failures.push(error)
      await putRefundOff(deps.db, key)
    }
  }
  if (failures.length > 0) throw failures[0]
  return due.length
}

/** Somebody was quicker, or an operator's last word on it is still to come: then it is put off. */
async function lapse(deps: EndDeps, key: RefundKey): Promise<void> {
  const refund = await findRefund(deps.db, key)
  if (refund === undefined || refund.waiting_for === null) return
  const { waiting_for } = refund
  const isToBeSent = waitsToBeSent(waiting_for)
  const end = isToBeSent
    ? ({ failure_code: 'EXPIRED', action: 'refund.expired' } as const)
    : ({ failure_code: 'REJECTED_BY_MERCHANT', action: 'refund.lapsed' } as const)
  const ending = {
    ...end,
    to: 'FAILED',
    actor: systemActor,
    by: null,
    // What it waits to be sent for may have changed meanwhile.
    waits: isToBeSent ? sendingWaits : [waiting_for],
  } as const
  try {
    await endWaiting(deps, refund, ending)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await putRefundOff(deps.db, key)
  }
}
