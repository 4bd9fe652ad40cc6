// The keys that a member made: the member knows their secrets, so a person who removes the member
// is shown them and may end them in the same act.

import type { Act } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Tx } from '../../platform/db.ts'
import type { ApiKey } from './api-key.ts'
import { lockKeysMadeBy, revokeKeyRow } from './store.ts'

type Maker = Readonly<{ merchant_id: string; person_id: string }>

/** Those that still work, locked to the end of the transaction. */
export const holdKeysOf = (tx: Tx, maker: Maker): Promise<ApiKey[]> => lockKeysMadeBy(tx, maker)

/** From the next call on each of them is refused. */
export async function revokeKeys(
  tx: Tx,
  actor: Act['actor'],
  keys: readonly ApiKey[],
): Promise<void> {
  for (const { merchant_id, environment, id, name, last4, status } of keys) {
    await revokeKeyRow(tx, id)
    await recordAct(tx, {
      merchant_id,
      environment,
      actor,
      action: 'api_key.revoked',
      target_kind: 'api_key',
      target_id: id,
      before: { name, last4, status },
      after: { status: 'REVOKED' },
    })
  }
}
