// The rows of the file of refunds, and its columns.

import { amount, asItIs, type Columns, moment, plain } from '../../platform/export/columns.ts'
import type { RowsOf } from '../../platform/export/export-route.ts'
import { type RefundsSought, refundsWhere } from '../store.ts'

/** Only the last two digits are shown, as `maskedNumber` has it. */
const masked = (source: string): string =>
  `repeat('*', greatest(0, length(${source}) - 2)) || right(${source}, 2)`

/** By the names that a refund's fields have; `merchant_reference` is its payment's. */
export const columns: Columns = {
  id: asItIs('r.id'),
  payment_id: asItIs('r.payment_id'),
  merchant_reference: plain('t.merchant_reference'),
  reference: plain('r.reference'),
  status: asItIs('r.status'),
  amount: amount('r.amount'),
  currency: asItIs('r.currency'),
  fee: amount('r.fee'),
  fees_returned: amount('r.returned_gateway_fee + r.returned_platform_fee'),
  method: asItIs('r.method'),
  msisdn_masked: asItIs(`nullif(${masked('r.operation_msisdn')}, '')`),
  failure_code: asItIs(`nullif(r.failure_code, '')`),
  reason: plain('r.reason'),
  created_at: moment('r.created_at'),
  ended_at: moment('r.ended_at'),
  external_reference: plain('r.external_reference'),
  environment: asItIs('r.environment'),
  returned_at: moment('r.returned_at'),
}

/** Every match, newest first. */
export const refundRows =
  (sought: RefundsSought): RowsOf =>
  (db, { bind, list }) =>
    db`
  select ${list}
    from refunds r
    join transactions t on t.merchant_id = r.merchant_id and t.id = r.payment_id
   where ${refundsWhere(db, sought, bind)}
   order by r.created_at desc, r.id desc`
