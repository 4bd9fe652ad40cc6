// The transactions' parts of a composed statement. `moveStatus` is the only place where a status
// changes. It decides by columns of the row it locks: a rival's move changes the version, and this
// one then finds no row.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { jsonRows } from '../platform/sql.ts'
import type { TransactionStatus, TransactionType } from './states.ts'
import type { Transaction, TriggeredBy } from './transaction.ts'

export type NewTransaction = Omit<
  Transaction,
  | 'flow_direction'
  | 'status'
  | 'version'
  | 'settled_attempt'
  | 'customer_id'
  | 'external_reference'
  | 'failure_code'
  | 'failure_message'
  | 'created_at'
  | 'updated_at'
> &
  Readonly<{ request_id: string; api_key_id: string | null; member_id: string | null }>

/**
 * `made as (…)`: PENDING transactions, each when its id is in the relation named `gate`, with the
 * customer that the relation named `customers` has for it (columns `id`, `customer_id`).
 */
export function insertTransactions(
  sql: Sql,
  rows: readonly NewTransaction[],
  gate: string,
  customers: string,
): Fragment {
  return sql`made as (
    insert into transactions (merchant_id, id, environment, reference, transaction_type,
      customer_id, customer_email, customer_first_name, customer_last_name, customer_phone,
      operation_msisdn, country_id, country_code, network_id, network_code, description,
      metadata, merchant_reference, return_url, requested_amount, fee_charge_mode, client_fee,
      gateway_fee, platform_fee, debited_amount, net_amount, currency, original_amount,
      original_currency, exchange_rate, pricing_rule, merchant_pricing_rule, current_gateway,
      preferred_gateway, checkout_session, payment_link, ip_address, request_id, api_key_id,
      member_id)
    select r.merchant_id, r.id, r.environment, r.reference, r.transaction_type, c.customer_id,
      r.customer_email, r.customer_first_name, r.customer_last_name, r.customer_phone,
      r.operation_msisdn, r.country_id, r.country_code, r.network_id, r.network_code,
      r.description, r.metadata, r.merchant_reference, r.return_url, r.requested_amount,
      r.fee_charge_mode, r.client_fee, r.gateway_fee, r.platform_fee, r.debited_amount,
      r.net_amount, r.currency, r.original_amount, r.original_currency, r.exchange_rate,
      r.pricing_rule, r.merchant_pricing_rule, r.current_gateway, r.preferred_gateway,
      r.checkout_session, r.payment_link, r.ip_address, r.request_id, r.api_key_id, r.member_id
      from ${jsonRows(
        sql,
        rows,
        sql`
        merchant_id uuid, id uuid, environment text, reference text,
        transaction_type text, customer_email text, customer_first_name text,
        customer_last_name text, customer_phone text, operation_msisdn text,
        country_id uuid, country_code text, network_id uuid, network_code text,
        description text, metadata jsonb, merchant_reference text,
        return_url text, requested_amount bigint, fee_charge_mode text,
        client_fee bigint, gateway_fee bigint, platform_fee bigint,
        debited_amount bigint, net_amount bigint, currency text,
        original_amount bigint, original_currency text, exchange_rate bigint,
        pricing_rule uuid, merchant_pricing_rule uuid, current_gateway uuid,
        preferred_gateway text, checkout_session uuid, payment_link uuid,
        ip_address text, request_id text, api_key_id uuid, member_id uuid`,
      )} as r
      join (select id as gate_id from ${sql(gate)}) as open on open.gate_id = r.id
      join (select id as of_id, customer_id from ${sql(customers)}) as c on c.of_id = r.id
    returning id, customer_id)`
}

/** The figures a transaction takes over from an attempt. */
export type AdoptedFigures = Readonly<{
  network_id: string
  network_code: string
  current_gateway: string
  operation_msisdn: string
  requested_amount: bigint
  fee_charge_mode: string
  client_fee: bigint
  gateway_fee: bigint
  platform_fee: bigint
  debited_amount: bigint
  net_amount: bigint
  pricing_rule: string | null
  merchant_pricing_rule: string | null
}>

export type Move = AdoptedFigures &
  Readonly<{
    merchant_id: string
    environment: Environment
    id: string
    transaction_type: TransactionType
    /** The state that was decided from: if the row is no longer so, nothing moves. */
    from_status: TransactionStatus
    version: number
    to_status: TransactionStatus
    settled_attempt: string | null
    external_reference: string
    failure_code: string
    failure_message: string
    log_id: string
    reason: string
    triggered_by: TriggeredBy
    attempt_id: string | null
    evidence_kind: string
    evidence_id: string | null
    /** Base64, or null. */
    evidence_hash: string | null
    evidence_said: string
    request_id: string
  }>

/**
 * `unmoved as (…)`: the transaction, locked, while it is as it was when decided. `gate`, if any,
 * names the relation that locks its session before it.
 */
