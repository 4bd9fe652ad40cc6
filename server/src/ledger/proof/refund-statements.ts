// What `ledger verify` checks of refunds (money 3): hold, entries and attempts agree with each
// refund's own status, in the figures that it froze, and the payment's row with all of its refunds.

import type { Fragment, Sql } from '../../platform/db.ts'
import { legs } from './statements.ts'

/** What each refund has booked on the credit side, by account, and for which attempts. */
const bookedByRefund = (sql: Sql): Fragment => sql`
  select merchant_id, cause_id, jsonb_object_agg(account, credited) as figures,
         array_agg(distinct attempt_id) as attempts
    from (select l.merchant_id, l.cause_id, min(l.attempt_id::text)::uuid as attempt_id,
                 k.environment || ' ' || k.country || ' ' || k.currency || ' ' || k.kind
                 || case when k.kind = 'gateway' then ' ' || k.gateway_id || ' ' || k.purpose
                         else '' end as account,
                 sum(l.credited) as credited
            from (${legs(sql)}) l
            join accounts k on k.merchant_id = l.merchant_id and k.id = l.account_id
           where l.cause_kind = 'REFUND'
           group by l.merchant_id, l.cause_id, account
          having sum(l.credited) <> 0) by_account
   group by merchant_id, cause_id`

/** What a refund `r` should have booked, with the attempt `a` that paid it; no line of zero. */
const refundFigures = (sql: Sql): Fragment => sql`
  (select jsonb_object_agg(
            r.environment || ' ' || r.country_code || ' ' || r.currency || ' ' || f.kind,
            f.credited)
     from (values
            ('pending', -r.held_amount),
            ('gateway ' || a.gateway_id || case when r.method = 'OPERATOR' then ' COLLECT'
                                                else ' DISBURSE' end, r.amount),
            ('gateway_fees', r.gateway_fee + a.gateway_cost_excess
               - case when r.is_returned_by_operator then r.returned_gateway_fee else 0 end),
            ('platform_fees', r.platform_fee - r.returned_platform_fee),
            ('gateway_costs', -a.gateway_cost_excess
               - case when r.is_returned_by_operator then 0 else r.returned_gateway_fee end)
          ) f(kind, credited)
    where f.credited <> 0)`

/**
 * All that it costs is on hold until it ends, spent when it was paid, else released. One that was
 * paid may have an open attempt beside: it was sent again before an earlier one paid after all.
 */
export const refundsBooked = (sql: Sql): Fragment => sql`
  select case
           when r.id is null then 'entries name the refund ' || b.cause_id || ', not there'
           when (h.environment, h.country, h.currency, h.amount) is distinct from
                (r.environment, r.country_code, r.currency, r.held_amount)
             then 'refund ' || r.id || ' does not hold what it costs'
           when n.how is distinct from
                case when r.status = 'SUCCESS' then 'SPEND'
                     when r.status in ('FAILED', 'CANCELLED') then 'RELEASE' end
             then 'refund ' || r.id || ' is ' || r.status || ' and its hold is '
                  || coalesce(n.how, 'open')
           when r.status <> 'SUCCESS'
                and coalesce(o.open, 0) <> (r.status = 'PENDING' and r.waiting_for is null)::int
             then 'refund ' || r.id || ' is ' || r.status || ' and has '
                  || coalesce(o.open, 0) || ' open attempts'
           when r.status <> 'SUCCESS' and b.cause_id is not null
             then 'refund ' || r.id || ' is ' || r.status || ' and has entries'
           when r.status <> 'SUCCESS' then null
           when b.cause_id is null then 'refund ' || r.id || ' is SUCCESS without entries'
           when a.status is distinct from 'SUCCESS' or a.net_amount <> r.amount
                or a.currency <> r.currency
             then 'refund ' || r.id || ' was settled by no attempt of its own that succeeded'
           when b.attempts is distinct from array[r.settled_attempt]
             then 'refund ' || r.id || ' is booked for another attempt'
           when b.figures is distinct from ${refundFigures(sql)}
             then 'refund ' || r.id || ' is booked with other figures than it has'
         end as breach
    from refunds r
    full join (${bookedByRefund(sql)}) b on b.merchant_id = r.merchant_id and b.cause_id = r.id
    left join holds h on h.merchant_id = r.merchant_id and h.cause_kind = 'REFUND'
                     and h.cause_id = r.id
    left join hold_ends n on n.merchant_id = h.merchant_id and n.hold_id = h.id
    left join attempts a on a.merchant_id = r.merchant_id and a.id = r.settled_attempt
                        and a.refund_id = r.id
    left join (select merchant_id, refund_id,
                      count(*) filter (where status in ('PENDING', 'UNKNOWN')) as open
                 from attempts
                where refund_id is not null
                group by merchant_id, refund_id) o
      on o.merchant_id = r.merchant_id and o.refund_id = r.id`

