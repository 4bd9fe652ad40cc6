// The statements that only read the ledger. Writing is in `statements.ts`; nothing here changes an
// entry. What entries were for is read beside them, to name it, from tables of other folders too.

import type { Fragment, Sql } from '../platform/db.ts'
import type { SortBy } from '../platform/http/filters.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Cursor } from '../platform/http/pages.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import type { CauseKind } from './statements.ts'

export type Balance = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  country: string
  currency: string
  available: bigint
  pending: bigint
  frozen: bigint
  is_frozen: boolean
  created_at: Date
  updated_at: Date
}>

type Owner = Readonly<{ merchant_id: string; environment: Environment }>

const balanceColumns = (sql: Sql): Fragment => sql`
  merchant_id, id, environment, country, currency, available, pending, frozen, is_frozen,
  created_at, updated_at`

export type BalancesQuery = Owner &
  Readonly<{
    search: string | undefined
    order: SortBy<'country' | 'created_at'>
    limit: number
    offset: number
  }>

/** A page of a merchant's balances and how many there are in all. */
export async function listBalances(
  sql: Sql,
  query: BalancesQuery,
): Promise<{ count: number; rows: Balance[] }> {
  const { merchant_id, environment, search, order, limit, offset } = query
  const text = sql`concat_ws(' ', country, currency)`
  const found = sql`
    from balances
   where merchant_id = ${merchant_id} and environment = ${environment}
     ${search === undefined ? sql`` : sql`and strpos(${text}, upper(${search})) > 0`}`
  const at = homeOf(sql, merchant_id)
  const direction = order.descending ? sql`desc` : sql`asc`
  const [rows, [total]] = await Promise.all([
    at<Balance[]>`
      select ${balanceColumns(sql)} ${found}
       order by ${sql(order.field)} ${direction}, country
       limit ${limit} offset ${offset}`,
    at<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}

export async function findBalance(
  sql: Sql,
  key: { merchant_id: string; id: string },
): Promise<Balance | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Balance[]>`
    select ${balanceColumns(sql)}
      from balances
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
  return row
}

export const requireOwnBalance = ownershipOf('balances')

export type LedgerEntry = Readonly<{
  id: string
  country: string
  currency: string
  amount: bigint
  available_change: bigint
  balance_after: bigint
  cause_kind: CauseKind
  cause_id: string
  /** What a hold was for; null where it is no hold’s. */
  hold_kind: string | null
  transaction_type: string | null
  settlement_id: string | null
  wallet_transfer_id: string | null
  transaction_id: string | null
  /** The reference of what it was for; null where that has none. */
  reference: string | null
  created_at: Date
  /** `created_at` as PostgreSQL prints it: the entry's place in the list. */
  place: string
}>

export type EntriesQuery = Owner &
  Readonly<{
    country: string | undefined
    currency: string | undefined
    direction: 'CREDIT' | 'DEBIT' | undefined
    /** In UTC with microseconds, as text. */
    created_at__gte: string | undefined
    created_at__lte: string | undefined
    cursor: Cursor | undefined
    /** The number of rows to read, one more than the page shows. */
    limit: number
  }>

/**
 * Movements of `available`, newest first; before a `prev` cursor the nearest first. It is the
 * newest part of a page of each country, a range of the index.
 */
export async function listEntries(sql: Sql, query: EntriesQuery): Promise<LedgerEntry[]> {
  const { merchant_id, environment, country, limit, cursor } = query
  const order = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return homeOf(sql, merchant_id)<LedgerEntry[]>`
    with page as (
      select e.id, e.country, e.currency, e.amount, e.available_change, e.balance_after,
             e.cause_kind, e.cause_id, e.created_at
        from (select b.country from balances b
               where b.merchant_id = ${merchant_id} and b.environment = ${environment}
                     ${country === undefined ? sql`` : sql`and b.country = ${country}`}) as b
       cross join lateral (
             select e.id, e.country, e.currency, e.amount, e.available_change, e.balance_after,
                    e.cause_kind, e.cause_id, e.created_at
               from ledger_entries e
              where e.merchant_id = ${merchant_id} and e.environment = ${environment}
                and e.country = b.country and e.entry_no is not null ${entryFilters(sql, query)}
              order by e.created_at ${order}, e.id ${order}
              limit ${limit}) as e
       order by e.created_at ${order}, e.id ${order}
       limit ${limit}
    )
    select p.id, p.country, p.currency, p.amount, p.available_change, p.balance_after,
           p.cause_kind, p.cause_id, h.cause_kind as hold_kind, t.id as transaction_id,
           t.transaction_type, s.id as settlement_id, w.id as wallet_transfer_id,
           coalesce(t.reference, s.reference, w.reference, a.reference) as reference,
           p.created_at, p.created_at::text as place
      from page p ${whatFor(sql, merchant_id)}
     order by p.created_at ${order}, p.id ${order}`
}

/**
 * For a `page p` of entries: the transaction, settlement, transfer or adjustment that each was for,
 * be it by a hold or by an incident; for a refund, the payment that it gives back. A transfer that
 * has succeeded has a transaction of its own id.
 */
const whatFor = (sql: Sql, merchant_id: string): Fragment => sql`
  left join holds h
    on h.merchant_id = ${merchant_id} and h.id = p.cause_id
   and p.cause_kind in ('HOLD', 'HOLD_END')
  left join incidents i
    on i.merchant_id = ${merchant_id} and i.id = p.cause_id
   and p.cause_kind in ('INCIDENT', 'RESOLUTION')
  left join refunds r
    on r.merchant_id = ${merchant_id} and r.id = h.cause_id and h.cause_kind = 'REFUND'
  left join transactions t
    on t.merchant_id = ${merchant_id}
   and t.id = case when p.cause_kind in ('TRANSACTION', 'TRANSFER', 'RETURN') then p.cause_id
                   when h.cause_kind in ('PAYOUT', 'TRANSFER') then h.cause_id
                   when h.cause_kind = 'REFUND' then r.payment_id
                   else i.transaction_id end
  left join settlements s
    on s.merchant_id = ${merchant_id}
   and s.id = case when h.cause_kind = 'SETTLEMENT' then h.cause_id else i.settlement_id end
  left join wallet_transfers w
    on w.merchant_id = ${merchant_id} and w.id = h.cause_id and h.cause_kind = 'TRANSFER'
  left join adjustments a
    on a.merchant_id = ${merchant_id} and a.id = p.cause_id and p.cause_kind = 'ADJUSTMENT'`

function entryFilters(sql: Sql, query: EntriesQuery): Fragment {
  const { currency, direction, cursor, created_at__gte: from, created_at__lte: to } = query
  return sql`
    ${currency === undefined ? sql`` : sql`and e.currency = ${currency}`}
    ${from === undefined ? sql`` : sql`and e.created_at >= ${from}::text::timestamptz`}
    ${to === undefined ? sql`` : sql`and e.created_at <= ${to}::text::timestamptz`}
    ${direction === 'CREDIT' ? sql`and e.available_change > 0` : sql``}
    ${direction === 'DEBIT' ? sql`and e.available_change < 0` : sql``}
    ${cursor === undefined ? sql`` : beyond(sql, cursor)}`
}

const beyond = (sql: Sql, { dir, created_at, id }: Cursor): Fragment =>
  dir === 'prev'
    ? sql`and (e.created_at, e.id) > (${created_at}::timestamptz, ${id}::uuid)`
    : sql`and (e.created_at, e.id) < (${created_at}::timestamptz, ${id}::uuid)`

type ByCause = Readonly<{
  merchant_id: string
  account_id: string
  causes: readonly CauseKind[]
}>

/** Debits less credits of an account, of entries for these causes: by the key of causes. */
export async function sumByCause(sql: Sql, { merchant_id, account_id, causes }: ByCause) {
  const [row] = await homeOf(sql, merchant_id)<{ balance: string }[]>`
    select coalesce(sum(case when debit_account = ${account_id} then amount else -amount end), 0)
             ::text as balance
      from ledger_entries
     where merchant_id = ${merchant_id} and cause_kind = any(${[...causes]}::text[])
       and ${account_id} in (debit_account, credit_account)`
  return BigInt(row?.balance ?? 0)
}

export type Tally = Readonly<{ counted: number; broken: number; examples: string[] }>

/** Counts the rows of a proof (column `breach`) and the broken ones, and names a few of these. */
export async function tallyBreaches(sql: Sql, proof: Fragment): Promise<Tally> {
  const [row] = await sql<Tally[]>`
    select count(*)::int as counted, count(breach)::int as broken,
           coalesce((array_agg(breach order by breach) filter (where breach is not null))[1:5],
                    '{}') as examples
      from (${proof}) looked`
  return row ?? { counted: 0, broken: 0, examples: [] }
}

export type GatewaySum = Readonly<{
  gateway_code: string
  currency: string
  /** Hundredths, as text: debits less credits of COLLECT, credits less debits of DISBURSE. */
  collected: string
  paid: string
}>

/** What was collected and paid by the gateways' accounts, by gateway and currency. */
export async function sumGateways(sql: Sql): Promise<GatewaySum[]> {
  return sql<GatewaySum[]>`
    select g.code as gateway_code, k.currency,
           coalesce(sum(l.debited) filter (where k.purpose = 'COLLECT'), 0)::text as collected,
           coalesce(-sum(l.debited) filter (where k.purpose = 'DISBURSE'), 0)::text as paid
      from accounts k
      join gateways g on g.id = k.gateway_id
      join (select merchant_id, debit_account as account_id, amount as debited
              from ledger_entries
            union all
            select merchant_id, credit_account, -amount from ledger_entries) l
        on l.merchant_id = k.merchant_id and l.account_id = k.id
     where k.kind = 'gateway'
     group by g.code, k.currency
     order by g.code, k.currency`
}

export async function findFrozen(sql: Sql, place: Owner & { country: string }): Promise<boolean> {
  const [row] = await homeOf(sql, place.merchant_id)<{ is_frozen: boolean }[]>`
    select is_frozen from balances
     where merchant_id = ${place.merchant_id} and environment = ${place.environment}
       and country = ${place.country}`
  return row?.is_frozen ?? false
}

/** What a cause has moved of `available`, if anything is booked for it. */
export async function findMoved(
  sql: Sql,
  cause: Readonly<{ merchant_id: string; cause_kind: CauseKind; cause_id: string }>,
): Promise<bigint | undefined> {
  const [row] = await homeOf(sql, cause.merchant_id)<{ moved: bigint }[]>`
    select available_change as moved from ledger_entries
     where merchant_id = ${cause.merchant_id} and cause_kind = ${cause.cause_kind}
       and cause_id = ${cause.cause_id} and line = 1`
  return row?.moved
}
