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

/** One that fails holds up no other; the first failure is the job's. */
export async function eraseLateTraces(db: Db): Promise<void> {
  const failures: unknown[] = []
  const failed = (error: unknown) => failures.push(error)
  for (const payer of await listUnfinished(db, late_days)) {
    await eraseRest(db, payer).catch(failed)
  }
  for (const late of await listErasedPayments(db, late_days))
    await eraseLate(db, late).catch(failed)
  if (failures.length > 0) throw failures[0]
}

type Late = Readonly<{ merchant_id: string; transaction_ids: readonly string[] }>

async function eraseLate(db: Db, { merchant_id, transaction_ids }: Late): Promise<void> {
  for (let from = 0; from < transaction_ids.length; from += portion) {
    const of = { merchant_id, transaction_ids: transaction_ids.slice(from, from + portion) }
    await eraseCallbacks(db, of)
    await eraseFound(db, of)
  }
}
