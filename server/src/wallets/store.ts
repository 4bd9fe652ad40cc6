// The statements about transfers that are not part of a composed one. Nothing here changes one.

import type { Db, Fragment, Sql, Tx } from '../platform/db.ts'
import type { SortBy } from '../platform/http/filters.ts'
import type { Had, Wanted } from '../platform/http/lists.ts'
import { listOwn, madeBy } from '../platform/http/own-list-store.ts'
import { inEnvironment, ownershipOf } from '../platform/http/ownership.ts'
import type { Caller, Environment } from '../platform/http/route.ts'
import { pageOfAll } from '../platform/places/page-of-all.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { boundIn, type Created, madeWithin } from '../platform/sql.ts'
import { transferColumns } from './statements.ts'
import type { TransferStatus } from './states.ts'
import type { Transfer, TransferKey } from './transfer.ts'

/** The database's time, as a row keeps it. */
export async function findNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select now()::timestamptz(3) as now`
  return row?.now ?? new Date()
}

export async function findTransfer(sql: Sql, key: TransferKey): Promise<Transfer | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Transfer[]>`
    select ${transferColumns(sql)}
      from wallet_transfers t
     where t.merchant_id = ${key.merchant_id} and t.id = ${key.id}`
  return row
}

const requireOwnTransfer = ownershipOf('wallet_transfers')

/** Of the caller (contract 3.5): refuses another merchant's, and one of the other environment. */
export async function getOwnTransfer(
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<Transfer> {
  const key = { merchant_id, id }
  const transfer = inEnvironment(await findTransfer(sql, key), environment)
  return requireOwnTransfer(sql, key, transfer)
}

export const transferSortFields = ['created_at', 'updated_at'] as const
export type TransferSortField = (typeof transferSortFields)[number]

/** Which transfers. */
export type TransfersSought = Readonly<{
  merchant_id: string
  environment: Environment
  status: TransferStatus | undefined
  /** It leaves it or arrives there. */
  country: string | undefined
  /** Part of the reference. */
  search: string | undefined
}> &
  Created

/** Of `wallet_transfers t`. */
export const transfersWhere = (
  sql: Sql,
  sought: TransfersSought,
  bind = boundIn(sql),
): Fragment => {
  const { merchant_id, environment, status, country, search } = sought
  return sql`
    t.merchant_id = ${bind(merchant_id)}::uuid and t.environment = ${bind(environment)}
    ${status === undefined ? sql`` : sql`and t.status = ${bind(status)}`}
    ${country === undefined ? sql`` : sql`and ${bind(country)} in (t.from_country, t.to_country)`}
    ${search === undefined ? sql`` : sql`and strpos(t.reference, upper(${bind(search)})) > 0`}
    ${madeWithin(sql, sought, sql`t.created_at`, bind)}`
}

/** A page of a merchant's transfers. */
export const listTransfers = (
  sql: Sql,
  sought: TransfersSought,
  wanted: Wanted<TransferSortField>,
): Promise<Had<Transfer>> =>
  listOwn<Transfer>(
    { sql, at: homeOf(sql, sought.merchant_id) },
    {
      ...{ table: 'wallet_transfers', as: 't', columns: transferColumns(sql) },
      owned: madeBy(sql, sought, 't'),
      where: transfersWhere(sql, sought),
    },
    wanted,
  )

/** The order of `wallet_transfers t`. */
export function orderBy(sql: Sql, { field, descending }: SortBy<TransferSortField>): Fragment {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`t.${sql(field)} ${direction}, t.id ${direction}`
}

/** A transfer under its lock, with the transaction's time. */
export type LockedTransfer = Readonly<{ transfer: Transfer; now: Date; has_lapsed: boolean }>

/** By its id alone: staff and due work act over all merchants. */
export async function lockTransfer(
  tx: Tx,
  key: Readonly<{ id: string; environment: Environment }>,
): Promise<LockedTransfer | undefined> {
  const [row] = await tx<(Transfer & Omit<LockedTransfer, 'transfer'>)[]>`
    select ${transferColumns(tx)}, now()::timestamptz(3) as now,
           t.lapses_at <= now() as has_lapsed
      from wallet_transfers t
     where t.id = ${key.id} and t.environment = ${key.environment}
       for update of t`
  if (row === undefined) return undefined
  const { now, has_lapsed, ...transfer } = row
  return { transfer, now, has_lapsed }
}

export type LapsedTransfer = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
}>

/** Those that have waited too long, the longest first; all but those with these ids. */
export const listLapsed = (
  db: Db,
  limit: number,
  but: readonly string[],
): Promise<LapsedTransfer[]> =>
  eachGroup(
    db,
    (at) => at<LapsedTransfer[]>`
  select merchant_id, id, environment from wallet_transfers
   where status = 'PENDING' and lapses_at <= now() and id <> all(${but}::uuid[])
   order by lapses_at
   limit ${limit}`,
  )

/** As `sumAutomatic`; other callers queue up until the transaction ends. */
export async function lockAutomatic(tx: Tx, transfer: Transfer): Promise<bigint> {
  const { merchant_id, environment } = transfer
  const name = `automatic transfers ${merchant_id} ${environment}`
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  return sumAutomatic(tx, transfer)
}

type Leaving = Pick<Transfer, 'merchant_id' | 'environment' | 'from_currency'>

/** What left in this currency within 24 hours without approval, in hundredths. */
export async function sumAutomatic(sql: Sql, from: Leaving): Promise<bigint> {
  const { merchant_id, environment, from_currency } = from
  const [row] = await homeOf(sql, merchant_id)<{ sum: bigint }[]>`
    select coalesce(sum(from_amount), 0)::bigint as sum from wallet_transfers
     where merchant_id = ${merchant_id} and environment = ${environment}
       and from_currency = ${from_currency} and status = 'SUCCESS' and approved_by_admin is null
       and created_at > now() - interval '24 hours'`
  return row?.sum ?? 0n
}

/** Both balances of a transfer, in the order in which every statement locks several. */
export async function lockBalances(tx: Tx, transfer: Transfer): Promise<{ is_frozen: boolean }> {
  const rows = await tx<{ country: string; is_frozen: boolean }[]>`
    select country, is_frozen from balances
     where merchant_id = ${transfer.merchant_id} and environment = ${transfer.environment}
       and country in (${transfer.from_country}, ${transfer.to_country})
     order by id
       for update`
  const source = rows.find(({ country }) => country === transfer.from_country)
  return { is_frozen: source?.is_frozen ?? false }
}

// The statements about transfers as staff see them: over all merchants of one environment.

export type MerchantsTransfer = Transfer & Readonly<{ merchant_name: string }>

export type AllTransfersQuery = Readonly<{
  environment: Environment
  merchant_id: string | undefined
  status: TransferStatus | undefined
  order: SortBy<TransferSortField>
  limit: number
  offset: number
}>

/** A page of all merchants' transfers and how many there are in all. */
export async function listAllTransfers(
  sql: Sql,
  query: AllTransfersQuery,
): Promise<{ count: number; rows: MerchantsTransfer[] }> {
  const { environment, merchant_id, status } = query
  const found = sql`
    from wallet_transfers t
    join merchants m on m.id = t.merchant_id
   where t.environment = ${environment}
     ${merchant_id === undefined ? sql`` : sql`and t.merchant_id = ${merchant_id}`}
     ${status === undefined ? sql`` : sql`and t.status = ${status}`}`
  const order = [query.order, { field: 'id' as const, descending: query.order.descending }]
  return pageOfAll<MerchantsTransfer>(sql, { ...query, order }, async (at, own) => {
    const [rows, [total]] = await Promise.all([
      at<MerchantsTransfer[]>`
        select ${transferColumns(sql)}, m.name as merchant_name ${found}
         order by ${orderBy(sql, query.order)}
         limit ${own.limit} offset ${own.offset}`,
      at<{ count: number }[]>`select count(*)::int as count ${found}`,
    ])
    return { count: total?.count ?? 0, rows }
  })
}
