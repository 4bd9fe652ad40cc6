// The statements about balances as staff see them: over all merchants, without the platform
// merchant. Money is moved by postings only (`ledger/statements.ts`); this file sets only the mark
// `is_frozen`.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { SortBy } from '../../platform/http/filters.ts'
import type { Environment } from '../../platform/http/route.ts'
import { pageOfAll } from '../../platform/places/page-of-all.ts'
import { oneOfAll } from '../../platform/places/places.ts'
import type { Balance } from '../store.ts'

export type MerchantsBalance = Balance & Readonly<{ merchant_name: string }>

const columns = (sql: Sql): Fragment => sql`
  b.merchant_id, b.id, b.environment, b.country, b.currency, b.available, b.pending, b.frozen,
  b.is_frozen, b.created_at, b.updated_at, m.name as merchant_name`

export const balanceSortFields = ['created_at', 'updated_at', 'country'] as const
export type BalanceSortField = (typeof balanceSortFields)[number]

export type BalancesQuery = Readonly<{
  environment: Environment
  merchant_id: string | undefined
  country: string | undefined
  order: readonly SortBy<BalanceSortField>[]
  limit: number
  offset: number
}>

/** A page of the balances of one environment, and how many there are in all. */
export async function listBalances(
  sql: Sql,
  query: BalancesQuery,
): Promise<{ count: number; rows: MerchantsBalance[] }> {
  const { environment, merchant_id, country } = query
  const found = sql`
    from balances b
    join merchants m on m.id = b.merchant_id
   where b.environment = ${environment} and not m.is_house
     ${merchant_id === undefined ? sql`` : sql`and b.merchant_id = ${merchant_id}`}
     ${country === undefined ? sql`` : sql`and b.country = ${country}`}`
  const last = (['merchant_id', 'country'] as const).map((field) => ({ field, descending: false }))
  const order = [...query.order, ...last]
  return pageOfAll<MerchantsBalance>(sql, { ...query, order }, async (at, own) => {
    const [rows, [total]] = await Promise.all([
      at<MerchantsBalance[]>`
        select ${columns(sql)} ${found}
         order by ${orderBy(sql, query.order)} b.merchant_id, b.country
         limit ${own.limit} offset ${own.offset}`,
      at<{ count: number }[]>`select count(*)::int as count ${found}`,
    ])
    return { count: total?.count ?? 0, rows }
  })
}

const orderBy = (sql: Sql, order: BalancesQuery['order']): Fragment => {
  let all = sql``
  for (const { field, descending } of order) {
    all = sql`${all} b.${sql(field)} ${descending ? sql`desc` : sql`asc`},`
  }
  return all
}

export type BalanceKey = Readonly<{ id: string; environment: Environment }>

export async function findBalance(
  sql: Sql,
  { id, environment }: BalanceKey,
): Promise<MerchantsBalance | undefined> {
  return oneOfAll(
    sql,
    (at) => at<MerchantsBalance[]>`
    select ${columns(sql)}
      from balances b
      join merchants m on m.id = b.merchant_id
     where b.id = ${id} and b.environment = ${environment} and not m.is_house`,
  )
}

/** False when the balance had that mark already. */
export async function updateMark(
  tx: Tx,
  { merchant_id, id, is_frozen }: Pick<Balance, 'merchant_id' | 'id' | 'is_frozen'>,
): Promise<boolean> {
  const rows = await tx`
    update balances
       set is_frozen = ${is_frozen}, updated_at = now()
     where merchant_id = ${merchant_id} and id = ${id} and is_frozen <> ${is_frozen}`
  return rows.count === 1
}
