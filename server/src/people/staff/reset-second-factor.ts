// Somebody of the staff has lost his phone and his recovery codes: another superadmin takes his
// second factor away, and he enrols a new one. His sessions end and a letter tells him.

import { actorOfPerson } from '../../audit/audit.ts'
import { inTransaction } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { recordOwnAct } from '../record-own-act.ts'
import type { InviteDeps } from './add-staff.ts'
import { notYourOwnFactor } from './errors.ts'
import { getStaff } from './get-staff.ts'
import { secondFactorLetter } from './letters.ts'
import type { StaffMember } from './staff-member.ts'
import { keepToDemo, standAsSuperadmin } from './stand-as-superadmin.ts'
import { deleteSecondFactor } from './store.ts'

/** Of one who has none nothing is changed. One's own is refused: a stolen session must not. */
export const resetSecondFactor = (
  { db, keyring }: Pick<InviteDeps, 'db' | 'keyring'>,
  by: Person,
  id: string,
): Promise<StaffMember> =>
  inTransaction(db, async (tx) => {
    await standAsSuperadmin(tx, by)
    const before = await getStaff(tx, id)
    keepToDemo(by, before)
    if (id === by.person_id) {
      throw refuse(accessErrors.permission_denied, { message: notYourOwnFactor })
    }
    if (!before.totp_enabled) return before
    await deleteSecondFactor(tx, id)
    await queueMail(tx, keyring, secondFactorLetter(before))
    await recordOwnAct(tx, actorOfPerson(by), {
      action: 'staff.second_factor_reset',
      target_kind: 'staff',
      target_id: id,
    })
    return getStaff(tx, id)
  })
