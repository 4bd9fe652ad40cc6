// A code given in a session that is open already: for a while it may do what a stolen one must not
// (contract 3.3). Law: it continues under a new token (contract 8.12), so a copy of the old one
// never becomes fresh, however long a thief waits for a code.

import { actorOfPerson } from '../../audit/audit.ts'
import type { Person } from '../../platform/http/route.ts'
import { renewSession, type SessionRenewed } from '../open-session.ts'
import { recordOwnAct } from '../record-own-act.ts'
import { type CodeDeps, withCode } from './with-code.ts'

/** A new session of the same end, and until when the code counts in it. */
export const stepUp = (
  deps: CodeDeps,
  person: Person,
  { code, user_agent }: Readonly<{ code: string; user_agent: string }>,
): Promise<SessionRenewed> =>
  withCode(deps, person, code, async (tx, taken) => {
    const session = await renewSession(tx, person, user_agent)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.given',
      target_kind: 'session',
      target_id: session.id,
      before: { session: person.session_id },
      after: { by: taken },
    })
    return session
  })
