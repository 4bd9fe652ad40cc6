// The statements about payout limits.

import { listUsedToday, listUsedTodayOf } from '../../ledger/day-limit-statements.ts'
import { momentToCome } from '../../merchants/settings/store.ts'
import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import type { Environment } from '../../platform/http/route.ts'
import { control } from '../../platform/places/places.ts'
import {
  type Figures,
  isTooLarge,
  type LimitsMet,
  type PayoutLimit,
  strictest,
  wholeMerchant,
} from './limit.ts'

/** A figure as it is in force at this moment, whether or not the worker has written it. */
const inForce = (sql: Sql, figure: keyof Figures): Fragment => sql`
  case when l.next_at <= now() then l.${sql(`next_${figure}`)} else l.${sql(figure)} end
    as ${sql(figure)}`

const figuresInForce = (sql: Sql): Fragment => sql`
  ${inForce(sql, 'per_payout')}, ${inForce(sql, 'per_day')}, ${inForce(sql, 'approval_above')}`

const columns = (sql: Sql): Fragment => sql`
  l.merchant_id, l.id, l.environment, l.country, l.api_key_id, l.counts_as, l.currency,
  ${figuresInForce(sql)}, l.next_per_payout, l.next_per_day, l.next_approval_above,
  case when l.next_at > now() then l.next_at end as next_at, l.next_by, l.next_wait_h,
  l.created_by_member, l.created_at, l.updated_at`

/** Not dropped: a drop counts from its moment on, whether or not the worker has done it. */
const isInForce = (sql: Sql): Fragment => sql`
  (l.next_at is null or l.next_at > now()
   or num_nonnulls(l.next_per_payout, l.next_per_day, l.next_approval_above) > 0)`

type Row = Omit<PayoutLimit, 'next'> &
  Readonly<{
    next_per_payout: bigint | null
    next_per_day: bigint | null
    next_approval_above: bigint | null
    next_at: Date | null
    next_by: string | null
    next_wait_h: number | null
  }>

function limitOf(row: Row): PayoutLimit {
  const {
    next_per_payout: per_payout,
    next_per_day: per_day,
    next_approval_above: approval_above,
    next_at: at,
    next_by: by,
    next_wait_h,
    ...limit
  } = row
  const next = { per_payout, per_day, approval_above, by, wait_h: next_wait_h ?? 0 }
  return { ...limit, next: at === null ? null : { ...next, at } }
}

type Owner = Readonly<{ merchant_id: string; environment: Environment }>
export type LimitKey = Readonly<{ merchant_id: string; id: string }>

export const listLimitsMet = (
  sql: Sql,
  of: Owner & { country: string; api_key_id: string | null },
): Promise<LimitsMet> => control(sql)<LimitsMet[number][]>`
  select l.api_key_id, l.counts_as, ${figuresInForce(sql)}
    from payout_limits l
   where l.merchant_id = ${of.merchant_id} and l.environment = ${of.environment}
     and l.country = ${of.country}
     and l.api_key_id in (${wholeMerchant}, ${of.api_key_id ?? wholeMerchant})`

export async function listLimits(sql: Sql, of: Owner): Promise<PayoutLimit[]> {
  const rows = await sql<Row[]>`
    select ${columns(sql)} from payout_limits l
     where l.merchant_id = ${of.merchant_id} and l.environment = ${of.environment}
       and ${isInForce(sql)}
     order by l.country, l.api_key_id`
  return rows.map(limitOf)
}

export async function findLimit(sql: Sql, key: LimitKey): Promise<PayoutLimit | undefined> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from payout_limits l
     where l.merchant_id = ${key.merchant_id} and l.id = ${key.id} and ${isInForce(sql)}`
  return row && limitOf(row)
}

export const requireOwnLimit = ownershipOf('payout_limits', { at_control: true })

/**
 * Setting, dropping, confirming and withdrawing a limit queue up here, so that none undoes another.
 */
export async function lockLimitsOf(tx: Tx, of: Owner): Promise<void> {
  const name = `payout_limits ${of.merchant_id} ${of.environment}`
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}

/** The one of the same country and key. */
export async function findSameLimit(
  sql: Sql,
  of: Owner & { country: string; api_key_id: string },
): Promise<PayoutLimit | undefined> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from payout_limits l
     where l.merchant_id = ${of.merchant_id} and l.environment = ${of.environment}
       and l.country = ${of.country} and l.api_key_id = ${of.api_key_id} and ${isInForce(sql)}`
  return row && limitOf(row)
}

export type NewLimit = Omit<PayoutLimit, 'created_at' | 'updated_at' | 'next' | 'counts_as'>

/** A new limit, in place of one that was to be dropped by now. */
export async function insertLimit(sql: Sql, limit: NewLimit): Promise<void> {
  await sql`
    delete from payout_limits l
     where l.merchant_id = ${limit.merchant_id} and l.environment = ${limit.environment}
       and l.country = ${limit.country} and l.api_key_id = ${limit.api_key_id}
       and not ${isInForce(sql)}`
  await sql`
    insert into payout_limits (merchant_id, id, environment, country, api_key_id, currency,
      per_payout, per_day, approval_above, created_by_member)
    values (${limit.merchant_id}, ${limit.id}, ${limit.environment}, ${limit.country},
      ${limit.api_key_id}, ${limit.currency}, ${limit.per_payout}, ${limit.per_day},
      ${limit.approval_above}, ${limit.created_by_member})`
}

