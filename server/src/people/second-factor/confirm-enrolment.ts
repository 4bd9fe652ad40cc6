// The first code proves that the app has the secret: from now on it is required. The person's other
// sessions were opened without it and end; this one continues under a new token, as after any code,
// so that a copy of the old one lets nobody in.

import { actorOfPerson } from '../../audit/audit.ts'
import { inTransaction } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { peopleErrors } from '../errors.ts'
import { renewSession, type SessionRenewed } from '../open-session.ts'
import { recordOwnAct } from '../record-own-act.ts'
import { countCodes, forgiveCodes } from './count-codes.ts'
import {
  emailSecondFactorChange,
  type SecondFactorEmailDeps,
} from './email-second-factor-change.ts'
import { giveNewCodes } from './renew-recovery-codes.ts'
import { endOtherSessions, lockSecondFactor, markEnrolled } from './store.ts'
import { takeTotp } from './take-code.ts'
import { type CodeDeps, wrongCode } from './with-code.ts'

/** The recovery codes and the new token, shown this once. */
export type Enrolled = Readonly<{ recovery_codes: string[]; session: SessionRenewed }>

export async function confirmEnrolment(
  deps: CodeDeps & SecondFactorEmailDeps,
  person: Person,
  { code: text, user_agent }: Readonly<{ code: string; user_agent: string }>,
): Promise<Enrolled> {
  const { db, keyring, limits } = deps
  const { person_id, session_id } = person
  const throttle = { db, macs: keyring, limits }
  await countCodes(throttle, person)
  const code = text.replace(/\s/g, '')
  const enrolled = await inTransaction(db, async (tx) => {
    const factor = await lockSecondFactor(tx, person_id)
    if (factor?.is_enrolled === true) throw refuse(peopleErrors.totp_already_enrolled)
    if (factor === undefined || factor.sealed_totp === null)
      throw refuse(peopleErrors.totp_not_enrolled)
    if (!(await takeTotp(tx, keyring, { person_id, code, factor }))) throw wrongCode()
    await markEnrolled(tx, person_id)
    const session = await renewSession(tx, person, user_agent)
    const but = [session_id, session.id]
    const sessions_ended = await endOtherSessions(tx, { person_id, but })
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.enrolled',
      target_kind: 'person',
      target_id: person_id,
      before: { totp_enabled: false },
      after: { totp_enabled: true, sessions_ended },
    })
    await emailSecondFactorChange(tx, deps, person, 'ENROLLED')
    return { recovery_codes: await giveNewCodes(tx, keyring, person_id), session }
  })
  await forgiveCodes(throttle, person_id)
  return enrolled
}
