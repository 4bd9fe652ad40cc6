// The rows of the file of transactions, and its columns.

import type { Db, Fragment } from '../../platform/db.ts'
import { amount, asItIs, type Columns, moment, plain } from '../../platform/export/columns.ts'
import type { RowsOf } from '../../platform/export/export-route.ts'
import type { Bind } from '../../platform/sql.ts'
import {
  freshIds,
  liveMatches,
  storedMatches,
  type TransactionSearch,
} from '../search/statements.ts'
import { letThrough, ownedBy } from '../store.ts'

/** The columns of the interface, in its order, each with where it comes from. */
export const columns: Columns = {
  reference: plain('t.reference'),
  external_reference: plain('t.external_reference'),
  merchant: asItIs('t.merchant_id'),
  customer_name: plain(`trim(t.customer_first_name || ' ' || t.customer_last_name)`),
  customer_email: plain('t.customer_email'),
  customer_phone: plain('t.customer_phone'),
  country: asItIs('t.country_code'),
  network: asItIs('t.network_code'),
  transaction_type: asItIs('t.transaction_type'),
  flow_direction: asItIs('t.flow_direction'),
  requested_amount: amount('t.requested_amount'),
  client_fee: amount('t.client_fee'),
  gateway_fee: amount('t.gateway_fee'),
  platform_fee: amount('t.platform_fee'),
  debited_amount: amount('t.debited_amount'),
  net_amount: amount('t.net_amount'),
  currency: asItIs('t.currency'),
  status: asItIs('t.status'),
  gateway: asItIs('g.code'),
  ip_address: plain('t.ip_address'),
  created_at: moment('t.created_at'),
}

/** Only for those who ask for all, or for these. */
export const more_columns: Columns = {
  merchant_reference: plain('t.merchant_reference'),
  // When it succeeded: as its attempt did; a transfer has none and is made as it succeeds.
  paid_at: moment(`case when t.status = 'SUCCESS' then coalesce(
      (select a.finished_at from attempts a
        where a.merchant_id = t.merchant_id and a.id = t.settled_attempt), t.created_at) end`),
  failure_code: asItIs(`nullif(t.failure_code, '')`),
  environment: asItIs('t.environment'),
}

/** `ids`: of these alone; none: of all. */
export type ExportedRows = TransactionSearch & Readonly<{ ids: readonly string[] }>

/** Every match, newest first. */
export const transactionRows =
  (search: ExportedRows): RowsOf =>
  (db, { bind, list }) => {
    const isSearch = search.terms.length > 0
    return db`
    ${isSearch ? matchesOf(db, search, bind) : db``}
    select ${list}
      from transactions t
      left join gateways g on g.id = t.current_gateway
     where ${ownedBy(db, search, bind)} ${letThrough(db, search, bind)}
       ${search.ids.length > 0 ? among(db, search.ids, bind) : db``}
       ${isSearch ? db`and t.id in (select id from found)` : db``}
     order by t.created_at desc, t.id desc`
  }

/** A value gets into this statement as text alone. */
const among = (db: Db, ids: readonly string[], bind: Bind): Fragment => db`
  and t.id = any (string_to_array(${bind(ids.join(','))}, ',')::uuid[])`

const matchesOf = (db: Db, search: TransactionSearch, bind: Bind): Fragment => db`
  with ${freshIds(db, search, bind)},
  found as materialized (
    select id from (${liveMatches(db, search, bind)}) as live
    union all
    select id from (${storedMatches(db, search, bind)}) as stored)`
