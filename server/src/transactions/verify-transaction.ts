// The real state of a payment (contract 5.6): while the outcome is open the gateway is queried, for
// at most five seconds; then the state as it is known is answered.

import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { findAttempt } from '../attempts/attempt-statements.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { type QueryDeps, queryAttempt } from '../attempts/query-attempt.ts'
import type { Caller } from '../platform/http/route.ts'
import { lastAttempt } from './instructions.ts'
import { getTransactionNow, readTransactionNow, type TransactionNow } from './transaction-now.ts'

// Answers the replay of a call whose process died (contract 4.3). An attempt that may never have
// been sent is queried, and sent again with the same key where that is allowed. A code that the
// payer made is not stored: only the replay that brings it again can send it, so it does not give
// way to a query of a moment ago.

const waitMaxMs = 5000
const resumeLookEveryMs = 250

/** The payment afterwards; undefined when nothing was committed after all. */
export async function resumeTransaction(
  deps: QueryDeps,
  caller: Caller,
  id: string,
  otp: string | undefined,
): Promise<TransactionNow | undefined> {
  const key = { merchant_id: caller.merchant_id, id }
  const now = await readTransactionNow(deps.db, key)
  const attempt = now && lastAttempt(now)
  if (attempt === undefined || !isUnsure(attempt)) return now
  const question = { triggered_by: triggerOf(caller), request_id: caller.request_id, otp }
  const until = deps.clock() + (attempt.otp_kind === 'PRE' && otp !== undefined ? waitMaxMs : 0)
  while ((await queryAttempt(deps, attempt, question)) === 'busy' && deps.clock() < until) {
    await new Promise((resolve) => setTimeout(resolve, resumeLookEveryMs))
    const then = await findAttempt(deps.db, attempt)
    if (then === undefined || !isUnsure(then)) break
  }
  return readTransactionNow(deps.db, key)
}

const isUnsure = ({ status, accepted_at }: Attempt) => isOpen(status) && accepted_at === null

const lookEveryMs = 200

/** The payment after the query; `now` is its state when the caller's right to it was checked. */
export async function verifyTransaction(
  deps: QueryDeps,
  caller: Caller,
  now: TransactionNow,
): Promise<TransactionNow> {
  const open = now.attempts.filter(
    (one) => isOpen(one.status) && (now.transaction.status === 'PENDING' || !one.gateway_ended),
  )
  if (open.length === 0) return now
  const until = deps.clock() + waitMaxMs
  const queries = Promise.all(open.map((attempt) => queryOrWait(deps, caller, attempt, until)))
  await Promise.race([queries, pause(waitMaxMs)])
  queries.catch(() => undefined)
  return getTransactionNow(deps.db, now.transaction)
}

/** A query that is already under way counts as ours: its answer is awaited. */
async function queryOrWait(
  deps: QueryDeps,
  caller: Caller,
  attempt: Attempt,
  until: number,
): Promise<void> {
  const question = { triggered_by: triggerOf(caller), request_id: caller.request_id }
  if ((await queryAttempt(deps, attempt, question)) === 'queried') return
  while (deps.clock() < until) {
    const now = await findAttempt(deps.db, attempt)
    if (now === undefined || !isOpen(now.status) || !now.leased) return
    await pause(lookEveryMs)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
