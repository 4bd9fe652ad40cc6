// A person comes in, known by his e-mail among his kind.

import type { Sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { PersonFacts } from './person.ts'
import { insertPerson, type NewPerson } from './store.ts'

export type Coming = Pick<
  NewPerson,
  'kind' | 'email' | 'first_name' | 'last_name' | 'phone' | 'locale' | 'password_hash'
> &
  Partial<Pick<NewPerson, 'staff_role' | 'is_demo' | 'email_verified'>>

/** Undefined when the e-mail is taken (among the same kind). */
export const addPerson = (sql: Sql, coming: Coming): Promise<PersonFacts | undefined> =>
  insertPerson(sql, {
    id: newId(),
    kind: coming.kind,
    email: coming.email,
    first_name: coming.first_name,
    last_name: coming.last_name,
    phone: coming.phone,
    locale: coming.locale,
    password_hash: coming.password_hash,
    staff_role: coming.staff_role ?? null,
    is_demo: coming.is_demo ?? false,
    email_verified: coming.email_verified ?? false,
  })
