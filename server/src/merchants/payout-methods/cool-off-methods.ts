// LIVE opens: what was added before, when a session alone sufficed, cools off from this moment on.

import type { Tx } from '../../platform/db.ts'
import { coolOff } from './store.ts'

/**
 * At least for the platform's own hours: until now the merchant's own could be shortened without a
 * second factor. The caller has locked the merchant's row, as adding a method does.
 */
export const coolOffMethods = (tx: Tx, merchant_id: string, cooling_hours: number): Promise<void> =>
  coolOff(tx, merchant_id, cooling_hours)
