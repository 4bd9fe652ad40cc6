// Removes a person from why payouts to them were not approved: the text that a second person, or
// staff, wrote.

import type { Tx } from '../platform/db.ts'
import { names, type Traces } from '../platform/traces.ts'

type Of = Readonly<{ merchant_id: string; transaction_ids: readonly string[] }>

export async function eraseApprovals(tx: Tx, of: Of, traces: Traces): Promise<void> {
  await tx`
    update payout_approvals set reason = ''
     where merchant_id = ${of.merchant_id}
       and transaction_id = any(${[...of.transaction_ids]}::uuid[])
       and ${names(tx, tx`reason`, traces)}`
}
