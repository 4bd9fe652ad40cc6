// Begins a new key for receipts. Law: the old ones stay published, so that what they signed can be
// proven for ever; and it is sealed as the others are, so that every process can open it.

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/record-act.ts'
import { platformMerchant } from '../ledger/account.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { newKey, type PublicKey, privateKeyOf, published } from './signing-key.ts'
import { insertKey, listKeys } from './store.ts'

/** The key that signs from now on. Of two rotations at the same moment one is made. */
export const rotateReceiptKey = (db: Db, keyring: Keyring): Promise<PublicKey> =>
  inTransaction(db, async (tx) => {
    const [old] = await listKeys(tx)
    // Under another SECRET_KEY than the service's own, no process could sign any more.
    if (old !== undefined) privateKeyOf(keyring, old)
    const isOurs = await insertKey(tx, newKey(keyring, (old?.number ?? 0) + 1))
    const [current] = await listKeys(tx)
    assert(current !== undefined, 'a key was just written, by us or by another process')
    const key = published(current)
    if (!isOurs) return key
    await recordAct(tx, {
      merchant_id: platformMerchant.LIVE,
      environment: null,
      actor: systemActor,
      action: 'receipt_key.rotated',
      target_kind: 'receipt_key',
      target_id: key.kid,
      before: old === undefined ? null : { kid: published(old).kid },
      after: { kid: key.kid },
    })
    return key
  })
