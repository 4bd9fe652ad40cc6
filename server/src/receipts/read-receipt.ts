// A receipt as whoever holds its token may read it. The token is the only credential, so an unknown
// one is 404 and a revoked one 410, on the page as in the JSON.

import { type Face, faceIn } from '../merchants/face/face.ts'
import { readFace, viewFace } from '../merchants/face/read-face.ts'
import { hashToken } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { findTransaction } from '../transactions/transaction-record.ts'
import { receiptErrors } from './errors.ts'
import { makeReceipt, type Receipt } from './receipt.ts'
import { looksLikeToken } from './receipt-of.ts'
import { findByToken, findOutcome } from './store.ts'

/** The receipt, and the merchant as he shows himself. */
export type Opened = Readonly<{ receipt: Receipt; face: Face }>

export async function readReceipt(sql: Sql, token: string): Promise<Opened> {
  const kept = looksLikeToken(token) ? await findByToken(sql, hashToken(token)) : undefined
  if (kept === undefined) throw refuse(transportErrors.not_found)
  if (kept.revoked_at !== null) throw refuse(receiptErrors.receipt_revoked)
  const [transaction, kept_face, outcome] = await Promise.all([
    findTransaction(sql, kept),
    readFace(sql, kept.merchant_id),
    findOutcome(sql, kept),
  ])
  assert(transaction !== undefined && outcome !== undefined, 'a success does not go away')
  const face = faceIn(kept_face, transaction.environment)
  const receipt = makeReceipt(transaction, viewFace(face, '').name, outcome)
  return { receipt, face }
}
