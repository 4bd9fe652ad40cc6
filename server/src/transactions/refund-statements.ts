// What a payment's row keeps of its refunds: what is given back or on its way, what has arrived.
// Both change under the row's lock, and a check of the table holds them within what was paid.

import { bookedOfRefund } from '../attempts/attempt-statements.ts'
import { disputes } from '../incidents/store.ts'
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

/** Of a payment, in hundredths: what its refunds have brought, what is on its way, and the rest. */
type GivenBack = Readonly<{ arrived: bigint; on_its_way: bigint; with_payer: bigint }>

/**
 * `on_its_way`: without what people have booked as paid of it. `with_payer`: what two people have
 * agreed that the payer has beside what refunds brought, as `isWithPayer` says it.
 */
async function sumGivenBack(tx: Tx, payment: Transaction): Promise<GivenBack> {
  const { merchant_id, id, settled_attempt } = payment
  const [row] = await tx<GivenBack[]>`
    select coalesce(sum(r.amount) filter (where r.status = 'SUCCESS'), 0)::bigint as arrived,
           coalesce(sum(r.amount - least(r.amount, r.booked))
                      filter (where r.status = 'PENDING'), 0)::bigint as on_its_way,
           (select coalesce(sum(i.amount), 0)::bigint from incidents i
             where i.merchant_id = ${merchant_id} and i.transaction_id = ${id}
               and i.status = 'RESOLVED'
               and (i.resolution = 'CHARGE_MERCHANT' and i.refund_id is not null
                    or i.refund_id is null and i.attempt_id = ${settled_attempt}
                       and (i.resolution = 'CHARGE_MERCHANT'
                            and i.type = 'REVERSED_AFTER_SUCCESS'
                            or i.resolution in ('CHARGE_MERCHANT', 'WRITE_OFF')
                               and i.type = 'AMOUNT_MISMATCH' and i.suspense_side = 'DEBIT'))
           ) as with_payer
      from (select f.amount, f.status, ${bookedOfRefund(tx, 'f')} as booked
              from refunds f
             where f.merchant_id = ${merchant_id} and f.payment_id = ${id}
               and f.returned_at is null) r`
  return row ?? { arrived: 0n, on_its_way: 0n, with_payer: 0n }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * What the row of a payment, locked, should count by its refunds and incidents, and by `more` that
 * its payer has by one that is being resolved: never beyond what was paid. `fits`: without that.
 */
export async function recount(
  tx: Tx,
  payment: Transaction,
  more = 0n,
): Promise<RefundChange & Readonly<{ fits: boolean }>> {
  const { arrived, on_its_way, with_payer } = await sumGivenBack(tx, payment)
  const { debited_amount, refund_reserved, refunded_amount } = payment
  const is_there = arrived + with_payer + more
  return {
    reserved: smaller(is_there + on_its_way, debited_amount) - refund_reserved,
    refunded: smaller(is_there, debited_amount) - refunded_amount,
    fits: on_its_way === 0n || is_there + on_its_way <= debited_amount,
  }
}

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
