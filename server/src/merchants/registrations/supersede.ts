// The rightful owner of an address proves it: what somebody signed up with it before is not theirs.
// They keep no membership beside a stranger; a merchant of their own is made anew, empty, under the
// same name.

import type { OnVerified, ProvedBy } from '../../people/first-proof.ts'
import type { Tx } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { type LiveDeps, openLiveOf } from '../open-live.ts'
import { insertMembership, insertMerchant } from '../store.ts'
import { endPlace } from './end-places.ts'
import { lockOwnedPlaces, type Place } from './store.ts'

const reason = 'The address that this account was registered with was verified by its owner.'

/** For `onVerified`: memberships first, then LIVE for those that stay. */
export const onVerifiedOf =
  (live: LiveDeps): OnVerified =>
  async (tx, person_id, by) => {
    const taken_away = by === 'PASSWORD' ? false : await supersede(tx, person_id, by)
    await openLiveOf(live)(tx, person_id)
    return { taken_away }
  }

async function supersede(tx: Tx, person_id: string, by: ProvedBy): Promise<boolean> {
  const places = await lockOwnedPlaces(tx, person_id)
  const doubtful = places.filter(({ is_approved }) => !is_approved)
  const ended = doubtful.filter(({ has_other_owner }) => by === 'RESET' || has_other_owner)
  for (const place of ended) {
    await endPlace(tx, place, { person_id, reason })
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
