// The refunds' parts of a statement. A status is moved here and nowhere else, from the version that
// was decided from; everything that belongs to the move is gated by it. The payment's row is locked
// before its refund's.

import { dueAgain, sentAgain } from '../incidents/sent-again-statements.ts'
import { nameList, omitColumns, selectList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import {
  type Gate,
  jsonRows,
  type OptionalGate,
  type Part,
  part,
  type Relation,
} from '../platform/sql.ts'
import { type Refund, type RefundKey, refundRow, type SendingWait } from './refund.ts'

/** The columns of `refunds r`. */
export const refundColumns = (sql: Sql): Fragment => selectList(sql, refundRow, 'r')

/** Of `refunds r`: it waits for no person, and is sent once a route may be taken. */
export const waitsForRoute = (sql: Sql): Fragment =>
  sql`r.waiting_for in ('GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'NO_ROUTE')`

/** What one is made with; the rest comes with its end. */
const newRefundRow = omitColumns(refundRow, ['settled_attempt', 'returned_at', 'ended_at'])

/** What lets an attempt through: it is nobody's, because the payment is the customer's. */
type WithCustomer = 'id' | 'customer_id'

/** `refund_made as (…)`: when `when` has a row. One that waits for a route is due again soon. */
export const insertRefund = (sql: Sql, refund: Refund, { when }: Gate): Part<WithCustomer> =>
  part(
    'refund_made',
    sql`refund_made as (
    insert into refunds (${nameList(sql, newRefundRow)}, send_again_at)
    select ${selectList(sql, newRefundRow, 'r')},
           case when ${waitsForRoute(sql)}
                then now() + ${sentAgain.after_s} * interval '1 second' end
      from ${jsonRows(sql, [refund], typedList(sql, newRefundRow))} as r
     where exists (select 1 from ${sql(when.name)})
    returning id, null::uuid as customer_id)`,
  )

/** A refund in its present state and in the next. */
export type Moving = Readonly<{ before: Refund; after: Refund }>

/** `refund_moved as (…)`: a row if it was still as it was when decided. */
export const moveRefund = (
  sql: Sql,
  { before, after }: Moving,
  { when }: OptionalGate = {},
): Part =>
  part(
    'refund_moved',
    sql`refund_moved as (
    update refunds
       set status = ${after.status}, version = ${after.version},
           waiting_for = ${after.waiting_for}::text, send_again_at = null,
           settled_attempt = ${after.settled_attempt}::uuid,
           gateway_fee = ${after.gateway_fee}, platform_fee = ${after.platform_fee},
           external_reference = coalesce(nullif(${after.external_reference}, ''),
                                         external_reference),
           operator_reference = ${after.operator_reference},
           failure_code = ${after.failure_code}, decided_by = ${after.decided_by}::uuid,
           returned_at = ${after.returned_at}, ended_at = ${after.ended_at},
           updated_at = ${after.updated_at}
     where merchant_id = ${before.merchant_id} and id = ${before.id}
       and status = ${before.status} and version = ${before.version}
       and waiting_for is not distinct from ${before.waiting_for}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
    returning id)`,
  )

type Decided = RefundKey & Readonly<{ version: number }>

/** `refund_unmoved as (…)`: the refund, locked, while it is as it was when decided. */
export const refundAsDecided = (
  sql: Sql,
  decided: Decided,
  { when }: OptionalGate = {},
): Part<WithCustomer> =>
  part(
    'refund_unmoved',
    sql`refund_unmoved as (
    select id, null::uuid as customer_id from refunds
     where merchant_id = ${decided.merchant_id} and id = ${decided.id}
       and version = ${decided.version}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
       for update)`,
  )

/** `refund_goes_on as (…)`: the refund that `unmoved` has locked, where `when` has a row. */
export const goesOn = (
  sql: Sql,
  { unmoved, when }: Gate & Readonly<{ unmoved: Relation<WithCustomer> }>,
): Part<WithCustomer> =>
  part(
    'refund_goes_on',
    sql`refund_goes_on as (
    select id, customer_id from ${sql(unmoved.name)}
     where exists (select 1 from ${sql(when.name)}))`,
  )

/** `refund_noted as (…)`: the gateway's reference, while all is as it was at the query. */
export const noteRefundReference = (sql: Sql, decided: Decided, external_reference: string): Part =>
  part(
    'refund_noted',
    sql`refund_noted as (
    update refunds
       set external_reference = ${external_reference}, updated_at = now()
     where merchant_id = ${decided.merchant_id} and id = ${decided.id}
       and status = 'PENDING' and version = ${decided.version}
    returning id)`,
  )

export type Approval = Readonly<{
  /** The person. */
  by: string
  /** No route may be taken yet: it waits for that from now on. */
  waits_for: SendingWait | null
}>

/** False when it waits for that decision no more, or its time is over. */
export async function approveWaiting(
  tx: Tx,
  refund: Refund,
  { by, waits_for }: Approval,
): Promise<boolean> {
  const { after_s, at_most_h } = sentAgain
  const rows = await tx`
    update refunds
       set waiting_for = ${waits_for}::text,
           send_again_at = case when ${waits_for}::text is not null
                                then now() + ${after_s}::int * interval '1 second' end,
           lapses_at = case when ${waits_for}::text is not null
                            then now() + ${at_most_h}::int * interval '1 hour' end,
           decided_by = ${by}, updated_at = now()
     where merchant_id = ${refund.merchant_id} and id = ${refund.id} and status = 'PENDING'
       and version = ${refund.version} and waiting_for = ${refund.waiting_for}
       and lapses_at > now()`
  return rows.count === 1
}

/**
 * `refund_waits as (…)`: its operator has taken nothing for want of a float, or a limit of ours
 * kept it from being sent, so that it waits to be sent again; its hold and its status stay. A row
 * if it waits for nothing else. One that had waited before it was ever sent ends when it would
 * have then.
 */
export const waitToBeSent = (
  sql: Sql,
  { merchant_id, id, version, reason }: Decided & Readonly<{ reason: SendingWait }>,
  { when }: Gate,
): Part =>
  part(
    'refund_waits',
    sql`refund_waits as (
    update refunds
       set waiting_for = ${reason}, updated_at = now(),
           send_again_at = d.again_at, lapses_at = coalesce(lapses_at, d.over_at)
      from (${dueAgain(sql, { merchant_id, by: 'refund_id', id })}) d
     where merchant_id = ${merchant_id} and id = ${id} and version = ${version}
       and status = 'PENDING' and waiting_for is null
       and exists (select 1 from ${sql(when.name)})
    returning id)`,
  )

/** It is sent again: false when it waits for that no more, or its time is over. */
export async function endRouteWait(tx: Tx, { merchant_id, id }: RefundKey): Promise<boolean> {
  const rows = await tx`
    update refunds r set waiting_for = null, send_again_at = null, updated_at = now()
     where merchant_id = ${merchant_id} and id = ${id} and status = 'PENDING'
       and ${waitsForRoute(tx)} and lapses_at > now()`
  return rows.count === 1
}

/** What it waits for by the last look, where that is another thing than before. */
export async function noteWaitingFor(
  sql: Sql,
  { merchant_id, id }: RefundKey,
  waits_for: SendingWait,
): Promise<void> {
  await homeOf(sql, merchant_id)`
    update refunds r set waiting_for = ${waits_for}
     where merchant_id = ${merchant_id} and id = ${id} and ${waitsForRoute(sql)}
       and waiting_for <> ${waits_for}`
}

/** False unless it has succeeded and had not come back. */
export async function markRefundReturned(tx: Tx, { before, after }: Moving): Promise<boolean> {
  const rows = await tx`
    update refunds
       set returned_at = ${after.returned_at}, version = ${after.version},
           updated_at = ${after.updated_at}
     where merchant_id = ${before.merchant_id} and id = ${before.id}
       and status = 'SUCCESS' and returned_at is null and version = ${before.version}`
  return rows.count === 1
}
