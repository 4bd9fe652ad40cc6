// What merchants' endpoints answered to deliveries about a payment or a session: the answer may
// have named the payer.

import type { Tx } from '../platform/db.ts'

export async function eraseAnswers(
  tx: Tx,
  of: Readonly<{
    merchant_id: string
    transaction_ids: readonly string[]
    session_ids: readonly string[]
    /** What of these sessions stands under these payments, whoever paid. */
    payment_ids: readonly string[]
  }>,
): Promise<void> {
  const conditions = [
    tx`d.transaction_id = any(${[...of.transaction_ids]}::uuid[])`,
    tx`d.transaction_id is null and d.subject_id = any(${[...of.session_ids]}::uuid[])`,
    tx`d.transaction_id = any(${[...of.payment_ids]}::uuid[])
       and d.subject_id = any(${[...of.session_ids]}::uuid[])`,
  ]
  for (const which of conditions) {
    await tx`
      update deliveries d set response_body = '', response_headers = null
       where d.merchant_id = ${of.merchant_id} and ${which}
         and (d.response_body <> '' or d.response_headers is not null)`
    // Afterwards, so that a try that was just being moved there is seen.
    await tx`
      update delivery_tries t set response_body = '', response_headers = null
        from deliveries d
       where d.merchant_id = ${of.merchant_id} and ${which}
         and t.merchant_id = d.merchant_id and t.delivery_id = d.id
         and (t.response_body <> '' or t.response_headers is not null)`
  }
}
