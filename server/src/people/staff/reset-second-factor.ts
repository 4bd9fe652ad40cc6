// A member of staff has lost phone and recovery codes: one superadmin proposes, another confirms
// that the second factor is removed. Sessions end, and an e-mail reports it.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { type Apply, propose } from '../proposals/decide-proposal.ts'
import { proposalErrors } from '../proposals/errors.ts'
import type { InviteDeps, Outcome } from './add-staff.ts'
import { secondFactorResetEmail } from './emails.ts'
import { notYourOwnFactor } from './errors.ts'
import { getStaff, requireDemoTarget, requireSuperadmin } from './get-staff.ts'
import type { StaffMember } from './staff-member.ts'
import { deleteSecondFactor } from './store.ts'

/**
 * Changes nothing for one without a second factor. The caller's own is refused: a stolen session
 * must not remove it. Otherwise it waits for another superadmin to confirm.
 */
export const resetSecondFactor = (
  { db, keyring }: Pick<InviteDeps, 'db' | 'keyring'>,
  by: Person,
  id: string,
): Promise<Outcome> =>
  inTransaction(db, async (tx) => {
    const before = await lockBefore(tx, by, id)
    if (!before.totp_enabled) return { is: 'done', member: before }
    if (by.is_demo) return { is: 'done', member: await reset(tx, keyring, by, before) }
    const content = { id, enrolled_at: enrolmentOf(before) }
    const proposed = { kind: 'STAFF_FACTOR_RESET', subject: id, content } as const
    return { is: 'proposed', proposal: await propose(tx, by, proposed) }
  })

/**
 * What another superadmin has confirmed; the proposer cannot be the one it is about. Refuses where
 * they have enrolled another factor since: that one is not lost.
 */
export const applyFactorReset =
  ({ keyring }: Pick<InviteDeps, 'keyring'>): Apply =>
  async (tx, by, { id, enrolled_at }) => {
    assert(typeof id === 'string', 'a proposal says whom')
    const before = await lockBefore(tx, by, id)
    if (!before.totp_enabled) return
    // One that an older process has proposed does not say which factor it is about.
    if (enrolled_at !== undefined && enrolled_at !== enrolmentOf(before)) {
      throw refuse(proposalErrors.proposal_outdated)
    }
    await reset(tx, keyring, by, before)
  }

/** A factor is known by when it was enrolled. */
const enrolmentOf = ({ totp_enrolled_at }: StaffMember): string =>
  totp_enrolled_at?.toISOString() ?? ''

async function lockBefore(tx: Tx, by: Person, id: string): Promise<StaffMember> {
  await requireSuperadmin(tx, by)
  const before = await getStaff(tx, id)
  requireDemoTarget(by, before)
  if (id === by.person_id) {
    throw refuse(accessErrors.permission_denied, { message: notYourOwnFactor })
  }
  return before
}

async function reset(
  tx: Tx,
  keyring: Keyring,
  by: Person,
  before: StaffMember,
): Promise<StaffMember> {
  await deleteSecondFactor(tx, before.id)
  await queueMail(tx, keyring, secondFactorResetEmail(before))
  await recordOwnAct(tx, actorOfPerson(by), {
    action: 'staff.second_factor_reset',
    target_kind: 'staff',
    target_id: before.id,
  })
  return getStaff(tx, before.id)
}
