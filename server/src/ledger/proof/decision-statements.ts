// What `ledger verify` checks of what people decide: settlements, transfers between two
// countries, manual adjustments (money 3).

import type { Fragment, Sql } from '../../platform/db.ts'
import { legs } from './statements.ts'

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
const settlementFigures = (sql: Sql): Fragment => sql`
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

/**
 * All that it costs is on hold until it ends, spent when it was paid, else released. One that was
 * paid may have an open attempt beside: it was sent again before an earlier one paid after all.
 */
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
           when (s.status <> 'SUCCESS' or s.settled_attempt is null) and coalesce(o.open, 0)
                <> (s.status = 'PROCESSING' and s.waits_until is null)::int
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
           when b.figures is distinct from ${settlementFigures(sql)}
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
                  and resolution = 'CREDIT_MERCHANT' and refund_id is null
                  and transaction_id is null) i
      on i.merchant_id = s.merchant_id and i.settlement_id = s.id
    left join (${creditedByResolution(sql)}) c
      on c.merchant_id = i.merchant_id and c.cause_id = i.id`

// What `ledger verify` checks of transfers between two countries (money 3): hold, entries and
// transaction agree with the transfer's own status, in the figures that it froze.

/** What each transfer has booked on the credit side, by country, currency and kind of account. */
const bookedByTransfer = (sql: Sql): Fragment => sql`
  select merchant_id, cause_id, jsonb_object_agg(account, credited) as figures
    from (select l.merchant_id, l.cause_id,
                 k.country || ' ' || k.currency || ' ' || k.kind as account,
                 sum(l.credited) as credited
            from (${legs(sql)}) l
            join accounts k on k.merchant_id = l.merchant_id and k.id = l.account_id
           where l.cause_kind = 'TRANSFER'
           group by l.merchant_id, l.cause_id, account) by_account
   group by merchant_id, cause_id`

/** What a transfer `w` should have booked (money 3); a line of zero is not booked. */
const transferFigures = (sql: Sql): Fragment => sql`
  jsonb_build_object(
    w.from_country || ' ' || w.from_currency || ' pending', -w.from_amount,
    w.from_country || ' ' || w.from_currency || ' fx', w.from_amount - w.fee_amount,
    w.to_country || ' ' || w.to_currency || ' fx', -w.to_amount,
    w.to_country || ' ' || w.to_currency || ' available', w.to_amount)
  || case when w.fee_amount = 0 then '{}'
          else jsonb_build_object(
            w.from_country || ' ' || w.from_currency || ' platform_fees', w.fee_amount) end`

/** The whole amount is on hold while it waits, spent when it arrived, released when it will not. */
export const transfersBooked = (sql: Sql): Fragment => sql`
  select case
           when w.id is null then 'entries name the transfer ' || b.cause_id || ', not there'
           when (h.environment, h.country, h.currency, h.amount) is distinct from
                (w.environment, w.from_country, w.from_currency, w.from_amount)
             then 'transfer ' || w.id || ' does not hold its amount'
           when n.how is distinct from
                case w.status when 'SUCCESS' then 'SPEND' when 'REJECTED' then 'RELEASE' end
             then 'transfer ' || w.id || ' is ' || w.status || ' and its hold is '
                  || coalesce(n.how, 'open')
           when w.status <> 'SUCCESS' and b.cause_id is not null
             then 'transfer ' || w.id || ' is ' || w.status || ' and has entries'
           when w.status <> 'SUCCESS' and t.id is not null
             then 'transfer ' || w.id || ' is ' || w.status || ' and has a transaction'
           when w.status <> 'SUCCESS' then null
           when (t.environment, t.status, t.country_code, t.currency, t.requested_amount,
                 t.debited_amount, t.net_amount, t.client_fee, t.platform_fee)
                is distinct from
                (w.environment, 'SUCCESS', w.from_country, w.from_currency, w.from_amount,
                 w.from_amount, w.from_amount - w.fee_amount, w.fee_amount, w.fee_amount)
             then 'transfer ' || w.id || ' has not the transaction that it should have'
           when b.figures is distinct from ${transferFigures(sql)}
             then 'transfer ' || w.id || ' is booked with other figures than it has'
         end as breach
    from wallet_transfers w
    full join (${bookedByTransfer(sql)}) b
      on b.merchant_id = w.merchant_id and b.cause_id = w.id
    left join holds h on h.merchant_id = w.merchant_id and h.cause_kind = 'TRANSFER'
                     and h.cause_id = w.id
    left join hold_ends n on n.merchant_id = h.merchant_id and n.hold_id = h.id
    left join transactions t on t.merchant_id = w.merchant_id and t.id = w.id
                            and t.transaction_type = 'TRANSFERT'
  union all
  select case when w.id is null then 'transaction ' || t.id || ' is of no transfer' end
    from transactions t
    left join wallet_transfers w on w.merchant_id = t.merchant_id and w.id = t.id
   where t.transaction_type = 'TRANSFERT'`

// What `ledger verify` checks of manual adjustments: one that two people decided on has booked its
// amount between its two accounts, and no other has booked anything (docs/decisions/0017).

export const adjustmentsBooked = (sql: Sql): Fragment => sql`
  select case
           when a.id is null then 'entries name the adjustment ' || e.cause_id || ', not there'
           when a.status <> 'BOOKED' and e.cause_id is not null
             then 'adjustment ' || a.id || ' is ' || a.status || ' and has entries'
           when a.status <> 'BOOKED' then null
           when e.cause_id is null then 'adjustment ' || a.id || ' is BOOKED without entries'
           when e.said <> array[a.environment || ' ' || a.country || ' ' || a.currency || ' '
                                || w.debit || ' ' || w.credit || ' ' || a.amount]
             then 'adjustment ' || a.id || ' is booked with other figures than it has'
         end as breach
    from adjustments a
    join (values ('CREDIT_MERCHANT', 'losses', 'available'),
                 ('CHARGE_MERCHANT', 'available', 'losses'),
                 ('COLLECT_DEBT', 'available', 'merchant_debt'),
                 ('WRITE_OFF_DEBT', 'losses', 'merchant_debt')) w(kind, debit, credit)
      on w.kind = a.kind
    full join (
      select e.merchant_id, e.cause_id,
             array_agg(e.environment || ' ' || e.country || ' ' || e.currency || ' ' || d.kind
                       || ' ' || c.kind || ' ' || e.amount) as said
        from ledger_entries e
        join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
        join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
       where e.cause_kind = 'ADJUSTMENT'
       group by e.merchant_id, e.cause_id) e
      on e.merchant_id = a.merchant_id and e.cause_id = a.id`