/** What is in force, and what is to come in `wait_h` hours, at a moment of its own. */
export async function updateLimit(
  tx: Tx,
  key: LimitKey,
  now: Figures,
  next: (Figures & Readonly<{ by: string | null; wait_h: number }>) | null,
): Promise<void> {
  await tx`
    update payout_limits
       set per_payout = ${now.per_payout}, per_day = ${now.per_day},
           approval_above = ${now.approval_above}, next_per_payout = ${next?.per_payout ?? null},
           next_per_day = ${next?.per_day ?? null},
           next_approval_above = ${next?.approval_above ?? null}, next_by = ${next?.by ?? null},
           next_wait_h = ${next?.wait_h ?? null},
           next_at = ${next === null ? null : momentToCome(tx, 'next_at', next.wait_h)},
           updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

export async function deleteLimit(sql: Sql, key: LimitKey): Promise<void> {
  await sql`delete from payout_limits where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

/** Limits of any merchant whose change is due. */
export const listDueLimits = (sql: Sql, limit: number): Promise<(Owner & LimitKey)[]> => sql<
  (Owner & LimitKey)[]
>`
  select merchant_id, id, environment from payout_limits
   where next_at <= now()
   order by next_at
   limit ${limit}`

/** As it was before its change and as it is with it; undefined when it is done already. */
export async function lockDueLimit(tx: Tx, key: LimitKey): Promise<PayoutLimit | undefined> {
  const [row] = await tx<Row[]>`
    select ${columns(tx)} from payout_limits l
     where l.merchant_id = ${key.merchant_id} and l.id = ${key.id} and l.next_at <= now()
       for update`
  return row && limitOf(row)
}

/**
 * The limits of a key become its successor's too, as they are in force, and both count towards the
 * same day. A change that is pending stays with the key that it was requested for: cancelled there,
 * it is to come nowhere.
 */
export async function insertLimitsOfSuccessor(
  tx: Tx,
  { merchant_id, environment, from, to }: Owner & Readonly<{ from: string; to: string }>,
): Promise<void> {
  await tx`
    insert into payout_limits (merchant_id, id, environment, country, api_key_id, counts_as,
      currency, per_payout, per_day, approval_above, created_by_member)
    select l.merchant_id, gen_random_uuid(), l.environment, l.country, ${to},
           coalesce(l.counts_as, l.api_key_id), l.currency, ${figuresInForce(tx)},
           l.created_by_member
      from payout_limits l
     where l.merchant_id = ${merchant_id} and l.environment = ${environment}
       and l.api_key_id = ${from} and ${isInForce(tx)}`
}

/** Whether it is a key of the merchant, in this environment. */
export async function isOwnKey(sql: Sql, of: Owner & { api_key_id: string }): Promise<boolean> {
  const rows = await sql`
    select 1 from api_keys
     where id = ${of.api_key_id} and merchant_id = ${of.merchant_id}
       and environment = ${of.environment}`
  return rows.count === 1
}

type Place = Parameters<typeof listUsedToday>[1]

/** What counts towards each limit's day (UTC) so far, in hundredths, by the limit's id. */
export async function usedTodayOf(
  sql: Sql,
  of: Owner,
  limits: readonly PayoutLimit[],
): Promise<ReadonlyMap<string, bigint>> {
  if (limits.length === 0) return new Map()
  const days = await listUsedTodayOf(sql, of)
  const used = new Map(days.map((day) => [`${day.country} ${day.api_key_id}`, day.used]))
  return new Map(
    limits.map(({ id, country, counts_as, api_key_id }) => [
      id,
      used.get(`${country} ${counts_as ?? api_key_id}`) ?? 0n,
    ]),
  )
}

/** What the strictest day still has room for, in hundredths; null where no day has a limit. */
export async function leftToday(sql: Sql, place: Place, limits: LimitsMet): Promise<bigint | null> {
  const ofDays = limits.filter(({ per_day }) => per_day !== null)
  if (ofDays.length === 0) return null
  const used = await listUsedToday(sql, place)
  return strictest(
    ofDays.map(({ per_day, counts_as, api_key_id }) => {
      const left = (per_day ?? 0n) - (used.get(counts_as ?? api_key_id) ?? 0n)
      return left > 0n ? left : 0n
    }),
  )
}

/** Whether a payout of this cost would pass a limit now, whatever its balance holds. */
export async function wouldPassLimit(
  sql: Sql,
  place: Place,
  { limits, amount }: Readonly<{ limits: LimitsMet; amount: bigint }>,
): Promise<boolean> {
  if (isTooLarge(limits, amount)) return true
  const left = await leftToday(sql, place, limits)
  return left !== null && amount > left
}
