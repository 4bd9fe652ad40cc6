// A refund from the merchant's call to its answer: made under the payment's lock, then its operator
// is asked with nothing open, then its state is read. After a crash a replay asks first.

import { isOpen } from '../attempts/attempt.ts'
import { findOpenAttemptOf } from '../attempts/attempt-statements.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { queryAttempt } from '../attempts/query-attempt.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Sql } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { Caller, Input, Reply } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { getOwnTransaction } from '../transactions/transaction-now.ts'
import { draftRefund, makeRefund, type RefundDeps } from './make-refund.ts'
import type { RefundBody } from './plan-refund.ts'
import type { RefundKey } from './refund.ts'
import { sendRefund } from './send-refund.ts'
import { findRefundNow, type RefundNow, requireOwnRefund } from './store.ts'
import { viewPreview, viewRefund } from './view.ts'

export type RefundRouteDeps = PaymentDeps & RefundDeps

export async function requestRefund(
  deps: RefundRouteDeps,
  input: Input<RefundBody>,
): Promise<Reply> {
  const { caller, once } = input
  const request = { ...(await requestOf(deps, input)), once }
  const since_ms = deps.clock()
  const made = await makeRefund(deps, request)
  deps.wake()
  if (made.plans.length > 0) {
    const { request_id } = caller
    await sendRefund(deps, made, { since_ms, triggered_by: triggerOf(caller), request_id })
  }
  return currentRefund(deps, input, made.refund.id)
}

/** The caller's own payment; what goes out is none (contract 5.6). */
async function requestOf(deps: RefundRouteDeps, input: Input<RefundBody>) {
  const { caller, body, once } = input
  const payment = await getOwnTransaction(deps.db, caller, input.params['payment_id'] ?? '')
  if (payment.flow_direction !== 'INBOUND') throw refuse(transportErrors.not_found)
  return { caller, payment_id: payment.id, body, once, facts: await factsFor(deps, caller) }
}

/** What it would cost and where it would go; nothing is written. */
export async function previewRefund(deps: RefundRouteDeps, input: Input<RefundBody>) {
  const request = await requestOf(deps, input)
  return transactInTurn(deps.db, request.caller, async (tx) =>
    viewPreview((await draftRefund(tx, deps, request)).refund),
  )
}

/** The answer to its request, however far it has come. */
async function currentRefund(
  { db }: Pick<RefundRouteDeps, 'db'>,
  { caller, locale }: Pick<Input, 'caller' | 'locale'>,
  id: string,
): Promise<Reply> {
  const now = await findRefundNow(db, { merchant_id: caller.merchant_id, id })
  assert(now !== undefined, `refund ${id} is gone`)
  return { status: 201, data: viewRefund(now, locale) }
}

/** After a crash: an attempt that may never have been sent is queried first (contract 4.3). */
export async function resumeRefund(
  deps: RefundRouteDeps,
  input: Input<RefundBody>,
  id: string,
): Promise<Reply | undefined> {
  const { merchant_id, request_id } = input.caller
  const key = { merchant_id, id }
  if ((await findRefundNow(deps.db, key)) === undefined) return undefined
  const attempt = await findOpenAttemptOf(deps.db, key, 'refund_id')
  if (attempt !== undefined && attempt.accepted_at === null) {
    await queryAttempt(deps, attempt, { triggered_by: triggerOf(input.caller), request_id })
  }
  return currentRefund(deps, input, id)
}

/** The caller's own; 403 for another merchant's, 404 for the other environment's. */
export async function getOwnRefund(
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<RefundNow> {
  const key: RefundKey = { merchant_id, id }
  return requireOwnRefund(sql, key, inEnvironment(await findRefundNow(sql, key), environment))
}

const waitMaxMs = 5000

/** The real state: while the outcome is open its operator is asked, for at most five seconds. */
export async function verifyRefund(
  deps: RefundRouteDeps,
  caller: Caller,
  refund: RefundNow,
): Promise<RefundNow> {
  const open = refund.attempts.filter(({ status }) => isOpen(status))
  if (open.length === 0) return refund
  const cause = { triggered_by: triggerOf(caller), request_id: caller.request_id }
  const queries = Promise.all(open.map((attempt) => queryAttempt(deps, attempt, cause)))
  await Promise.race([queries, pause(waitMaxMs)])
  queries.catch(() => undefined)
  return getOwnRefund(deps.db, caller, refund.id)
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
