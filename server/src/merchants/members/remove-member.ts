// A member is removed, or leaves. Their sessions open nothing of this merchant from the next
// request on, in every process, since every call reads their membership; nor do the invitations
// that they sent. The keys that they made are shown to the remover, and end with them on request.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { emailOwners } from '../email-owners.ts'
import type { ApiKey } from '../keys/api-key.ts'
import { holdKeysOf, revokeKeys } from '../keys/keys-of-member.ts'
import { keysLeftEmail } from './emails.ts'
import { getMember } from './get-member.ts'
import { voidInvitations } from './invitations/void-invitations.ts'
import { permissionOver } from './member.ts'
import { requireAnotherOwner } from './require-another-owner.ts'
import { lockMembers, requireRight } from './require-right.ts'
import { deleteRow } from './store.ts'

export type RemovalDeps = Readonly<{ db: Db; keyring: Keyring }>

export type Removal = Readonly<{ id: string; revoke_keys: boolean }>

/** The keys that the member made and that worked until now; whether they still do. */
export type Removed = Readonly<{ keys: readonly ApiKey[]; keys_revoked: boolean }>

/** Anybody may remove himself. The last owner stays. */
export const removeMember = (
  { db, keyring }: RemovalDeps,
  caller: Caller,
  { id, revoke_keys }: Removal,
): Promise<Removed> =>
  inTransaction(db, async (tx) => {
    const { merchant_id } = caller
    const key = { merchant_id, person_id: id }
    const leaves = id === caller.member_id
    await lockMembers(tx, caller)
    if (!leaves) await requireRight(tx, caller, 'members')
    const member = await getMember(tx, key)
    if (!leaves) await requireRight(tx, caller, permissionOver(member.role))
    await requireAnotherOwner(tx, member)
    if (revoke_keys) await requireRight(tx, caller, 'keys')
    const keys = await holdKeysOf(tx, key)
    if (revoke_keys) await revokeKeys(tx, actorOf(caller), keys)
    await deleteRow(tx, key)
    const invitations_voided = await voidInvitations(tx, { ...key, role: null })
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: leaves ? 'member.left' : 'member.removed',
      target_kind: 'member',
      target_id: id,
      before: { role: member.role },
      after: invitations_voided === 0 ? null : { invitations_voided },
    })
    const left = revoke_keys ? [] : keys.filter(({ environment }) => environment === 'LIVE')
    if (left.length > 0) await emailOwners(tx, keyring, merchant_id, keysLeftEmail(member, left))
    return { keys, keys_revoked: revoke_keys }
  })
