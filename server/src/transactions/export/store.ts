// The file of transactions as PostgreSQL writes it: one `copy` statement, so one snapshot of the
// history. `copy` takes no parameters, so values are settings of the connection, which is used for
// nothing else, and the statement reads them there: nothing that a caller sent becomes SQL.

import type { Readable } from 'node:stream'
import { plainSql } from '../../platform/csv/csv.ts'
import type { Db, Fragment } from '../../platform/db.ts'
import {
  freshIds,
  liveMatches,
  storedMatches,
  type TransactionSearch,
} from '../search/statements.ts'
import { type Bind, letThrough, ownedBy } from '../store.ts'

/** The columns of the interface, in its order, each with where it comes from. */
const columns = {
  reference: plain('t.reference'),
  external_reference: plain('t.external_reference'),
  merchant: 't.merchant_id',
  customer_name: plain(`trim(t.customer_first_name || ' ' || t.customer_last_name)`),
  customer_email: plain('t.customer_email'),
  customer_phone: plain('t.customer_phone'),
  country: 't.country_code',
  network: 't.network_code',
  transaction_type: 't.transaction_type',
  flow_direction: 't.flow_direction',
  requested_amount: amount('t.requested_amount'),
  client_fee: amount('t.client_fee'),
  gateway_fee: amount('t.gateway_fee'),
  platform_fee: amount('t.platform_fee'),
  debited_amount: amount('t.debited_amount'),
  net_amount: amount('t.net_amount'),
  currency: 't.currency',
  status: 't.status',
  gateway: 'g.code',
  ip_address: plain('t.ip_address'),
  created_at: `to_char(t.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

export const csv_header = Object.keys(columns).join(',')

/** Text as in all our CSV files; an empty one is an empty cell, without quotes. */
function plain(text: string): string {
  return plainSql(`nullif(${text}, '')`)
}

/** Hundredths with their two digits; exact, being a numeric. */
function amount(column: string): string {
  return `(${column} * 0.01)::numeric(20, 2)`
}

/** A file that is read slowly keeps its database snapshot open, but not for ever. */
const copy_within_ms = 30 * 60_000
/** How often the server checks whether the client is still there (PostgreSQL: not on Windows). */
const look_every_ms = 500

/** Every match, newest first. `db` has one connection and no other use. */
export async function copyTransactions(db: Db, search: TransactionSearch): Promise<Readable> {
  const settings = new Map([
    ['statement_timeout', String(copy_within_ms)],
    ['client_connection_check_interval', String(look_every_ms)],
  ])
  const bind: Bind = (value) => {
    const name = `pirogue.export_${settings.size}`
    settings.set(name, value)
    return db.unsafe(`current_setting('${name}')`)
  }
  const file = db`copy (${rowsOf(db, search, bind)}) to stdout with (format csv)`
  await db`
    select set_config(name, value, false)
      from unnest(${[...settings.keys()]}::text[], ${[...settings.values()]}::text[])
        as given (name, value)`
  return file.readable()
}

function rowsOf(db: Db, search: TransactionSearch, bind: Bind): Fragment {
  const isSearch = search.terms.length > 0
  return db`
    ${isSearch ? matchesOf(db, search, bind) : db``}
    select ${db.unsafe(Object.values(columns).join(', '))}
      from transactions t
      left join gateways g on g.id = t.current_gateway
     where ${ownedBy(db, search, bind)} ${letThrough(db, search, bind)}
       ${isSearch ? db`and t.id in (select id from found)` : db``}
     order by t.created_at desc, t.id desc`
}

const matchesOf = (db: Db, search: TransactionSearch, bind: Bind): Fragment => db`
  with ${freshIds(db, search, bind)},
  found as materialized (
    select id from (${liveMatches(db, search, bind)}) as live
    union all
    select id from (${storedMatches(db, search, bind)}) as stored)`
