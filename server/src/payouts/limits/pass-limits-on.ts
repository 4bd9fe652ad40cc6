// A key that is replaced leaves its limits to the one that follows it, with what is to come of
// them; while both live they fill the same day, so that rotating gives nobody a second allowance.

import type { KeyAndSuccessor } from '../../merchants/keys/issue-key.ts'
import type { Tx } from '../../platform/db.ts'
import { insertLimitsOfSuccessor, lockLimitsOf } from './store.ts'

export async function passLimitsOn(tx: Tx, keys: KeyAndSuccessor): Promise<void> {
  await lockLimitsOf(tx, keys)
  await insertLimitsOfSuccessor(tx, keys)
}
