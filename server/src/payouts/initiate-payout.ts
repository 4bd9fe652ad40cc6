// A payout from the merchant's call to the operator's first answer: the statement that makes it
// holds the money, then the gateway is called with nothing open, then its answer is recorded. A
// crash between any two lines leaves the hold and an attempt that is queried before anything else;
// the hold ends only by the gateway's own answer.

import type { AttemptPlan } from '../attempts/attempt.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import { isFrozen } from '../ledger/read-balance.ts'
import { nobodySends } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { mismatchOf } from '../planning/initial-warning.ts'
import { rowOfCall } from '../planning/row-of-call.ts'
import { payerColumns } from '../planning/softpay-body.ts'
import { assert, refuse } from '../platform/errors.ts'
import { type Caller, type Input, notOnce, type Reply } from '../platform/http/route.ts'
import { giveBackClaim, KeyInUse } from '../platform/idempotency/run-once.ts'
import { newId } from '../platform/ids.ts'
import { createdEvent } from '../transactions/begin-transaction.ts'
import { newPayoutHold } from '../transactions/payout-hold.ts'
import { sendTransaction, type TransactionRun } from '../transactions/send-transaction.ts'
import type { NewTransaction } from '../transactions/statements.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { readTransactionNow } from '../transactions/transaction-now.ts'
import type { Look } from '../transactions/wait-statements.ts'
import type { NewApproval, Unapproved } from './approval-statements.ts'
import { type EarlierPayouts, findEarlier } from './earlier-statements.ts'
import { payoutErrors } from './errors.ts'
import { approvedAbove, dayLimits, type LimitsMet, needsApproval } from './limits/limit.ts'
import { listLimitsMet, wouldPassLimit } from './limits/store.ts'
import { makePayout } from './make-payout.ts'
import { payoutReply } from './payout-reply.ts'
import { type PayoutBody, type PayoutPlan, planPayout, sendable, waitedFor } from './plan-payout.ts'

export async function initiatePayout(deps: PaymentDeps, input: Input<PayoutBody>): Promise<Reply> {
  const { caller, body } = input
  const plan = planPayout(await factsFor(deps, caller), caller, body)
  const row = rowOf(caller, body, plan)
  const { merchant_id, environment, api_key_id } = caller
  const place = { merchant_id, environment, country: row.country_code }
  const { operation_msisdn, requested_amount, net_amount } = row
  const to = { merchant_id, environment, operation_msisdn, requested_amount, net_amount }
  const [limits, earlier] = await Promise.all([
    listLimitsMet(deps.db, { ...place, api_key_id }),
    findEarlier(deps.db, to),
  ])
  const unknown = earlier.unknown?.id ?? null
  const guarded = needsApproval(limits, row.debited_amount) || unknown !== null
  const [first, ...others] = sendable(plan.plans)
  const since_ms = deps.clock()
  const request = { plan, row, limits, unknown, first: guarded ? null : (first ?? null) }
  const approval =
    guarded || (await makeOrRefuse(deps, input, { ...request, approval: false })) === 'apart'
  // Small by itself, but not together with what went to this phone today: it waits, too.
  if (approval) await makeOrRefuse(deps, input, { ...request, approval: true, first: null })
  return approval || first === undefined
    ? currentPayout(deps, input, { id: row.id, earlier })
    : sendPayout(deps, input, { plans: [first, ...others], row, since_ms, earlier })
}

type PayoutRun = Readonly<{
  plans: readonly AttemptPlan[]
  row: NewTransaction
  since_ms: number
  earlier: EarlierPayouts
}>

async function sendPayout(
  deps: PaymentDeps,
  input: Input<PayoutBody>,
  { plans, row, since_ms, earlier }: PayoutRun,
): Promise<Reply> {
  const { caller, locale } = input
  const catalogue = await deps.catalogue(caller.catalogue_version)
  const outcome = await sendTransaction(deps, {
    merchant_id: caller.merchant_id,
    environment: caller.environment,
    transaction_id: row.id,
    version: 1,
    plans,
    first_priority: 1,
    since_ms,
    otp: undefined,
    description: row.description,
    return_url: '',
    triggered_by: triggerOf(caller),
    request_id: caller.request_id,
    once: input.once,
    answerWaiting: (attempt) => {
      const waiting = { status: 'PENDING', failure_code: '', approval: null } as const
      const warnings = { ...earlier, mismatch: mismatchOf(catalogue, attempt, locale) }
      const reply = payoutReply({ ...row, ...attempt, id: row.id, ...waiting }, warnings, locale)
      return { status: 201, json: JSON.stringify(reply) }
    },
  })
  if (outcome.is === 'waiting') return { ...outcome.reply, stored: true }
  if (outcome.is === 'no_route') {
    throw refuse(nobodySends, { extra: { transaction: row.id } })
  }
  return currentPayout(deps, input, { id: row.id, earlier })
}

/** The answer of initialize for a payout that exists already, however far it has come. */
export async function currentPayout(
  deps: Pick<PaymentDeps, 'db' | 'catalogue'>,
  { caller, locale }: Pick<Input, 'caller' | 'locale'>,
  { id, earlier }: { id: string; earlier?: EarlierPayouts },
): Promise<Reply> {
  const now = await readTransactionNow(deps.db, { merchant_id: caller.merchant_id, id })
  assert(now !== undefined, `payout ${id} is gone`)
  const catalogue = await deps.catalogue(caller.catalogue_version)
  const warnings = { ...earlier, mismatch: mismatchOf(catalogue, now.transaction, locale) }
  return { status: 201, data: payoutReply(now.transaction, warnings, locale) }
}

