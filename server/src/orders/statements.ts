// The parts of a statement about sessions and links. Locks: the session, then its link, and only
// then the transaction (money 4): `lockTarget` is the first part of every statement that moves one
// of them. What belongs to the move is gated by the move.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { type Gate, type Part, part, type Relation, relation, statusList } from '../platform/sql.ts'
import type { OrderKey, Session } from './session.ts'
import { sessionStates } from './states.ts'

/** The ids of a transaction's session and link. */
export type TargetIds = Readonly<{
  merchant_id: string
  checkout_session: string
  payment_link: string | null
  transaction_id: string
}>

export type LockConditions = Readonly<{
  /** Only while the session is as it was decided from. */
  version?: number | undefined
  /** To begin a payment: the session's time is not over, and its link has a slot left. */
  to_begin?: boolean
}>

/** `id` is the transaction's; `session` has a row where that alone was as it must be. */
export type TargetLock = Part & Readonly<{ session: Relation }>

/**
 * `session_locked, link_locked, both_locked as (…)`: each locked; the last one has a row if both
 * are as they must be.
 */
export function lockTarget(
  sql: Sql,
  target: TargetIds,
  conditions: LockConditions = {},
): TargetLock {
  const { merchant_id, checkout_session, payment_link, transaction_id } = target
  const { version, to_begin = false } = conditions
  const session = sql`session_locked as (
    select id from checkout_sessions
     where merchant_id = ${merchant_id} and id = ${checkout_session}
       ${version === undefined ? sql`` : sql`and version = ${version}`}
       ${to_begin ? sql`and expires_at > now()` : sql``}
       for update)`
  const link = sql`link_locked as (
    select id from payment_links
     where merchant_id = ${merchant_id} and id = ${payment_link}
       and exists (select 1 from session_locked)
       ${to_begin ? hasSlot(sql) : sql``}
       for update)`
  const order = sql`both_locked as (
    select ${transaction_id}::uuid as id from session_locked
    ${payment_link === null ? sql`` : sql`cross join link_locked`})`
  const locks = payment_link === null ? [session, order] : [session, link, order]
  return { ...part('both_locked', ...locks), session: relation('session_locked') }
}

const hasSlot = (sql: Sql): Fragment => sql`
  and deleted_at is null and is_active and (expires_at is null or expires_at > now())
  and (usage_limit is null or usage_count + reserved < usage_limit)`

/** `session_begun, link_reserved as (…)`: a payment is under way. */
export function beginTarget(sql: Sql, target: TargetIds, { when }: Gate): Part<never> {
  return part(
    'session_begun',
    sql`session_begun as (
      update checkout_sessions
         set pending_payment = ${target.transaction_id}, payments = payments + 1,
             transaction_id = ${target.transaction_id}, due_at = null,
             version = version + 1, updated_at = now()
       where merchant_id = ${target.merchant_id} and id = ${target.checkout_session}
         and exists (select 1 from ${sql(when.name)}))`,
    ...ofLink(sql, target, {
      name: sql`link_reserved`,
      change: sql`reserved = reserved + 1`,
      when,
    }),
  )
}

/** `session_freed, link_freed as (…)`: the payment that was under way has ended unpaid. */
export function freeTarget(sql: Sql, target: TargetIds, { when }: Gate): Part<never> {
  return part(
    'session_freed',
    sql`session_freed as (
      update checkout_sessions
         set pending_payment = null, version = version + 1, updated_at = now(),
             due_at = case when status = 'PENDING' then expires_at end
       where merchant_id = ${target.merchant_id} and id = ${target.checkout_session}
         and pending_payment = ${target.transaction_id}
         and exists (select 1 from ${sql(when.name)}))`,
    ...ofLink(sql, target, {
      name: sql`link_freed`,
      change: sql`reserved = reserved - 1`,
      when,
    }),
  )
}

