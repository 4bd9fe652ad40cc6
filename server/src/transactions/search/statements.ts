// The parts of search statements: a transaction's fields as one text, and whether the terms are in
// it.

import { andWords } from '../../customers/search/statements.ts'
import type { Term } from '../../customers/search/terms.ts'
import type { Fragment, Sql } from '../../platform/db.ts'
import { verbatim } from '../../platform/fragments.ts'
import { type Bind, boundIn } from '../../platform/sql.ts'
import type { IdOrCode, TransactionFilters } from '../filters.ts'
import { createdWithin, letThrough, type Owner, ownedBy, transactionColumns } from '../store.ts'
import type { TellingTerm } from './telling-parts.ts'

/** Everything about `t` that a search looks at, folded, in one line, each field after a space. */
export const wordsOf = (sql: Sql): Fragment => sql`
  fold_text(translate(concat_ws(' ', '', t.reference, t.external_reference,
    t.customer_first_name, t.customer_last_name, t.customer_email, t.customer_phone,
    nullif(t.operation_msisdn, t.customer_phone),
    case when t.checkout_session is not null
         then (select s.slug from checkout_sessions s
                where s.merchant_id = t.merchant_id and s.id = t.checkout_session) end,
    case when t.payment_link is not null
         then (select l.slug from payment_links l
                where l.merchant_id = t.merchant_id and l.id = t.payment_link) end),
    chr(10), ' '))`

export type TransactionSearch = Owner & TransactionFilters & Readonly<{ terms: readonly Term[] }>

/** A search of the stored rows, whose index is asked for `telling` first, where that is known. */
export type StoredSearch = TransactionSearch & Readonly<{ telling?: readonly TellingTerm[] }>

/**
 * `fresh as (…)`: ids whose search rows may be out of date: the PENDING ones, and those that an
 * event has changed since the rows were made. All others are current, in the same snapshot.
 */
export const freshIds = (sql: Sql, owner: Owner, bind: Bind): Fragment => sql`
  fresh as materialized (
    select t.id from transactions t
     where ${ownedBy(sql, owner, bind)} and t.status = 'PENDING'
    union
    select t.transaction_id from events t
     where ${ownedBy(sql, owner, bind)} and t.transaction_id is not null and t.seq is null
    union
    select t.transaction_id from events t
     where ${ownedBy(sql, owner, bind)} and t.transaction_id is not null
       and t.seq > coalesce((
             select m.seq from transaction_search_marks m
              where m.merchant_id = ${bind(owner.merchant_id)}::uuid
                and m.environment = ${bind(owner.environment)}), 0))`

/**
 * Those of the fresh ones that match: `id`, `created_at`. By their key, however many are expected.
 */
export const liveMatches = (sql: Sql, search: TransactionSearch, bind: Bind): Fragment => sql`
  select t.id, t.created_at
    from fresh
   cross join lateral (
         select ${transactionColumns(sql)}, ${wordsOf(sql)} as words
           from transactions t
          where t.merchant_id = ${bind(search.merchant_id)}::uuid and t.id = fresh.id
         offset 0) as t
   where true ${letThrough(sql, search, bind)} ${andWords(sql, sql`t.words`, search.terms, bind)}`

/** Those that end together share most of what they are found by, so that a row is for several. */
export const members_of_row = 8

/**
 * To follow the search rows `t`: the transactions that each is for, as `m`. One from before
 * migration 0279 is for the transaction whose id it has. Numbers instead of `unnest`, which would
 * write the arrays of each row into a store of its own. They stand in the text, because a file's
 * statement has no parameters.
 */
export const membersOfRows = (sql: Sql): Fragment => sql`
  join generate_series(1, ${verbatim(sql, String(members_of_row))}) as place
    on place <= coalesce(cardinality(t.members), 1)
 cross join lateral (
       select coalesce(t.members[place], t.id) as id,
              coalesce(t.moments[place], t.created_at) as created_at,
              case when t.members is null then t.words
                   else split_part(t.words, chr(10), place) end as words) as m`

/**
 * The ids of the search rows that are for transactions of the relation `of`, which has their `id`,
 * `environment` and `reference`. No reference is another's, so they are found as any text is.
 */
