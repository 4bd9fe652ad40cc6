// The customers among what one search over all kinds finds: the newest by a short walk, all others
// by their search rows (docs/decisions/0082).

import type { Fragment, Sql } from '../../platform/db.ts'
import { type Part, part } from '../../platform/sql.ts'
import { andWords, beyondMark, foundColumns, type Sought, wordsOf } from './statements.ts'

/** ` and …`: the relation has left room in what is shown. */
export const andRoom = (sql: Sql, { limit }: Sought, name: string): Fragment =>
  sql`and (select count(*) from ${sql(name)}) < ${limit}`

/** Forms in which a phone that was typed may be stored. */
const phonesOf = ({ terms }: Sought): string[] =>
  terms.length === 1 ? (terms[0] ?? []).map((one) => one.replaceAll('%', '')) : []

/** `found_customers as (…)`, with what it is found by. */
export function foundCustomers(sql: Sql, sought: Sought): Part {
  const { id, typed } = sought
  const owned = sql`c.merchant_id = ${sought.merchant_id} and c.environment = ${sought.environment}
    and c.deleted_at is null`
  const isOwn = sql`c.phone = any(${phonesOf(sought)}::text[])`
  const columns = foundColumns(sql, {
    kind: 'CUSTOMER',
    title: sql`coalesce(nullif(btrim(t.first_name || ' ' || t.last_name), ''), t.email, t.phone,
                          '')`,
    detail: sql`coalesce(t.phone, t.email, '')`,
    is_exact:
      id === undefined
        ? sql`t.phone = any(${phonesOf(sought)}::text[]) or lower(t.email) = lower(${typed})`
        : sql`true`,
  })
  const shown = (ids: Fragment) => sql`
    found_customers as materialized (
      select ${columns} from customers t
       where t.merchant_id = ${sought.merchant_id} and t.deleted_at is null
         and t.id = any(array(${ids})))`
  if (id !== undefined) {
    return part(
      'found_customers',
      shown(sql`select c.id from customers c where ${owned} and c.id = ${id}`),
    )
  }
  return part(
    'found_customers',
    sql`named_customers as materialized (
      select c.id from customers c where ${owned} and ${isOwn}
      union all
      select c.id from customers c
       where ${owned} and c.phone is null and c.email = lower(${typed}))`,
    nearCustomers(sql, sought, owned),
    storedCustomers(sql, sought, owned),
    shown(sql`
      select id from named_customers union select id from near_customers
      union select id from stored_customers`),
  )
}

const nearCustomers = (sql: Sql, sought: Sought, owned: Fragment): Fragment => sql`
  near_customers as materialized (
    select n.id
      from (select c.id, c.created_at, c.email, ${wordsOf(sql)} as words from customers c
             where ${owned}
             order by c.created_at desc, c.id desc limit ${sought.steps}) as n
     where true ${andWords(sql, sql`n.words`, sought.terms)}
     order by n.email = lower(${sought.typed}) desc nulls last, n.created_at desc, n.id desc
     limit ${sought.limit})`

/** By the search rows, or beyond their mark by the customers themselves; only if there is room. */
function storedCustomers(sql: Sql, sought: Sought, owned: Fragment): Fragment {
  const { merchant_id, environment, terms, limit } = sought
  const room = andRoom(sql, sought, 'near_customers')
  const ofMark = (column: Fragment) => sql`
    (select ${column} from customer_search_marks
      where merchant_id = ${merchant_id} and environment = ${environment})`
  return sql`
    stored_customers as materialized (
      (select s.id from customer_search s
        where s.merchant_id = ${merchant_id} and s.environment = ${environment}
          ${andWords(sql, sql`s.words`, terms)} ${room}
        order by s.id desc limit ${limit})
      union all
      (select c.id from customers c
        where ${owned} ${beyondMark(sql, ofMark(sql`made_at`), ofMark(sql`customer_id`))}
          ${andWords(sql, wordsOf(sql), terms)} ${room}
        order by c.created_at desc, c.id desc limit ${limit}))`
}
