// A receipt as anybody with its token may read it. The token is the only credential, so an unknown
// one is 404 and a revoked one 410, on the page as in the JSON.

import { type MerchantProfile, profileIn } from '../merchants/profile/profile.ts'
import { readProfile, viewProfile } from '../merchants/profile/read-profile.ts'
import { hashToken } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { findTransaction } from '../transactions/transaction-record.ts'
import { receiptErrors } from './errors.ts'
import { makeReceipt, type Receipt } from './receipt.ts'
import { looksLikeToken } from './receipt-of.ts'
import { findByToken, findOutcome } from './store.ts'

/** The receipt, and the merchant's public profile. */
export type PublicReceipt = Readonly<{ receipt: Receipt; profile: MerchantProfile }>

export async function readReceipt(sql: Sql, token: string): Promise<PublicReceipt> {
  const stored = looksLikeToken(token) ? await findByToken(sql, hashToken(token)) : undefined
  if (stored === undefined) throw refuse(transportErrors.not_found)
  if (stored.revoked_at !== null) throw refuse(receiptErrors.receipt_revoked)
  const [transaction, stored_profile, outcome] = await Promise.all([
    findTransaction(sql, stored),
    readProfile(sql, stored.merchant_id),
    findOutcome(sql, stored),
  ])
  assert(transaction !== undefined && outcome !== undefined, 'a success does not go away')
  const profile = profileIn(stored_profile, transaction.environment)
  const receipt = makeReceipt(transaction, viewProfile(profile, '').name, outcome)
  return { receipt, profile }
}
