// Staff switch a member's account off or on, or end its sessions. It takes effect in every process
// on the next request, since every call reads the row.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { composeEmail, disabledEmail, enabledEmail } from './emails.ts'
import { findMember, type HelpedMember, lockMember, shutOut, updateDisabled } from './store.ts'

export type MemberDeps = Readonly<{ db: Db; keyring: Keyring }>

export async function getMember(sql: Sql, id: string): Promise<HelpedMember> {
  const member = await findMember(sql, id)
  if (member === undefined) throw refuse(transportErrors.not_found)
  return member
}

/** Locked to the end of the transaction; refuses an id that is no member's. */
export async function lockForStaff(tx: Tx, by: Person, id: string): Promise<HelpedMember> {
  await requireNotDemo(tx, by)
  const member = await lockMember(tx, id)
  if (member === undefined) throw refuse(transportErrors.not_found)
  return member
}

/** A state that is set already stays as it is. */
export const setDisabled = (
  { db, keyring }: MemberDeps,
  by: Person,
  { id, disabled, reason }: Readonly<{ id: string; disabled: boolean; reason: string }>,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    const member = await lockForStaff(tx, by, id)
    if ((member.disabled_at !== null) === disabled) return
    await updateDisabled(tx, id, disabled)
    if (disabled) await shutOut(tx, id, { tokens: true })
    await queueMail(
      tx,
      keyring,
      composeEmail(member, disabled ? disabledEmail(reason) : enabledEmail),
    )
    await recordOwnAct(tx, actorOfPerson(by), {
      action: disabled ? 'member.disabled' : 'member.enabled',
      target_kind: 'person',
      target_id: id,
      before: { disabled: !disabled },
      after: { disabled, reason },
    })
  })

/** How many sessions ended. */
export const endSessionsOf = ({ db }: MemberDeps, by: Person, id: string): Promise<number> =>
  inTransaction(db, async (tx) => {
    await lockForStaff(tx, by, id)
    const ended = await shutOut(tx, id, { tokens: false })
    await recordOwnAct(tx, actorOfPerson(by), {
      action: 'member.sessions_ended',
      target_kind: 'person',
      target_id: id,
      after: { sessions_ended: ended },
    })
    return ended
  })
