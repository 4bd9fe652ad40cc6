// A registration whose address was never proved ends: by itself after a week, or because the
// rightful owner of the address comes.

import { type Actor, systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { lapsePerson } from '../people/keep-person.ts'
import type { OnVerified, ProvedBy } from '../people/verify-email.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { changeStatus } from './admin/suspend-merchant.ts'
import { voidInvitations } from './members/invitations/change-invitations.ts'
import { type LiveDeps, openLiveOf } from './merchant.ts'
import {
  deletePlace,
  listUnproved,
  lockPlaces,
  lockUnproved,
  type Place,
  shutMerchant,
} from './registration-store.ts'
import { insertMembership, insertMerchant } from './store.ts'

type Ending = Readonly<{ person_id: string; reason: string; actor?: Actor }>

/** A merchant that has another owner goes on. Call with the merchant locked. */
async function endPlace(
  tx: Tx,
  { merchant_id, role, has_other_owner }: Place,
  { person_id, reason, actor = systemActor }: Ending,
): Promise<void> {
  const place = { merchant_id, person_id }
  if (!has_other_owner) {
    await changeStatus(tx, { id: merchant_id, status: 'SUSPENDED', reason }, { actor })
    await shutMerchant(tx, merchant_id)
  }
  await deletePlace(tx, place)
  await voidInvitations(tx, { ...place, role: null })
  await recordAct(tx, {
    merchant_id,
    environment: null,
    actor,
    action: 'member.removed',
    target_kind: 'member',
    target_id: person_id,
    before: { role },
    after: { reason },
  })
}

// A registration whose address is not proved within a week ends: nothing pends for ever, and nobody
// blocks an address that is not theirs. Each in a transaction of its own; one failure stops none.

const unproved_days_max = 7
const lapsedReason = 'The address that this account was registered with was never verified.'
const portion = 100

/** How many there were. */
export async function lapseRegistrations(db: Db): Promise<number> {
  const due = await listUnproved(db, unproved_days_max, portion)
  const failures: unknown[] = []
  for (const id of due) await lapse(db, id).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return due.length
}

const lapse = (db: Db, person_id: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    if (!(await lockUnproved(tx, person_id))) return
    const places = await lockPlaces(tx, person_id)
    // Staff have looked at one meanwhile, so it stays with the person.
    if (places.some(({ is_approved }) => is_approved)) return
    for (const place of places) {
      await endPlace(tx, place, { person_id, reason: lapsedReason })
    }
    await lapsePerson(tx, person_id)
  })

// The rightful owner of an address proves it: what somebody signed up with it before is not theirs.
// They keep no membership beside a stranger, whatever role the stranger has left them; a merchant
// of their own is made anew, empty, under the same name.

const supersededReason =
  'The address that this account was registered with was verified by its owner.'

/** For `onVerified`: memberships first, then LIVE for those that stay. */
export const onVerifiedOf =
  (live: LiveDeps): OnVerified =>
  async (tx, person_id, by) => {
    const taken_away = by === 'PASSWORD' ? false : await supersede(tx, person_id, by)
    await openLiveOf(live)(tx, person_id)
    return { taken_away }
  }

async function supersede(tx: Tx, person_id: string, by: ProvedBy): Promise<boolean> {
  const places = await lockPlaces(tx, person_id)
  const doubtful = places.filter(({ is_approved }) => !is_approved)
  const ended = doubtful.filter(({ has_other_owner }) => by === 'RESET' || has_other_owner)
  for (const place of ended) {
    await endPlace(tx, place, { person_id, reason: supersededReason })
    if (!place.has_other_owner) await foundAnew(tx, place, person_id)
  }
  return ended.length > 0
}

async function foundAnew(tx: Tx, was: Place, person_id: string): Promise<void> {
  const merchant_id = newId()
  await insertMerchant(tx, {
    id: merchant_id,
    name: was.name,
    ...(was.country === null ? {} : { country: was.country }),
    rate_limit_per_minute: was.rate_limit_per_minute,
    live_enabled: false,
  })
  await insertMembership(tx, { merchant_id, person_id, role: 'OWNER' })
}
