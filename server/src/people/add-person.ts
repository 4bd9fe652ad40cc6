// Adds a person, identified by their e-mail among those of their kind.

import type { Sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { PersonFacts } from './person.ts'
import { insertPerson, type NewPerson } from './store.ts'

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
