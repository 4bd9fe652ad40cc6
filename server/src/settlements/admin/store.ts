// The statements about settlements as staff see them: over all merchants of one environment.

import type { Sql } from '../../platform/db.ts'
import type { SortBy } from '../../platform/http/filters.ts'
import type { Environment } from '../../platform/http/route.ts'
import type { Settlement } from '../settlement.ts'
import { settlementColumns } from '../statements.ts'
import type { SettlementStatus } from '../states.ts'
import { orderBy, type SettlementSortField } from '../store.ts'

export type MerchantsSettlement = Settlement & Readonly<{ merchant_name: string }>

export type AllSettlementsQuery = Readonly<{
  environment: Environment
  merchant_id: string | undefined
  status: SettlementStatus | undefined
  country: string | undefined
  order: SortBy<SettlementSortField>
  limit: number
  offset: number
}>

/** A page of all merchants' settlements and how many there are in all. */
export async function listAllSettlements(
  sql: Sql,
  query: AllSettlementsQuery,
): Promise<{ count: number; rows: MerchantsSettlement[] }> {
  const { environment, merchant_id, status, country, limit, offset } = query
  const found = sql`
    from settlements s
    join merchants m on m.id = s.merchant_id
   where s.environment = ${environment}
     ${merchant_id === undefined ? sql`` : sql`and s.merchant_id = ${merchant_id}`}
     ${status === undefined ? sql`` : sql`and s.status = ${status}`}
     ${country === undefined ? sql`` : sql`and s.country = ${country}`}`
  const [rows, [total]] = await Promise.all([
    sql<MerchantsSettlement[]>`
      select ${settlementColumns(sql)}, m.name as merchant_name ${found}
       order by ${orderBy(sql, query.order)}
       limit ${limit} offset ${offset}`,
    sql<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}
