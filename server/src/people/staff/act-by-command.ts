// One of the staff acts by the command line: named by their e-mail, and proven by a code of their
// second factor. Whoever sits at the shell could name anybody; without the code two people could
// be one.

import type { Acting } from '../../audit/audit.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { invalid } from '../../platform/errors.ts'
import type { StaffPermission } from '../../platform/http/route.ts'
import { emailOf } from '../person.ts'
import { mayStill } from '../proposals/first-person.ts'
import { type CodeDeps, countCodes, forgiveCodes, takeCode } from '../second-factor/give-code.ts'
import { findStaffByEmail } from './store.ts'

type Proof = Readonly<{
  email: string
  /** Of their second factor, or a recovery code. */
  code: string
  right: StaffPermission
}>

/** Refuses with `rate_limited`, a 400 on `by` or `second_factor`, or what `work` refuses. */
export async function actByCommand<T>(
  deps: CodeDeps,
  { email, code, right }: Proof,
  work: (tx: Tx, person: Acting) => Promise<T>,
): Promise<T> {
  const member = await findStaffByEmail(deps.db, emailOf(email))
  if (member === undefined || member.is_demo) throw notOfStaff()
  const { id: person_id, staff_role } = member
  const person: Acting = { kind: 'STAFF', person_id, staff_role, ip: '', request_id: '' }
  const throttle = { ...deps, macs: deps.keyring }
  await countCodes(throttle, person)
  const done = await inTransaction(deps.db, async (tx) => {
    if (!(await mayStill(tx, person_id, right))) throw notOfStaff()
    const taken = await takeCode(tx, deps.keyring, { person_id, code })
    if (taken === 'WRONG' || taken === 'NOT_ENROLLED') throw notProven()
    return work(tx, person)
  })
  await forgiveCodes(throttle, person_id)
  return done
}

const notOfStaff = () =>
  invalid('by', {
    en: 'Name one of the staff who may do this, by the e-mail that they sign in with.',
    fr: 'Nommez un membre de l’équipe qui en a le droit, par l’e-mail de son compte.',
  })

const notProven = () =>
  invalid('second_factor', {
    en:
      'This code is wrong, too old or already used: enter the one that your app shows now. ' +
      'Whoever has no second factor enrols one first (`POST /admin/auth/totp/enrol/`).',
    fr:
      'Ce code est faux, trop ancien ou déjà utilisé : saisissez celui que l’application affiche ' +
      'maintenant. Sans second facteur, activez-en un d’abord (`POST /admin/auth/totp/enrol/`).',
  })
