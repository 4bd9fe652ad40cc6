// Makes search rows of customers: of new ones in portions, of made-up ones at once, and of those
// that were changed without them.

import type { Sql } from '../../platform/db.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { beyondMark, nil, type Owner, unsettled, wordsOf } from './statements.ts'

/**
 * Owners of customers that are old enough and have no search row yet, or of a mark in the future.
 */
export const listBehind = (sql: Sql, limit: number): Promise<Owner[]> =>
  eachGroup(
    sql,
    (at) => at<Owner[]>`
  with recursive o as (
    (select c.merchant_id, c.environment from customers c
      order by c.merchant_id, c.environment limit 1)
    union all
    select n.merchant_id, n.environment
      from o cross join lateral (
           select c.merchant_id, c.environment from customers c
            where (c.merchant_id, c.environment) > (o.merchant_id, o.environment)
            order by c.merchant_id, c.environment limit 1) as n)
  select o.merchant_id, o.environment
    from o
    left join customer_search_marks k
      on k.merchant_id = o.merchant_id and k.environment = o.environment
    left join lateral (
         select c.id from customers c
          where c.merchant_id = o.merchant_id and c.environment = o.environment
                ${beyondMark(sql, sql`k.made_at`, sql`k.customer_id`)}
            and c.created_at < now() - ${unsettled(sql)}
          limit 1) as late on true
   where late.id is not null or k.made_at > now() - ${unsettled(sql)}
   limit ${limit}`,
  )

/** Inserts the row whose lock guards an owner's search rows; safe to repeat. */
export async function insertMark(sql: Sql, { merchant_id, environment }: Owner): Promise<void> {
  await homeOf(sql, merchant_id)`
    insert into customer_search_marks (merchant_id, environment, made_at, customer_id)
    values (${merchant_id}, ${environment}, '-infinity', ${nil})
    on conflict (merchant_id, environment) do nothing`
}

/**
 * Makes the search rows of the next customers beyond the mark, and moves it; moves back one that is
 * in the future. Returns how many there were: none when a rival has locked the mark.
 */
export async function indexSettled(
  sql: Sql,
  { merchant_id, environment }: Owner,
  limit: number,
): Promise<number> {
  const [row] = await homeOf(sql, merchant_id)<{ read: number }[]>`
    with mark as materialized (
      select made_at, customer_id from customer_search_marks
       where merchant_id = ${merchant_id} and environment = ${environment}
         for update skip locked),
    portion as materialized (
      select p.id, p.created_at, p.words from mark cross join lateral (
             select c.id, c.created_at, ${wordsOf(sql)} as words
               from customers c
              where c.merchant_id = ${merchant_id} and c.environment = ${environment}
                    ${beyondMark(sql, sql`mark.made_at`, sql`mark.customer_id`)}
                and c.created_at < now() - ${unsettled(sql)}
              order by c.created_at, c.id limit ${limit}) as p),
    written as (
      insert into customer_search (merchant_id, id, environment, words)
      select ${merchant_id}::uuid, id, ${environment}, words from portion
      on conflict (merchant_id, id) do nothing),
    last as materialized (
      select created_at, id from portion
      union all
      select now() - ${unsettled(sql)}, customer_id from mark
       where made_at > now() - ${unsettled(sql)}
      order by 1 desc, 2 desc limit 1),
    moved as (
      update customer_search_marks m set made_at = last.created_at, customer_id = last.id
        from last
       where m.merchant_id = ${merchant_id} and m.environment = ${environment})
    select count(*)::int as read from portion`
  return row?.read ?? 0
}

/** Of these, the ones that may be older than the mark. */
export async function indexThese(sql: Sql, merchant_id: string, ids: readonly string[]) {
  await homeOf(sql, merchant_id)`
    insert into customer_search (merchant_id, id, environment, words)
    select c.merchant_id, c.id, c.environment, ${wordsOf(sql)} from customers c
     where c.merchant_id = ${merchant_id} and c.id = any(${[...ids]}::uuid[])
    on conflict (merchant_id, id) do nothing`
}

/**
 * Makes anew the search rows of customers that were changed or erased lately and whose row
 * disagrees. Under a lock on the customer, so that a change under way is either seen or comes
 * after; one that is locked just now is left for the next time.
 */
export async function reindexChanged(sql: Sql, within_hours: number): Promise<number> {
  const rows = await eachGroup(
    sql,
    (at) => at<{ id: string }[]>`
    with counted as materialized (
      select distinct a.merchant_id, a.target_id::uuid as id from audit_logs a
       where a.id > uuid_floor(now() - ${within_hours} * interval '1 hour')
         and a.action in ('customer.changed', 'customer.deleted')),
    odd as materialized (
      select c.merchant_id, c.id
        from counted
        join customers c on c.merchant_id = counted.merchant_id and c.id = counted.id
        join customer_search s on s.merchant_id = c.merchant_id and s.id = c.id
       where s.words <> ${wordsOf(sql)}),
    locked as materialized (
      select c.merchant_id, c.id, ${wordsOf(sql)} as words
        from odd join customers c on c.merchant_id = odd.merchant_id and c.id = odd.id
         for share of c skip locked)
    update customer_search s set words = locked.words
      from locked
     where s.merchant_id = locked.merchant_id and s.id = locked.id
    returning s.id`,
  )
  return rows.length
}
