// The statements about refunds that are not part of a composed one. Nothing here moves a status.

import type { Attempt } from '../attempts/attempt.ts'
import { listAttemptsOfRefunds } from '../attempts/attempt-statements.ts'
import type { Room } from '../gateways/read-balances.ts'
import { fitsRoom, lookedAtAgain, mayBePaidOf, putOff } from '../incidents/sent-again-statements.ts'
import { disputes } from '../incidents/store.ts'
import { isStoppedIn } from '../merchants/store.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Had, Wanted } from '../platform/http/lists.ts'
import { listOwn, madeBy } from '../platform/http/own-list-store.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Environment } from '../platform/http/route.ts'
import { eachGroup, homeOf, oneOfAll } from '../platform/places/places.ts'
import { boundIn } from '../platform/sql.ts'
import type { RefundFilters } from './filters.ts'
import type { Refund, RefundKey } from './refund.ts'
import { refundColumns, waitsForRoute } from './statements.ts'

export async function findRefund(sql: Sql, key: RefundKey): Promise<Refund | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Refund[]>`
    select ${refundColumns(sql)} from refunds r
     where r.merchant_id = ${key.merchant_id} and r.id = ${key.id}`
  return row
}

export const requireOwnRefund = ownershipOf('refunds')

/** The refund, locked; its payment is locked before it. */
export async function lockRefund(tx: Tx, key: RefundKey): Promise<Refund | undefined> {
  const [row] = await tx<Refund[]>`
    select ${refundColumns(tx)} from refunds r
     where r.merchant_id = ${key.merchant_id} and r.id = ${key.id}
       for update of r`
  return row
}

/** A refund with its attempts, oldest first. */
export type RefundNow = Refund & Readonly<{ attempts: readonly Attempt[] }>

/** The attempts of these refunds, in one statement. */
async function withAttempts<R extends Refund>(
  sql: Sql,
  merchant_id: string,
  refunds: readonly R[],
): Promise<(R & RefundNow)[]> {
  const ids = refunds.map(({ id }) => id)
  const attempts = ids.length === 0 ? [] : await listAttemptsOfRefunds(sql, merchant_id, ids)
  return refunds.map((refund) => ({
    ...refund,
    attempts: attempts.filter(({ refund_id }) => refund_id === refund.id),
  }))
}

export async function findRefundNow(sql: Sql, key: RefundKey): Promise<RefundNow | undefined> {
  const refund = await findRefund(sql, key)
  if (refund === undefined) return undefined
  const [now] = await withAttempts(sql, key.merchant_id, [refund])
  return now
}

export type RefundsSought = RefundFilters &
  Readonly<{ merchant_id: string; environment: Environment }>

/** A merchant's own `refunds r` that the filters let through. */
export function refundsWhere(sql: Sql, sought: RefundsSought, bind = boundIn(sql)): Fragment {
  const { merchant_id, environment, status, waiting_for, reference, search } = sought
  const { created_at__gte: from, created_at__lte: to } = sought
  return sql`
    r.merchant_id = ${bind(merchant_id)}::uuid and r.environment = ${bind(environment)}
    ${status === undefined ? sql`` : sql`and r.status = ${bind(status)}`}
    ${waiting_for === undefined ? sql`` : sql`and r.waiting_for = ${bind(waiting_for)}`}
    ${reference === undefined ? sql`` : sql`and r.reference = ${bind(reference)}`}
    ${search === undefined ? sql`` : found(sql, bind(search))}
    ${from === undefined ? sql`` : sql`and r.created_at >= ${bind(from)}::text::timestamptz`}
    ${to === undefined ? sql`` : sql`and r.created_at <= ${bind(to)}::text::timestamptz`}`
}

const found = (sql: Sql, search: Fragment): Fragment =>
  sql`and strpos(lower(r.reference || ' ' || r.reason), lower(${search})) > 0`

export const refundSortFields = ['created_at', 'amount'] as const
export type RefundSortField = (typeof refundSortFields)[number]

/** A page of a merchant's refunds, or of one payment's. */
export async function listRefunds(
  sql: Sql,
  sought: RefundsSought & Readonly<{ payment_id: string | undefined }>,
  wanted: Wanted<RefundSortField>,
): Promise<Had<RefundNow>> {
  const { merchant_id, payment_id } = sought
  const ofPayment = payment_id === undefined ? sql`` : sql`and r.payment_id = ${payment_id}`
  const { rows, ...had } = await listOwn<Refund>(
    { sql, at: homeOf(sql, merchant_id) },
    {
      ...{ table: 'refunds', as: 'r', columns: refundColumns(sql) },
      owned: sql`${madeBy(sql, sought, 'r')} ${ofPayment}`,
      where: sql`${refundsWhere(sql, sought)} ${ofPayment}`,
    },
    wanted,
  )
  return { ...had, rows: await withAttempts(sql, merchant_id, rows) }
}

/**
 * Those of a payment that count with a new one: how many are under way, a day's unapproved, and
 * whether one of them brings the payment's fee, or has.
 */
export type Others = Readonly<{ pending: number; unapproved: bigint; has_fee: boolean }>