const rowOf = (caller: Caller, body: PayoutBody, plan: PayoutPlan): NewTransaction => ({
  ...rowOfCall(caller, body, { ...plan, original: null }),
  transaction_type: 'RETRAIT',
  ...payerColumns(body.customer ?? {}),
  customer_phone: plan.customer_phone ?? '',
  return_url: '',
})

/** Where none of its routes may be taken now. */
const lookOf = ({ plans, passed_over }: PayoutPlan): Look => ({
  reason: waitedFor(plans),
  passed_over,
})

type PayoutStart = Readonly<{
  plan: PayoutPlan
  row: NewTransaction
  limits: LimitsMet
  /** The payout before it whose outcome is not known; null: there is none. */
  unknown: string | null
  /** A second person must agree. */
  approval: boolean
  /** The route to take now; null: it waits. */
  first: AttemptPlan | null
}>

/**
 * T1: everything that the payout begins with, or none of it. `apart`: none of it, because a second
 * person must agree.
 */
async function makeOrRefuse(
  deps: PaymentDeps,
  { caller, once }: Input<PayoutBody>,
  { plan, row, limits, unknown, approval, first }: PayoutStart,
): Promise<'made' | 'apart'> {
  const { merchant_id, environment } = caller
  const place = { merchant_id, environment, country: row.country_code }
  const [usual] = plan.plans
  const lease_s = leaseSeconds(deps, (first ?? usual).gateway_code)
  const transaction_id = row.id
  const own = { merchant_id, environment, transaction_id }
  const attempt = first && { ...own, priority: 1, plan: first, lease_s }
  const result = await makePayout(deps.db, {
    claiming: { once, claim: { transaction_id, attempt_id: (first ?? usual).id, lease_s } },
    customer: {
      gate_id: row.id,
      id: newId(),
      merchant_id,
      environment,
      phone: plan.customer_phone,
      email: row.customer_email.toLowerCase() || null,
      first_name: row.customer_first_name,
      last_name: row.customer_last_name,
    },
    transaction: row,
    hold: newPayoutHold(row.id, row),
    // A payout above the limit of a single one is given a day without room: one check for both.
    day_limits: dayLimits(limits, { ...place, amount: row.debited_amount }),
    attempt,
    approval: approval ? approvalOf(caller, row.id, unknown) : null,
    unapproved: approval ? null : unapprovedOf(limits, row),
    wait: first === null && !approval ? { ...own, ...lookOf(plan) } : null,
    event: createdEvent(row),
  })
  if (result === 'approval_needed') return 'apart'
  if (result === 'key_taken') throw new KeyInUse()
  if (result === 'limit_exceeded') throw refuse(payoutErrors.payout_limit_exceeded)
  if (result === 'insufficient_balance') throw refuse(await shortOf(deps, place, { row, limits }))
  if (result === 'balance_not_open') {
    // Nothing was made under the key, so it keeps the refusal.
    await giveBackClaim(deps.db, once, row.id)
    const frozen = await isFrozen(deps.db, { merchant_id, environment }, row.country_code)
    throw refuse(frozen ? payoutErrors.balance_frozen : await shortOf(deps, place, { row, limits }))
  }
  deps.wake()
  return 'made'
}

/**
 * Why a payout whose balance is too low is refused: its limits come before the balance (contract
 * 5.9), and which of the two T1 stumbles over is the database's to choose.
 */
async function shortOf(
  { db }: Pick<PaymentDeps, 'db'>,
  place: Parameters<typeof wouldPassLimit>[1],
  { row, limits }: Pick<PayoutStart, 'row' | 'limits'>,
) {
  const limited = await wouldPassLimit(db, place, { limits, amount: row.debited_amount })
  return limited ? payoutErrors.payout_limit_exceeded : payoutErrors.insufficient_balance
}

/** What was sent to the same phone counts with it, so that splitting a payout gains nothing. */
function unapprovedOf(limits: LimitsMet, row: NewTransaction): Unapproved | null {
  const most = approvedAbove(limits)
  if (most === null) return null
  const { merchant_id, environment, operation_msisdn, debited_amount: amount } = row
  return { merchant_id, environment, operation_msisdn, amount, most }
}

const approvalOf = (
  caller: Caller,
  transaction_id: string,
  after_unknown: string | null,
): NewApproval => ({
  merchant_id: caller.merchant_id,
  transaction_id,
  environment: caller.environment,
  requested_by_member: caller.member_id,
  requested_by_key: caller.api_key_id,
  after_unknown,
})

// Sends a payout whose caller has been answered already (it waited for a person, or for a float) to
// its operators, one after the other; their answers are reported by event.

type RunOptions = Pick<TransactionRun, 'plans' | 'since_ms' | 'triggered_by' | 'request_id'>

/** Its first attempt is written already. */
export const sendLater = (deps: PaymentDeps, transaction: Transaction, options: RunOptions) =>
  sendTransaction(deps, {
    ...options,
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    transaction_id: transaction.id,
    version: transaction.version,
    first_priority: 1,
    otp: undefined,
    description: transaction.description,
    return_url: '',
    once: notOnce,
    answerWaiting: () => ({ status: 200, json: '{}' }),
  })
