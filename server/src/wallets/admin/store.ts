// The statements about transfers as staff see them: over all merchants of one environment.

import type { Sql } from '../../platform/db.ts'
import type { SortBy } from '../../platform/http/filters.ts'
import type { Environment } from '../../platform/http/route.ts'
import { transferColumns } from '../statements.ts'
import type { TransferStatus } from '../states.ts'
import { orderBy, type TransferSortField } from '../store.ts'
import type { Transfer } from '../transfer.ts'

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
  const { environment, merchant_id, status, limit, offset } = query
  const found = sql`
    from wallet_transfers t
    join merchants m on m.id = t.merchant_id
   where t.environment = ${environment}
     ${merchant_id === undefined ? sql`` : sql`and t.merchant_id = ${merchant_id}`}
     ${status === undefined ? sql`` : sql`and t.status = ${status}`}`
  const [rows, [total]] = await Promise.all([
    sql<MerchantsTransfer[]>`
      select ${transferColumns(sql)}, m.name as merchant_name ${found}
       order by ${orderBy(sql, query.order)}
       limit ${limit} offset ${offset}`,
    sql<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}
