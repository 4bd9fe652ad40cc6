// The statements about transactions that are not part of a composed one.

import type { Attempt, AttemptKeyOf } from '../attempts/attempt.ts'
import type { TriggeredBy } from '../attempts/evidence.ts'
import { attemptColumns } from '../attempts/statements.ts'
import { hasIncident } from '../incidents/store.ts'
import { batchCalls, batchPool, perPool } from '../platform/batch-calls.ts'
import { jsonList, type RowOf, selectList } from '../platform/columns.ts'
import type { Db, Fragment, Sql } from '../platform/db.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Cursor } from '../platform/http/pages.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Bind, boundIn, jsonRows } from '../platform/sql.ts'
import { convertedRow, snapshotOfTransaction, transactionRow } from './columns.ts'
import type { IdOrCode, OpenFor, TransactionFilters } from './filters.ts'
import { madeAs } from './made-statements.ts'
import { incidentMark, isToApprove, isUnknown, isUnsent } from './mark-statements.ts'
import { transactionStatuses, triggers } from './schema.ts'
import type { TransactionStatus } from './states.ts'
import type {
  IncidentMark,
  PayoutApproval,
  StatusLog,
  Transaction,
  TransactionKey,
  WaitingReason,
} from './transaction.ts'

/** Of the relation `t`. */
export const transactionColumns = (sql: Sql): Fragment => selectList(sql, transactionRow, 't')

export type MarkedTransaction = Transaction &
  Readonly<{
    incident: IncidentMark | null
    approval: PayoutApproval | null
    waiting_reason: WaitingReason | null
    outcome_unknown: boolean
  }>

export async function findTransaction(
  sql: Sql,
  key: TransactionKey,
): Promise<MarkedTransaction | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<MarkedTransaction[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)}
      from transactions t
     where t.merchant_id = ${key.merchant_id} and t.id = ${key.id}`
  return row
}

/** The attempt by which it has succeeded; null before that, and of what has no attempt. */
export async function findSettledAttempt(sql: Sql, key: TransactionKey): Promise<string | null> {
  const [row] = await homeOf(sql, key.merchant_id)<{ settled_attempt: string | null }[]>`
    select settled_attempt from transactions
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
  return row?.settled_attempt ?? null
}

export const requireOwnTransaction = ownershipOf('transactions')

export type TransactionOwner = Readonly<{ merchant_id: string; environment: Environment }>

/** The id behind a reference, which is unique for a merchant and environment. */
export async function findIdByReference(
  sql: Sql,
  { merchant_id, environment }: TransactionOwner,
  reference: string,
): Promise<string | undefined> {
  const [row] = await homeOf(sql, merchant_id)<{ id: string }[]>`
    select id from transactions
     where merchant_id = ${merchant_id} and environment = ${environment}
       and reference = ${reference}`
  return row?.id
}

/** An attempt and its transaction as one snapshot saw them: what a decision is made from. */
export type TransactionContext = Readonly<{ attempt: Attempt; transaction: TransactionSnapshot }>
export type TransactionSnapshot = RowOf<typeof snapshotOfTransaction> & Converted
type Converted = RowOf<typeof convertedRow>

/** By the attempt's key. Reads that come while others are under way are batched. */
export const findTransactionContext = (
  db: Db,
  key: AttemptKeyOf,
): Promise<TransactionContext | undefined> =>
  contextBatch(homeOf(batchPool(db, 'LIVE'), key.merchant_id))(key)

/**
 * It waits for no row, so both environments may share it; and not for a connection of other
 * queries.
 */
const contextBatch = perPool((db) =>
  batchCalls<AttemptKeyOf, TransactionContext | undefined>({
    run: async (keys) => {
      const rows = await listTransactionContexts(db, keys)
      const found = new Map(rows.map((one) => [one.attempt.id, one]))
      return keys.map(({ id }) => found.get(id))
    },
    names: ({ id }) => [id],
  }),
)

