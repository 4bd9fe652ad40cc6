// A person who must be there with a password that is known beforehand: the embedded demo's.

import type { Tx } from '../platform/db.ts'
import { addPerson, type Coming } from './add-person.ts'
import { hashPassword } from './password.ts'
import type { PersonFacts } from './person.ts'
import { findByEmail, setPassword } from './store.ts'

/**
 * Makes him with this password; if he is there already his own stands, unless it is to be renewed,
 * which ends his sessions.
 */
export async function ensurePerson(
  tx: Tx,
  coming: Omit<Coming, 'password_hash'>,
  { password, renew }: { password: string; renew: boolean },
): Promise<PersonFacts> {
  const there = await findByEmail(tx, coming.kind, coming.email)
  if (there !== undefined) {
    if (renew) await setPassword(tx, there.id, await hashPassword(password))
    return there
  }
  const made = await addPerson(tx, { ...coming, password_hash: await hashPassword(password) })
  if (made === undefined) throw new Error(`bug: ${coming.email} came in meanwhile`)
  return made
}
