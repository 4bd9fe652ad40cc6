// The rows of the file of refunds, and its columns.

import type { Db, Fragment } from '../../platform/db.ts'
import {
  amount,
  asItIs,
  type Columns,
  type ExportForm,
  headOf,
  moment,
  plain,
} from '../../platform/export/columns.ts'
import { type Copied, copyOut } from '../../platform/export/copy-statements.ts'
import type { NewFile } from '../../platform/export/exports.ts'
import { type RefundsSought, refundsWhere } from '../store.ts'

/** Only the last two digits are shown, as `maskedNumber` has it. */
const masked = (source: string): string =>
  `repeat('*', greatest(0, length(${source}) - 2)) || right(${source}, 2)`

/** By the names that a refund's fields have; `merchant_reference` is its payment's. */
const columns: Columns = {
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
}

export const column_names: readonly string[] = Object.keys(columns)

/** Every match, newest first. */
export const fileOfRefunds = (sought: RefundsSought, form: ExportForm): NewFile => ({
  merchant_id: sought.merchant_id,
  environment: sought.environment,
  head: headOf(columns, form),
  copy: (db) => copyOut(db, { columns, form, rowsOf: (copied) => rowsOf(db, sought, copied) }),
})

const rowsOf = (db: Db, sought: RefundsSought, { bind, list }: Copied): Fragment => db`
  select ${list}
    from refunds r
    join transactions t on t.merchant_id = r.merchant_id and t.id = r.payment_id
   where ${refundsWhere(db, sought, bind)}
   order by r.created_at desc, r.id desc`
