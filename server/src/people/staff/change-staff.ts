// A member of staff gets another role or name, or is switched off, which ends all their sessions at
// once. Law: what gives rights is confirmed by another superadmin; nobody demotes or disables their
// own account, and the last superadmin stays one.

import type { AuditAction } from '../../audit/actions.ts'
import { type Actor, actorOfPerson, systemActor } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { accessErrors, transportErrors } from '../../platform/http/transport-errors.ts'
import { emailOf } from '../person.ts'
import { type Apply, propose } from '../proposals/decide-proposal.ts'
import { isRaise, isStaffRole } from '../staff-roles.ts'
import type { Outcome } from './add-staff.ts'
import { notYourself, staffErrors } from './errors.ts'
import { getStaff, requireDemoTarget, requireSuperadmin } from './get-staff.ts'
import type { StaffMember } from './staff-member.ts'
import {
  countSuperadminsBeside,
  findStaffByEmail,
  lockStaff,
  type StaffChanges,
  shutOut,
  updateStaff,
} from './store.ts'

export type { StaffChanges }

/**
 * Refuses with `permission_denied`, `not_found` or `proposal_pending`. The caller is a superadmin
 * who remains one.
 */
export const changeStaff = (
  db: Db,
  by: Person,
  { id, ...changes }: StaffChanges & Readonly<{ id: string }>,
): Promise<Outcome> =>
  inTransaction(db, async (tx) => {
    const before = await lockBefore(tx, by, { id, changes })
    if (by.is_demo || !givesRights(before, changes)) {
      return { is: 'done', member: await change(tx, before, changes, actorOfPerson(by)) }
    }
    const proposed = { kind: 'STAFF_CHANGED', subject: id, content: { id, ...changes } } as const
    return { is: 'proposed', proposal: await propose(tx, by, proposed) }
  })

/** What another superadmin has confirmed. */
export const applyChanged: Apply = async (tx, by, content) => {
  const { id, staff_role, first_name, last_name, disabled } = content
  assert(typeof id === 'string', 'a proposal says whom')
  const changes: StaffChanges = {
    ...(isStaffRole(staff_role) ? { staff_role } : {}),
    ...(typeof first_name === 'string' ? { first_name } : {}),
    ...(typeof last_name === 'string' ? { last_name } : {}),
    ...(typeof disabled === 'boolean' ? { disabled } : {}),
  }
  const before = await lockBefore(tx, by, { id, changes })
  await change(tx, before, changes, actorOfPerson(by))
}

async function lockBefore(
  tx: Tx,
  by: Person,
  { id, changes }: Readonly<{ id: string; changes: StaffChanges }>,
): Promise<StaffMember> {
  await requireSuperadmin(tx, by)
  const before = await getStaff(tx, id)
  requireDemoTarget(by, before)
  const isOwn = id === by.person_id
  if (isOwn && losesRights(before, changes)) {
    throw refuse(accessErrors.permission_denied, { message: notYourself })
  }
  return before
}

/** More than there was, or an account that was off and would be on. */
const givesRights = (before: StaffMember, { staff_role, disabled }: StaffChanges): boolean =>
  (before.disabled_at !== null && disabled === false) ||
  (staff_role !== undefined && isRaise(before.staff_role, staff_role))

/** From the command line, where nobody is signed in. */
export const disableStaff = (db: Db, email: string): Promise<StaffMember> =>
  inTransaction(db, async (tx) => {
    await lockStaff(tx)
    const before = await findStaffByEmail(tx, emailOf(email))
    if (before === undefined) throw refuse(transportErrors.not_found, { message: nobody(email) })
    return change(tx, before, { disabled: true }, systemActor)
  })

const nobody = (email: string) => ({
  en: `No member of staff has the e-mail ${email}.`,
  fr: `Aucun membre de l’équipe n’a l’adresse ${email}.`,
})

/** A superadmin who would be none, or anybody who would be switched off. */
const losesRights = (before: StaffMember, { staff_role, disabled }: StaffChanges): boolean =>
  disabled === true ||
  (before.staff_role === 'SUPERADMIN' && (staff_role ?? 'SUPERADMIN') !== 'SUPERADMIN')

async function change(
  tx: Tx,
  before: StaffMember,
  changes: StaffChanges,
  actor: Actor,
): Promise<StaffMember> {
  if (counts(before) && losesRights(before, changes)) {
    const others = await countSuperadminsBeside(tx, before.id)
    if (others === 0) throw refuse(staffErrors.last_superadmin)
  }
  await updateStaff(tx, before.id, changes)
  if (changes.disabled === true) await shutOut(tx, before.id)
  const after = await getStaff(tx, before.id)
  await recordChange(tx, before, after, actor)
  return after
}

/** Whether this is one of those of whom one must remain. */
const counts = ({ staff_role, is_demo, disabled_at }: StaffMember): boolean =>
  staff_role === 'SUPERADMIN' && !is_demo && disabled_at === null

// Names are personal data: the line records that one changed, not what it was.
const auditView = (member: StaffMember) => ({
  role: member.staff_role,
  disabled: member.disabled_at !== null,
})

async function recordChange(
  tx: Tx,
  before: StaffMember,
  after: StaffMember,
  actor: Actor,
): Promise<void> {
  const renamed = before.first_name !== after.first_name || before.last_name !== after.last_name
  const [was, is] = [auditView(before), auditView(after)]
  if (!renamed && was.role === is.role && was.disabled === is.disabled) return
  await recordOwnAct(tx, actor, {
    action: actionOf(was.disabled, is.disabled),
    target_kind: 'staff',
    target_id: after.id,
    before: was,
    after: { ...is, ...(renamed ? { renamed } : {}) },
  })
}

function actionOf(was_disabled: boolean, is_disabled: boolean): AuditAction {
  if (was_disabled === is_disabled) return 'staff.changed'
  return is_disabled ? 'staff.disabled' : 'staff.enabled'
}
