// Every statement about customers that stands alone. A deleted one is nobody any more.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { SortBy } from '../../platform/http/filters.ts'
import type { Environment } from '../../platform/http/route.ts'
import type { Customer } from './customer.ts'

const columns = (sql: Sql): Fragment => sql`
  merchant_id, id, environment, phone, country, email, first_name, last_name, created_at,
  updated_at`

export type CustomerKey = Readonly<{ merchant_id: string; id: string }>

export async function findCustomer(sql: Sql, key: CustomerKey): Promise<Customer | undefined> {
  const [row] = await sql<Customer[]>`
    select ${columns(sql)} from customers
     where merchant_id = ${key.merchant_id} and id = ${key.id} and deleted_at is null`
  return row
}

export async function lockCustomer(tx: Tx, key: CustomerKey): Promise<Customer | undefined> {
  const [row] = await tx<Customer[]>`
    select ${columns(tx)} from customers
     where merchant_id = ${key.merchant_id} and id = ${key.id} and deleted_at is null
       for update`
  return row
}

export async function hasForgotten(
  sql: Sql,
  key: CustomerKey & Pick<Customer, 'environment'>,
): Promise<boolean> {
  const rows = await sql`
    select 1 from customers
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and environment = ${key.environment} and deleted_at is not null`
  return rows.count > 0
}

/** On the refusal path only: does anybody have it? (403 against 404, contract 3.5.) */
export async function isCustomerOfAnyone(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from customers where id = ${id} and deleted_at is null limit 1`
  return rows.count > 0
}

export type CustomerFields = Pick<
  Customer,
  'phone' | 'country' | 'email' | 'first_name' | 'last_name'
>

export async function insertCustomer(
  tx: Tx,
  row: CustomerFields & Pick<Customer, 'merchant_id' | 'id' | 'environment'>,
): Promise<Customer | undefined> {
  const [made] = await tx<Customer[]>`
    insert into customers (merchant_id, id, environment, phone, country, email, first_name,
      last_name)
    values (${row.merchant_id}, ${row.id}, ${row.environment}, ${row.phone}, ${row.country},
      ${row.email}, ${row.first_name}, ${row.last_name})
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
    update customers
       set phone = ${row.phone}, country = ${row.country}, email = ${row.email},
           first_name = ${row.first_name}, last_name = ${row.last_name}, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}
    returning ${columns(tx)}`
  return changed
}

/** The row stays, because transactions point at it; nothing of the person does. */
export async function deleteCustomer(tx: Tx, key: CustomerKey): Promise<void> {
  await tx`
    update customers
       set deleted_at = now(), phone = null, country = null, email = null, first_name = '',
           last_name = '', updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

export const customerSortFields = ['created_at', 'updated_at', 'last_name', 'full_name'] as const
export type CustomerSortField = (typeof customerSortFields)[number]

export type CustomersQuery = Readonly<{
  merchant_id: string
  environment: Environment
  /** Part of name, e-mail or phone. */
  search: string | undefined
  order: SortBy<CustomerSortField>
  limit: number
  offset: number
}>

export async function listCustomers(
  sql: Sql,
  query: CustomersQuery,
): Promise<{ count: number; rows: Customer[] }> {
  const { merchant_id, environment, search, order, limit, offset } = query
  const way = order.descending ? sql`desc` : sql`asc`
  const found = sql`
    from customers
   where merchant_id = ${merchant_id} and environment = ${environment} and deleted_at is null
     ${search === undefined ? sql`` : searched(sql, search)}`
  // One after the other: a list takes one connection.
  const rows = await sql<Customer[]>`
    select ${columns(sql)} ${found}
     order by ${orderOf(sql, order.field)} ${way}, id ${way}
     limit ${limit} offset ${offset}`
  const [total] = await sql<{ count: number }[]>`select count(*)::int as count ${found}`
  return { count: total?.count ?? 0, rows }
}

const orderOf = (sql: Sql, field: CustomerSortField): Fragment =>
  field === 'full_name' ? sql`(first_name || ' ' || last_name)` : sql`${sql(field)}`

/** As the index `customers_found` says it (migration 0042); what was typed is no wildcard. */
const searched = (sql: Sql, search: string): Fragment => sql`
  and fold_text(first_name || ' ' || last_name || ' ' || coalesce(email, '') || ' '
                || coalesce(phone, '')) like fold_text(${literally(search)})`

const literally = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
