// A payment or payout as it is now, for an answer: the transaction and its attempts.

import type { Attempt } from '../../attempts/attempt.ts'
import { listAttemptsOf } from '../../attempts/attempt-record.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Db } from '../../platform/db.ts'
import { lastAttempt, type PayerStep, payerStepOf } from '../instructions.ts'
import type { TransactionStatus } from '../states.ts'
import { findTransaction, type MarkedTransaction } from '../transaction-record.ts'

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
