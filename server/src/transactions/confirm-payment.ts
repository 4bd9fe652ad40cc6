// T3, the statement of a confirmed payment: status, log, attempt, entries, balance, event and
// callback together, or nothing. Payments that are confirmed while others are being written are
// batched (docs/decisions/0011): their merchant's balance is locked once for all of them.

import { type CallbackRow, keepCallbacks } from '../attempts/callback-statements.ts'
import { type AttemptEnd, endAttempts } from '../attempts/statements.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordNumbered } from '../events/statements.ts'
import { type Posting, postEntries } from '../ledger/statements.ts'
import { batchCalls, perBatchPool } from '../platform/batch-calls.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import { composed, selectIds } from '../platform/sql.ts'
import { type Move, moveStatus } from './statements.ts'

/** Everything that one confirmed payment writes; each part's gate is the transaction's id. */
export type PaymentConfirmation = Readonly<{
  move: Move
  end: AttemptEnd
  posting: Posting
  event: NewEvent & FeedKey
  callback: CallbackRow | undefined
}>

/** True when this moved the payment; false when it is no longer as it was when decided. */
export const confirmPayment = (db: Db, confirmation: PaymentConfirmation): Promise<boolean> =>
  batch(db, confirmation.move)(confirmation)

const batch = perBatchPool((db) =>
  batchCalls<PaymentConfirmation, boolean>({
    run: (all) => writeConfirmed(db, all),
    names: ({ move }) => [move.id],
    owner: ({ move }) => move.merchant_id,
  }),
)

async function writeConfirmed(
  db: Db,
  unsorted: readonly PaymentConfirmation[],
): Promise<boolean[]> {
  // Ordered, so that two processes that confirm the same payments do not deadlock.
  const all = unsorted.toSorted((a, b) => (a.move.id < b.move.id ? -1 : 1))
  const callbacks = all.flatMap(({ callback }) => callback ?? [])
  const each = <K extends keyof PaymentConfirmation>(what: K) => all.map((one) => one[what])
  const moved = moveStatus(db, each('move'))
  const gate = { when: moved }
  const parts = [
    moved,
    recordNumbered(db, each('event'), gate),
    endAttempts(db, each('end'), gate),
    postEntries(db, each('posting'), gate),
    ...(callbacks.length === 0 ? [] : [keepCallbacks(db, callbacks, gate)]),
  ]
  const rows = await retryOnDeadlock(() => composed(db, parts, selectIds(db, moved)))
  const done = new Set(rows.map((row) => row['id']))
  return unsorted.map(({ move }) => done.has(move.id))
}
