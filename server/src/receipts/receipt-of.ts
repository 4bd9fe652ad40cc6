// The receipt of a payment that has succeeded: found, or made at the first question. Its token is
// 128 random bits, kept hashed (to be found by) and sealed (to be shown again).

import { hashToken, type Keyring, randomToken } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { TransactionKey } from '../transactions/transaction.ts'
import { findOrInsertReceipt } from './store.ts'

export type ReceiptOfDeps = Readonly<{
  db: Sql
  keyring: Pick<Keyring, 'seal' | 'unseal'>
  /** Without a slash at its end. */
  public_url: string
}>

/** Where a receipt is shown. Once revoked it stays so, and is shown as revoked. */
export type ReceiptPlace = Readonly<{ url: string; revoked_at: Date | null }>

const token_bytes = 16

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
  const token = randomToken(token_bytes)
  const stored = await findOrInsertReceipt(db, key, {
    token_hash: hashToken(token),
    sealed_token: keyring.seal(token, bindingOf(key)),
  })
  assert(stored !== undefined, 'a receipt is found or made')
  const own = keyring.unseal(stored.sealed_token, bindingOf(key))
  return { url: `${public_url}/receipts/${own}`, revoked_at: stored.revoked_at }
}
