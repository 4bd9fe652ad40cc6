// What `ledger verify` checks of what payouts hold (money 3): it is what they cost, it ended as
// they did, and while they are open somebody ends them.

import type { Fragment, Sql } from '../../platform/db.ts'

/**
 * All that a payout costs is on hold until it ends: spent when it was paid, also when it came back
 * later, else released. Until then an operator is asked, or it waits to be sent, or for a person:
 * each step from one to the next is one transaction, so it is one of them at any moment. Of one
 * that was paid while it waited, by an earlier attempt, the wait is taken away later.
 */
export const payoutsHold = (sql: Sql): Fragment => sql`
  select case
           when t.id is null then 'a hold names the payout ' || h.cause_id || ', not there'
           when (h.environment, h.country, h.currency, h.amount) is distinct from
                (t.environment, t.country_code, t.currency, t.debited_amount)
             then 'payout ' || t.id || ' does not hold what it costs'
           when n.how is distinct from
                case t.status when 'SUCCESS' then 'SPEND' when 'FAILED' then 'RELEASE'
                              when 'CANCELLED' then 'RELEASE' end
             then 'payout ' || t.id || ' is ' || t.status || ' and its hold is '
                  || coalesce(n.how, 'open')
           when t.status <> 'PENDING' then null
           when num_nonnulls(o.id, w.id, p.id) = 0
             then 'payout ' || t.id || ' is PENDING and nothing is under way'
           when num_nonnulls(o.id, w.id, p.id) > 1
             then 'payout ' || t.id || ' is PENDING, and under way: '
                  || concat_ws(', ', case when o.id is not null then 'an open attempt' end,
                                     case when w.id is not null then 'a wait' end,
                                     case when p.id is not null then 'an approval' end)
         end as breach
    from (select merchant_id, id, environment, country_code, currency, debited_amount, status
            from transactions where transaction_type = 'RETRAIT') t
    full join (select merchant_id, id, cause_id, environment, country, currency, amount
                 from holds where cause_kind = 'PAYOUT') h
      on h.merchant_id = t.merchant_id and h.cause_id = t.id
    left join hold_ends n on n.merchant_id = h.merchant_id and n.hold_id = h.id
    left join (select distinct merchant_id, transaction_id as id from attempts
                where status in ('PENDING', 'UNKNOWN') and transaction_id is not null) o
      on o.merchant_id = t.merchant_id and o.id = t.id
    left join (select merchant_id, transaction_id as id from payout_waits) w
      on w.merchant_id = t.merchant_id and w.id = t.id
    left join (select merchant_id, transaction_id as id from payout_approvals
                where status = 'REQUIRED') p
      on p.merchant_id = t.merchant_id and p.id = t.id`
