// What forbids erasing a customer, and which customers were erased lately.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { eachGroup } from '../platform/places/places.ts'
import { isNamed } from '../transactions/erasure-statements.ts'

type Customer = Readonly<{ merchant_id: string; id: string }>

export type ErasureBlockers = Readonly<{
  /** A payment that has not ended, or whose gateway is still queried. */
  is_unended: boolean
  /** A contradiction that staff have not resolved. */
  has_incident: boolean
  /** A LIVE success so few days ago that the law requires the payer to be known. */
  is_kept_by_law: boolean
  /** A LIVE payout that limits of 24 hours still count by its number. */
  is_counted: boolean
  /** A failed payment whose session can still be paid: the payer would try it again. */
  can_be_tried_again: boolean
}>

/** Whether the payer of the LIVE success `t` must be known for so long, and it is not yet over. */
const isKeptByLaw = (sql: Sql, live_payer_days: number): Fragment => sql`
  (t.environment = 'LIVE' and t.status = 'SUCCESS'
   and t.created_at > now() - ${live_payer_days} * interval '1 day')`

/** Whether the payout `t` is one of those that limits of 24 hours count. */
export const isCountedPayout = (sql: Sql): Fragment => sql`
  (t.environment = 'LIVE' and t.transaction_type = 'RETRAIT' and t.status <> 'FAILED'
   and t.created_at > now() - interval '24 hours')`

/** Whether the payer of the payment `t` may try it again, by the page of its session. */
export const canBeTriedAgain = (sql: Sql, merchant_id: string): Fragment => sql`
  exists (select 1 from checkout_sessions s
           where s.merchant_id = ${merchant_id} and s.id = t.checkout_session
             and s.status = 'PENDING' and s.transaction_id = t.id)`

export async function readBlockers(
  tx: Tx,
  { merchant_id, id }: Customer,
  live_payer_days: number,
): Promise<ErasureBlockers> {
  const ofCustomer = tx`t.merchant_id = ${merchant_id} and t.customer_id = ${id}`
  const [row] = await tx<ErasureBlockers[]>`
    select exists (select 1 from transactions t where ${ofCustomer} and t.status = 'PENDING')
        or exists (select 1 from transactions t
                     join attempts a on a.merchant_id = ${merchant_id} and a.transaction_id = t.id
                    where ${ofCustomer} and a.status in ('PENDING', 'UNKNOWN')
                      and a.due_at is not null)
        or exists (select 1 from transactions t
                     join refunds r on r.merchant_id = ${merchant_id} and r.payment_id = t.id
                    where ${ofCustomer} and r.status = 'PENDING') as is_unended,
           exists (select 1 from transactions t
                     join incidents i on i.merchant_id = ${merchant_id}
                      and i.transaction_id = t.id and i.status = 'OPEN'
                    where ${ofCustomer}) as has_incident,
           exists (select 1 from transactions t
                    where ${ofCustomer} and ${isKeptByLaw(tx, live_payer_days)})
             as is_kept_by_law,
           exists (select 1 from transactions t where ${ofCustomer} and ${isCountedPayout(tx)})
             as is_counted,
           exists (select 1 from transactions t
                    where ${ofCustomer} and ${canBeTriedAgain(tx, merchant_id)})
             as can_be_tried_again`
  return row ?? nothingRead
}

const nothingRead: ErasureBlockers = {
  is_unended: true,
  has_incident: true,
  is_kept_by_law: true,
  is_counted: true,
  can_be_tried_again: true,
}

export type Blocked = Readonly<{
  id: string
  because: 'PAYMENT_UNDER_WAY' | 'INCIDENT_OPEN' | 'REQUIRED_BY_LAW' | 'PAYOUT_RECENT'
}>

type Payments = Readonly<{ merchant_id: string; transaction_ids: readonly string[] }>

/** Of these payments: those that keep their payer now, by the rules of `readBlockers`. */
export const listBlocked = (
  tx: Tx,
  { merchant_id, transaction_ids }: Payments,
  live_payer_days: number,
): Promise<Blocked[]> => tx<Blocked[]>`
  select id, because from (
    select t.id,
           case when t.status = 'PENDING'
                     or exists (select 1 from attempts a
                                 where a.merchant_id = ${merchant_id} and a.transaction_id = t.id
                                   and a.status in ('PENDING', 'UNKNOWN')
                                   and a.due_at is not null)
                     or exists (select 1 from refunds r
                                 where r.merchant_id = ${merchant_id} and r.payment_id = t.id
                                   and r.status = 'PENDING')
                     then 'PAYMENT_UNDER_WAY'
                when exists (select 1 from incidents i
                              where i.merchant_id = ${merchant_id} and i.transaction_id = t.id
                                and i.status = 'OPEN')
                     then 'INCIDENT_OPEN'
                when ${isKeptByLaw(tx, live_payer_days)} then 'REQUIRED_BY_LAW'
                when ${isCountedPayout(tx)} then 'PAYOUT_RECENT' end as because
      from transactions t
     where t.merchant_id = ${merchant_id}
       and t.id = any(${[...transaction_ids]}::uuid[])) as seen
   where because is not null`

