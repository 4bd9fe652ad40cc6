// Every statement about waits that stands alone.

import type { Sql } from '../../platform/db.ts'

export type DueWait = Readonly<{
  merchant_id: string
  transaction_id: string
  catalogue_version: bigint
  is_suspended: boolean
}>

const again_after_s = 30

/** Takes those that are due, the longest waiting first; each is looked at again later. */
export const claimDueWaits = (sql: Sql, limit: number): Promise<DueWait[]> => sql<DueWait[]>`
  with due as (
    select w.merchant_id, w.transaction_id
      from payout_waits w
     where w.due_at <= now()
     order by w.due_at
     limit ${limit}
       for update skip locked
  )
  update payout_waits w
     set due_at = now() + ${again_after_s} * interval '1 second'
    from due
    join merchants m on m.id = due.merchant_id
   where w.merchant_id = due.merchant_id and w.transaction_id = due.transaction_id
  returning w.merchant_id, w.transaction_id, m.status = 'SUSPENDED' as is_suspended,
            (select version from catalogue_version) as catalogue_version`
