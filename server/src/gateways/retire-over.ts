// Due work: former secrets of accounts are erased once their time is over, 72 hours after others
// were promoted. From that moment on they verify nothing: whoever opens an account leaves them out
// (`listFoundGateways`), so that nothing depends on when this runs.

import { type Db, inTransaction } from '../platform/db.ts'
import {
  former_valid_h,
  listOverSecrets,
  lockAccount,
  type OverSecret,
  updateSecretState,
} from './account-store.ts'
import { recordAccountAct } from './accounts.ts'

/** Each account by itself, under its lock. Returns how many were erased. */
export async function retireOver(db: Db): Promise<number> {
  let erased = 0
  for (const over of await listOverSecrets(db)) {
    if (await retireOne(db, over)) erased += 1
  }
  return erased
}

/** False where another has retired them meanwhile, by command, by a promotion or as we do. */
const retireOne = (db: Db, { gateway_id, version }: OverSecret): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    await lockAccount(tx, gateway_id)
    const still = (await listOverSecrets(tx)).find(
      (one) => one.gateway_id === gateway_id && one.version === version,
    )
    if (still === undefined) return false
    const { fingerprint, environment } = still
    await updateSecretState(tx, still, 'RETIRED')
    const why = `${former_valid_h} hours after others were promoted`
    await recordAccountAct(
      tx,
      { id: gateway_id, environment },
      { action: 'gateway_secrets.retired', after: { version, fingerprint, why } },
    )
    return true
  })
