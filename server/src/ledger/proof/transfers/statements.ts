// What `ledger verify` checks of transfers between two countries (money 3): hold, entries and
// transaction agree with the transfer's own status, in the figures that it froze.

import type { Fragment, Sql } from '../../../platform/db.ts'
import { legs } from '../statements.ts'

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
const figuresOf = (sql: Sql): Fragment => sql`
  jsonb_build_object(
    w.from_country || ' ' || w.from_currency || ' pending', -w.from_amount,
    w.from_country || ' ' || w.from_currency || ' fx', w.from_amount - w.fee_amount,
    w.to_country || ' ' || w.to_currency || ' fx', -w.to_amount,
    w.to_country || ' ' || w.to_currency || ' available', w.to_amount)
  || case when w.fee_amount = 0 then '{}'
          else jsonb_build_object(
            w.from_country || ' ' || w.from_currency || ' platform_fees', w.fee_amount) end`

/** The whole amount is held while it waits, spent when it arrived, released when it will not. */
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
           when b.figures is distinct from ${figuresOf(sql)}
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
