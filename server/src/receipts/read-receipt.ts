// A receipt as anybody with its token may read it. The token is the only credential, so an unknown
// one is 404 and a revoked one 410, on the page as in the JSON.

import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { type MerchantProfile, profileIn } from '../merchants/settings/profile.ts'
import { readProfile, viewProfile } from '../merchants/settings/read-settings.ts'
import { hashToken, type Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { countOrRefuse, networkOf } from '../platform/throttle/throttle.ts'
import { findTransaction } from '../transactions/store.ts'
import { makeReceipt, type Receipt, receiptErrors } from './receipt.ts'
import { looksLikeToken } from './receipt-of.ts'
import { findByToken, findOutcome } from './store.ts'

/** The receipt, the merchant's public profile, and the country whose clocks it is shown by. */
export type PublicReceipt = Readonly<{
  receipt: Receipt
  profile: MerchantProfile
  country_code: string
}>

type ReceiptReading = Readonly<{ db: Sql; catalogue: CatalogueOf }>

export async function readReceipt(
  { db: sql, catalogue: catalogueOf }: ReceiptReading,
  token: string,
): Promise<PublicReceipt> {
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
  const { name: merchant } = viewProfile(profile, '')
  const catalogue = await catalogueOf(profile.catalogue_version)
  const receipt = makeReceipt(transaction, { merchant, catalogue }, outcome)
  return { receipt, profile, country_code: transaction.country_code }
}

export type Issuer = Readonly<{ profile: MerchantProfile; environment: Environment }>

/** Whose a receipt was, also one that has been withdrawn: its reader is to ask them why. */
export async function findIssuer(sql: Sql, token: string): Promise<Issuer | undefined> {
  const stored = looksLikeToken(token) ? await findByToken(sql, hashToken(token)) : undefined
  if (stored === undefined) return undefined
  const [transaction, profile] = await Promise.all([
    findTransaction(sql, stored),
    readProfile(sql, stored.merchant_id),
  ])
  assert(transaction !== undefined, 'a success does not go away')
  const { environment } = transaction
  return { profile: profileIn(profile, environment), environment }
}

// Reading a receipt needs no credential, so the reader's address is counted, wrong tokens included
// (contract 3.6: public pages).

export type ReaderDeps = Readonly<{
  db: Sql
  keyring: Pick<Keyring, 'mac'>
  limits: Readonly<{ public_per_ip_minute: number }>
}>

export const countReader = (
  { db, keyring, limits }: ReaderDeps,
  { ip }: Readonly<{ ip: string }>,
): Promise<void> =>
  countOrRefuse(
    { db, macs: keyring },
    { act: 'receipt-ip', target: networkOf(ip), most: limits.public_per_ip_minute, within_s: 60 },
  )
