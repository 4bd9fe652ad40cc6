// The receipt of a payment that has succeeded: found, or made at the first question. Its token is
// 128 random bits, kept hashed (to be found by) and sealed (to be shown again).

import { actorOf } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { hashToken, type Keyring, randomToken } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import type { Transaction, TransactionKey } from '../transactions/transaction.ts'
import { getOwnTransaction } from '../transactions/transaction-now.ts'
import { receiptErrors } from './receipt.ts'
import { findOrInsertReceipt, findReceipt, updateRevoked } from './store.ts'

export type ReceiptOfDeps = Readonly<{
  db: Db | Tx
  keyring: Pick<Keyring, 'seal' | 'unseal'>
  /** Without a slash at its end. */
  public_url: string
}>

/** Where a receipt is shown. Once revoked it stays so, and is shown as revoked. */
export type ReceiptPlace = Readonly<{ url: string; revoked_at: Date | null }>

const token_bytes = 16

const isTx = (db: Db | Tx): db is Tx => 'savepoint' in db

/** Whether a text can be a token at all: anything else is not looked up. */
export const looksLikeToken = (text: string): boolean => /^[\w-]{22}$/.test(text)

/** A sealed token is bound to its own row. */
export const bindingOf = ({ merchant_id, id }: TransactionKey) =>
  `receipts:${merchant_id}:${id}:token`

/** The transaction is inbound and has succeeded: the caller has made sure of it. */
export async function receiptOf(
  { db, keyring, public_url }: ReceiptOfDeps,
  { merchant_id, id }: TransactionKey,
): Promise<ReceiptPlace> {
  const key = { merchant_id, id }
  const make = (tx: Tx) => {
    const token = randomToken(token_bytes)
    const sealed_token = keyring.seal(token, bindingOf(key))
    return findOrInsertReceipt(tx, key, { token_hash: hashToken(token), sealed_token })
  }
  const stored =
    (await findReceipt(db, key)) ??
    (await (isTx(db) ? make(db) : inTransaction(homeOf(db, merchant_id), make)))
  assert(stored !== undefined, 'a receipt is found or made')
  const own = keyring.unseal(stored.sealed_token, bindingOf(key))
  return { url: `${public_url}/receipts/${own}`, revoked_at: stored.revoked_at }
}

// Which transactions have an invoice and a receipt (contract: Invoice): inbound, in SUCCESS. The
// direction is checked first: a payout never gets there, whatever becomes of it.

export function requireReceipted({
  flow_direction,
  status,
}: Pick<Transaction, 'flow_direction' | 'status'>): void {
  if (flow_direction !== 'INBOUND') throw refuse(receiptErrors.invalid_flow)
  if (status !== 'SUCCESS') throw refuse(receiptErrors.not_success)
}

/** The receipt of the caller's own transaction, by its id or reference. */
export async function placeOf(
  deps: ReceiptOfDeps & Readonly<{ db: Db }>,
  caller: Caller,
  transaction_id: string,
): Promise<ReceiptPlace> {
  const transaction = await getOwnTransaction(deps.db, caller, transaction_id)
  requireReceipted(transaction)
  return receiptOf(deps, transaction)
}

// A merchant withdraws a receipt, for good: refunded by hand, or fallen into wrong hands. Made and
// revoked in one go where it had not been requested yet. A second time changes and records nothing.

/** When it was revoked. */
export async function revokeReceipt(
  deps: ReceiptOfDeps & Readonly<{ db: Db }>,
  caller: Caller,
  transaction_id: string,
): Promise<Date> {
  const transaction = await getOwnTransaction(deps.db, caller, transaction_id)
  requireReceipted(transaction)
  return inTransaction(homeOf(deps.db, caller.merchant_id), async (tx) => {
    const of = { ...deps, db: tx }
    await receiptOf(of, transaction)
    const revoked_at = await updateRevoked(tx, transaction)
    if (revoked_at === undefined) {
      const { revoked_at: before } = await receiptOf(of, transaction)
      assert(before !== null, 'whoever was first has revoked it')
      return before
    }
    await recordAct(tx, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      actor: actorOf(caller),
      action: 'receipt.revoked',
      target_kind: 'transaction',
      target_id: transaction.id,
      before: { revoked_at: null },
      after: { revoked_at: revoked_at.toISOString() },
    })
    return revoked_at
  })
}
