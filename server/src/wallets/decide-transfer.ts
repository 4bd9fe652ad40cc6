// Staff approve or reject what waits (contract 5.10). Of all who decide at the same time one does:
// the transfer is locked first, and what no longer waits is refused.

import { type Actor, actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { recordEvents } from '../events/statements.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { requireStaffStillMay } from '../people/proposals/first-person.ts'
import { type RowOfAny, transactInTurnOfRow } from '../platform/batch-calls.ts'
import type { Db, Tx } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { runWhole } from '../platform/sql.ts'
import { completeTransfer } from './complete-transfer.ts'
import { moveTransfer } from './statements.ts'
import { type LockedTransfer, lockBalances, lockTransfer } from './store.ts'
import { holdOf, type Transfer, walletErrors } from './transfer.ts'
import { transferEvent } from './view.ts'

export type DecideDeps = Readonly<{
  db: Db
  /** After a commit that wrote an event. */
  wake: () => void
}>

const rowOf = ({ environment }: Person, id: string): RowOfAny => ({
  table: 'wallet_transfers',
  id,
  environment,
})

/** In the environment that the person looks at; elsewhere it is not found. */
async function holdWaiting(tx: Tx, person: Person, id: string): Promise<LockedTransfer> {
  const locked = await lockTransfer(tx, { id, environment: person.environment })
  if (locked === undefined) throw refuse(transportErrors.not_found)
  if (locked.transfer.status !== 'PENDING') throw refuse(walletErrors.transaction_terminal)
  return locked
}

/** Refuses what has lapsed, a suspended merchant's, and what would leave a frozen balance. */
export async function approveTransfer(
  { db, wake }: DecideDeps,
  person: Person,
  id: string,
): Promise<Transfer> {
  const approved = await transactInTurnOfRow(db, rowOf(person, id), async (tx) => {
    const { transfer, now, has_lapsed } = await holdWaiting(tx, person, id)
    if (has_lapsed) throw refuse(walletErrors.transaction_terminal)
    // First, because it may wait: the merchant is read as it is after that.
    const { is_frozen } = await lockBalances(tx, transfer)
    const merchant = await getMerchant(tx, transfer.merchant_id)
    if (merchant.status === 'SUSPENDED') throw refuse(walletErrors.merchant_suspended)
    if (is_frozen) throw refuse(payoutErrors.balance_frozen)
    await requireStaffStillMay(tx, person, 'approvals')
    const after = await completeTransfer(tx, transfer, { by: person.person_id, now })
    await recordAct(tx, {
      merchant_id: after.merchant_id,
      environment: after.environment,
      actor: actorOfPerson(person),
      action: 'wallet_transfer.approved',
      target_kind: 'wallet_transfer',
      target_id: after.id,
      before: { status: transfer.status },
      after: { status: after.status },
    })
    return after
  })
  wake()
  return approved
}

export async function rejectTransfer(
  { db, wake }: DecideDeps,
  person: Person,
  { id, reason }: Readonly<{ id: string; reason: string }>,
): Promise<Transfer> {
  const rejected = await transactInTurnOfRow(db, rowOf(person, id), async (tx) => {
    const { transfer, now } = await holdWaiting(tx, person, id)
    return rejectWaiting(tx, transfer, { reason, now, actor: actorOfPerson(person) })
  })
  wake()
  return rejected
}

// A waiting transfer ends without a booking: its whole hold goes back, and the event gives the
// merchant the reason. The caller has the transfer's lock.

export type Rejection = Readonly<{ reason: string; now: Date; actor: Actor }>

export async function rejectWaiting(
  tx: Tx,
  before: Transfer,
  { reason, now, actor }: Rejection,
): Promise<Transfer> {
  const after: Transfer = {
    ...before,
    status: 'REJECTED',
    version: before.version + 1,
    rejection_reason: reason,
    updated_at: now,
  }
  assert(await moveTransfer(tx, { before, after }), `transfer ${after.id} moved under its lock`)
  await runWhole(tx, insertHoldEnd(tx, holdOf(after), { how: 'RELEASE' }), 1)
  await runWhole(tx, recordEvents(tx, [transferEvent('wallet_transfer.rejected', after)]), 1)
  await recordAct(tx, {
    merchant_id: after.merchant_id,
    environment: after.environment,
    actor,
    action: actor.kind === 'SYSTEM' ? 'wallet_transfer.lapsed' : 'wallet_transfer.rejected',
    target_kind: 'wallet_transfer',
    target_id: after.id,
    before: { status: before.status },
    after: { status: after.status, rejection_reason: reason },
  })
  return after
}
