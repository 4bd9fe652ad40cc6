// Enrolling begins: a secret, shown this once. Nothing is active before a code confirms it, and
// beginning again replaces it.

import { actorOfPerson } from '../../audit/audit.ts'
import { inTransaction } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { peopleErrors } from '../errors.ts'
import { type ProofDeps, provePassword } from '../prove-password.ts'
import { recordOwnAct } from '../record-own-act.ts'
import { updateSecret } from './store.ts'
import { boundTo } from './take-code.ts'
import { newTotpSecret, otpauthUrl, qrSvg } from './totp.ts'

export type Enrolment = Readonly<{ secret: string; otpauth_url: string; qr_svg: string }>

/** Refuses with a 400 on `password`, `totp_already_enrolled` or `rate_limited`. */
export async function beginEnrolment(
  deps: ProofDeps,
  person: Person,
  password: string,
): Promise<Enrolment> {
  await provePassword(deps, person, { password })
  const { person_id } = person
  const secret = newTotpSecret()
  const sealed = deps.keyring.seal(secret, boundTo(person_id))
  await inTransaction(deps.db, async (tx) => {
    if (!(await updateSecret(tx, person_id, sealed))) {
      throw refuse(peopleErrors.totp_already_enrolled)
    }
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.begun',
      target_kind: 'person',
      target_id: person_id,
    })
  })
  const otpauth_url = otpauthUrl(secret, person.email)
  return { secret, otpauth_url, qr_svg: await qrSvg(otpauth_url) }
}
