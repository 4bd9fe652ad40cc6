// The rows of the file of settlements, and its columns.

import { amount, asItIs, type Columns, moment, plain } from '../../platform/export/columns.ts'
import type { RowsOf } from '../../platform/export/export-route.ts'
import { type SettlementsSought, settlementsWhere } from '../store.ts'

/** By the names that a settlement's fields have; how it is paid, beside its method. */
export const columns: Columns = {
  id: asItIs('s.id'),
  reference: plain('s.reference'),
  status: asItIs('s.status'),
  country: asItIs('s.country'),
  payout_method: asItIs('s.payout_method'),
  method: asItIs('p.type'),
  requested_amount: amount('s.requested_amount'),
  client_fee: amount('s.client_fee'),
  debited_amount: amount('s.debited_amount'),
  net_amount: amount('s.net_amount'),
  currency: asItIs('s.currency'),
  failure_code: asItIs(`nullif(s.failure_code, '')`),
  gateway_reference: plain('s.gateway_reference'),
  created_at: moment('s.created_at'),
  approved_at: moment('s.approved_at'),
  executed_at: moment('s.executed_at'),
  completed_at: moment('s.completed_at'),
  returned_at: moment('s.returned_at'),
  environment: asItIs('s.environment'),
}

/** Every match, newest first. */
export const settlementRows =
  (sought: SettlementsSought): RowsOf =>
  (db, { bind, list }) =>
    db`
  select ${list}
    from settlements s
    join payout_methods p on p.merchant_id = s.merchant_id and p.id = s.payout_method
   where ${settlementsWhere(db, sought, bind)}
   order by s.created_at desc, s.id desc`
