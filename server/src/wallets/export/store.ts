// The rows of the file of transfers, and its columns.

import {
  amount,
  asItIs,
  type Columns,
  decimal,
  moment,
  plain,
} from '../../platform/export/columns.ts'
import type { RowsOf } from '../../platform/export/export-route.ts'
import { type TransfersSought, transfersWhere } from '../store.ts'

/** By the names that a transfer's fields have. */
export const columns: Columns = {
  id: asItIs('t.id'),
  reference: plain('t.reference'),
  status: asItIs('t.status'),
  from_country: asItIs('t.from_country'),
  from_amount: amount('t.from_amount'),
  from_currency: asItIs('t.from_currency'),
  to_country: asItIs('t.to_country'),
  to_amount: amount('t.to_amount'),
  to_currency: asItIs('t.to_currency'),
  exchange_rate: decimal('t.exchange_rate', '0.00000001', 'FM99999999990.00000000'),
  fee_amount: amount('t.fee_amount'),
  fee_percent_applied: decimal('t.fee_percent_ppm', '0.0001', 'FM999990.0099'),
  rejection_reason: plain('t.rejection_reason'),
  created_at: moment('t.created_at'),
  approved_at: moment('t.approved_at'),
  completed_at: moment('t.completed_at'),
  environment: asItIs('t.environment'),
}

/** Every match, newest first. */
export const transferRows =
  (sought: TransfersSought): RowsOf =>
  (db, { bind, list }) =>
    db`
  select ${list}
    from wallet_transfers t
   where ${transfersWhere(db, sought, bind)}
   order by t.created_at desc, t.id desc`
