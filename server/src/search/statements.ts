// What a search finds of the kinds that have no search rows: among the newest of each, and by what
// has an index of its own.

import { isUnknownOf } from '../attempts/attempt-statements.ts'
import {
  andWords,
  foundColumns,
  type Sought,
  statusOrReturned,
} from '../customers/search/statements.ts'
import { keyStatusOf } from '../merchants/keys/store.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { type Part, part } from '../platform/sql.ts'
import { lastTwo } from '../platform/traces.ts'

type Kind = Readonly<{
  /** Of the relation `t`. */
  columns: Fragment
  table:
    | ('payment_links' | 'checkout_sessions' | 'refunds' | 'settlements' | 'wallet_transfers')
    | 'api_keys'
  /** What is searched, as one text. */
  texts: Fragment
  /** ` and …`: of those that there are at all. */
  only?: Fragment
  /** What is unique and was typed whole; it has an index. */
  exact?: Fragment
  /** What is not unique and is shown before newer ones when it was typed whole. */
  own?: Fragment
}>

/** `name as (…)`: by id alone, where an id was typed. */
function foundOf(sql: Sql, sought: Sought, name: string, kind: Kind): Part {
  const { merchant_id, environment, id, typed, terms, steps, limit } = sought
  const { columns, only = sql``, exact, own } = kind
  const isOwn = own === undefined ? sql`false` : sql`lower(${own}) = lower(${typed})`
  const owned = sql`
      from ${sql(kind.table)} t
     where t.merchant_id = ${merchant_id} and t.environment = ${environment} ${only}`
  const byWords = sql`
    (select n.id
       from (select t.id, t.created_at, ${isOwn} as is_own,
                    fold_text(' ' || ${kind.texts}) as words ${owned}
              order by t.created_at desc, t.id desc limit ${steps}) as n
      where true ${andWords(sql, sql`n.words`, terms)}
      order by n.is_own desc nulls last, n.created_at desc, n.id desc limit ${limit})`
  const all =
    exact === undefined ? byWords : sql`${byWords} union select t.id ${owned} and ${exact}`
  const which = id === undefined ? sql`any(array(${all}))` : sql`${id}`
  return part(
    name,
    sql`${sql(name)} as materialized (select ${columns} ${owned} and t.id = ${which})`,
  )
}

const exactly = (sql: Sql, { id, typed }: Sought, text: Fragment): Fragment =>
  id === undefined ? sql`lower(${text}) = lower(${typed})` : sql`true`

/** Links that were not deleted. */
export const foundLinks = (sql: Sql, sought: Sought): Part =>
  foundOf(sql, sought, 'found_links', {
    table: 'payment_links',
    texts: sql`t.name || ' ' || t.description || ' ' || t.slug`,
    only: sql`and t.deleted_at is null`,
    columns: foundColumns(sql, {
      kind: 'PAYMENT_LINK',
      title: sql`t.name`,
      detail: sql`t.description`,
      amount: sql`t.amount`,
      currency: sql`t.currency`,
      is_exact: exactly(sql, sought, sql`t.slug`),
    }),
  })

export const foundSessions = (sql: Sql, sought: Sought): Part =>
  foundOf(sql, sought, 'found_sessions', {
    table: 'checkout_sessions',
    texts: sql`
      t.slug || ' ' || t.merchant_reference || ' ' || t.customer_email || ' ' || t.customer_name
        || ' ' || t.customer_phone || ' ' || t.description`,
    columns: foundColumns(sql, {
      kind: 'CHECKOUT_SESSION',
      title: sql`coalesce(nullif(t.customer_name, ''), nullif(t.customer_email, ''),
                          t.customer_phone)`,
      detail: sql`t.description`,
      status: sql`t.status`,
      amount: sql`t.amount`,
      currency: sql`t.currency`,
      is_exact: exactly(sql, sought, sql`t.slug`),
    }),
  })

export const foundRefunds = (sql: Sql, sought: Sought): Part =>
  foundOf(sql, sought, 'found_refunds', {
    table: 'refunds',
    own: sql`t.reference`,
    texts: sql`t.reference || ' ' || t.operation_msisdn || ' ' || t.reason`,
    columns: foundColumns(sql, {
      kind: 'REFUND',
      transaction: sql`t.payment_id`,
      // Without a reference its receiver's number, hidden as wherever a refund is shown.
      title: sql`coalesce(nullif(t.reference, ''), ${lastTwo(sql, sql`t.operation_msisdn`)})`,
      detail: sql`t.reason`,
      status: statusOrReturned(sql),
      outcome_unknown: sql`
        (t.status = 'PENDING' and ${isUnknownOf(sql, { by: 'refund_id', of: 't' })})`,
      amount: sql`t.amount`,
      currency: sql`t.currency`,
      is_exact: exactly(sql, sought, sql`t.reference`),
    }),
  })

export const foundSettlements = (sql: Sql, sought: Sought): Part =>
  foundOf(sql, sought, 'found_settlements', {
    table: 'settlements',
    texts: sql`t.reference`,
    exact: sql`t.reference = upper(${sought.typed})`,
    columns: foundColumns(sql, {
      kind: 'SETTLEMENT',
      title: sql`t.reference`,
      detail: sql`t.country`,
      status: statusOrReturned(sql),
      amount: sql`t.requested_amount`,
      currency: sql`t.currency`,
      is_exact: exactly(sql, sought, sql`t.reference`),
    }),
  })

export const foundTransfers = (sql: Sql, sought: Sought): Part =>
  foundOf(sql, sought, 'found_transfers', {
    table: 'wallet_transfers',
    texts: sql`t.reference`,
    exact: sql`t.reference = upper(${sought.typed})`,
    columns: foundColumns(sql, {
      kind: 'WALLET_TRANSFER',
      title: sql`t.reference`,
      detail: sql`t.to_country`,
      status: sql`t.status`,
      amount: sql`t.from_amount`,
      currency: sql`t.from_currency`,
      is_exact: exactly(sql, sought, sql`t.reference`),
    }),
  })

/** Keys that were not deleted, by their name and by what is shown of their secret. */
export function foundKeys(sql: Sql, sought: Sought): Part {
  const shown = sql`t.key_prefix || '…' || t.last4`
  return foundOf(sql, sought, 'found_keys', {
    table: 'api_keys',
    own: sql`t.key_prefix`,
    texts: sql`t.name || ' ' || ${shown}`,
    only: sql`and t.deleted_at is null`,
    columns: foundColumns(sql, {
      kind: 'API_KEY',
      title: sql`coalesce(nullif(t.name, ''), ${shown})`,
      detail: sql`case when t.name = '' then '' else ${shown} end`,
      status: keyStatusOf(sql, 't'),
      rotated_to: sql`t.rotated_to`,
      last_used_at: sql`t.last_used_at`,
      is_exact: sql`
        ${exactly(sql, sought, sql`t.key_prefix`)} or ${exactly(sql, sought, shown)}`,
    }),
  })
}
