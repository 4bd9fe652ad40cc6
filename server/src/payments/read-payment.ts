// A payment as it stands now, for an answer: the transaction and its last attempt.

import type { Attempt } from '../attempts/attempt.ts'
import { listAttemptsOf } from '../attempts/attempt-record.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Db } from '../platform/db.ts'
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

/** The attempt that is under way, or the last one. */
export function lastAttempt({ attempts }: Pick<PaymentNow, 'attempts'>): Attempt | undefined {
  return (
    attempts.findLast((one) => one.status === 'PENDING' || one.status === 'UNKNOWN') ??
    attempts.at(-1)
  )
}

export function stateOf(now: PaymentNow, catalogue: Catalogue): PaymentState {
  const { transaction } = now
  const attempt = lastAttempt(now)
  const network = attempt && catalogue.networkByCode(attempt.network_code)
  return {
    id: transaction.id,
    reference: transaction.reference,
    status: transaction.status,
    failure_code: transaction.failure_code,
    next_action: attempt?.next_action ?? 'NONE',
    checkout_url: attempt?.checkout_url ?? '',
    unknown: attempt?.status === 'UNKNOWN' || attempt?.accepted_at === null,
    otp_instructions: network?.otp_kind === 'POST' ? network.otp_instructions : '',
  }
}
