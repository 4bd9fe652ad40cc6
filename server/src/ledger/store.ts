// The statements that only read the ledger. Writing is in `statements.ts`; nothing here changes an
// entry. Movements are listed in `entries-store.ts`.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { SortBy } from '../platform/http/filters.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Environment } from '../platform/http/route.ts'
import { allGroups, homeOf } from '../platform/places/places.ts'
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
  const parts = await allGroups(
    sql,
    (at) => at<Tally[]>`
    select count(*)::int as counted, count(breach)::int as broken,
           coalesce((array_agg(breach order by breach) filter (where breach is not null))[1:5],
                    '{}') as examples
      from (${proof}) looked`,
  )
  const sum = (which: 'counted' | 'broken') => parts.reduce((all, one) => all + one[which], 0)
  const examples = parts.flatMap((one) => one.examples)
  return { counted: sum('counted'), broken: sum('broken'), examples: examples.slice(0, 5) }
}

export type GatewaySum = Readonly<{
  gateway_code: string
  currency: string
  /** Hundredths, as text: debits less credits of COLLECT, credits less debits of DISBURSE. */
  collected: string
  paid: string
  /** Transactions of a made-up history, which are in neither sum: no operator has seen them. */
  made_up: number
}>

/**
 * What was collected and paid by the gateways' accounts, by gateway and currency. A made-up history
 * is known by its logs: no operator's answer is without a hash.
 */
export async function sumGateways(sql: Sql): Promise<GatewaySum[]> {
  const parts = await allGroups(
    sql,
    (at) => at<GatewaySum[]>`
    select g.code as gateway_code, k.currency,
           coalesce(sum(l.debited)
             filter (where k.purpose = 'COLLECT' and m.id is null), 0)::text as collected,
           coalesce(-sum(l.debited)
             filter (where k.purpose = 'DISBURSE' and m.id is null), 0)::text as paid,
           count(distinct m.id)::int as made_up
      from accounts k
      join gateways g on g.id = k.gateway_id
      join (select merchant_id, debit_account as account_id, amount as debited,
                   cause_kind, cause_id
              from ledger_entries
            union all
            select merchant_id, credit_account, -amount, cause_kind, cause_id
              from ledger_entries) l
        on l.merchant_id = k.merchant_id and l.account_id = k.id
      left join (select distinct merchant_id, transaction_id as id
                   from transaction_status_logs
                  where environment = 'SANDBOX' and evidence_kind = 'STATUS_ANSWER'
                    and evidence_hash is null and evidence_said = 'generated') m
        on m.merchant_id = l.merchant_id and m.id = l.cause_id and l.cause_kind = 'TRANSACTION'
     where k.kind = 'gateway'
     group by g.code, k.currency
     order by g.code, k.currency`,
  )
  const sums = new Map<string, GatewaySum>()
  for (const part of parts) {
    const key = `${part.gateway_code} ${part.currency}`
    const before = sums.get(key)
    const plus = (which: 'collected' | 'paid') =>
      String(BigInt(before?.[which] ?? 0) + BigInt(part[which]))
    const made_up = (before?.made_up ?? 0) + part.made_up
    sums.set(key, { ...part, collected: plus('collected'), paid: plus('paid'), made_up })
  }
  return [...sums.values()]
}

export async function findFrozen(sql: Sql, place: Owner & { country: string }): Promise<boolean> {
  const [row] = await homeOf(sql, place.merchant_id)<{ is_frozen: boolean }[]>`
    select is_frozen from balances
     where merchant_id = ${place.merchant_id} and environment = ${place.environment}
       and country = ${place.country}`
  return row?.is_frozen ?? false
}

/**
 * The same for what is about to leave: a freeze under way is waited for, and one that comes later
 * waits for the end of the transaction. The transaction writes no balance.
 */
export async function shareIsFrozen(tx: Tx, place: Owner & { country: string }): Promise<boolean> {
  const [row] = await tx<{ is_frozen: boolean }[]>`
    select is_frozen from balances
     where merchant_id = ${place.merchant_id} and environment = ${place.environment}
       and country = ${place.country}
       for share`
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
