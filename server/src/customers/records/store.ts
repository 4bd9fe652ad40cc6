// The statements about customers that are not part of a composed one. A deleted customer is not
// found.

import { nameList, type RowOf, selectList, setList, typedList } from '../../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Had, Wanted } from '../../platform/http/lists.ts'
import { andBeyond, listOwn, madeBy, newestDown } from '../../platform/http/own-list-store.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import type { Environment } from '../../platform/http/route.ts'
import { homeOf } from '../../platform/places/places.ts'
import { jsonRows } from '../../platform/sql.ts'
import { andFound, andMatching, countFound, rewriteFound } from '../search/statements.ts'
import {
  type Customer,
  type CustomerFields,
  customerRow,
  newCustomerRow,
  personalRow,
} from './customer.ts'

const columns = (sql: Sql): Fragment => selectList(sql, customerRow, 'c')

export type CustomerKey = Readonly<{ merchant_id: string; id: string }>

export async function findCustomer(sql: Sql, key: CustomerKey): Promise<Customer | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Customer[]>`
    select ${columns(sql)} from customers c
     where merchant_id = ${key.merchant_id} and id = ${key.id} and deleted_at is null`
  return row
}

export async function lockCustomer(tx: Tx, key: CustomerKey): Promise<Customer | undefined> {
  const [row] = await tx<Customer[]>`
    select ${columns(tx)} from customers c
     where merchant_id = ${key.merchant_id} and id = ${key.id} and deleted_at is null
       for update`
  return row
}

/** Since when this customer is forgotten; none: they are not. */
export async function findForgotten(
  sql: Sql,
  key: CustomerKey & Pick<Customer, 'environment'>,
): Promise<Date | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<{ deleted_at: Date }[]>`
    select deleted_at from customers
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and environment = ${key.environment} and deleted_at is not null`
  return row?.deleted_at
}

/** Of these numbers those that another customer there has now. */
export async function listOthersPhones(
  sql: Sql,
  { merchant_id, environment, id }: CustomerKey & Pick<Customer, 'environment'>,
  phones: readonly string[],
): Promise<string[]> {
  const rows = await homeOf(sql, merchant_id)<{ phone: string }[]>`
    select phone from customers
     where merchant_id = ${merchant_id} and environment = ${environment}
       and phone = any(${[...phones]}::text[]) and id <> ${id}`
  return rows.map(({ phone }) => phone)
}

export const requireOwnCustomer = ownershipOf('customers', {
  only: (sql) => sql`deleted_at is null`,
})

export async function insertCustomer(
  tx: Tx,
  row: RowOf<typeof newCustomerRow>,
): Promise<Customer | undefined> {
  const [made] = await tx<Customer[]>`
    insert into customers as c (${nameList(tx, newCustomerRow)})
    select ${selectList(tx, newCustomerRow, 'r')}
      from ${jsonRows(tx, [row], typedList(tx, newCustomerRow))} as r
    on conflict do nothing
    returning ${columns(tx)}`
  return made
}

export async function updateCustomer(
  tx: Tx,
  key: CustomerKey,
  row: CustomerFields,
): Promise<Customer | undefined> {
  const [changed] = await tx<Customer[]>`
    with changed as (
      update customers c
         set ${setList(tx, personalRow, 'r')}, updated_at = now()
        from ${jsonRows(tx, [row], typedList(tx, personalRow))} as r
       where c.merchant_id = ${key.merchant_id} and c.id = ${key.id}
      returning ${columns(tx)}),
    ${rewriteFound(tx)}
    select ${columns(tx)} from changed c`
  return changed
}

/**
 * The row stays, because transactions point at it; nothing of the person does. Returns since when.
 */
export async function deleteCustomer(
  tx: Tx,
  key: CustomerKey & Readonly<{ is_finished: boolean }>,
): Promise<Date> {
  const [row] = await tx<{ deleted_at: Date }[]>`
    with changed as (
      update customers c
         set deleted_at = now(), phone = null, country = null, email = null, first_name = '',
             last_name = '', updated_at = now(),
             unfinished_since = case when ${key.is_finished}::boolean then null else now() end
       where merchant_id = ${key.merchant_id} and id = ${key.id}
      returning ${columns(tx)}, deleted_at),
    ${rewriteFound(tx)}
    select deleted_at from changed`
  assert(row !== undefined, `customer ${key.id} is locked and not there`)
  return row.deleted_at
}

