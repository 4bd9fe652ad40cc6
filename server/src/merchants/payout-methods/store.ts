// The statements about payout methods. Deleted ones keep their rows: settlements name them.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import { homeOf } from '../../platform/places/places.ts'
import { coolingOffOf } from '../settings/store.ts'
import type { MethodType, PayoutMethod } from './payout-method.ts'

const methodColumns = (sql: Sql): Fragment => sql`
  p.merchant_id, p.id, p.country, p.type, p.label, p.network_id,
  (select n.code from networks n where n.id = p.network_id) as network_code, p.msisdn,
  p.bank_name, p.account_number, p.account_name, p.usable_from, p.usable_from <= now() as is_usable,
  greatest(0, ceil(extract(epoch from p.usable_from - now())))::int as usable_in_s,
  p.created_by_member, p.created_at, p.updated_at`

export type MethodKey = Readonly<{ merchant_id: string; id: string }>

/** All of a merchant's methods, newest first: at most `methods_max`. */
export async function listMethods(sql: Sql, merchant_id: string): Promise<PayoutMethod[]> {
  return homeOf(sql, merchant_id)<PayoutMethod[]>`
    select ${methodColumns(sql)}
      from payout_methods p
     where p.merchant_id = ${merchant_id} and p.deleted_at is null
     order by p.created_at desc, p.id desc`
}

export async function findMethod(sql: Sql, key: MethodKey): Promise<PayoutMethod | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<PayoutMethod[]>`
    select ${methodColumns(sql)}
      from payout_methods p
     where p.merchant_id = ${key.merchant_id} and p.id = ${key.id} and p.deleted_at is null`
  return row
}

/** Changes of the method queue up behind this lock. */
export async function lockMethod(tx: Tx, key: MethodKey): Promise<PayoutMethod | undefined> {
  const [row] = await tx<PayoutMethod[]>`
    select ${methodColumns(tx)}
      from payout_methods p
     where p.merchant_id = ${key.merchant_id} and p.id = ${key.id} and p.deleted_at is null
       for update`
  return row
}

export const requireOwnMethod = ownershipOf('payout_methods', {
  only: (sql) => sql`deleted_at is null`,
})

/**
 * Whether money may be paid out to this number now. Among at most `methods_max` rows that are not
 * deleted.
 */
export async function hasUsableNumber(
  sql: Sql,
  merchant_id: string,
  msisdn: string,
): Promise<boolean> {
  const rows = await homeOf(sql, merchant_id)`
    select 1 from payout_methods
     where merchant_id = ${merchant_id} and type = 'MOBILE_MONEY' and msisdn = ${msisdn}
       and deleted_at is null and usable_from <= now()
     limit 1`
  return rows.count > 0
}

export async function countMethods(tx: Tx, merchant_id: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from payout_methods
     where merchant_id = ${merchant_id} and deleted_at is null`
  return row?.count ?? 0
}

export type NewMethod = MethodKey &
  Readonly<{
    country: string
    type: MethodType
    label: string
    network_id: string | null
    msisdn: string | null
    bank_name: string | null
    account_number: string | null
    account_name: string | null
    created_by_member: string | null
  }>

export type CoolingFacts = Readonly<{
  /** As the caller's session knows it: where methods are, only the present state is copied. */
  has_had_live: boolean
  cooling_hours: number
}>

/**
 * Usable after the merchant's cooling-off, otherwise after `cooling_hours`; at once where there was
 * no LIVE. The column would round this moment up, and then "at once" would lie ahead.
 */
export async function insertMethod(
  tx: Tx,
  method: NewMethod,
  { has_had_live, cooling_hours }: CoolingFacts,
): Promise<void> {
  await tx`
    insert into payout_methods (merchant_id, id, country, type, label, network_id, msisdn,
      bank_name, account_number, account_name, created_by_member, created_at, updated_at,
      usable_from)
    select m.id, ${method.id}, ${method.country}, ${method.type}, ${method.label},
           ${method.network_id}::uuid, ${method.msisdn}, ${method.bank_name},
           ${method.account_number}, ${method.account_name}, ${method.created_by_member}::uuid,
           n.moment, n.moment, n.moment + interval '1 hour' *
             case when m.live_enabled or ${has_had_live}
               then coalesce(${coolingOffOf(tx)}, ${cooling_hours}) else 0 end
      from merchants m
     cross join (select date_trunc('milliseconds', now()) as moment) as n
     where m.id = ${method.merchant_id}`
}

/** None is usable before the longer of both cooling-offs, counted from now, is over. */
export async function coolOff(tx: Tx, merchant_id: string, cooling_hours: number): Promise<void> {
  // At control, where the merchant is: Citus plans the update, and takes a moment, not a sum.
  const [row] = await tx<{ moment: Date }[]>`
    select (now() + interval '1 hour'
              * greatest(${coolingOffOf(tx)}, ${cooling_hours}::int))::timestamptz(3) as moment
      from merchants m where m.id = ${merchant_id}`
  if (row === undefined) return
  await tx`
    update payout_methods
       set usable_from = greatest(usable_from, ${row.moment}::timestamptz), updated_at = now()
     where merchant_id = ${merchant_id} and deleted_at is null`
}

export async function updateMethodLabel(tx: Tx, key: MethodKey, label: string): Promise<void> {
  await tx`
    update payout_methods set label = ${label}, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

export async function hideMethod(tx: Tx, key: MethodKey): Promise<void> {
  await tx`
    update payout_methods set deleted_at = now(), updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}
