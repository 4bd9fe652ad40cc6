// The settlements' parts of a statement. A status is moved here and nowhere else, from the version
// that was decided from; everything that belongs to the move is gated by it. Relations that let an
// attempt through have its customer column: a settlement has no customer.

import { dueAgain } from '../incidents/sent-again-statements.ts'
import { nameList, omitColumns, selectList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import {
  type Gate,
  jsonRows,
  type OptionalGate,
  type Part,
  part,
  type Relation,
} from '../platform/sql.ts'
import { type Settlement, type SettlementKey, settlementRow } from './settlement.ts'

/** The columns of `settlements s`. */
export const settlementColumns = (sql: Sql): Fragment => selectList(sql, settlementRow, 's')

/** What one is made with; the rest comes with its moves. */
const newSettlementRow = omitColumns(settlementRow, [
  'settled_attempt',
  'waits_until',
  'gateway_reference',
  'proof_url',
  'proof_key',
  'proof_type',
  'failure_code',
  'failure_reason',
  'completed_at',
  'returned_at',
])

/** What lets an attempt through: a settlement has no customer. */
type WithCustomer = 'id' | 'customer_id'

/** `settlement_made as (…)`: a new settlement when its id is in the relation `when`. */
export const insertSettlement = (
  sql: Sql,
  settlement: Settlement,
  { when }: Gate,
): Part<WithCustomer> =>
  part(
    'settlement_made',
    sql`settlement_made as (
    insert into settlements (${nameList(sql, newSettlementRow)})
    select ${selectList(sql, newSettlementRow, 'r')}
      from ${jsonRows(sql, [settlement], typedList(sql, newSettlementRow))} as r
      join (select id as gate_id from ${sql(when.name)}) as open on open.gate_id = r.id
    returning id, null::uuid as customer_id)`,
  )

/** A settlement in its present state and in the next. */
export type Moving = Readonly<{ before: Settlement; after: Settlement }>

/**
 * `settlement_moved as (…)`: a row if it was still as it was when decided. `when`, if any, must
 * also have a row.
 */
export const moveSettlement = (
  sql: Sql,
  { before, after }: Moving,
  { when }: OptionalGate = {},
): Part<WithCustomer> =>
  part(
    'settlement_moved',
    sql`settlement_moved as (
    update settlements
       set status = ${after.status}, version = ${after.version},
           settled_attempt = ${after.settled_attempt}::uuid,
           send_again_at = null, waits_until = null,
           gateway_fee = ${after.gateway_fee}, platform_fee = ${after.platform_fee},
           gateway_reference = coalesce(nullif(${after.gateway_reference}, ''),
                                        gateway_reference),
           proof_url = ${after.proof_url}, failure_code = ${after.failure_code},
           failure_reason = ${after.failure_reason}, approved_at = ${after.approved_at},
           executed_at = ${after.executed_at}, completed_at = ${after.completed_at},
           updated_at = ${after.updated_at}
     where merchant_id = ${before.merchant_id} and id = ${before.id}
       and status = ${before.status} and version = ${before.version}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
    returning id, null::uuid as customer_id)`,
  )

/** False unless it has succeeded and nothing of it had come back. */
export async function markReturned(tx: Tx, { before, after }: Moving): Promise<boolean> {
  const rows = await tx`
    update settlements
       set returned_at = ${after.returned_at}, version = ${after.version},
           updated_at = ${after.updated_at}
     where merchant_id = ${before.merchant_id} and id = ${before.id}
       and status = 'SUCCESS' and returned_at is null and version = ${before.version}`
  return rows.count === 1
}

type Decided = SettlementKey & Readonly<{ version: number }>

/** `settlement_unmoved as (…)`: the settlement, locked, while it is as it was when decided. */
export const settlementAsDecided = (sql: Sql, decided: Decided): Part<WithCustomer> =>
  part(
    'settlement_unmoved',
    sql`settlement_unmoved as (
    select id, null::uuid as customer_id from settlements
     where merchant_id = ${decided.merchant_id} and id = ${decided.id}
       and version = ${decided.version}
       for update)`,
  )

/**
 * `settlement_waits as (…)`: its operator has taken nothing for want of a float, so that it waits
 * to be sent again; its hold and its status stay.
 */
export const waitForFloat = (
  sql: Sql,
  { merchant_id, id, version }: Decided,
  { when }: Gate,
): Part =>
  part(
    'settlement_waits',
    sql`settlement_waits as (
    update settlements
       set send_again_at = d.again_at, waits_until = d.over_at, updated_at = now()
      from (${dueAgain(sql, { merchant_id, by: 'settlement_id', id })}) d
     where merchant_id = ${merchant_id} and id = ${id} and version = ${version}
       and status = 'PROCESSING' and waits_until is null
       and exists (select 1 from ${sql(when.name)})
    returning id)`,
  )

/** It is sent again: false when it waits no more, or its time is over. */
export async function endFloatWait(tx: Tx, { merchant_id, id }: SettlementKey): Promise<boolean> {
  const rows = await tx`
    update settlements set send_again_at = null, waits_until = null, updated_at = now()
     where merchant_id = ${merchant_id} and id = ${id} and status = 'PROCESSING'
       and waits_until > now()`
  return rows.count === 1
}

/** `goes_on as (…)`: the settlement that `unmoved` has locked, where `when` has a row. */
export const goesOn = (
  sql: Sql,
  { unmoved, when }: Gate & Readonly<{ unmoved: Relation<WithCustomer> }>,
): Part<WithCustomer> =>
  part(
    'goes_on',
    sql`goes_on as (
    select id, customer_id from ${sql(unmoved.name)}
     where exists (select 1 from ${sql(when.name)}))`,
  )

/** `settlement_noted as (…)`: the gateway's reference, while all is as it was at the query. */
export const noteGatewayReference = (sql: Sql, decided: Decided, gateway_reference: string): Part =>
  part(
    'settlement_noted',
    sql`settlement_noted as (
    update settlements
       set gateway_reference = ${gateway_reference}, updated_at = now()
     where merchant_id = ${decided.merchant_id} and id = ${decided.id}
       and status = 'PROCESSING' and version = ${decided.version}
    returning id)`,
  )
