// T1 of a refund, one transaction: the payment is locked and read again, the refund is planned from
// what is left of it, and its key, record, hold, attempt and event are written together or not at
// all. Two refunds of one payment wait for each other here, so together they never pass what was
// paid.

import type { Attempt, AttemptPlan } from '../attempts/attempt.ts'
import { lockAttempt } from '../attempts/attempt-statements.ts'
import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import { leaseSeconds, type RouteDeps } from '../attempts/try-routes.ts'
import { recordEvents } from '../events/statements.ts'
import { sentAgain } from '../incidents/sent-again-statements.ts'
import { countOutflow, isDayFull } from '../ledger/day-limit-statements.ts'
import { isBalanceTooLow } from '../ledger/holds/hold.ts'
import { insertHold } from '../ledger/holds/statements.ts'
import { isFrozen } from '../ledger/read-balance.ts'
import { lockUnfrozen } from '../ledger/statements.ts'
import { memberBehind } from '../merchants/keys/get-key.ts'
import { hasApprover } from '../merchants/members/store.ts'
import { mayAs, roles } from '../merchants/roles.ts'
import { waitToLoosen } from '../merchants/settings/cooling-off.ts'
import { findUnknown } from '../payouts/earlier-statements.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { approvedAbove, dayLimits } from '../payouts/limits/limit.ts'
import { listLimitsMet } from '../payouts/limits/store.ts'
import { nobodySends } from '../planning/errors.ts'
import type { SendFacts } from '../planning/plan-promised.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Sql, Tx } from '../platform/db.ts'
import { assert, Refusal, refuse } from '../platform/errors.ts'
import type { Caller, Once } from '../platform/http/route.ts'
import { KeyInUse } from '../platform/idempotency/run-once.ts'
import { claimKeys } from '../platform/idempotency/statements.ts'
import { newId } from '../platform/ids.ts'
import { composed, oneRow, runPart, selectIds } from '../platform/sql.ts'
import { isFeeGivenBack } from '../pricing/store.ts'
import { countRefund, isDisputed, lockPayment } from '../transactions/refund-statements.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Look } from '../transactions/wait-statements.ts'
import { refundErrors } from './errors.ts'
import { keepLook } from './look-statements.ts'
import { type Collected, type Priced, planRefund, type RefundBody, waysOf } from './plan-refund.ts'
import { newHoldOf, type Refund, type RefundWait, waitsToBeSent } from './refund.ts'
import { insertRefund } from './statements.ts'
import { findTimes, sumOthers } from './store.ts'
import { refundEvent } from './view.ts'

export type RefundDeps = RouteDeps &
  Readonly<{
    /** The cooling-off of a merchant that has none of its own. Hours. */
    cooling_hours: number
  }>

export type RefundRequest = Readonly<{
  caller: Caller
  payment_id: string
  body: RefundBody
  once: Once
  /** From this process's memory, loaded before any lock is taken. */
  facts: SendFacts
}>

/** A refund as it would be made now; amounts in hundredths. */
export type Drafted = Readonly<{
  refund: Refund
  collected: Collected
  /** The routes to try at once; none while it waits for a person or a route. */
  plans: readonly AttemptPlan[]
  /** Where it waits for a route: what this look for one has found. */
  look?: Look
}>

/** Until somebody has decided, or a route may be taken. Hours. */
const waits_at_most_h = sentAgain.at_most_h
// How long a replay waits for a call whose answer was not stored, where no gateway is involved.
const lease_alone_s = 10

export const makeRefund = (deps: RefundDeps, request: RefundRequest): Promise<Drafted> =>
  asRefusal(() =>
    transactInTurn(deps.db, request.caller, async (tx) => {
      const drafted = await draftRefund(tx, deps, request)
      const { refund, plans } = drafted
      const [first] = plans
      const lease_s = first === undefined ? lease_alone_s : leaseSeconds(deps, first.gateway_code)
      const attempt_id = first?.id ?? refund.id
      const claim = { transaction_id: refund.id, attempt_id, lease_s, names_person: true } as const
      if ((await runPart(tx, claimKeys(tx, [{ once: request.once, claim }]))) === 0) {
        throw new KeyInUse()
      }
      const attempt = first === undefined ? null : attemptOn(refund, first, 1, lease_s)
      await writeRefund(tx, request, { refund, attempt, payment: drafted.collected.payment })
      if (drafted.look !== undefined) await keepLook(tx, refund, drafted.look)
      return drafted
    }),
  )