/** Nothing names a customer any more whose row was gone before the last of their payments was. */
export async function markFinished(sql: Sql, { merchant_id, id }: CustomerKey): Promise<void> {
  await homeOf(sql, merchant_id)`
    update customers set unfinished_since = null
     where merchant_id = ${merchant_id} and id = ${id} and unfinished_since is not null`
}

export const customerSortFields = ['created_at', 'updated_at', 'last_name', 'full_name'] as const
export type CustomerSortField = (typeof customerSortFields)[number]

export type CustomersSought = Readonly<{
  merchant_id: string
  environment: Environment
  /** Part of name, e-mail or phone. */
  search: string | undefined
}>

/** From so many on, a walk down the list fills a page sooner than reading and sorting them. */
const common = 50_000

/** A page by cursor looks at so many for words before it asks the search rows. */
const near = { look: 5_000, count: 5_000 } as const

export function listCustomers(
  sql: Sql,
  sought: CustomersSought,
  wanted: Wanted<CustomerSortField>,
  many = common,
): Promise<Had<Customer>> {
  return wanted.is === 'number'
    ? listNumbered(sql, sought, { wanted, many })
    : listDown(sql, sought, wanted)
}

type Numbered = Readonly<{
  wanted: Extract<Wanted<CustomerSortField>, { is: 'number' }>
  many: number
}>

async function listNumbered(
  sql: Sql,
  sought: CustomersSought,
  { wanted: { order, limit, offset }, many }: Numbered,
): Promise<Had<Customer>> {
  const { merchant_id, search } = sought
  const way = order.descending ? sql`desc` : sql`asc`
  const owned = sql`from customers c where ${ownedBy(sql, sought)}`
  // One after the other: a list takes one connection.
  const at = homeOf(sql, merchant_id)
  const [total] = await at<{ count: number }[]>`
    ${search ? countFound(sql, sought, search) : sql`select count(*)::int as count ${owned}`}`
  const count = total?.count ?? 0
  if (count <= offset) return { count, rows: [] }
  const is_walked = order.field === 'created_at' && count >= many
  const found = is_walked ? andMatching : andFound
  const rows = await at<Customer[]>`
    select ${columns(sql)} ${owned} ${search ? found(sql, sought, search) : sql``}
     order by ${orderOf(sql, order.field)} ${way}, id ${way}
     limit ${limit} offset ${offset}`
  return { count, rows }
}

const ownedBy = (sql: Sql, sought: CustomersSought): Fragment =>
  sql`${madeBy(sql, sought, 'c')} and c.deleted_at is null`

/** What many contain is among the next; what few do, by the search rows, all of them. */
async function listDown(
  sql: Sql,
  sought: CustomersSought,
  wanted: Extract<Wanted<CustomerSortField>, { is: 'cursor' }>,
): Promise<Had<Customer>> {
  const { merchant_id, search } = sought
  const owned = ownedBy(sql, sought)
  // Who is erased meanwhile stays where looking counts them.
  const looked = madeBy(sql, sought, 'c')
  const at = homeOf(sql, merchant_id)
  const down = (found: Fragment, bounds?: typeof near) =>
    listOwn<Customer>(
      { sql, at },
      {
        ...{ table: 'customers', as: 'c', columns: columns(sql), owned: looked },
        where: sql`${owned} ${found}`,
      },
      wanted,
      bounds,
    )
  if (!search) return down(sql``)
  const nearest = await down(andMatching(sql, sought, search), near)
  if (nearest.stopped_at === undefined) return nearest
  const rows = await at<(Customer & { place: string })[]>`
    select ${columns(sql)}, c.created_at::text as place
      from customers c
     where ${owned} ${andFound(sql, sought, search)} ${andBeyond(sql, wanted.cursor, 'c')}
     order by ${newestDown(sql, wanted.cursor, 'c')}
     limit ${wanted.limit}`
  return { count: null, rows }
}

const orderOf = (sql: Sql, field: CustomerSortField): Fragment =>
  field === 'full_name' ? sql`(first_name || ' ' || last_name)` : sql`${sql(field)}`
