// A gateway may speak of a payment once more after its payer was erased. What it says is heard, and
// taken out again for as long as gateways are asked.

import { eraseCallbacks } from '../attempts/erased/statements.ts'
import type { Db } from '../platform/db.ts'
import { listErasedPayments } from './store.ts'

const heard_days = 31

export async function eraseLateCallbacks(db: Db): Promise<void> {
  for (const payments of await listErasedPayments(db, heard_days)) {
    await eraseCallbacks(db, payments)
  }
}
