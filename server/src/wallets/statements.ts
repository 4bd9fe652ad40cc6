// The transfers' parts of a statement. A status is moved here and nowhere else, from the version it
// was decided from; whatever belongs to the move is gated by it.

import { nameList, omitColumns, selectList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { type Gate, jsonRows, type Part, part } from '../platform/sql.ts'
import { walletTransferStates } from './states.ts'
import { type Transfer, transferRow } from './transfer.ts'

/** The columns of `wallet_transfers t`. */
export const transferColumns = (sql: Sql): Fragment => selectList(sql, transferRow, 't')

/** What one is made with; the rest comes with its moves. */
const newTransferRow = omitColumns(transferRow, [
  'approved_by_admin',
  'approved_at',
  'completed_at',
  'rejection_reason',
])

/** `transfer_made as (…)`: a new transfer when its id is in the relation `when`. */
export const insertTransfer = (sql: Sql, transfer: Transfer, { when }: Gate): Part =>
  part(
    'transfer_made',
    sql`transfer_made as (
    insert into wallet_transfers (${nameList(sql, newTransferRow)})
    select ${selectList(sql, newTransferRow, 'r')}
      from ${jsonRows(sql, [transfer], typedList(sql, newTransferRow))} as r
      join (select id as gate_id from ${sql(when.name)}) as open on open.gate_id = r.id
    returning id)`,
  )

/** A transfer in its present state and in the next: its next version. */
export type Moving = Readonly<{ before: Transfer; after: Transfer }>

/** False when it is no longer as it was decided from. */
export async function moveTransfer(tx: Tx, { before, after }: Moving): Promise<boolean> {
  const rows = await tx`
    update wallet_transfers
       set status = ${after.status}, version = ${after.version},
           approved_by_admin = ${after.approved_by_admin}, approved_at = ${after.approved_at},
           completed_at = ${after.completed_at}, rejection_reason = ${after.rejection_reason},
           updated_at = ${after.updated_at}
     where merchant_id = ${before.merchant_id} and id = ${before.id}
       and version = ${before.version}
       and status = any(${walletTransferStates.into(after.status)})`
  return rows.count === 1
}
