// What `ledger verify` checks of settlements (money 3): hold, entries and attempts agree with the
// settlement's own status, in the figures that it froze.

import type { Fragment, Sql } from '../../../platform/db.ts'
import { legs } from '../statements.ts'

/** What each settlement has booked on the credit side, by account, and for which attempts. */
const bookedBySettlement = (sql: Sql): Fragment => sql`
  select merchant_id, cause_id, jsonb_object_agg(account, credited) as figures,
         array_agg(distinct attempt_id) as attempts
    from (select l.merchant_id, l.cause_id, l.attempt_id,
                 k.environment || ' ' || k.country || ' ' || k.currency || ' ' || k.kind
                 || case when k.kind = 'gateway' then ' ' || k.gateway_id || ' ' || k.purpose
                         else '' end as account,
                 sum(l.credited) as credited
            from (${legs(sql)}) l
            join accounts k on k.merchant_id = l.merchant_id and k.id = l.account_id
           where l.cause_kind = 'SETTLEMENT'
           group by l.merchant_id, l.cause_id, l.attempt_id, account) by_account
   group by merchant_id, cause_id`

/**
 * What a settlement `s` should have booked, with the attempt `a` that paid it, if one did: through
 * the gateway or by the bank (money 3); a line of zero is not booked.
 */
const figuresOf = (sql: Sql): Fragment => sql`
  (select jsonb_object_agg(s.environment || ' ' || s.country || ' ' || s.currency || ' ' || f.kind,
                           f.credited)
     from (values
            ('pending', -s.debited_amount),
            (case when a.id is null then 'bank'
                  else 'gateway ' || a.gateway_id || ' DISBURSE' end, s.net_amount),
            ('gateway_fees', s.gateway_fee + coalesce(a.gateway_cost_excess, 0)),
            ('platform_fees', s.platform_fee),
            ('gateway_costs', -coalesce(a.gateway_cost_excess, 0))) f(kind, credited)
    where f.credited <> 0)`

/** All that it costs is held while it has not ended, spent when it was paid, else released. */
export const settlementsBooked = (sql: Sql): Fragment => sql`
  select case
           when s.id is null then 'entries name the settlement ' || b.cause_id || ', not there'
           when (h.environment, h.country, h.currency, h.amount) is distinct from
                (s.environment, s.country, s.currency, s.debited_amount)
             then 'settlement ' || s.id || ' does not hold what it costs'
           when n.how is distinct from
                case when s.status = 'SUCCESS' then 'SPEND'
                     when s.status in ('FAILED', 'CANCELLED') then 'RELEASE' end
             then 'settlement ' || s.id || ' is ' || s.status || ' and its hold is '
                  || coalesce(n.how, 'open')
           when coalesce(o.open, 0) <> (s.status = 'PROCESSING')::int
             then 'settlement ' || s.id || ' is ' || s.status || ' and has '
                  || coalesce(o.open, 0) || ' open attempts'
           when s.status <> 'SUCCESS' and b.cause_id is not null
             then 'settlement ' || s.id || ' is ' || s.status || ' and has entries'
           when s.status <> 'SUCCESS' then null
           when b.cause_id is null then 'settlement ' || s.id || ' is SUCCESS without entries'
           when s.settled_attempt is not null and a.status is distinct from 'SUCCESS'
             then 'settlement ' || s.id || ' was settled by no attempt of its own that succeeded'
           when a.id is not null
                and (a.debited_amount, a.net_amount, a.client_fee, a.gateway_fee, a.platform_fee,
                     a.currency)
                    <> (s.debited_amount, s.net_amount, s.client_fee, s.gateway_fee,
                        s.platform_fee, s.currency)
             then 'settlement ' || s.id || ' has other figures than its settled attempt'
           when b.attempts is distinct from array[s.settled_attempt]
             then 'settlement ' || s.id || ' is booked for another attempt'
           when b.figures is distinct from ${figuresOf(sql)}
             then 'settlement ' || s.id || ' is booked with other figures than it has'
         end as breach
    from settlements s
    full join (${bookedBySettlement(sql)}) b
      on b.merchant_id = s.merchant_id and b.cause_id = s.id
    left join holds h on h.merchant_id = s.merchant_id and h.cause_kind = 'SETTLEMENT'
                     and h.cause_id = s.id
    left join hold_ends n on n.merchant_id = h.merchant_id and n.hold_id = h.id
    left join attempts a on a.merchant_id = s.merchant_id and a.id = s.settled_attempt
                        and a.settlement_id = s.id
    left join (select merchant_id, settlement_id,
                      count(*) filter (where status in ('PENDING', 'UNKNOWN')) as open
                 from attempts
                where settlement_id is not null
                group by merchant_id, settlement_id) o
      on o.merchant_id = s.merchant_id and o.settlement_id = s.id`

/** What each incident's resolution has given to `available`, and how many entries it took. */
const creditedByResolution = (sql: Sql): Fragment => sql`
  select l.merchant_id, l.cause_id, count(*) as legs,
         sum(l.credited) filter (where k.kind = 'available') as available
    from (${legs(sql)}) l
    join accounts k on k.merchant_id = l.merchant_id and k.id = l.account_id
   where l.cause_kind = 'RESOLUTION'
   group by l.merchant_id, l.cause_id`

/** What came back is the merchant's again by the incident that records it, net and once. */
export const returnsBooked = (sql: Sql): Fragment => sql`
  select case
           when i.id is null and s.returned_at is not null
             then 'settlement ' || s.id || ' came back and two people never said so'
           when i.id is null then null
           when s.id is null then 'incident ' || i.id || ' is of no settlement'
           when s.returned_at is null
             then 'settlement ' || s.id || ' came back and does not say so'
           when c.available is distinct from s.net_amount or c.legs <> 2
             then 'settlement ' || s.id || ' came back with other figures than it has'
         end as breach
    from settlements s
    full join (select merchant_id, id, settlement_id from incidents
                where type = 'RETURNED' and status = 'RESOLVED'
                  and resolution = 'CREDIT_MERCHANT') i
      on i.merchant_id = s.merchant_id and i.settlement_id = s.id
    left join (${creditedByResolution(sql)}) c
      on c.merchant_id = i.merchant_id and c.cause_id = i.id`
