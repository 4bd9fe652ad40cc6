// The statements about approvals that are not part of a composed one.

import type { Sql } from '../../platform/db.ts'
import type { PayoutApproval } from '../../transactions/transaction.ts'

export type Approval = Readonly<{
  merchant_id: string
  transaction_id: string
  status: PayoutApproval
  requested_by_member: string | null
  requested_by_key: string | null
  lapses_at: Date
}>

export async function findApproval(
  sql: Sql,
  key: { merchant_id: string; transaction_id: string },
): Promise<Approval | undefined> {
  const [row] = await sql<Approval[]>`
    select merchant_id, transaction_id, status, requested_by_member, requested_by_key, lapses_at
      from payout_approvals
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.transaction_id}`
  return row
}

export type ApprovalKey = Readonly<{ merchant_id: string; transaction_id: string }>

/** Those whose time is over, without the ones that failed a moment ago. */
export const listLapsed = (sql: Sql, limit: number): Promise<ApprovalKey[]> => sql<ApprovalKey[]>`
  select merchant_id, transaction_id from payout_approvals
   where status = 'REQUIRED' and lapses_at <= now()
     and (lapse_again_at is null or lapse_again_at <= now())
   order by lapses_at
   limit ${limit}`

const lapse_again_after_min = 15

/** It could not lapse: others come first for a while. */
export async function putLapseOff(sql: Sql, key: ApprovalKey): Promise<void> {
  await sql`
    update payout_approvals
       set lapse_again_at = now() + ${lapse_again_after_min} * interval '1 minute'
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.transaction_id}`
}