export type Unfinished = Readonly<{
  merchant_id: string
  environment: Environment
  customer_id: string
  forgotten_at: Date
}>

/**
 * Customers whose row is gone while a payment still names them: something of it was under way, or
 * the erasure was cut short. Those of the last days are found without a mark as well: the version
 * before wrote none.
 */
export async function listUnfinished(sql: Sql, within_days: number): Promise<Unfinished[]> {
  return eachGroup(
    sql,
    (at) => at<Unfinished[]>`
    select c.merchant_id, c.environment, c.id as customer_id, c.deleted_at as forgotten_at
      from customers c
     where c.deleted_at is not null
       and (c.unfinished_since is not null
            or c.deleted_at > now() - ${within_days} * interval '1 day'
               and exists (select 1 from transactions t
                            where t.merchant_id = c.merchant_id and t.customer_id = c.id
                              and t.customer_phone || t.customer_email <> ''))`,
  )
}

export type ErasedLately = Readonly<{
  merchant_id: string
  transaction_ids: string[]
  /** Those of the last day: a search row that was just being made is there within minutes. */
  sought_ids: string[]
  /** Those that these payments paid, or tried to. */
  session_ids: string[]
}>

/** Payments that were erased lately, about which a gateway may still report. */
export async function listErasedPayments(sql: Sql, within_days: number): Promise<ErasedLately[]> {
  return eachGroup(
    sql,
    (at) => at<ErasedLately[]>`
    select t.merchant_id, array_agg(t.id) as transaction_ids,
           coalesce(array_agg(t.id) filter (where c.deleted_at > now() - interval '1 day'), '{}')
             as sought_ids,
           coalesce(array_agg(distinct t.checkout_session)
                      filter (where t.checkout_session is not null), '{}') as session_ids
      from customers c
      join transactions t on t.merchant_id = c.merchant_id and t.customer_id = c.id
     where c.deleted_at > now() - ${within_days} * interval '1 day' and not ${isNamed(at)}
     group by t.merchant_id`,
  )
}

/** Refunds made lately of customers who are erased, whenever that was. */
export async function listErasedRefunds(
  sql: Sql,
  within_days: number,
): Promise<{ merchant_id: string; refund_ids: string[] }[]> {
  return eachGroup(
    sql,
    (at) => at<{ merchant_id: string; refund_ids: string[] }[]>`
    select r.merchant_id, array_agg(r.id) as refund_ids
      from refunds r
      join transactions t on t.merchant_id = r.merchant_id and t.id = r.payment_id
      join customers c on c.merchant_id = t.merchant_id and c.id = t.customer_id
     where r.id > uuid_floor(now() - ${within_days} * interval '1 day')
       and c.deleted_at is not null
     group by r.merchant_id`,
  )
}

export type NamedRefund = Readonly<{ id: string; payment_id: string; operation_msisdn: string }>

/** Of these refunds: those that have ended and still have a number. */
export const listNamedRefunds = (
  tx: Tx,
  { merchant_id, refund_ids }: Readonly<{ merchant_id: string; refund_ids: readonly string[] }>,
): Promise<NamedRefund[]> => tx<NamedRefund[]>`
  select r.id, r.payment_id, r.operation_msisdn
    from refunds r
   where r.merchant_id = ${merchant_id} and r.id = any(${[...refund_ids]}::uuid[])
     and r.status <> 'PENDING' and r.operation_msisdn <> '' and r.operation_msisdn not like '*%'
     and not exists (select 1 from attempts a
                      where a.merchant_id = r.merchant_id and a.refund_id = r.id
                        and a.status in ('PENDING', 'UNKNOWN') and a.due_at is not null)`

/** One e-mail a day: those that would send it queue up here. */
export async function lockErasureEmails(tx: Tx, merchant_id: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`erasures ${merchant_id}`}, 0))`
}
