// Removes the payer from the refunds of their payments: the number that was paid, and what the
// merchant wrote of them. What moved, when and how much stays.

import type { Tx } from '../platform/db.ts'
import { lastTwo, type Traces, without } from '../platform/traces.ts'

type Of = Readonly<{
  merchant_id: string
  /** The payments. */
  transaction_ids: readonly string[]
  /** These of their refunds alone. */
  refund_ids?: readonly string[]
}>

/** Returns the refunds' ids: their attempts name the payer too. */
export async function eraseRefunds(
  tx: Tx,
  { merchant_id, transaction_ids, refund_ids }: Of,
  traces: Traces,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update refunds
       set operation_msisdn = ${lastTwo(tx, tx`operation_msisdn`)},
           reason = ${without(tx, tx`reason`, traces)},
           reference = ${without(tx, tx`reference`, traces)}
     where merchant_id = ${merchant_id} and payment_id = any(${[...transaction_ids]}::uuid[])
       ${refund_ids === undefined ? tx`` : tx`and id = any(${[...refund_ids]}::uuid[])`}
    returning id`
  return rows.map(({ id }) => id)
}
