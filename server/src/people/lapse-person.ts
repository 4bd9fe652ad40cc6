// A person who signed up and never proved the address: after a week it is free for its owner.

import { systemActor } from '../audit/audit.ts'
import type { Tx } from '../platform/db.ts'
import { recordOwnAct } from './record-own-act.ts'
import { forgetPerson } from './store.ts'

/** The caller has locked the person's row, and has ended their memberships. */
export async function lapsePerson(tx: Tx, person_id: string): Promise<void> {
  await forgetPerson(tx, person_id)
  await recordOwnAct(tx, systemActor, {
    action: 'person.lapsed',
    target_kind: 'person',
    target_id: person_id,
  })
}