/** The constraints that hold whatever runs beside this, in the words of a refusal. */
async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (isDayFull(error)) throw refuse(payoutErrors.payout_limit_exceeded)
    if (isBalanceTooLow(error)) throw refuse(payoutErrors.insufficient_balance)
    throw error
  }
}

/** Locks the payment until the transaction ends, and refuses what may not be given back. */
export async function draftRefund(
  tx: Tx,
  deps: Pick<RefundDeps, 'cooling_hours'>,
  request: RefundRequest,
): Promise<Drafted> {
  const { caller, payment_id, body, facts } = request
  const { merchant_id } = caller
  const payment = await lockPayment(tx, { merchant_id, id: payment_id })
  assert(payment !== undefined, `payment ${payment_id} is gone`)
  const { now, lapses_at } = await findTimes(tx, waits_at_most_h)
  const attempt = await settledAttempt(tx, payment)
  if (await isDisputed(tx, payment)) throw refuse(refundErrors.not_refundable)
  const collected = { payment, attempt }
  const plan = planRefund({ ...facts, now }, collected, body)
  const others = await sumOthers(tx, payment)
  if (plan.one_at_a_time && others.pending > 0) throw refuse(refundErrors.refund_in_progress)
  const priced = { ...plan, currency: payment.currency, fee: 0n, gateway_fee: 0n, platform_fee: 0n }
  const { plans, waits_for, passed_over } = waysOf(facts, collected, priced)
  if (plans.length === 0 && waits_for === null) throw refuse(nobodySends)
  const completes = { attempt, amount: plan.amount }
  const gives_back = !others.has_fee && (await givesFeeBack(tx, payment, completes))
  const row = rowOf(caller, body, { payment, attempt, plan: priced, gives_back, now })
  const after_unknown = await unknownBefore(tx, row)
  const refund = { ...row, after_unknown }
  const person = await waitFor(tx, deps, { caller, row: refund, unapproved: others.unapproved })
  const waiting_for = person ?? waits_for
  if (waiting_for === null) return { refund, collected, plans }
  const waits = { refund: { ...refund, waiting_for, lapses_at }, collected, plans: [] }
  return waitsToBeSent(waiting_for)
    ? { ...waits, look: { reason: waiting_for, passed_over } }
    : waits
}

/** What was sent to this number, or given back of this payment, of this sum, and may be there. */
const unknownBefore = async (tx: Tx, refund: Refund): Promise<string | null> => {
  const sums = { requested_amount: refund.amount, net_amount: refund.amount }
  return (await findUnknown(tx, { ...refund, ...sums }))?.id ?? null
}

/** What collected the money: kept from being taken back while this runs (its row is locked). */
async function settledAttempt(tx: Tx, payment: Transaction): Promise<Attempt> {
  const { merchant_id, settled_attempt: id } = payment
  const attempt = id === null ? undefined : await lockAttempt(tx, { merchant_id, id })
  if (attempt === undefined) throw refuse(refundErrors.not_refundable)
  return attempt
}

type Given = Readonly<{ attempt: Attempt; amount: bigint }>

/**
 * The payment's own fee comes back with what completes the whole, where its price says so: once all
 * that was given before has arrived, because what is under way may fail. What is smaller than the
 * fee cannot bring it. Two could complete the whole, where what an earlier one gave comes back.
 */
async function givesFeeBack(tx: Tx, payment: Transaction, { attempt, amount }: Given) {
  const isWhole = payment.refunded_amount + amount === payment.debited_amount
  return isWhole && amount > attempt.client_fee && (await isFeeGivenBack(tx, attempt))
}

type Row = Readonly<{
  payment: Transaction
  attempt: Attempt
  plan: Priced
  gives_back: boolean
  now: Date
}>

function rowOf(caller: Caller, body: RefundBody, about: Row): Refund {
  const { payment, attempt, plan, gives_back, now } = about
  const { merchant_id, environment } = caller
  const { one_at_a_time: _, ...planned } = plan
  return {
    ...planned,
    merchant_id,
    id: newId(),
    environment,
    payment_id: payment.id,
    status: 'PENDING',
    version: 1,
    country_code: payment.country_code,
    returned_gateway_fee: gives_back ? attempt.gateway_fee : 0n,
    returned_platform_fee: gives_back ? attempt.platform_fee : 0n,
    held_amount: plan.amount + plan.fee - (gives_back ? attempt.client_fee : 0n),
    refund_of: attempt.id,
    waiting_for: null,
    lapses_at: null,
    after_unknown: null,
    decided_by: null,
    reason: body.reason ?? '',
    reference: body.reference ?? '',
    failure_code: '',
    external_reference: '',
    operator_reference: '',
    settled_attempt: null,
    returned_at: null,
    ip_address: caller.ip,
    request_id: caller.request_id,
    api_key_id: caller.api_key_id,
    member_id: caller.member_id,
    created_at: now,
    updated_at: now,
    ended_at: null,
  }
}

