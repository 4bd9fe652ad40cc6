// Answers the replay of a call whose process died (contract 4.3). An attempt that may never have
// been sent is queried, and sent again with the same key where that is allowed. A code that the
// payer made is not stored: only the replay that brings it again can send it, so it does not give
// way to a query of a moment ago.

import { type Attempt, isOpen } from '../../attempts/attempt.ts'
import { findAttempt } from '../../attempts/attempt-record.ts'
import { triggerOf } from '../../attempts/evidence.ts'
import { type QueryDeps, queryAttempt } from '../../attempts/query-attempt.ts'
import type { Caller } from '../../platform/http/route.ts'
import { lastAttempt } from '../instructions.ts'
import { readTransactionNow, type TransactionNow } from './read-transaction-now.ts'

const waitMaxMs = 5000
const lookEveryMs = 250

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
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    const then = await findAttempt(deps.db, attempt)
    if (then === undefined || !isUnsure(then)) break
  }
  return readTransactionNow(deps.db, key)
}

const isUnsure = ({ status, accepted_at }: Attempt) => isOpen(status) && accepted_at === null