export async function sumOthers(tx: Tx, payment: RefundKey): Promise<Others> {
  const [row] = await tx<Others[]>`
    select count(*) filter (where status = 'PENDING')::int as pending,
           coalesce(sum(held_amount) filter (
             where status in ('PENDING', 'SUCCESS') and decided_by is null
               and (waiting_for is null or ${waitsForRoute(tx)})
               and created_at > now() - interval '24 hours'), 0)::bigint as unapproved,
           coalesce(bool_or(returned_gateway_fee + returned_platform_fee > 0
             and status in ('PENDING', 'SUCCESS') and returned_at is null), false) as has_fee
      from refunds r
     where merchant_id = ${payment.merchant_id} and payment_id = ${payment.id}`
  return row ?? { pending: 0, unapproved: 0n, has_fee: false }
}

/** Whether one of them brings the payment's fee, or has. */
export const hasGivenFee = async (tx: Tx, payment: RefundKey): Promise<boolean> =>
  (await sumOthers(tx, payment)).has_fee

/** What happens at the database's time; `lapses_at` is when nobody has decided for long enough. */
export async function findTimes(sql: Sql, hours: number): Promise<{ now: Date; lapses_at: Date }> {
  const [row] = await sql<{ now: Date; lapses_at: Date }[]>`
    select now()::timestamptz(3) as now,
           (now() + ${hours} * interval '1 hour')::timestamptz(3) as lapses_at`
  return row ?? { now: new Date(), lapses_at: new Date() }
}

/** By its id alone: staff act over all merchants, in the environment that they look at. */
export async function findOfAny(
  sql: Sql,
  { id, environment }: Readonly<{ id: string; environment: Environment }>,
): Promise<Refund | undefined> {
  return oneOfAll(
    sql,
    (at) => at<Refund[]>`
    select ${refundColumns(sql)} from refunds r
     where r.id = ${id} and r.environment = ${environment}`,
  )
}

/** Those whose time is over, without the ones that failed a moment ago. */
export const listLapsedRefunds = (sql: Sql, limit: number): Promise<RefundKey[]> =>
  eachGroup(
    sql,
    (at) => at<RefundKey[]>`
  select merchant_id, id from refunds
   where waiting_for is not null and lapses_at <= now()
     and (lapse_again_at is null or lapse_again_at <= now())
   order by lapses_at
   limit ${limit}`,
  )

/**
 * Claims those that are due to be sent again, and may; each is looked at again a little later, and
 * what may not leave later than that.
 */
export const claimSentAgain = (sql: Sql, limit: number): Promise<RefundKey[]> =>
  eachGroup(
    sql,
    (at) => at<RefundKey[]>`
  with due as (
    select r.merchant_id, r.id, r.send_again_at, not (${isStopped(sql)}) as may_leave
      from refunds r
     where r.send_again_at <= now() and r.lapses_at > now() and ${waitsForRoute(at)}
     order by r.send_again_at
     limit ${putOff.at_once}
       for update of r skip locked
  ), taken as (
    select merchant_id, id from due where may_leave order by send_again_at limit ${limit}
  ), seen as (
    update refunds r
       set send_again_at = ${lookedAtAgain(sql)}
      from due
     where r.merchant_id = due.merchant_id and r.id = due.id
       and (not due.may_leave or (due.merchant_id, due.id) in (select merchant_id, id from taken))
    returning r.merchant_id, r.id, due.may_leave
  )
  select merchant_id, id from seen where may_leave`,
  )

/** Of a refund `r`, as `requireMayLeave` says it under the locks; or its money may be there. */
const isStopped = (sql: Sql): Fragment => sql`
  exists (select 1 from merchants m
           where m.id = r.merchant_id and ${isStoppedIn(sql, sql`r.environment`)})
  or exists (select 1 from balances b
              where b.merchant_id = r.merchant_id and b.environment = r.environment
                and b.country = r.country_code and b.is_frozen)
  or exists (select 1 from incidents d
              where d.merchant_id = r.merchant_id and d.transaction_id = r.payment_id
                and ${disputes(sql)})
  or ${mayBePaidOf(sql, 'refund_id', 'r')}`

const waiting = { by: 'refund_id', of: 'r', country: 'country_code', sum: 'amount' } as const

/**
 * What waits for that is due now, however far off its next look was; how many. One that is
 * being looked at is left to who looks.
 */
export async function hastenSentAgain(sql: Sql, room: Room): Promise<number> {
  const reason = 'waited_for' in room ? room.waited_for : 'GATEWAY_FLOAT'
  const due = await eachGroup(
    sql,
    (at) => at<RefundKey[]>`
  with waiting as (
    select r.merchant_id, r.id
      from refunds r
     where ${waitsForRoute(at)} and r.waiting_for = ${reason}
       and r.environment = ${room.environment}
       and r.send_again_at > now() and ${fitsRoom(at, room, waiting)}
       for update of r skip locked
  )
  update refunds r
     set send_again_at = now()
    from waiting
   where r.merchant_id = waiting.merchant_id and r.id = waiting.id
  returning r.merchant_id, r.id`,
  )
  return due.length
}

const lapse_again_after_min = 15

/** It could not lapse: others come first for a while. */
export async function putRefundOff(sql: Sql, key: RefundKey): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    update refunds
       set lapse_again_at = now() + ${lapse_again_after_min} * interval '1 minute'
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}