export function transactionAsDecided(
  sql: Sql,
  key: { merchant_id: string; id: string; version: number },
  gate?: string,
): Fragment {
  return sql`unmoved as (
    select id from transactions
     where merchant_id = ${key.merchant_id} and id = ${key.id} and version = ${key.version}
       ${gate === undefined ? sql`` : sql`and exists (select 1 from ${sql(gate)})`}
       for update)`
}

/**
 * `still_its as (…)`: from now on the attempt no longer pays this transaction; unless it has
 * already.
 */
export function bookInstead(
  sql: Sql,
  of: Readonly<{ merchant_id: string; id: string; attempt_id: string }>,
): Fragment {
  return sql`still_its as (
    update transactions set booked_attempt = ${of.attempt_id}
     where merchant_id = ${of.merchant_id} and id = ${of.id}
       and settled_attempt is distinct from ${of.attempt_id}
    returning id)`
}

/** `waiting_unsent as (…)`: the transaction (with its customer), PENDING as decided, and locked. */
export function waitingUnsent(
  sql: Sql,
  key: { merchant_id: string; id: string; version: number },
  gate: string,
): Fragment {
  return sql`waiting_unsent as (
    select id, customer_id from transactions
     where merchant_id = ${key.merchant_id} and id = ${key.id} and version = ${key.version}
       and status = 'PENDING' and exists (select 1 from ${sql(gate)})
       for update)`
}

/**
 * `moved, status_logged as (…)`: moves each status from the state and version that were decided
 * from, takes over the attempt's figures, and writes the log. A row of `moved` (column `id`) shows
 * that it happened; everything else that belongs to the move is gated by it. `gate`, if any, names
 * the relation that must have a row.
 */
export function moveStatus(sql: Sql, moves: readonly Move[], gate?: string): Fragment[] {
  return [
    sql`move as (
      select m.merchant_id, m.environment, m.id, m.from_status, m.version, m.to_status,
        m.settled_attempt, m.network_id,
        m.network_code, m.current_gateway, m.operation_msisdn, m.requested_amount,
        m.fee_charge_mode, m.client_fee, m.gateway_fee, m.platform_fee, m.debited_amount,
        m.net_amount, m.pricing_rule, m.merchant_pricing_rule, m.external_reference,
        m.failure_code, m.failure_message, m.log_id, m.reason, m.triggered_by, m.attempt_id,
        m.evidence_kind, m.evidence_id, m.evidence_hash, m.evidence_said, m.request_id
        from ${jsonRows(
          sql,
          moves,
          sql`
        merchant_id uuid, environment text, id uuid, from_status text,
        version int, to_status text, settled_attempt uuid, network_id uuid,
        network_code text, current_gateway uuid, operation_msisdn text,
        requested_amount bigint, fee_charge_mode text, client_fee bigint,
        gateway_fee bigint, platform_fee bigint, debited_amount bigint,
        net_amount bigint, pricing_rule uuid, merchant_pricing_rule uuid,
        external_reference text, failure_code text, failure_message text,
        log_id uuid, reason text, triggered_by text, attempt_id uuid,
        evidence_kind text, evidence_id uuid, evidence_hash text,
        evidence_said text, request_id text`,
        )} as m
       ${gate === undefined ? sql`` : sql`where exists (select 1 from ${sql(gate)})`}
    )`,
    sql`moved as (
      update transactions t
         set status = m.to_status, version = t.version + 1, updated_at = now(),
             settled_attempt = m.settled_attempt, network_id = m.network_id,
             network_code = m.network_code, current_gateway = m.current_gateway,
             operation_msisdn = m.operation_msisdn, requested_amount = m.requested_amount,
             fee_charge_mode = m.fee_charge_mode, client_fee = m.client_fee,
             gateway_fee = m.gateway_fee, platform_fee = m.platform_fee,
             debited_amount = m.debited_amount, net_amount = m.net_amount,
             pricing_rule = m.pricing_rule, merchant_pricing_rule = m.merchant_pricing_rule,
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
        evidence_hash, evidence_said, request_id)
      select m.merchant_id, m.log_id, m.environment, m.id, m.from_status, m.to_status, m.reason,
             m.triggered_by, m.attempt_id, m.evidence_kind, m.evidence_id,
             decode(m.evidence_hash, 'base64'), m.evidence_said, m.request_id
        from move m join moved on moved.id = m.id
    )`,
  ]
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
export function noteReferences(sql: Sql, rows: readonly NotedReference[]): Fragment {
  return sql`noted as (
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
}

/** `adopted as (…)`: the figures of the next route's attempt, while still PENDING as decided. */
export function adoptFigures(
  sql: Sql,
  key: { merchant_id: string; id: string; version: number },
  figures: AdoptedFigures,
  gate: string,
): Fragment {
  return sql`adopted as (
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
       and exists (select 1 from ${sql(gate)})
    returning id, customer_id)`
}
