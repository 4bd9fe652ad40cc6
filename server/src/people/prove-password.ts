// A person who is signed in proves their identity by the password, before acts that a stolen
// session must not do. Counted before it is hashed, so that a session is no way to guess the
// password.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { invalid } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { countOrRefuse, forgive } from '../platform/throttle/throttle.ts'
import { isPassword } from './password.ts'
import { findPasswordHash } from './store.ts'

export type ProofDeps = Readonly<{
  db: Db
  keyring: Keyring
  limits: Readonly<{ login_per_email_10min: number }>
}>

const act = 'own-password'
const within_s = 600

/** Refuses with `rate_limited`, or a 400 on `field`. */
export async function provePassword(
  { db, keyring, limits }: ProofDeps,
  { person_id }: Pick<Person, 'person_id'>,
  { password, field = 'password' }: Readonly<{ password: string; field?: string }>,
): Promise<void> {
  const throttle = { db, macs: keyring }
  const most = limits.login_per_email_10min
  await countOrRefuse(throttle, { act, target: person_id, most, within_s })
  if (!(await isPassword(await findPasswordHash(db, person_id), password))) {
    throw invalid(field, { en: 'This is not your password.', fr: 'Ce mot de passe est incorrect.' })
  }
  await forgive(throttle, { act, target: person_id })
}
