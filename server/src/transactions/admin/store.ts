// Statements about transactions over all merchants, for staff only.

import type { Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { inOrder } from '../../platform/places/page-of-all.ts'
import { eachGroup, oneOfAll } from '../../platform/places/places.ts'
import type { TransactionFilters } from '../filters.ts'
import { incidentMark } from '../mark-statements.ts'
import { letThrough, type MarkedTransaction, transactionColumns } from '../store.ts'
import type { IdWindow } from './id-windows.ts'

export type StaffTransaction = MarkedTransaction & Readonly<{ merchant_name: string }>

export type AcrossFilters = TransactionFilters & Readonly<{ reference: string | undefined }>

export type WindowQuery = AcrossFilters &
  Readonly<{
    environment: Environment
    dir: 'next' | 'prev'
    window: IdWindow
    limit: number
  }>

/**
 * The transactions in a window of ids: from the newest down, or from the oldest up. Found by the
 * ids' range index, or by a merchant's own key where one is given; there is no index just for this.
 */
export async function listInWindow(sql: Sql, query: WindowQuery): Promise<StaffTransaction[]> {
  const { window, reference } = query
  const is_down = query.dir === 'next'
  const rows = await eachGroup(
    sql,
    (at) => at<StaffTransaction[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)},
           coalesce((select m.name from merchants m where m.id = t.merchant_id), '')
             as merchant_name
      from transactions t
     where ${
       is_down
         ? sql`t.id >= ${window.least} and t.id < ${window.most}`
         : sql`t.id > ${window.least} and t.id <= ${window.most}`
     }
       and t.environment = ${query.environment}
       ${letThrough(sql, query)}
       ${reference === undefined ? sql`` : sql`and t.reference = ${reference}`}
     order by t.id ${is_down ? sql`desc` : sql`asc`}
     limit ${query.limit}`,
  )
  return inOrder(rows, [{ field: 'id', descending: is_down }]).slice(0, query.limit)
}

/** A transaction of any merchant, by the ids' range index. */
export async function findAcross(
  sql: Sql,
  { id, environment }: Readonly<{ id: string; environment: Environment }>,
): Promise<StaffTransaction | undefined> {
  return oneOfAll(
    sql,
    (at) => at<StaffTransaction[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)},
           coalesce((select m.name from merchants m where m.id = t.merchant_id), '')
             as merchant_name
      from transactions t
     where t.id = ${id} and t.environment = ${environment}`,
  )
}
