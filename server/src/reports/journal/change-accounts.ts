// The accounts of a merchant's journal: the defaults, apart from those that the merchant has
// changed, and the third parties that the merchant has named.

import { actorOf, changedFields } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Db, Sql } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { type Accounts, accountsByDefault, isLine } from './accounts.ts'
import {
  type LineValue,
  listAccounts,
  lockMerchantsAccounts,
  replaceAccounts,
  replaceThirdParties,
} from './store.ts'

export async function readAccounts(sql: Sql, merchant_id: string): Promise<Accounts> {
  const rows = await listAccounts(sql, merchant_id)
  const named = (kind: string) =>
    Object.fromEntries(rows.flatMap((row) => (row.kind === kind ? [[row.line, row.value]] : [])))
  return { ...accountsByDefault, ...named('account'), third_parties: named('third_party') }
}

/** All of them; an account that is not named is the default again, a third party nobody. */
export const changeAccounts = (
  db: Db,
  caller: Caller,
  request: Partial<Accounts>,
): Promise<Accounts> =>
  writeInTurn(db, caller, async (tx) => {
    const { merchant_id } = caller
    await lockMerchantsAccounts(tx, merchant_id)
    const before = await readAccounts(tx, merchant_id)
    const { third_parties = {}, ...accounts } = request
    await replaceAccounts(tx, merchant_id, own(accounts))
    await replaceThirdParties(tx, merchant_id, own(third_parties))
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

/** A body may hold more than its schema knows. */
const own = (byLine: Readonly<Record<string, string>>): readonly LineValue[] =>
  Object.entries(byLine).flatMap(([line, value]) => (isLine(line) ? [{ line, value }] : []))