/** Those of the keys that are a transaction's attempts, with their transactions: of one place. */
export async function listTransactionContexts(
  at: Sql,
  keys: readonly AttemptKeyOf[],
): Promise<TransactionContext[]> {
  type Row = Attempt & Converted & Readonly<{ snapshot: RowOf<typeof snapshotOfTransaction> }>
  // Amounts stay out of the JSON, which knows no whole numbers of this size.
  const rows = await at<Row[]>`
    select ${attemptColumns(at)}, ${selectList(at, convertedRow, 't')},
           json_build_object(${jsonList(at, snapshotOfTransaction, 't')}) as snapshot
      from ${jsonRows(at, keys, at`merchant_id uuid, id uuid`)} as k
      join attempts a on a.merchant_id = k.merchant_id and a.id = k.id
      join transactions t on t.merchant_id = a.merchant_id and t.id = a.transaction_id`
  return rows.map(({ snapshot, original_amount, original_currency, exchange_rate, ...attempt }) => {
    const converted = { original_amount, original_currency, exchange_rate }
    return { attempt, transaction: Object.assign(snapshot, converted) }
  })
}

export type Owner = Readonly<{ merchant_id: string; environment: Environment }>

export type PageQuery = Owner &
  Readonly<{
    cursor: Cursor | undefined
    /** The number of rows to read, one more than the page shows. */
    limit: number
  }>

/** `place`: `created_at` as PostgreSQL prints it, which is the row's place in its list. */
export type WithPlace = Readonly<{ place: string }>

