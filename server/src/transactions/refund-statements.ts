// What a payment's row keeps of its refunds: what is given back or on its way, what has arrived.
// Both change under the row's lock, and a check of the table holds them within what was paid.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Gate, type Part, part } from '../platform/sql.ts'
import { transactionColumns } from './store.ts'
import type { Transaction, TransactionKey } from './transaction.ts'

/** The payment, locked: nothing of it is given back meanwhile. */
export async function lockPayment(tx: Tx, key: TransactionKey): Promise<Transaction | undefined> {
  const [row] = await tx<Transaction[]>`
    select ${transactionColumns(tx)} from transactions t
     where t.merchant_id = ${key.merchant_id} and t.id = ${key.id}
       for update of t`
  return row
}

type AsRead = Pick<Transaction, 'merchant_id' | 'id' | 'version' | 'refund_reserved'>

/** `payment_unmoved as (…)`: the payment, locked, while what is given back is as it was read. */
export const paymentAsRead = (sql: Sql, payment: AsRead): Part =>
  part(
    'payment_unmoved',
    sql`payment_unmoved as (
    select id from transactions
     where merchant_id = ${payment.merchant_id} and id = ${payment.id}
       and version = ${payment.version} and refund_reserved = ${payment.refund_reserved}
       for update)`,
  )

/** Hundredths, both may be negative. */
export type RefundChange = Readonly<{ reserved: bigint; refunded: bigint }>

const changed = (sql: Sql, key: TransactionKey, change: RefundChange): Fragment => sql`
  update transactions
     set refund_reserved = refund_reserved + ${change.reserved},
         refunded_amount = refunded_amount + ${change.refunded},
         version = version + ${change.refunded === 0n ? 0 : 1},
         refund_changes = refund_changes + ${change.refunded === 0n ? 0 : 1}, updated_at = now()
   where merchant_id = ${key.merchant_id} and id = ${key.id}`

/** `refund_counted as (…)`: when `when` has a row. */
export const countRefund = (
  sql: Sql,
  key: TransactionKey,
  change: RefundChange,
  { when }: Gate,
): Part =>
  part(
    'refund_counted',
    sql`refund_counted as (
    ${changed(sql, key, change)} and exists (select 1 from ${sql(when.name)})
    returning id)`,
  )

/** The payment as this leaves it; the change must fit what was paid. */
export const afterChange = (payment: Transaction, change: RefundChange): Transaction => ({
  ...payment,
  refund_reserved: payment.refund_reserved + change.reserved,
  refunded_amount: payment.refunded_amount + change.refunded,
  version: payment.version + (change.refunded === 0n ? 0 : 1),
})

/** The same by itself, under the lock that `lockPayment` took. */
export async function updateRefunded(
  tx: Tx,
  payment: Transaction,
  change: RefundChange,
): Promise<Transaction> {
  await tx`${changed(tx, payment, change)}`
  return afterChange(payment, change)
}

/** Of an incident `d` of a payment: its payer may have the money already. */
export const disputes = (sql: Sql): Fragment => sql`
  (d.status = 'OPEN'
   or (d.type = 'REVERSED_AFTER_SUCCESS' and d.refund_id is null
       and d.resolution is distinct from 'RECOVERED'))`

/**
 * Whether people are looking at what became of this payment, or of one of its refunds, or an
 * operator has taken it back: then its payer may have the money already.
 */
export async function isDisputed(sql: Sql, key: TransactionKey): Promise<boolean> {
  const rows = await homeOf(sql, key.merchant_id)`
    select 1 from incidents d
     where d.merchant_id = ${key.merchant_id} and d.transaction_id = ${key.id}
       and ${disputes(sql)}
     limit 1`
  return rows.count > 0
}

/** Whether people are looking at it at all. */
export async function hasOpenIncident(sql: Sql, key: TransactionKey): Promise<boolean> {
  const rows = await homeOf(sql, key.merchant_id)`
    select 1 from incidents
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.id} and status = 'OPEN'
     limit 1`
  return rows.count > 0
}
