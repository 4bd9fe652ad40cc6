// People are added, found, changed by themselves, and lapse when they never prove their
// address.

import { actorOfPerson, systemActor } from '../audit/audit.ts'
import { recordOwnAct } from '../audit/audit-log.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { hashPassword } from './password.ts'
import type { PersonFacts } from './person.ts'
import * as store from './store.ts'
import {
  findByEmail,
  forgetPerson,
  insertPerson,
  lockProfile,
  type NewPerson,
  type Profile,
  setPassword,
  updateProfile,
} from './store.ts'

export type PersonInput = Pick<
  NewPerson,
  'kind' | 'email' | 'first_name' | 'last_name' | 'phone' | 'locale' | 'password_hash'
> &
  Partial<Pick<NewPerson, 'staff_role' | 'is_demo' | 'email_verified'>>

/** Undefined when the e-mail is taken (among the same kind). */
export const addPerson = (sql: Sql, person: PersonInput): Promise<PersonFacts | undefined> =>
  insertPerson(sql, {
    id: newId(),
    kind: person.kind,
    email: person.email,
    first_name: person.first_name,
    last_name: person.last_name,
    phone: person.phone,
    locale: person.locale,
    password_hash: person.password_hash,
    staff_role: person.staff_role ?? null,
    is_demo: person.is_demo ?? false,
    email_verified: person.email_verified ?? false,
  })

// A person who must be there with a password that is known beforehand: the embedded demo's.

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

// Reads a person by id.

export const findPerson = (sql: Sql, id: string): Promise<PersonFacts | undefined> =>
  store.findPerson(sql, id)

// A person who signed up and never proved the address: after a week it is free for its owner.

/** The caller has locked the person's row, and has ended their memberships. */
export async function lapsePerson(tx: Tx, person_id: string): Promise<void> {
  await forgetPerson(tx, person_id)
  await recordOwnAct(tx, systemActor, {
    action: 'person.lapsed',
    target_kind: 'person',
    target_id: person_id,
  })
}

// A person changes their own details. The audit line names the fields, never their content.

const fields = ['first_name', 'last_name', 'phone', 'locale'] as const

export type ProfileChanges = { readonly [K in keyof Profile]?: Profile[K] | undefined }

/** A change to what is there already is none: nothing is written. */
export const changeProfile = (db: Db, person: Person, changes: ProfileChanges): Promise<void> =>
  inTransaction(db, async (tx) => {
    const { person_id } = person
    const before = await lockProfile(tx, person_id)
    assert(before !== undefined, 'a session without a person')
    const after = {
      first_name: changes.first_name ?? before.first_name,
      last_name: changes.last_name ?? before.last_name,
      phone: changes.phone ?? before.phone,
      locale: changes.locale ?? before.locale,
    }
    const changed = fields.filter((field) => after[field] !== before[field])
    if (changed.length === 0) return
    await updateProfile(tx, person_id, after)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'person.changed',
      target_kind: 'person',
      target_id: person_id,
      after: { changed },
    })
  })
