// The endpoints that an API key made are switched off together with it: a stolen key leaves no
// listener behind.

import type { Tx } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { getWebhook, webhookKeyOf } from './get-webhook.ts'
import { recordChanged } from './record-registration.ts'
import { findWebhook, lockRegistrations, updateWebhook } from './store.ts'

/** Which of these went off: not those that were off, are deleted or of another environment. */
export async function switchOffWebhooks(
  tx: Tx,
  caller: Caller,
  ids: readonly string[],
): Promise<string[]> {
  const switched_off: string[] = []
  await lockRegistrations(tx, caller)
  for (const id of [...ids].sort()) {
    const key = webhookKeyOf(caller, id)
    const was = await findWebhook(tx, key)
    if (was?.is_active !== true) continue
    await updateWebhook(tx, key, { is_active: false })
    await recordChanged(tx, caller, { was, is: await getWebhook(tx, key) })
    switched_off.push(id)
  }
  return switched_off
}
