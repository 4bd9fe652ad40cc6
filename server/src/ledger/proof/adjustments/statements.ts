// What `ledger verify` checks of manual adjustments: one that two people decided on has booked its
// amount between its two accounts, and no other has booked anything (docs/decisions/0017).

import type { Fragment, Sql } from '../../../platform/db.ts'

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
