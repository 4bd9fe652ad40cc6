// Removes the payer from what we sent to gateways and from what they answered. The hash of each
// callback stays, because it is evidence.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { lastTwo, type Traces, without } from '../platform/traces.ts'

type Of = Readonly<{
  merchant_id: string
  transaction_ids: readonly string[]
  /** Of the refunds of these payments. */
  refund_ids?: readonly string[]
}>

/** Attempts of these payments and of their refunds, as a condition on `a`. */
const ofThese = (sql: Sql, { transaction_ids, refund_ids = [] }: Of): Fragment =>
  refund_ids.length === 0
    ? sql`a.transaction_id = any(${[...transaction_ids]}::uuid[])`
    : sql`(a.transaction_id = any(${[...transaction_ids]}::uuid[])
           or (a.refund_id is not null and a.refund_id = any(${[...refund_ids]}::uuid[])))`

/** The attempts of these payments. */
export async function eraseAttempts(tx: Tx, of: Of, traces: Traces): Promise<void> {
  await tx`
    update attempts a
       set operation_msisdn = ${lastTwo(tx, tx`operation_msisdn`)}, checkout_url = '',
           gateway_detail = ${without(tx, tx`gateway_detail`, traces)},
           failure_message = ${without(tx, tx`failure_message`, traces)}
     where a.merchant_id = ${of.merchant_id} and ${ofThese(tx, of)}`
}

/** What gateways sent about them. A callback's id begins with its attempt's time (record 0005). */
export async function eraseCallbacks(sql: Sql, of: Of): Promise<void> {
  const { merchant_id } = of
  await homeOf(sql, merchant_id)`
    update gateway_callbacks c set body = '', raw = '', request = null
      from attempts a
     where a.merchant_id = ${merchant_id}
       and ${ofThese(sql, of)}
       and c.merchant_id = ${merchant_id} and c.attempt_id = a.id and (c.body <> '' or c.raw <> '')
       and c.id >= (left(a.id::text, 14) || '0000-0000-000000000000')::uuid
       and c.id <= (left(a.id::text, 14) || 'ffff-ffff-ffffffffffff')::uuid`
}
