// Every statement about waits that stands alone.

import type { Sql } from '../../platform/db.ts'

export type DueWait = Readonly<{
  merchant_id: string
  transaction_id: string
  catalogue_version: bigint
}>

const again_after_s = 30

/**
 * Takes those that are due, the longest waiting first; each is looked at again later. What would
 * leave a frozen balance goes on waiting: no gateway has it yet (decisions 5.12).
 */
export const claimDueWaits = (sql: Sql, limit: number): Promise<DueWait[]> => sql<DueWait[]>`
  with due as (
    select w.merchant_id, w.transaction_id
      from payout_waits w
     where w.due_at <= now()
       and not exists (
         select 1 from transactions t
           join balances b on b.merchant_id = t.merchant_id and b.environment = t.environment
                          and b.country = t.country_code
          where t.merchant_id = w.merchant_id and t.id = w.transaction_id and b.is_frozen)
     order by w.due_at
     limit ${limit}
       for update skip locked
  )
  update payout_waits w
     set due_at = now() + ${again_after_s} * interval '1 second'
    from due
   where w.merchant_id = due.merchant_id and w.transaction_id = due.transaction_id
  returning w.merchant_id, w.transaction_id,
            (select version from catalogue_version) as catalogue_version`
