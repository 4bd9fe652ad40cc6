// Removes a person from what staff noted where they resolved an incident of a payment of theirs.

import type { Tx } from '../platform/db.ts'
import { names, type Traces } from '../platform/traces.ts'

type Of = Readonly<{ merchant_id: string; transaction_ids: readonly string[] }>

export async function eraseNotes(tx: Tx, of: Of, traces: Traces): Promise<void> {
  await tx`
    update incidents set resolution_note = ''
     where merchant_id = ${of.merchant_id}
       and transaction_id = any(${[...of.transaction_ids]}::uuid[])
       and ${names(tx, tx`resolution_note`, traces)}`
}
