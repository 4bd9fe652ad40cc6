// Members get another role, are removed, or leave. All of it under the merchant’s lock; a
// merchant is never without an owner who can act.

import { actorOf, masked } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { endInTurn, writeInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql, Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { emailOwners, type OwnersEmail } from '../email-owners.ts'
import type { ApiKey } from '../keys/api-key.ts'
import { holdKeysOf, revokeKeys } from '../keys/end-keys.ts'
import { type LiveDeps, openLiveIfReady } from '../merchant.ts'
import { mayAs, type Role, roleNames } from '../roles.ts'
import { insertMembership } from '../store.ts'
import { voidInvitations } from './invitations/change-invitations.ts'
import { type Member, memberErrors, permissionOver } from './member.ts'
import { getMember, lockMembers, requireRight } from './member-rights.ts'
import { countOtherOwners, deleteRow, updateRole } from './store.ts'

// Law: a merchant is never without an owner who can act. Call under the merchant's lock.

/** Refuses for the last owner; a member who is no owner may always leave. */
async function requireAnotherOwner(tx: Tx, member: Member): Promise<void> {
  if (member.role === 'OWNER' && (await countOtherOwners(tx, member)) === 0) {
    throw refuse(memberErrors.last_owner)
  }
}

// The e-mails to the owners when somebody gets rights over the account, is an owner no longer, or
// leaves keys behind.

type Named = Pick<Member, 'email'>

/** These may let others in, or let money out. */
export const isRaised = (role: Role): boolean => mayAs[role].includes('payouts')

export function raisedEmail({ email }: Named, role: Role): OwnersEmail {
  const name = roleNames[role]
  return {
    kind: 'MEMBERS',
    subject: {
      en: `A new ${name.en} in your account`,
      fr: `Un nouveau rôle dans votre compte : ${name.fr}`,
    },
    news: {
      en: `${masked(email)} now has the role of ${name.en} in your account.`,
      fr: `${masked(email)} a désormais ce rôle dans votre compte : ${name.fr}.`,
    },
  }
}

/**
 * Law: queued before the row is changed, so that whoever is lowered or removed reads it too: they
 * are the one who would object. `role`: what they have instead; null: none, they go.
 */
async function emailOwnerGoes(
  tx: Tx,
  keyring: Keyring,
  { merchant_id, email, role }: Readonly<{ merchant_id: string; email: string; role: Role | null }>,
): Promise<void> {
  const name = role === null ? null : roleNames[role]
  await emailOwners(tx, keyring, merchant_id, {
    kind: 'OWNERS',
    subject: {
      en: 'One owner fewer in your account',
      fr: 'Un propriétaire de moins dans votre compte',
    },
    news: {
      en:
        `${masked(email)} is no longer an owner of your account` +
        (name === null ? ', nor a member of it.' : `, and now has the role of ${name.en}.`),
      fr:
        `${masked(email)} n’est plus propriétaire de votre compte` +
        (name === null ? ', ni membre.' : ` et a désormais ce rôle : ${name.fr}.`),
    },
    advice: {
      en:
        'If you do not expect this, change your password now, and contact support at once: every ' +
        'later e-mail about this account goes to the owners who are left.',
      fr:
        'Si ce changement vous surprend, changez tout de suite votre mot de passe et contactez ' +
        'le support : tout e-mail ultérieur sur ce compte ira aux propriétaires qui restent.',
    },
  })
}

function keysLeftEmail({ email }: Named, keys: readonly ApiKey[]): OwnersEmail {
  const list = keys.map(({ key_prefix, last4 }) => `${key_prefix}…${last4}`).join(', ')
  return {
    kind: 'KEYS',
    subject: {
      en: 'Live API keys of a former member',
      fr: 'Clés API du mode réel d’un ancien membre',
    },
    news: {
      en:
        `${masked(email)} is no longer a member of your account. Live keys created by this ` +
        `member still work: ${list}.`,
      fr:
        `${masked(email)} n’est plus membre de votre compte. Les clés du mode réel créées par ` +
        `ce membre fonctionnent encore : ${list}.`,
    },
    advice: {
      en: 'Rotate or revoke each of them unless you know who holds its secret.',
      fr: 'Remplacez ou révoquez chacune d’elles, sauf si vous savez qui en détient le secret.',
    },
  }
}

export const changeRole = (
  { db, keyring, cooling_hours }: LiveDeps & Readonly<{ db: Db; keyring: Keyring }>,
  caller: Caller,
  { id, role }: Readonly<{ id: string; role: Role }>,
): Promise<Member> =>
  writeInTurn(db, caller, async (tx) => {
    const key = { merchant_id: caller.merchant_id, person_id: id }
    await lockMembers(tx, caller)
    await requireRight(tx, caller, 'members')
    const was = await getMember(tx, key)
    if (was.role === role) return was
    for (const touched of [was.role, role]) await requireRight(tx, caller, permissionOver(touched))
    await requireAnotherOwner(tx, was)
    const is_owner = was.role === 'OWNER'
    if (is_owner) await emailOwnerGoes(tx, keyring, { ...key, email: was.email, role })
    await updateRole(tx, key, role)
    const invitations_voided = await voidInvitations(tx, { ...key, role })
    await recordAct(tx, {
      merchant_id: caller.merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'member.role_changed',
      target_kind: 'member',
      target_id: id,
      before: { role: was.role },
      after: { role, ...(invitations_voided === 0 ? {} : { invitations_voided }) },
    })
    // An owner gets no right by it that they had not.
    if (!is_owner && isRaised(role)) {
      await emailOwners(tx, keyring, caller.merchant_id, raisedEmail(was, role))
    }
    // A new owner may be the first whose e-mail is proved.
    if (role === 'OWNER') await openLiveIfReady(tx, caller.merchant_id, cooling_hours)
    return { ...was, role }
  })

// A member is removed, or leaves. Their sessions open nothing of this merchant from the next
// request on, in every process, since every call reads their membership; nor do the invitations
// that they sent. The keys that they made are shown to the remover, and end with them on request.

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
  endInTurn(db, caller, async (tx) => {
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
    if (revoke_keys) await revokeKeys(tx, { keyring, actor: actorOf(caller) }, keys)
    if (member.role === 'OWNER') {
      await emailOwnerGoes(tx, keyring, { merchant_id, email: member.email, role: null })
    }
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

// An owner who must be there: the embedded demo's.

export async function ensureOwner(
  sql: Sql,
  { merchant_id, person_id }: { merchant_id: string; person_id: string },
): Promise<void> {
  await insertMembership(sql, { merchant_id, person_id, role: 'OWNER' })
}
