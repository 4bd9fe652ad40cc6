// Every statement about payout limits.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { type LimitsMet, type PayoutLimit, wholeMerchant } from './limit.ts'

const columns = (sql: Sql): Fragment => sql`
  merchant_id, id, environment, country, api_key_id, currency, per_payout, per_day,
  approval_above, created_by_member, created_at, updated_at`

type Owner = Readonly<{ merchant_id: string; environment: Environment }>

export const listLimitsMet = (
  sql: Sql,
  of: Owner & { country: string; api_key_id: string | null },
): Promise<LimitsMet> => sql<LimitsMet[number][]>`
  select api_key_id, per_payout, per_day, approval_above
    from payout_limits
   where merchant_id = ${of.merchant_id} and environment = ${of.environment}
     and country = ${of.country}
     and api_key_id in (${wholeMerchant}, ${of.api_key_id ?? wholeMerchant})`

export const listLimits = (sql: Sql, of: Owner): Promise<PayoutLimit[]> => sql<PayoutLimit[]>`
  select ${columns(sql)} from payout_limits
   where merchant_id = ${of.merchant_id} and environment = ${of.environment}
   order by country, api_key_id`

export async function findLimit(
  sql: Sql,
  key: { merchant_id: string; id: string },
): Promise<PayoutLimit | undefined> {
  const [row] = await sql<PayoutLimit[]>`
    select ${columns(sql)} from payout_limits
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
  return row
}

/** On the refusal path only (decisions 3.5). */
export async function isLimitOfAnother(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from payout_limits where id = ${id} limit 1`
  return rows.count > 0
}

/** New, or in place of the one of the same country and key. */
export async function upsertLimit(
  sql: Sql,
  limit: Omit<PayoutLimit, 'created_at' | 'updated_at'>,
): Promise<PayoutLimit> {
  const [row] = await sql<PayoutLimit[]>`
    insert into payout_limits (merchant_id, id, environment, country, api_key_id, currency,
      per_payout, per_day, approval_above, created_by_member)
    values (${limit.merchant_id}, ${limit.id}, ${limit.environment}, ${limit.country},
      ${limit.api_key_id}, ${limit.currency}, ${limit.per_payout}, ${limit.per_day},
      ${limit.approval_above}, ${limit.created_by_member})
    on conflict (merchant_id, environment, country, api_key_id) do update
       set per_payout = excluded.per_payout, per_day = excluded.per_day,
           approval_above = excluded.approval_above, updated_at = now()
    returning ${columns(sql)}`
  if (row === undefined) throw new Error('bug: a limit without a row')
  return row
}

export async function deleteLimit(
  sql: Sql,
  key: { merchant_id: string; id: string },
): Promise<void> {
  await sql`delete from payout_limits where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

/** Is it a key of the merchant, of this environment? */
export async function isOwnKey(sql: Sql, of: Owner & { api_key_id: string }): Promise<boolean> {
  const rows = await sql`
    select 1 from api_keys
     where id = ${of.api_key_id} and merchant_id = ${of.merchant_id}
       and environment = ${of.environment}`
  return rows.count === 1
}

export type Repeated = Readonly<{ id: string; reference: string; created_at: Date }>

/** The last payout of this sum to this phone within so many minutes, unless it failed. */
export async function findRepeated(
  sql: Sql,
  of: Owner & { operation_msisdn: string; requested_amount: bigint; within_min: number },
): Promise<Repeated | undefined> {
  const [row] = await sql<Repeated[]>`
    select id, reference, created_at from transactions
     where merchant_id = ${of.merchant_id} and environment = ${of.environment}
       and operation_msisdn = ${of.operation_msisdn} and transaction_type = 'RETRAIT'
       and created_at > now() - ${of.within_min} * interval '1 minute'
       and requested_amount = ${of.requested_amount} and status <> 'FAILED'
     order by created_at desc
     limit 1`
  return row
}
