// A payment or payout as it is now, for an answer; and the caller’s own, or the right refusal
// (contract 3.5).

import type { Attempt } from '../attempts/attempt.ts'
import { listAttemptsOf } from '../attempts/attempt-statements.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Db, Sql } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { Caller, Input } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { isUuid } from '../platform/ids.ts'
import { lastAttempt, type PayerStep, payerStepOf } from './instructions.ts'
import type { TransactionStatus } from './states.ts'
import { findTransaction, type MarkedTransaction, requireOwnTransaction } from './store.ts'

export type TransactionNow = Readonly<{
  transaction: MarkedTransaction
  attempts: readonly Attempt[]
}>

/** What callers and payers are shown of it. */
export type TransactionState = PayerStep &
  Readonly<{
    id: string
    reference: string
    status: TransactionStatus
    failure_code: string
    checkout_url: string
  }>

export async function readTransactionNow(
  db: Db,
  key: { merchant_id: string; id: string },
): Promise<TransactionNow | undefined> {
  const [transaction, attempts] = await Promise.all([
    findTransaction(db, key),
    listAttemptsOf(db, key.merchant_id, key.id),
  ])
  return transaction === undefined ? undefined : { transaction, attempts }
}

/** The same, of one that is known. */
export async function getTransactionNow(
  db: Db,
  key: { merchant_id: string; id: string },
): Promise<TransactionNow> {
  const now = await readTransactionNow(db, key)
  assert(now !== undefined, 'a payment does not go away')
  return now
}

export function stateOf(now: TransactionNow, catalogue: Catalogue): TransactionState {
  const { transaction } = now
  const attempt = lastAttempt(now)
  return {
    ...payerStepOf(attempt, catalogue),
    id: transaction.id,
    reference: transaction.reference,
    status: transaction.status,
    failure_code: transaction.failure_code,
    checkout_url: attempt?.checkout_url ?? '',
  }
}

// The caller's own payment by id, or the right refusal (contract 3.5): 403 for another merchant's,
// 404 for the other environment, an unknown or an ill-formed id.

export async function ownTransactionNow(
  db: Db,
  { caller, params }: Pick<Input, 'caller' | 'params'>,
): Promise<TransactionNow> {
  const id = params['payment_id'] ?? params['payout_id'] ?? ''
  const { merchant_id, environment } = caller
  const now = isUuid(id) ? await readTransactionNow(db, { merchant_id, id }) : undefined
  if (now !== undefined && now.transaction.environment === environment) return now
  await getOwnTransaction(db, caller, id)
  assert(now !== undefined, 'a payment does not go away')
  return now
}

// A transaction of the caller (contract 3.5).

/**
 * The caller's transaction. Throws `permission_denied` for a known id of another merchant, and
 * `not_found` for an unknown or ill-formed one and for one of the caller's other environment.
 */
export async function getOwnTransaction(
  db: Sql,
  caller: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<MarkedTransaction> {
  if (!isUuid(id)) throw refuse(transportErrors.not_found)
  const key = { merchant_id: caller.merchant_id, id }
  const transaction = inEnvironment(await findTransaction(db, key), caller.environment)
  return requireOwnTransaction(db, key, transaction)
}
