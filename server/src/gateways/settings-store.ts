// The statements about a change of an account's settings. All under `lockAccount`.

import type { Tx } from '../platform/db.ts'
import type { FoundGateway } from './account-store.ts'

/** So long after it was switched off no process sends it anything new. Seconds. */
const rested_s = 60

/**
 * Whether it has been off for a minute: every process knows by now. One that was never touched
 * since it was added has always been off.
 */
export async function isRested(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx`
    select 1 from gateways
     where id = ${id} and not is_active
       and (updated_at <= now() - ${rested_s} * interval '1 second' or updated_at = created_at)`
  return rows.count === 1
}

export async function updateSettings(
  tx: Tx,
  { id, settings }: Pick<FoundGateway, 'id' | 'settings'>,
): Promise<void> {
  await tx`
    update gateways set settings = ${tx.json(settings)}, updated_at = now() where id = ${id}`
}

/** What was found of it was found with other settings. */
export async function deleteChecks(tx: Tx, id: string): Promise<void> {
  await tx`delete from gateway_checks where gateway_id = ${id}`
}

/**
 * Payments are found elsewhere from now on. Its operator's public keys, as they were at the former
 * address, are read again soon.
 */
export async function updateMoved(tx: Tx, id: string): Promise<void> {
  await tx`delete from gateway_keys where gateway_id = ${id}`
  await tx`update gateways set moved_at = now(), keys_wanted = true where id = ${id}`
}
