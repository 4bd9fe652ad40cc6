// A payment in its current state, for an answer: the transaction and its last attempt.

import type { Attempt } from '../attempts/attempt.ts'
import { listAttemptsOf } from '../attempts/attempt-record.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Db } from '../platform/db.ts'
import { lastAttempt, payerStepOf } from '../transactions/instructions.ts'
import { findTransaction, type MarkedTransaction } from '../transactions/transaction-record.ts'
import type { PaymentState } from './payment-reply.ts'

export type PaymentNow = Readonly<{ transaction: MarkedTransaction; attempts: readonly Attempt[] }>

export async function readPayment(
  db: Db,
  key: { merchant_id: string; id: string },
): Promise<PaymentNow | undefined> {
  const [transaction, attempts] = await Promise.all([
    findTransaction(db, key),
    listAttemptsOf(db, key.merchant_id, key.id),
  ])
  return transaction === undefined ? undefined : { transaction, attempts }
}

export function stateOf(now: PaymentNow, catalogue: Catalogue): PaymentState {
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
