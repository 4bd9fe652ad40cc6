// What was under way while a payer was erased: a gateway speaks of his payment once more, a search
// row is just being made. It is taken out again for as long as gateways are asked.

import { eraseCallbacks } from '../attempts/erased/statements.ts'
import type { Db } from '../platform/db.ts'
import { eraseFound } from '../transactions/erased/statements.ts'
import { listErasedPayments } from './store.ts'

const heard_days = 31

export async function eraseLateTraces(db: Db): Promise<void> {
  for (const payments of await listErasedPayments(db, heard_days)) {
    await eraseCallbacks(db, payments)
    await eraseFound(db, payments)
  }
}
