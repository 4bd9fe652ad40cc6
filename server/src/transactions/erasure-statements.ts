// Removes the payer from their payments. What moved, when, for how much and why stays.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { lastTwo, names, type Traces, without } from '../platform/traces.ts'
import { membersOfRows, rowsOf, wordsOf } from './search/statements.ts'

type Payer = Readonly<{ merchant_id: string; customer_id: string }>

export type PaidAs = Readonly<{ emails: string[]; phones: string[]; names: string[] }>

type Payments = Readonly<{ merchant_id: string; transaction_ids: readonly string[] }>

/** Whether a payment `t` still names its payer. */
export const isNamed = (sql: Sql): Fragment => sql`
  (t.customer_email <> '' or t.customer_phone <> '' or t.customer_first_name <> ''
   or t.customer_last_name <> ''
   or (t.operation_msisdn <> '' and t.operation_msisdn not like '*%'))`

export type NamedPayment = Readonly<{ id: string; place: string }>

/** Payments that still name the payer, the oldest first, from beyond `after`. */
export const listNamed = (
  sql: Sql,
  { merchant_id, customer_id }: Payer,
  { limit, after }: Readonly<{ limit: number; after?: NamedPayment | undefined }>,
): Promise<NamedPayment[]> => homeOf(sql, merchant_id)<NamedPayment[]>`
  select t.id, t.created_at::text as place from transactions t
   where t.merchant_id = ${merchant_id} and t.customer_id = ${customer_id} and ${isNamed(sql)}
     ${
       after === undefined
         ? sql``
         : sql`and (t.created_at, t.id) > (${after.place}::timestamptz, ${after.id}::uuid)`
     }
   order by t.created_at, t.id limit ${limit}`

export async function countNamed(sql: Sql, { merchant_id, customer_id }: Payer): Promise<number> {
  const [row] = await homeOf(sql, merchant_id)<{ count: number }[]>`
    select count(*)::int as count from transactions t
     where t.merchant_id = ${merchant_id} and t.customer_id = ${customer_id} and ${isNamed(sql)}`
  return row?.count ?? 0
}

/**
 * The names under which the payments know the payer; payments that are erased already have none.
 */
export async function readPaidAs(sql: Sql, { merchant_id, customer_id }: Payer): Promise<PaidAs> {
  const [row] = await homeOf(sql, merchant_id)<PaidAs[]>`
    select coalesce(array_agg(distinct lower(customer_email)), '{}') as emails,
           coalesce(array_agg(distinct customer_phone), '{}')
             || coalesce(array_agg(distinct operation_msisdn)
                           filter (where operation_msisdn not like '*%'), '{}') as phones,
           coalesce(array_agg(distinct customer_first_name || ' ' || customer_last_name), '{}')
             as names
      from transactions
     where merchant_id = ${merchant_id} and customer_id = ${customer_id}`
  return row ?? { emails: [], phones: [], names: [] }
}

/** From here on nothing begins of these payments, until the transaction ends. */
export async function lockPayments(tx: Tx, of: Payments): Promise<void> {
  await tx`
    select 1 from transactions
     where merchant_id = ${of.merchant_id} and id = any(${[...of.transaction_ids]}::uuid[])
     order by id
       for update`
}

/** Erases these payments; returns them, and the sessions that they paid. */
export const erasePayer = (
  tx: Tx,
  { merchant_id, transaction_ids }: Payments,
  traces: Traces,
): Promise<{ id: string; checkout_session: string | null }[]> => tx<
  { id: string; checkout_session: string | null }[]
>`
  update transactions
     set customer_email = '', customer_first_name = '', customer_last_name = '',
         customer_phone = '', operation_msisdn = ${lastTwo(tx, tx`operation_msisdn`)},
         ip_address = case when checkout_session is null then ip_address else '' end,
         description = ${without(tx, tx`description`, traces)},
         merchant_reference = ${without(tx, tx`merchant_reference`, traces)},
         return_url = ${without(tx, tx`return_url`, traces)},
         failure_message = ${without(tx, tx`failure_message`, traces)},
         metadata = case when ${names(tx, tx`metadata::text`, traces)} then '{}'::jsonb
                         else metadata end
   where merchant_id = ${merchant_id} and id = any(${[...transaction_ids]}::uuid[])
  returning id, checkout_session`

/** What staff noted where an operator was asked to give a payout back. */
export async function eraseReversals(tx: Tx, of: Payments, traces: Traces): Promise<void> {
  await tx`
    update payout_reversals set note = '***'
     where merchant_id = ${of.merchant_id}
       and transaction_id = any(${[...of.transaction_ids]}::uuid[])
       and ${names(tx, tx`note`, traces)}`
}

/** What the search rows have of these payments, made again from what is left where that differs. */
export async function eraseFound(tx: Tx, of: Payments): Promise<void> {
  // Rows are not made anew meanwhile, from what was there before.
  await tx`
    select 1 from transaction_search_marks
     where merchant_id = ${of.merchant_id} order by environment for update`
  await tx`
    with erased as materialized (
      select t.id, t.environment, t.reference, ${wordsOf(tx)} as words
        from transactions t
       where t.merchant_id = ${of.merchant_id}
         and t.id = any(${[...of.transaction_ids]}::uuid[])),
    sought as materialized (${rowsOf(tx, of.merchant_id, 'erased')}),
    changed as materialized (
      select t.id, made.words
        from transaction_search t cross join lateral (
             select string_agg(coalesce(e.words, m.words), chr(10) order by place) as words
               -- What follows is a join, and a join wants something before it.
               from (select) as one ${membersOfRows(tx)}
               left join erased e on e.id = m.id) as made
       where t.merchant_id = ${of.merchant_id} and t.id in (select id from sought)
         and t.words is distinct from made.words)
    update transaction_search t
       set words = c.words, members = coalesce(t.members, array[t.id]),
           moments = coalesce(t.moments, array[t.created_at])
      from changed c
     where t.merchant_id = ${of.merchant_id} and t.id = c.id`
}
