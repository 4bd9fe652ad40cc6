// Law: a merchant is never without an owner who can act. Call under the merchant's lock.

import type { Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { memberErrors } from './errors.ts'
import type { Member } from './member.ts'
import { countOtherOwners } from './store.ts'

/** Refuses for the last owner; a member who is no owner may always leave. */
export async function requireAnotherOwner(tx: Tx, member: Member): Promise<void> {
  if (member.role === 'OWNER' && (await countOtherOwners(tx, member)) === 0) {
    throw refuse(memberErrors.last_owner)
  }
}
