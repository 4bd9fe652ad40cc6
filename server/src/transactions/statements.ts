// The transactions' parts of a composed statement. `moveStatus` is the only place where a status
// changes. It decides by columns of the row it locks: a rival's move changes the version, and this
// one then finds no row.

import { nameList, type RowOf, selectList, setList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import {
  type Gate,
  jsonRows,
  type OptionalGate,
  type Part,
  part,
  type Relation,
} from '../platform/sql.ts'
import { adoptedRow, moveRow, newTransactionRow } from './columns.ts'
import type { TransactionType } from './states.ts'
import { figuresOf, type Transferred } from './transferred.ts'

export type NewTransaction = RowOf<typeof newTransactionRow>

/** A relation of transactions (or settlements), each with its customer. */
type WithCustomer = 'id' | 'customer_id'

/**
 * `made as (…)`: PENDING transactions, each when its id is in the relation `when`, with the
 * customer that the relation `customer` has for it.
 */
export function insertTransactions(
  sql: Sql,
  rows: readonly NewTransaction[],
  { when, customer }: Gate & Readonly<{ customer: Relation<WithCustomer> }>,
): Part<WithCustomer> {
  const made = sql`made as (
    insert into transactions (${nameList(sql, newTransactionRow)}, customer_id)
    select ${selectList(sql, newTransactionRow, 'r')}, c.customer_id
      from ${jsonRows(sql, rows, typedList(sql, newTransactionRow))} as r
      join (select id as gate_id from ${sql(when.name)}) as open on open.gate_id = r.id
      join (select id as of_id, customer_id from ${sql(customer.name)}) as c on c.of_id = r.id
    returning id, customer_id)`
  return part('made', made)
}

/** The figures a transaction takes over from an attempt. */
export type AdoptedFigures = RowOf<typeof adoptedRow>

export type Move = RowOf<typeof moveRow> & Readonly<{ transaction_type: TransactionType }>

/**
 * `unmoved as (…)`: the transaction, locked, while it is as it was when decided. `when`, if any, is
 * the relation that locks its session before it.
 */
export function transactionAsDecided(
  sql: Sql,
  key: { merchant_id: string; id: string; version: number },
  { when }: OptionalGate = {},
): Part {
  const unmoved = sql`unmoved as (
    select id from transactions
     where merchant_id = ${key.merchant_id} and id = ${key.id} and version = ${key.version}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
       for update)`
  return part('unmoved', unmoved)
}

/**
 * From now on the attempt no longer pays this transaction, while people have booked a sum for it;
 * false when it has paid it already.
 */
export async function bookInstead(
  tx: Tx,
  of: Readonly<{ merchant_id: string; id: string; attempt_id: string; booked_amount: bigint }>,
): Promise<boolean> {
  const rows = await tx`
    update transactions
       set booked_attempt = case when ${of.booked_amount} > 0::bigint then ${of.attempt_id}
                                 else nullif(booked_attempt, ${of.attempt_id}) end
     where merchant_id = ${of.merchant_id} and id = ${of.id}
       and settled_attempt is distinct from ${of.attempt_id}`
  return rows.count === 1
}

/** Locks the transaction, PENDING as it was decided; undefined when it no longer is. */
export async function lockUnsent(
  tx: Tx,
  key: { merchant_id: string; id: string; version: number },
): Promise<{ customer_id: string | null } | undefined> {
  const [row] = await tx<{ customer_id: string | null }[]>`${unsent(tx, key)} for update`
  return row
}

const unsent = (
  sql: Sql,
  key: { merchant_id: string; id: string; version: number },
): Fragment => sql`
  select id, customer_id from transactions
   where merchant_id = ${key.merchant_id} and id = ${key.id} and version = ${key.version}
     and status = 'PENDING'`

/**
 * `moved, status_logged as (…)`: moves each status from the state and version that were decided
 * from, takes over the attempt's figures, and writes the log. A row of `moved` shows that it
 * happened; everything else that belongs to the move is gated by it. `when`, if any, must have a
 * row.
 */
export function moveStatus(
  sql: Sql,
  moves: readonly Move[],
  { when }: OptionalGate = {},
): Part<WithCustomer> {
  return part(
    'moved',
    sql`move as (
      select ${selectList(sql, moveRow, 'm')}
        from ${jsonRows(sql, moves, typedList(sql, moveRow))} as m
       ${when === undefined ? sql`` : sql`where exists (select 1 from ${sql(when.name)})`}
    )`,
    sql`moved as (
      update transactions t
         set status = m.to_status, version = t.version + 1, updated_at = now(),
             settled_attempt = m.settled_attempt, ${setList(sql, adoptedRow, 'm')},
             external_reference = coalesce(nullif(m.external_reference, ''),
                                           t.external_reference),
             failure_code = m.failure_code, failure_message = m.failure_message
        from move m
       where t.merchant_id = m.merchant_id and t.id = m.id
         and t.status = m.from_status and t.version = m.version
         -- Booked by people while this was being decided: nobody is credited with it twice.
         and (m.settled_attempt is null or t.booked_attempt is distinct from m.settled_attempt)
         -- Decided from a phone that was erased meanwhile: it must not come back.
         and (t.operation_msisdn like '*%') = (m.operation_msisdn like '*%')
      returning t.id, t.customer_id
    )`,
    sql`status_logged as (
      insert into transaction_status_logs (merchant_id, id, environment, transaction_id,
        from_status, to_status, reason, triggered_by, attempt_id, evidence_kind, evidence_id,
        evidence_hash, evidence_said, request_id, actor_id)
      select m.merchant_id, m.log_id, m.environment, m.id, m.from_status, m.to_status, m.reason,
             m.triggered_by, m.attempt_id, m.evidence_kind, m.evidence_id,
             decode(m.evidence_hash, 'base64'), m.evidence_said, m.request_id, m.actor_id
        from move m join moved on moved.id = m.id
    )`,
  )
}

export type NotedReference = Readonly<{
  merchant_id: string
  id: string
  version: number
  external_reference: string
}>

/**
 * `noted as (…)`: the gateway's references, while the transactions are PENDING as they were at the
 * query.
 */
export function noteReferences(sql: Sql, rows: readonly NotedReference[]): Part {
  const noted = sql`noted as (
    update transactions t
       set external_reference = r.external_reference, updated_at = now()
      from ${jsonRows(
        sql,
        rows,
        sql`
        merchant_id uuid, id uuid, version int, external_reference text`,
      )} as r
     where t.merchant_id = r.merchant_id and t.id = r.id
       and t.status = 'PENDING' and t.version = r.version
    returning t.id)`
  return part('noted', noted)
}

/** `adopted as (…)`: the figures of the next route's attempt, while still PENDING as decided. */
export function adoptFigures(
  sql: Sql,
  key: { merchant_id: string; id: string; version: number },
  figures: AdoptedFigures,
  { when }: Gate,
): Part<WithCustomer> {
  const adopted = sql`adopted as (
    update transactions
       set network_id = ${figures.network_id}, network_code = ${figures.network_code},
           current_gateway = ${figures.current_gateway},
           operation_msisdn = ${figures.operation_msisdn},
           requested_amount = ${figures.requested_amount},
           fee_charge_mode = ${figures.fee_charge_mode}, client_fee = ${figures.client_fee},
           gateway_fee = ${figures.gateway_fee}, platform_fee = ${figures.platform_fee},
           debited_amount = ${figures.debited_amount}, net_amount = ${figures.net_amount},
           pricing_rule = ${figures.pricing_rule},
           merchant_pricing_rule = ${figures.merchant_pricing_rule},
           external_reference = '', updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and status = 'PENDING' and version = ${key.version}
       and exists (select 1 from ${sql(when.name)})
    returning id, customer_id)`
  return part('adopted', adopted)
}

// The transaction of a transfer, written in the database transaction that books it. Its status
// never moves: money 2 knows it in one status only.

export async function insertTransferred(tx: Tx, row: Transferred): Promise<void> {
  const figures = figuresOf(row)
  const rows = await tx`
    insert into transactions (merchant_id, id, environment, reference, transaction_type, status,
      country_id, country_code, description, requested_amount, fee_charge_mode, client_fee,
      gateway_fee, platform_fee, debited_amount, net_amount, currency, ip_address, request_id,
      api_key_id, member_id)
    select ${row.merchant_id}, ${row.id}, ${row.environment}, ${row.reference}, 'TRANSFERT',
           'SUCCESS', c.id, c.iso_code, ${row.description}, ${figures.requested_amount},
           ${figures.fee_charge_mode}, ${figures.client_fee}, ${figures.gateway_fee},
           ${figures.platform_fee}, ${figures.debited_amount}, ${figures.net_amount},
           ${row.currency}, ${row.ip_address}, ${row.request_id}, ${row.api_key_id},
           ${row.member_id}
      from countries c
     where c.iso_code = ${row.country_code}`
  assert(rows.count === 1, `no country ${row.country_code} of transfer ${row.id}`)
}
