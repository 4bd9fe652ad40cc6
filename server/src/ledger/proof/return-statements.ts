// What `ledger verify` checks of payouts that came back: what each says of it is what is booked for
// it, by its operator's word or by the incident that two people resolved, and once.

import type { Fragment, Sql } from '../../platform/db.ts'
import { legs } from './statements.ts'

/** What each payout's return has booked, by the payout; on the credit side. */
const bookedByReturn = (sql: Sql): Fragment => sql`
  select l.merchant_id, coalesce(i.transaction_id, l.cause_id) as transaction_id,
         count(distinct l.cause_id || l.cause_kind) as causes,
         coalesce(sum(l.credited) filter (where k.kind = 'available'), 0) as available,
         coalesce(-sum(l.credited) filter (where k.kind in ('gateway', 'suspense')), 0) as sent
    from (${legs(sql)}) l
    join accounts k on k.merchant_id = l.merchant_id and k.id = l.account_id
    left join incidents i on i.merchant_id = l.merchant_id and i.id = l.cause_id
                         and l.cause_kind = 'RESOLUTION' and i.type = 'RETURNED'
                         and i.transaction_id is not null and i.refund_id is null
                         and i.resolution = 'CREDIT_MERCHANT'
   where l.cause_kind = 'RETURN' or i.id is not null
   group by l.merchant_id, coalesce(i.transaction_id, l.cause_id)`

export const payoutsReturned = (sql: Sql): Fragment => sql`
  select case
           when t.id is null then 'entries say that ' || b.transaction_id || ' came back'
           when b.transaction_id is null then 'payout ' || t.id || ' came back and has no entries'
           when b.causes <> 1 then 'payout ' || t.id || ' came back ' || b.causes || ' times'
           when b.sent <> a.net_amount or b.available <> t.returned_amount
                or t.returned_amount not between a.net_amount and a.debited_amount
             then 'payout ' || t.id || ' came back with other figures than it has'
         end as breach
    from (select merchant_id, id, settled_attempt, returned_amount from transactions
           where return_state = 'RETURNED') t
    left join attempts a on a.merchant_id = t.merchant_id and a.id = t.settled_attempt
    full join (${bookedByReturn(sql)}) b
      on b.merchant_id = t.merchant_id and b.transaction_id = t.id
  union all
  select case
           when t.return_state is distinct from 'ASKED'
             then 'payout ' || r.transaction_id || ' is asked for and does not say so'
         end
    from payout_reversals r
    left join transactions t on t.merchant_id = r.merchant_id and t.id = r.transaction_id
   where r.status = 'PENDING'`
