// The real state of a session (contract: status summary): the gateway is queried first, as verify
// does, for at most five seconds.

import type { QueryDeps } from '../attempts/query-attempt.ts'
import { findSession } from '../orders/order-statements.ts'
import type { Session } from '../orders/session.ts'
import { assert } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { readTransactionNow } from '../transactions/transaction-now.ts'
import { verifyTransaction } from '../transactions/verify-transaction.ts'

export async function querySession(deps: QueryDeps, caller: Caller, session: Session) {
  const { merchant_id, transaction_id } = session
  const payment =
    transaction_id === null
      ? undefined
      : await readTransactionNow(deps.db, { merchant_id, id: transaction_id })
  const queried = payment && (await verifyTransaction(deps, caller, payment))
  const now = await findSession(deps.db, session)
  assert(now !== undefined, 'a session does not go away')
  return {
    id: now.id,
    slug: now.slug,
    status: now.status,
    transaction_id: queried?.transaction.id ?? null,
    transaction_status: queried?.transaction.status ?? null,
    transaction_reference: queried?.transaction.reference ?? null,
  }
}
