// What merchants' endpoints answered when they were told of a payment or a session: they may have
// said of whom.

import type { Tx } from '../../platform/db.ts'

export async function eraseAnswers(
  tx: Tx,
  of: Readonly<{
    merchant_id: string
    transaction_ids: readonly string[]
    session_ids: readonly string[]
  }>,
): Promise<void> {
  await tx`
    update deliveries set response_body = '', response_headers = null
     where merchant_id = ${of.merchant_id} and response_body <> ''
       and transaction_id = any(${[...of.transaction_ids]}::uuid[])`
  await tx`
    update deliveries set response_body = '', response_headers = null
     where merchant_id = ${of.merchant_id} and response_body <> '' and transaction_id is null
       and subject_id = any(${[...of.session_ids]}::uuid[])`
}
