// What the command line does with an account where staff would ask for it over HTTP.

import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { inTransaction } from '../platform/db.ts'
import { type FoundGateway, lockAccount } from './account-store.ts'
import { type AccountDeps, recordAccountAct } from './accounts.ts'
import { type AccountPaces, updateAccountPaces } from './store.ts'

/** How much may be sent there, from the next seconds on; by command. */
export function changePaces(
  { db }: Pick<AccountDeps, 'db'>,
  account: FoundGateway,
  { paces, why }: Readonly<{ paces: AccountPaces; why: string }>,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await lockAccount(tx, account.id)
    await updateAccountPaces(tx, account.id, paces)
    await recordAccountAct(tx, account, { action: 'gateway.changed', after: { ...paces, why } })
    await publishCatalogue(tx)
  })
}

/**
 * What one person asked of a LIVE account by command, and may not do alone. `id`: of an account
 * that does not exist yet, its code.
 */
export const recordRefusal = (
  { db }: Pick<AccountDeps, 'db'>,
  account: Pick<FoundGateway, 'id' | 'environment'>,
  refused: string,
): Promise<void> =>
  inTransaction(db, (tx) =>
    recordAccountAct(tx, account, { action: 'gateway.refused', after: { refused } }),
  )
