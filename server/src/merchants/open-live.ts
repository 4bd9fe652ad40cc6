// LIVE opens when both are there: the platform's approval and an owner whose e-mail is proved
// (contract 3.3). The second of the two calls this, in its own transaction. Law: the merchant is
// locked before it is read, so that of two at once one sees the other.

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/record-act.ts'
import type { Tx } from '../platform/db.ts'
import { coolOffMethods } from './payout-methods/cool-off-methods.ts'
import { listOwned, lockMerchant, updateLiveIfReady } from './store.ts'

export type LiveDeps = Readonly<{
  /** The platform's own cooling-off: for what was added before, at least this. */
  cooling_hours: number
}>

/**
 * True when it opened just now. Suspension is not checked: it refuses by itself, and a restored
 * merchant finds what it had. Call it after the approval is written.
 */
export async function openLiveIfReady(
  tx: Tx,
  merchant_id: string,
  cooling_hours: number,
): Promise<boolean> {
  await lockMerchant(tx, merchant_id)
  const opened = await updateLiveIfReady(tx, merchant_id)
  if (!opened) return false
  await coolOffMethods(tx, merchant_id, cooling_hours)
  await recordAct(tx, {
    merchant_id,
    environment: null,
    actor: systemActor,
    action: 'merchant.live_opened',
    target_kind: 'merchant',
    target_id: merchant_id,
    before: { live_enabled: false },
    after: { live_enabled: true },
  })
  return true
}

/** The same for every merchant that the person owns, when they have just proved their e-mail. */
export const openLiveOf =
  ({ cooling_hours }: LiveDeps) =>
  async (tx: Tx, person_id: string): Promise<void> => {
    for (const merchant_id of await listOwned(tx, person_id)) {
      await openLiveIfReady(tx, merchant_id, cooling_hours)
    }
  }
