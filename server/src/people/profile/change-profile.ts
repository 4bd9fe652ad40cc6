// A person changes their own details. The audit line names the fields, never their content.

import { actorOfPerson } from '../../audit/audit.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { recordOwnAct } from '../record-own-act.ts'
import { lockProfile, type Profile, updateProfile } from './store.ts'

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
