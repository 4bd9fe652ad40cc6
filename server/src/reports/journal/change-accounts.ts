// The accounts of a merchant's journal: the defaults, apart from those that the merchant has
// changed.

import { actorOf, changedFields } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { type Db, inTransaction, type Sql } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { type Accounts, defaultAccounts } from './accounts.ts'
import { listAccounts, lockMerchantsAccounts, replaceAccounts } from './store.ts'

export async function readAccounts(sql: Sql, merchant_id: string): Promise<Accounts> {
  const rows = await listAccounts(sql, merchant_id)
  const own = Object.fromEntries(rows.map(({ line, account }) => [line, account]))
  return { ...defaultAccounts, ...own }
}

/** All of them; one that is not named is the default again. */
export const changeAccounts = (
  db: Db,
  caller: Caller,
  request: Partial<Accounts>,
): Promise<Accounts> =>
  inTransaction(db, async (tx) => {
    const { merchant_id } = caller
    await lockMerchantsAccounts(tx, merchant_id)
    const before = await readAccounts(tx, merchant_id)
    // A body may hold more than its schema knows.
    const own = Object.entries(request).flatMap(([line, account]) =>
      Object.hasOwn(defaultAccounts, line) ? [{ line, account }] : [],
    )
    await replaceAccounts(tx, merchant_id, own)
    const after = await readAccounts(tx, merchant_id)
    const changed = changedFields(before, after)
    if (changed === undefined) return after
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'journal.accounts_changed',
      target_kind: 'merchant',
      target_id: merchant_id,
      ...changed,
    })
    return after
  })