/** A page of transactions, newest first; before a `prev` cursor the nearest first. */
export async function listTransactions(
  sql: Sql,
  query: PageQuery & TransactionFilters,
): Promise<(MarkedTransaction & WithPlace)[]> {
  const { cursor, limit } = query
  const order = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return homeOf(sql, query.merchant_id)<(MarkedTransaction & WithPlace)[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from transactions t
     where ${transactionsOf(sql, query)}
       ${cursor === undefined ? sql`` : beyond(sql, cursor, sql`t.created_at, t.id`)}
     order by t.created_at ${order}, t.id ${order}
     limit ${limit}`
}

export type TransactionsOf = Owner &
  Readonly<{
    payment_link: string
    limit: number
    offset: number
  }>

/** The transactions of one link, newest first, and how many there are in all. */
export async function listTransactionsOf(
  sql: Sql,
  { merchant_id, environment, payment_link, limit, offset }: TransactionsOf,
): Promise<{ count: number; rows: MarkedTransaction[] }> {
  const found = sql`
    from transactions t
   where t.merchant_id = ${merchant_id} and t.environment = ${environment}
     and t.payment_link = ${payment_link}`
  const at = homeOf(sql, merchant_id)
  const [rows, [total]] = await Promise.all([
    at<MarkedTransaction[]>`
      select ${transactionColumns(sql)}, ${incidentMark(sql)} ${found}
       order by t.created_at desc, t.id desc
       limit ${limit} offset ${offset}`,
    at<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}

/** The owner's transactions that the filters let through, as a condition on `t`. */
const transactionsOf = (sql: Sql, filters: Owner & TransactionFilters): Fragment => sql`
  ${ownedBy(sql, filters)} ${letThrough(sql, filters)}`

export const ownedBy = (sql: Sql, owner: Owner, bind = boundIn(sql)): Fragment => sql`
  t.merchant_id = ${bind(owner.merchant_id)}::uuid and t.environment = ${bind(owner.environment)}`

/** What the filters let through, to follow a first condition on `t`. */
export function letThrough(sql: Sql, filters: TransactionFilters, bind = boundIn(sql)): Fragment {
  const { status, transaction_type: type, flow_direction: flow, currency } = filters
  const { country, network, merchant, customer, merchant_reference: reference } = filters
  const { payment_link: link } = filters
  return sql`
    ${status === undefined ? sql`` : inStatus(sql, status, bind)}
    ${type === undefined ? sql`` : sql`and t.transaction_type = ${bind(type)}`}
    ${flow === undefined ? sql`` : sql`and t.flow_direction = ${bind(flow)}`}
    ${currency === undefined ? sql`` : sql`and t.currency = ${bind(currency)}`}
    ${country === undefined ? sql`` : inCountry(sql, country, bind)}
    ${network === undefined ? sql`` : byNetwork(sql, network, bind)}
    ${merchant === undefined ? sql`` : sql`and t.merchant_id = ${bind(merchant)}::uuid`}
    ${customer === undefined ? sql`` : sql`and t.customer_id = ${bind(customer)}::uuid`}
    ${reference === undefined ? sql`` : referredToAs(sql, reference, bind)}
    ${link === undefined ? sql`` : sql`and t.payment_link = ${bind(link)}::uuid`}
    ${madeAs(sql, filters, bind)}
    ${filters.incident === undefined ? sql`` : sql`and ${hasIncident(sql, filters.incident)}`}
    ${filters.waits_for === undefined ? sql`` : waitingFor(sql, filters.waits_for)}
    ${createdWithin(sql, filters, bind)}`
}

const waitingFor = (sql: Sql, { approval, sending, outcome }: OpenFor): Fragment => sql`
  ${approval ? sql`and ${isToApprove(sql)}` : sql``}
  ${sending ? sql`and ${isUnsent(sql)}` : sql``}
  ${outcome ? sql`and ${isUnknown(sql)}` : sql``}`

export type OpenCounts = Readonly<{
  open: number
  approval: number
  waiting: number
  unknown: number
}>

/** What the open payouts wait for, of the newest `limit`: as the list's filters find them. */
export async function countOpenPayouts(sql: Sql, owner: Owner, limit: number): Promise<OpenCounts> {
  const [row] = await homeOf(sql, owner.merchant_id)<OpenCounts[]>`
    select count(*)::int as open,
           count(*) filter (where ${isToApprove(sql)})::int as approval,
           count(*) filter (where ${isUnsent(sql)})::int as waiting,
           count(*) filter (where ${isUnknown(sql)})::int as unknown
      from (select t.merchant_id, t.id
              from transactions t
             where ${ownedBy(sql, owner)} ${inStatus(sql, 'PENDING')}
               and t.transaction_type = 'RETRAIT'
             order by t.created_at desc, t.id desc
             limit ${limit}) as t`
  return row ?? { open: 0, approval: 0, waiting: 0, unknown: 0 }
}

type Bounds = Pick<TransactionFilters, 'created_at__gte' | 'created_at__lte'>

export function createdWithin(sql: Sql, filters: Bounds, bind = boundIn(sql)): Fragment {
  const { created_at__gte: from, created_at__lte: to } = filters
  return sql`
    ${from === undefined ? sql`` : sql`and t.created_at >= ${bind(from)}::text::timestamptz`}
    ${to === undefined ? sql`` : sql`and t.created_at <= ${bind(to)}::text::timestamptz`}`
}

// Most are SUCCESS; the partial index of the others is used where the statement names the
// condition.
export const inStatus = (sql: Sql, status: TransactionStatus, bind = boundIn(sql)): Fragment =>
  status === 'SUCCESS'
    ? sql`and t.status = ${bind(status)}`
    : sql`and t.status = ${bind(status)} and t.status <> 'SUCCESS'`

const inCountry = (sql: Sql, country: IdOrCode, bind: Bind): Fragment =>
  'id' in country
    ? sql`and t.country_id = ${bind(country.id)}::uuid`
    : sql`and t.country_code = ${bind(country.code)}`

const byNetwork = (sql: Sql, network: IdOrCode, bind: Bind): Fragment =>
  'id' in network
    ? sql`and t.network_id = ${bind(network.id)}::uuid`
    : sql`and t.network_code = ${bind(network.code)}`

// The index is partial: it is used where the statement names the condition that the reference is
// not empty.
const referredToAs = (sql: Sql, merchant_reference: string, bind: Bind): Fragment =>
  sql`and t.merchant_reference = ${bind(merchant_reference)} and t.merchant_reference <> ''`

/** Passed as text, because the driver would send a bare timestamp as a Date, in milliseconds. */
const moment = (sql: Sql, text: string): Fragment => sql`${text}::text::timestamptz`

export const beyond = (sql: Sql, { dir, created_at, id }: Cursor, place: Fragment): Fragment =>
  dir === 'prev'
    ? sql`and (${place}) > (${moment(sql, created_at)}, ${id}::uuid)`
    : sql`and (${place}) < (${moment(sql, created_at)}, ${id}::uuid)`

const statusLogColumns = (sql: Sql): Fragment => sql`
  l.merchant_id, l.id, l.environment, l.transaction_id, l.from_status, l.to_status, l.reason,
  l.triggered_by, l.attempt_id, l.evidence_kind, l.evidence_id, l.evidence_hash,
  l.evidence_said, l.created_at`

/** A row of `transaction_status_logs`. */
export type StoredStatusLog = StatusLog &
  Owner &
  Readonly<{ from_status: TransactionStatus; to_status: TransactionStatus }>

export type StatusLogFilters = Readonly<{
  to_status: TransactionStatus | undefined
  triggered_by: TriggeredBy | undefined
  transaction: string | undefined
}>

/**
 * A page of moves, newest first; before a `prev` cursor the nearest first. It is the newest part of
 * a page of each kind of move, a range of the index: what lies between costs nothing.
 */
export async function listStatusLogs(
  sql: Sql,
  query: PageQuery & StatusLogFilters,
): Promise<(StoredStatusLog & WithPlace)[]> {
  const order = query.cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return homeOf(sql, query.merchant_id)<(StoredStatusLog & WithPlace)[]>`
    select ${statusLogColumns(sql)}, l.created_at::text as place
      from (${movesFound(sql, query)}) l
     order by l.created_at ${order}, l.id ${order}
     limit ${query.limit}`
}

function movesFound(sql: Sql, query: PageQuery & StatusLogFilters): Fragment {
  const { merchant_id, environment, to_status, triggered_by, transaction, cursor } = query
  const order = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  const statuses = to_status === undefined ? transactionStatuses : [to_status]
  const by = triggered_by === undefined ? triggers : [triggered_by]
  const which = sql`
    l.merchant_id = ${merchant_id} and l.environment = ${environment}
    ${cursor === undefined ? sql`` : beyond(sql, cursor, sql`l.created_at, l.id`)}`
  // Those of one transaction are few: read first and sorted afterwards, which `offset 0` enforces.
  if (transaction !== undefined) {
    return sql`
      select ${statusLogColumns(sql)}
        from transaction_status_logs l
       where ${which} and l.transaction_id = ${transaction}
         and l.to_status = any(${[...statuses]}::text[])
         and l.triggered_by = any(${[...by]}::text[])
      offset 0`
  }
  return sql`
    select ${statusLogColumns(sql)}
      from unnest(${[...statuses]}::text[]) as s (to_status)
     cross join unnest(${[...by]}::text[]) as t (triggered_by)
     cross join lateral (
           select ${statusLogColumns(sql)}
             from transaction_status_logs l
            where ${which} and l.to_status = s.to_status and l.triggered_by = t.triggered_by
            order by l.created_at ${order}, l.id ${order}
            limit ${query.limit}) l`
}

/** Every move of a transaction, oldest first. */
export async function listStatusLogsOf(
  sql: Sql,
  transaction: TransactionKey,
): Promise<StoredStatusLog[]> {
  return homeOf(sql, transaction.merchant_id)<StoredStatusLog[]>`
    select ${statusLogColumns(sql)}
      from transaction_status_logs l
     where l.merchant_id = ${transaction.merchant_id} and l.transaction_id = ${transaction.id}
     order by l.created_at, l.id`
}

export async function findStatusLog(
  sql: Sql,
  key: { merchant_id: string; id: string },
): Promise<StoredStatusLog | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<StoredStatusLog[]>`
    select ${statusLogColumns(sql)}
      from transaction_status_logs l
     where l.merchant_id = ${key.merchant_id} and l.id = ${key.id}`
  return row
}

export const requireOwnStatusLog = ownershipOf('transaction_status_logs')
