// Every statement about approvals that stands alone.

import type { Sql } from '../../platform/db.ts'

export type Approval = Readonly<{
  merchant_id: string
  transaction_id: string
  status: 'REQUIRED' | 'APPROVED' | 'REJECTED' | 'LAPSED'
  requested_by_member: string | null
  lapses_at: Date
}>

export async function findApproval(
  sql: Sql,
  key: { merchant_id: string; transaction_id: string },
): Promise<Approval | undefined> {
  const [row] = await sql<Approval[]>`
    select merchant_id, transaction_id, status, requested_by_member, lapses_at
      from payout_approvals
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.transaction_id}`
  return row
}

export const listLapsed = (
  sql: Sql,
  limit: number,
): Promise<{ merchant_id: string; transaction_id: string }[]> => sql<
  { merchant_id: string; transaction_id: string }[]
>`
  select merchant_id, transaction_id from payout_approvals
   where status = 'REQUIRED' and lapses_at <= now()
   order by lapses_at
   limit ${limit}`