export const rowsOf = (sql: Sql, merchant_id: string, of: string): Fragment => sql`
  select s.id
    from ${sql(of)} as sought cross join lateral (
         select t.id from transaction_search t
          where t.merchant_id = ${merchant_id} and t.id = sought.id
         union all
         select t.id from transaction_search t
          where t.merchant_id = ${merchant_id} and t.environment = sought.environment
            and t.words like '%' || fold_text(sought.reference) || '%'
            and sought.id = any(t.members)) as s`

/**
 * The transactions whose search rows match and that are not fresh: `id`, `created_at`. The words of
 * a row are those of all its transactions, so each one's own are looked at again.
 */
export const storedMatches = (sql: Sql, search: StoredSearch, bind: Bind): Fragment => sql`
  select t.id, t.created_at
    from (select m.id, m.created_at, m.words
            from transaction_search t ${membersOfRows(sql)}
           where ${ownedBy(sql, search, bind)} ${storedThrough(sql, search, bind)}
             ${rowsWith(sql, search, bind)}) as t
   where t.id not in (select id from fresh) ${createdWithin(sql, search, bind)}
     ${andWords(sql, sql`t.words`, search.terms, bind)}`

/**
 * The index is of the column and of no sum with it: `telling` is looked for there, the terms in
 * the rows that it finds.
 */
const rowsWith = (sql: Sql, { terms, telling }: StoredSearch, bind: Bind): Fragment =>
  telling === undefined
    ? andWords(sql, sql`t.words`, terms, bind)
    : sql`${andTelling(sql, telling, bind)} ${andWords(sql, sql`(t.words || '')`, terms, bind)}`

function andTelling(sql: Sql, telling: readonly TellingTerm[], bind: Bind): Fragment {
  let all = sql``
  for (const alternatives of telling) {
    let any = sql`false`
    for (const patterns of alternatives) {
      let one = sql`true`
      for (const pattern of patterns) one = sql`${one} and t.words like ${bind(pattern)}`
      any = sql`${any} or (${one})`
    }
    all = sql`${all} and (${any})`
  }
  return all
}

/** As `letThrough`, over the columns of a search row, which all its transactions share. */
function storedThrough(sql: Sql, search: TransactionFilters, bind: Bind): Fragment {
  const { status, transaction_type: type, flow_direction: flow, currency } = search
  const { country, network } = search
  return sql`
    ${status === undefined ? sql`` : sql`and t.status = ${bind(status)}`}
    ${type === undefined ? sql`` : sql`and t.transaction_type = ${bind(type)}`}
    ${flow === undefined ? sql`` : inFlow(sql, flow)}
    ${currency === undefined ? sql`` : sql`and t.currency = ${bind(currency)}`}
    ${country === undefined ? sql`` : sql`and t.country_code = ${countryOf(sql, country, bind)}`}
    ${network === undefined ? sql`` : sql`and t.network_code = ${networkOf(sql, network, bind)}`}`
}

/**
 * The filters over what stands in the index of a status, for `t`: the same rows as by
 * `letThrough`, which names other columns for some of them.
 */
export const inIndex = (
  sql: Sql,
  { flow_direction: flow, country }: TransactionFilters,
): Fragment =>
  sql`
    ${flow === undefined ? sql`` : sql`and t.transaction_type = any(${[...types[flow]]}::text[])`}
    ${country === undefined ? sql`` : sql`and t.country_code = ${codeOf(sql, country)}`}`

const codeOf = (sql: Sql, country: IdOrCode): Fragment => countryOf(sql, country, boundIn(sql))

const types = { INBOUND: ['PAIEMENT', 'RECHARGE'], OUTBOUND: ['RETRAIT', 'TRANSFERT'] } as const

const inFlow = (sql: Sql, flow: 'INBOUND' | 'OUTBOUND'): Fragment =>
  flow === 'INBOUND'
    ? sql`and (t.transaction_type = 'PAIEMENT' or t.transaction_type = 'RECHARGE')`
    : sql`and (t.transaction_type = 'RETRAIT' or t.transaction_type = 'TRANSFERT')`

const countryOf = (sql: Sql, country: IdOrCode, bind: Bind): Fragment =>
  'id' in country
    ? sql`(select c.iso_code from countries c where c.id = ${bind(country.id)}::uuid)`
    : bind(country.code)

const networkOf = (sql: Sql, network: IdOrCode, bind: Bind): Fragment =>
  'id' in network
    ? sql`(select n.code from networks n where n.id = ${bind(network.id)}::uuid)`
    : bind(network.code)
