// The file of transactions as PostgreSQL writes it: one `copy` statement, so one snapshot of the
// history. `copy` takes no parameters, so values are settings of the connection, which is used for
// nothing else, and the statement reads them there: nothing that a caller sent becomes SQL.

import type { Readable } from 'node:stream'
import type { ZoneFrom } from '../../merchants/time-zones/store.ts'
import { type CsvForm, plainSql } from '../../platform/csv.ts'
import type { Db, Fragment } from '../../platform/db.ts'
import {
  freshIds,
  liveMatches,
  storedMatches,
  type TransactionSearch,
} from '../search/statements.ts'
import { type Bind, letThrough, ownedBy } from '../store.ts'

/** How a file of transactions is written (contract 8.19). */
export type ExportForm = CsvForm &
  Readonly<{
    has_all: boolean
    /** Whose clocks it shows (contract 8.20), in their order; absent: UTC. */
    zones?: readonly ZoneFrom[]
  }>

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
  requested_amount: 't.requested_amount',
  client_fee: 't.client_fee',
  gateway_fee: 't.gateway_fee',
  platform_fee: 't.platform_fee',
  debited_amount: 't.debited_amount',
  net_amount: 't.net_amount',
  currency: 't.currency',
  status: 't.status',
  gateway: 'g.code',
  ip_address: plain('t.ip_address'),
  created_at: 't.created_at',
}

/** Behind them, when all are asked for. */
const moreColumns = {
  merchant_reference: plain('t.merchant_reference'),
  // When it succeeded: as its attempt did; a transfer has none and is made as it succeeds.
  paid_at: `case when t.status = 'SUCCESS' then coalesce(
      (select a.finished_at from attempts a
        where a.merchant_id = t.merchant_id and a.id = t.settled_attempt), t.created_at) end`,
  failure_code: `nullif(t.failure_code, '')`,
  environment: 't.environment',
}

const moments: readonly string[] = ['created_at', 'paid_at']
const amounts: readonly string[] = [
  ...['requested_amount', 'client_fee', 'gateway_fee', 'platform_fee', 'debited_amount'],
  'net_amount',
]

const columnsIn = ({ has_all }: Pick<ExportForm, 'has_all'>): Readonly<Record<string, string>> =>
  has_all ? { ...columns, ...moreColumns } : columns

/** The names of the columns, as the file's first line. */
export const headerOf = (form: Pick<ExportForm, 'has_all' | 'separator'>): string =>
  Object.keys(columnsIn(form)).join(form.separator)

/** The zone of a moment, as SQL. */
type ZoneOf = (moment: string) => string

/** A column as this form writes it. */
function written(
  [name, source]: [string, string],
  { is_french }: ExportForm,
  zoneOf: ZoneOf,
): string {
  if (amounts.includes(name)) return amount(source, is_french)
  if (!moments.includes(name)) return source
  // To the second where a spreadsheet is to read it.
  const pattern = is_french ? 'DD/MM/YYYY HH24:MI:SS' : 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
  return `to_char((${source}) at time zone ${zoneOf(source)}, '${pattern}')`
}

function zonesAsSql(zones: ExportForm['zones'] = [], setting: (value: string) => string): ZoneOf {
  const [first, ...later] = zones
  if (first === undefined) return () => `'UTC'`
  const before = setting(first.zone)
  if (later.length === 0) return () => before
  const cases = later.map(({ from_at, zone }) => [setting(from_at.toISOString()), setting(zone)])
  return (moment) =>
    `case ${cases
      .toReversed()
      .map(([from_at, zone]) => `when (${moment}) >= ${from_at}::timestamptz then ${zone} `)
      .join('')}else ${before} end`
}

/** Text as in all our CSV files; an empty one is an empty cell, without quotes. */
function plain(text: string): string {
  return plainSql(`nullif(${text}, '')`)
}

/** Hundredths with their two digits; exact, being a numeric. */
function amount(column: string, is_french: boolean): string {
  const decimal = `(${column} * 0.01)::numeric(20, 2)`
  return is_french ? `replace(${decimal}::text, '.', ',')` : decimal
}

/** A file that is read slowly keeps its database snapshot open, but not for ever. */
const copy_within_ms = 30 * 60_000
/** How often the server checks whether the client is still there (PostgreSQL: not on Windows). */
const look_every_ms = 500

/** Every match, newest first. `db` has one connection and no other use. */
export async function copyTransactions(
  db: Db,
  search: TransactionSearch,
  form: ExportForm,
): Promise<Readable> {
  const settings = new Map([
    ['statement_timeout', String(copy_within_ms)],
    ['client_connection_check_interval', String(look_every_ms)],
  ])
  const setting = (value: string) => {
    const name = `pirogue.export_${settings.size}`
    settings.set(name, value)
    return `current_setting('${name}')`
  }
  const bind: Bind = (value) => db.unsafe(setting(value))
  const zoneOf = zonesAsSql(form.zones, setting)
  const list = Object.entries(columnsIn(form)).map((column) => written(column, form, zoneOf))
  const rows = rowsOf(db, search, { bind, list: db.unsafe(list.join(', ')) })
  const file = db`
    copy (${rows}) to stdout with (format csv, delimiter ${db.unsafe(`'${form.separator}'`)})`
  await db`
    select set_config(name, value, false)
      from unnest(${[...settings.keys()]}::text[], ${[...settings.values()]}::text[])
        as given (name, value)`
  return file.readable()
}

type Copied = Readonly<{ bind: Bind; list: Fragment }>

function rowsOf(db: Db, search: TransactionSearch, { bind, list }: Copied): Fragment {
  const isSearch = search.terms.length > 0
  return db`
    ${isSearch ? matchesOf(db, search, bind) : db``}
    select ${list}
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
