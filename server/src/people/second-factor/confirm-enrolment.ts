// The first code proves that the app has the secret: from now on it is asked for. The person's
// other sessions were opened without it and end.

import { actorOfPerson } from '../../audit/audit.ts'
import { inTransaction } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { peopleErrors } from '../errors.ts'
import { recordOwnAct } from '../record-own-act.ts'
import { countCodes, forgiveCodes } from './count-codes.ts'
import { giveNewCodes } from './renew-recovery-codes.ts'
import { endOtherSessions, lockSecondFactor, markEnrolled, markSession } from './store.ts'
import { takeTotp } from './take-code.ts'
import { type TellDeps, tellOfSecondFactor } from './tell-of-second-factor.ts'
import { type CodeDeps, wrongCode } from './with-code.ts'

/** The recovery codes, shown this once. */
export async function confirmEnrolment(
  deps: CodeDeps & TellDeps,
  person: Person,
  text: string,
): Promise<string[]> {
  const { db, keyring, limits } = deps
  const { person_id, session_id } = person
  const throttle = { db, macs: keyring, limits }
  await countCodes(throttle, person)
  const code = text.replace(/\s/g, '')
  const codes = await inTransaction(db, async (tx) => {
    const kept = await lockSecondFactor(tx, person_id)
    if (kept?.is_enrolled === true) throw refuse(peopleErrors.totp_already_enrolled)
    if (kept === undefined || kept.sealed_totp === null)
      throw refuse(peopleErrors.totp_not_enrolled)
    if (!(await takeTotp(tx, keyring, { person_id, code, kept }))) throw wrongCode()
    await markEnrolled(tx, person_id)
    await markSession(tx, session_id)
    const sessions_ended = await endOtherSessions(tx, { person_id, session_id })
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.enrolled',
      target_kind: 'person',
      target_id: person_id,
      before: { totp_enabled: false },
      after: { totp_enabled: true, sessions_ended },
    })
    await tellOfSecondFactor(tx, deps, person, 'ENROLLED')
    return giveNewCodes(tx, keyring, person_id)
  })
  await forgiveCodes(throttle, person_id)
  return codes
}
