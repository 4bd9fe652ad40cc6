// The token of an invitation: the merchant's id and 32 random bytes, kept only as a hash. The id
// finds the row by its key; it is no secret, and the hash covers it too.

import { randomBytes } from 'node:crypto'
import { hashToken } from '../../../platform/crypto/seal.ts'
import { uuidFromBytes, uuidToBytes } from '../../../platform/ids.ts'

const random_bytes = 32
const pattern = /^[A-Za-z0-9_-]{64}$/

export type TokenKey = Readonly<{ merchant_id: string; hash: Buffer }>

/** The token itself goes into the e-mail and nowhere else. */
export function newInvitationToken(merchant_id: string): { token: string; hash: Buffer } {
  const bytes = Buffer.concat([uuidToBytes(merchant_id), randomBytes(random_bytes)])
  const token = bytes.toString('base64url')
  return { token, hash: hashToken(token) }
}

/** Undefined for a text that is no token. */
export function readInvitationToken(token: string): TokenKey | undefined {
  if (!pattern.test(token)) return undefined
  const merchant_id = uuidFromBytes(Buffer.from(token, 'base64url'))
  return { merchant_id, hash: hashToken(token) }
}