type CountedRefund = Readonly<{ caller: Caller; row: Refund; unapproved: bigint }>

/**
 * Who must agree first: above the merchant's own limit a second member, as for payouts, where what
 * was refunded of the same payment in a day counts with it; for a number that the merchant named a
 * second member always, or our staff where none qualifies. Of what may be there already a second
 * member always: where there is none, it is cancelled and made once the first has ended.
 */
async function waitFor(
  tx: Tx,
  { cooling_hours }: Pick<RefundDeps, 'cooling_hours'>,
  { caller, row, unapproved }: CountedRefund,
): Promise<RefundWait | null> {
  const { merchant_id, environment, api_key_id } = caller
  const limits = await listLimitsMet(tx, {
    merchant_id,
    environment,
    country: row.country_code,
    api_key_id,
  })
  const above = approvedAbove(limits)
  if (!row.is_named) {
    const isAbove = above !== null && unapproved + row.held_amount > above
    return isAbove || row.after_unknown !== null ? 'SECOND_MEMBER' : null
  }
  const asked_by = await memberBehind(tx, caller)
  const wait_h = await waitToLoosen(tx, { merchant_id, environment }, cooling_hours)
  const is_live = environment === 'LIVE'
  const those = roles.filter((role) => mayAs[role].includes('payouts'))
  const of = { merchant_id, asked_by, api_key_id, wait_h, is_live, roles: those }
  return (await hasApprover(tx, of)) ? 'SECOND_MEMBER' : 'STAFF'
}

/** Its attempt on a route, to be written by the statement that begins it. */
export const attemptOn = (
  { merchant_id, environment, id, method, refund_of }: Refund,
  plan: AttemptPlan,
  priority: number,
  lease_s: number,
): NewAttempt => ({
  merchant_id,
  environment,
  transaction_id: null,
  refund_id: id,
  refund_of: method === 'OPERATOR' ? refund_of : null,
  priority,
  plan,
  lease_s,
})

type Written = Readonly<{ refund: Refund; attempt: NewAttempt | null; payment: Transaction }>

/** The balance is locked unless it is frozen; a freeze that came first is seen. */
async function writeRefund(sql: Sql, { caller }: RefundRequest, made: Written): Promise<void> {
  const { refund, attempt, payment } = made
  const { merchant_id, environment, id, payment_id, amount, country_code: country } = refund
  const place = { merchant_id, environment, country }
  const { api_key_id } = caller
  const limits = dayLimits(await listLimitsMet(sql, { ...place, api_key_id }), {
    ...place,
    amount: refund.held_amount,
  })
  const unfrozen = lockUnfrozen(sql, place, { when: oneRow(sql, 'refund_wanted', id) })
  const gate = { when: unfrozen }
  const counted = { limits, amount: refund.held_amount, cause_id: id }
  const change = { reserved: amount, refunded: 0n }
  const row = insertRefund(sql, refund, gate)
  const then = { when: row }
  const parts = [
    oneRow(sql, 'refund_wanted', id),
    unfrozen,
    ...(limits.length === 0 ? [] : [countOutflow(sql, counted, gate)]),
    countRefund(sql, { merchant_id, id: payment_id }, change, gate),
    row,
    insertHold(sql, newHoldOf(refund), then),
    ...(attempt === null ? [] : [insertAttempts(sql, [attempt], then)]),
    recordEvents(sql, [refundEvent('refund.created', refund, payment)], then),
  ]
  const rows = await composed(sql, parts, selectIds(sql, row))
  if (rows.length === 0) throw refuse(await whyClosed(sql, place))
}

type Place = Parameters<typeof lockUnfrozen>[1]

async function whyClosed(sql: Sql, { merchant_id, environment, country }: Place) {
  const frozen = await isFrozen(sql, { merchant_id, environment }, country)
  return frozen ? payoutErrors.balance_frozen : payoutErrors.insufficient_balance
}