export type Paying = Readonly<{
  after: Session
  /** The payment was under way and holds a slot; a late success does not. */
  had_slot: boolean
}>

/** `session_paid, link_used as (…)`: only from `lockTarget` of an unpaid session. */
export function payTarget(
  sql: Sql,
  target: TargetIds,
  { after, had_slot }: Paying,
  { when }: Gate,
): Part<never> {
  const slots = had_slot ? 1 : 0
  const use = sql`usage_count = usage_count + 1, reserved = reserved - ${slots}::int`
  return part(
    'session_paid',
    sql`session_paid as (
      update checkout_sessions
         set status = 'PAID', paid_by = ${after.paid_by}, transaction_id = ${after.transaction_id},
             paid_at = ${after.paid_at}, pending_payment = ${after.pending_payment},
             due_at = null, version = ${after.version}, updated_at = ${after.updated_at}
       where merchant_id = ${target.merchant_id} and id = ${target.checkout_session}
         and status in ${statusList(sql, sessionStates.into('PAID'))}
         and exists (select 1 from ${sql(when.name)}))`,
    ...ofLink(sql, target, { name: sql`link_used`, change: use, when }),
  )
}

/** EXPIRED or CANCELLED; false when it is no longer as it was decided from. */
export async function endSession(
  tx: Tx,
  after: Session,
  { only_due }: Readonly<{ only_due: boolean }>,
): Promise<boolean> {
  const rows = await tx`
  update checkout_sessions
     set status = ${after.status}, due_at = null, version = ${after.version},
         updated_at = ${after.updated_at}
   where merchant_id = ${after.merchant_id} and id = ${after.id}
     and version = ${after.version - 1} and pending_payment is null
     and status in ${statusList(tx, sessionStates.into(after.status))}
     ${only_due ? tx`and expires_at <= now()` : tx``}`
  return rows.count === 1
}

type LinkChange = Gate<never> & Readonly<{ name: Fragment; change: Fragment }>

function ofLink(
  sql: Sql,
  { merchant_id, payment_link }: TargetIds,
  { name, change, when }: LinkChange,
): Fragment[] {
  if (payment_link === null) return []
  return [
    sql`${name} as (
      update payment_links
         set ${change}, updated_at = now()
       where merchant_id = ${merchant_id} and id = ${payment_link}
         and exists (select 1 from ${sql(when.name)}))`,
  ]
}

export type BeginReach = Readonly<{
  session: number
  order: number
  prompt: number
  attempt: number
}>

/** The last part of a statement that begins a payment: how far it came. */
export const beginReach = (
  sql: Sql,
  { lock, prompt, attempt }: Readonly<{ lock: TargetLock; prompt: Relation; attempt: Relation }>,
): Fragment => sql`
  select (select count(*)::int from ${sql(lock.session.name)}) as session,
         (select count(*)::int from ${sql(lock.name)}) as "order",
         (select count(*)::int from ${sql(prompt.name)}) as prompt,
         (select count(*)::int from ${sql(attempt.name)}) as attempt`

export function readReach(
  row: Readonly<Record<string, unknown>> | undefined,
): BeginReach | undefined {
  if (row === undefined) return undefined
  const count = (name: keyof BeginReach) => (row[name] === 1 ? 1 : 0)
  return {
    session: count('session'),
    order: count('order'),
    prompt: count('prompt'),
    attempt: count('attempt'),
  }
}

export const keyOf = ({ merchant_id, checkout_session }: TargetIds): OrderKey => ({
  merchant_id,
  id: checkout_session,
})

/** The session of a payment; undefined for a payment without one. */
export function targetOf(transaction: {
  merchant_id: string
  id: string
  checkout_session: string | null
  payment_link: string | null
}): TargetIds | undefined {
  const { merchant_id, id, checkout_session, payment_link } = transaction
  if (checkout_session === null) return undefined
  return { merchant_id, checkout_session, payment_link, transaction_id: id }
}
