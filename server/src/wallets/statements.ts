// The transfers' parts of a statement. A status is moved here and nowhere else, from the version it
// was decided from; whatever belongs to the move is gated by it.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { type Gate, jsonRows, type Part, part } from '../platform/sql.ts'
import { walletTransferStates } from './states.ts'
import type { Transfer } from './transfer.ts'

/** The columns of `wallet_transfers t`. */
export const transferColumns = (sql: Sql): Fragment => sql`
  t.merchant_id, t.id, t.environment, t.reference, t.requested_by_member, t.from_country,
  t.to_country, t.from_amount, t.to_amount, t.from_currency, t.to_currency, t.exchange_rate,
  t.rate_id, t.cross_rate_id, t.fee_amount, t.fee_percent_ppm, t.status, t.version,
  t.approved_by_admin, t.approved_at, t.completed_at, t.rejection_reason, t.lapses_at,
  t.request_id, t.api_key_id, t.member_id, t.ip_address, t.created_at, t.updated_at`

/** `transfer_made as (…)`: a new transfer when its id is in the relation `when`. */
export const insertTransfer = (sql: Sql, transfer: Transfer, { when }: Gate): Part =>
  part(
    'transfer_made',
    sql`transfer_made as (
    insert into wallet_transfers (merchant_id, id, environment, reference, requested_by_member,
      from_country, to_country, from_amount, to_amount, from_currency, to_currency,
      exchange_rate, rate_id, cross_rate_id, fee_amount, fee_percent_ppm, status, version,
      lapses_at, request_id, api_key_id, member_id, ip_address, created_at, updated_at)
    select r.merchant_id, r.id, r.environment, r.reference, r.requested_by_member,
           r.from_country, r.to_country, r.from_amount, r.to_amount, r.from_currency,
           r.to_currency, r.exchange_rate, r.rate_id, r.cross_rate_id, r.fee_amount,
           r.fee_percent_ppm, r.status, r.version, r.lapses_at, r.request_id, r.api_key_id,
           r.member_id, r.ip_address, r.created_at, r.updated_at
      from ${jsonRows(
        sql,
        [transfer],
        sql`
        merchant_id uuid, id uuid, environment text, reference text, requested_by_member uuid,
        from_country text, to_country text, from_amount bigint, to_amount bigint,
        from_currency text, to_currency text, exchange_rate bigint, rate_id uuid,
        cross_rate_id uuid, fee_amount bigint, fee_percent_ppm bigint, status text,
        version int, lapses_at timestamptz, request_id text, api_key_id uuid,
        member_id uuid, ip_address text, created_at timestamptz, updated_at timestamptz`,
      )} as r
      join (select id as gate_id from ${sql(when.name)}) as open on open.gate_id = r.id
    returning id)`,
  )

/** A transfer in its present state and in the next: its next version. */
export type Moving = Readonly<{ before: Transfer; after: Transfer }>

/** False when it is no longer as it was decided from. */
export async function moveTransfer(tx: Tx, { before, after }: Moving): Promise<boolean> {
  const rows = await tx`
    update wallet_transfers
       set status = ${after.status}, version = ${after.version},
           approved_by_admin = ${after.approved_by_admin}, approved_at = ${after.approved_at},
           completed_at = ${after.completed_at}, rejection_reason = ${after.rejection_reason},
           updated_at = ${after.updated_at}
     where merchant_id = ${before.merchant_id} and id = ${before.id}
       and version = ${before.version}
       and status = any(${walletTransferStates.into(after.status)})`
  return rows.count === 1
}
