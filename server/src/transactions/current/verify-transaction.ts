// The real state of a payment (contract 5.6): while the outcome is open the gateway is queried, for
// at most five seconds; then the state as it is known is answered.

import { type Attempt, isOpen } from '../../attempts/attempt.ts'
import { findAttempt } from '../../attempts/attempt-record.ts'
import { triggerOf } from '../../attempts/evidence.ts'
import type { QueryDeps } from '../../attempts/query-attempt.ts'
import { queryAttempt } from '../../attempts/query-attempt.ts'
import { assert } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { readTransactionNow, type TransactionNow } from './read-transaction-now.ts'

const waitMaxMs = 5000
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
  const after = await readTransactionNow(deps.db, now.transaction)
  assert(after !== undefined, 'a payment does not go away')
  return after
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