/**
 * What two people have agreed that the payer of a payment has beside its refunds: what was paid of
 * a refund beyond them, and what was taken back of the attempt that settled it.
 */
const withPayer = (sql: Sql): Fragment => sql`
  select i.merchant_id, i.transaction_id, sum(i.amount) as charged
    from incidents i
    join transactions p on p.merchant_id = i.merchant_id and p.id = i.transaction_id
   where i.status = 'RESOLVED' and p.transaction_type = 'PAIEMENT' and p.status = 'SUCCESS'
     and (i.resolution = 'CHARGE_MERCHANT' and i.refund_id is not null
          or i.refund_id is null and i.attempt_id = p.settled_attempt
             and (i.resolution = 'CHARGE_MERCHANT' and i.type = 'REVERSED_AFTER_SUCCESS'
                  or i.resolution in ('CHARGE_MERCHANT', 'WRITE_OFF')
                     and i.type = 'AMOUNT_MISMATCH' and i.suspense_side = 'DEBIT'))
   group by i.merchant_id, i.transaction_id`

/**
 * A payment's row counts its refunds: what is under way or has arrived, and what has; and what its
 * payer has beside them. It never counts beyond what was paid, and what was paid of a refund that
 * is under way is within what it has set aside.
 */
export const refundsCounted = (sql: Sql): Fragment => sql`
  select case
           when t.refund_reserved > t.debited_amount or t.refunded_amount > t.refund_reserved
             then 'payment ' || t.id || ' is refunded beyond what was paid'
           when t.refunded_amount
                  <> least(coalesce(s.refunded, 0) + coalesce(c.charged, 0), t.debited_amount)
                or t.refund_reserved < coalesce(s.reserved, 0)
                or t.refund_reserved > coalesce(s.reserved, 0) + coalesce(c.charged, 0)
             then 'payment ' || t.id || ' counts ' || t.refunded_amount || ' of '
                  || t.refund_reserved || ', its refunds ' || coalesce(s.refunded, 0) || ' of '
                  || coalesce(s.reserved, 0) || ', and its payer has beside them '
                  || coalesce(c.charged, 0)
         end as breach
    from transactions t
    left join (select merchant_id, payment_id,
                      sum(amount) filter (where status = 'PENDING' or
                        (status = 'SUCCESS' and returned_at is null)) as reserved,
                      sum(amount) filter (where status = 'SUCCESS' and returned_at is null)
                        as refunded
                 from refunds group by merchant_id, payment_id) s
      on s.merchant_id = t.merchant_id and s.payment_id = t.id
    left join (${withPayer(sql)}) c
      on c.merchant_id = t.merchant_id and c.transaction_id = t.id
   where t.refund_reserved <> 0 or s.payment_id is not null or c.charged is not null`

/** What came back of a refund is the merchant's again by the incident that records it, once. */
export const refundsReturned = (sql: Sql): Fragment => sql`
  select case
           when i.id is null and r.returned_at is not null
             then 'refund ' || r.id || ' came back and two people never said so'
           when i.id is not null and r.returned_at is null
             then 'refund ' || r.id || ' came back and does not say so'
         end as breach
    from refunds r
    full join (select merchant_id, id, refund_id from incidents
                where type = 'RETURNED' and status = 'RESOLVED'
                  and resolution = 'CREDIT_MERCHANT' and refund_id is not null) i
      on i.merchant_id = r.merchant_id and i.refund_id = r.id`

/**
 * What a payment cost comes back with one refund at most, and never more than was taken: of those
 * that are under way or have arrived. What came back of a refund has brought the fee back with it.
 */
export const feesGivenBack = (sql: Sql): Fragment => sql`
  select case
           when f.times > 1
             then 'payment ' || f.payment_id || ' gives its fee back ' || f.times || ' times'
           when f.gateway_fee > a.gateway_fee or f.platform_fee > a.platform_fee
             then 'payment ' || f.payment_id || ' gives back ' || f.gateway_fee || ' and '
                  || f.platform_fee || ' of a fee of ' || a.gateway_fee || ' and '
                  || a.platform_fee
         end as breach
    from (select merchant_id, payment_id, min(refund_of::text)::uuid as refund_of,
                 count(*) filter (where returned_gateway_fee + returned_platform_fee > 0) as times,
                 sum(returned_gateway_fee) as gateway_fee,
                 sum(returned_platform_fee) as platform_fee
            from refunds
           where status in ('PENDING', 'SUCCESS') and returned_at is null
           group by merchant_id, payment_id) f
    join attempts a on a.merchant_id = f.merchant_id and a.id = f.refund_of`
