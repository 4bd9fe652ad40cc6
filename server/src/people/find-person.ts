// Reads a person by id.

import type { Sql } from '../platform/db.ts'
import type { PersonFacts } from './person.ts'
import * as store from './store.ts'

export const findPerson = (sql: Sql, id: string): Promise<PersonFacts | undefined> =>
  store.findPerson(sql, id)
