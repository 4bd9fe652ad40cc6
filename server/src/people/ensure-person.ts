// A person who must be there with a password that is known beforehand: the embedded demo's.

import type { Tx } from '../platform/db.ts'
import { addPerson, type PersonInput } from './add-person.ts'
import { hashPassword } from './password.ts'
import type { PersonFacts } from './person.ts'
import { findByEmail, setPassword } from './store.ts'

/**
 * Adds the person with this password; one who is there already keeps their own, unless it is to be
 * renewed, which ends their sessions.
 */
export async function ensurePerson(
  tx: Tx,
  person: Omit<PersonInput, 'password_hash'>,
  { password, renew }: { password: string; renew: boolean },
): Promise<PersonFacts> {
  const there = await findByEmail(tx, person.kind, person.email)
  if (there !== undefined) {
    if (renew) await setPassword(tx, there.id, await hashPassword(password))
    return there
  }
  const made = await addPerson(tx, { ...person, password_hash: await hashPassword(password) })
  if (made === undefined) throw new Error(`bug: ${person.email} came in meanwhile`)
  return made
}
