// A code given in a session that is open already: for a while it may do what a stolen one must not
// (decisions 3.3).

import { actorOfPerson } from '../../audit/audit.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { recordOwnAct } from '../record-own-act.ts'
import { markSession } from './store.ts'
import { type CodeDeps, withCode } from './with-code.ts'

/** Until when the code counts in this session. */
export const stepUp = (deps: CodeDeps, person: Person, code: string): Promise<Date> =>
  withCode(deps, person, code, async (tx, taken) => {
    const { session_id } = person
    const verified_until = await markSession(tx, session_id)
    if (verified_until === undefined) throw refuse(accessErrors.session_expired)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.given',
      target_kind: 'session',
      target_id: session_id,
      after: { by: taken },
    })
    return verified_until
  })
