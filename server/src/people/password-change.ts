// A new password by a person who is signed in and knows the old one. All their sessions end, and
// this device gets a fresh one, which has given no second factor yet.

import { actorOfPerson } from '../audit/audit.ts'
import { inTransaction } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { openSession, type SessionMade } from './open-session.ts'
import { hashPassword } from './password.ts'
import { type EmailDeps, emailPasswordChanged } from './password-reset.ts'
import { requireGoodPassword } from './password-rules.ts'
import { type ProofDeps, provePassword } from './prove-password.ts'
import { recordOwnAct } from './record-own-act.ts'
import {
  findPasswordHash,
  findPerson,
  getPasswordOwner,
  lockPassword,
  setPassword,
} from './store.ts'

export type ChangeDeps = ProofDeps & EmailDeps & Readonly<{ wake: (name: string) => void }>

export type PasswordChange = Readonly<{
  current_password: string
  password: string
  user_agent: string
}>

/** Refuses a 400 by field, `rate_limited`, or `session_expired` when a rival was faster. */
export async function changePassword(
  deps: ChangeDeps,
  changing: Person,
  { current_password, password, user_agent }: PasswordChange,
): Promise<SessionMade> {
  const { person_id, ip } = changing
  requireGoodPassword(password, await getPasswordOwner(deps.db, person_id))
  const stored = await findPasswordHash(deps.db, person_id)
  await provePassword(deps, changing, { password: current_password, field: 'current_password' })
  const password_hash = await hashPassword(password)
  const session = await inTransaction(deps.db, async (tx) => {
    // Another password than a moment ago: that change has ended the session of this call.
    const same = await lockPassword(tx, { id: person_id, password_hash: stored })
    if (!same) throw refuse(accessErrors.session_expired)
    await setPassword(tx, person_id, password_hash)
    await recordOwnAct(tx, actorOfPerson(changing), {
      action: 'password.changed',
      target_kind: 'person',
      target_id: person_id,
    })
    const person = await findPerson(tx, person_id)
    assert(person !== undefined, 'a password of nobody')
    await emailPasswordChanged(tx, deps, person)
    return openSession(tx, { person_id, ip, user_agent, second_factor: false })
  })
  deps.wake('send-mail')
  return session
}
