// What was under way while a payer was erased: a gateway names them once more, a search row is just
// being made, or the process ended between two portions of a long history. It is removed again for
// as long as gateways are queried.

import { eraseCallbacks } from '../attempts/erased/statements.ts'
import type { Db } from '../platform/db.ts'
import { eraseFound } from '../transactions/erased/statements.ts'
import { eraseRest } from './erase-customer.ts'
import { listErasedPayments, listUnfinished } from './store.ts'

const late_days = 31
const portion = 500

export async function eraseLateTraces(db: Db): Promise<void> {
  for (const payer of await listUnfinished(db, late_days)) await eraseRest(db, payer)
  for (const { merchant_id, transaction_ids } of await listErasedPayments(db, late_days)) {
    for (let from = 0; from < transaction_ids.length; from += portion) {
      const of = { merchant_id, transaction_ids: transaction_ids.slice(from, from + portion) }
      await eraseCallbacks(db, of)
      await eraseFound(db, of)
    }
  }
}
