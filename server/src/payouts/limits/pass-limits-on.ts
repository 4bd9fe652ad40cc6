// A key that is replaced passes its limits, with their pending changes, to the key that follows it;
// while both are valid they count towards the same day, so that rotating gives no second allowance.

import type { KeyAndSuccessor } from '../../merchants/keys/issue-key.ts'
import type { Tx } from '../../platform/db.ts'
import { insertLimitsOfSuccessor, lockLimitsOf } from './store.ts'

export async function passLimitsOn(tx: Tx, keys: KeyAndSuccessor): Promise<void> {
  await lockLimitsOf(tx, keys)
  await insertLimitsOfSuccessor(tx, keys)
}
