// Where a person is logged in.

import type { Db } from '../../platform/db.ts'
import type { Person } from '../../platform/http/route.ts'
import { listOpenSessions, type OpenSession } from './store.ts'

export type { OpenSession } from './store.ts'

export const listSessions = (db: Db, { person_id }: Person): Promise<OpenSession[]> =>
  listOpenSessions(db, person_id)
