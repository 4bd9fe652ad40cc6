// The secret API key: how it looks and what of it is kept (decisions 3.1). Only a hash is stored.

import { createHash, randomBytes } from 'node:crypto'
import type { Environment } from '../platform/http/route.ts'

const keyPattern = /^sk_(test|live)_[A-Za-z0-9_-]{43}$/

export type NewKey = Readonly<{ secret: string; hash: Buffer; key_prefix: string; last4: string }>

/** `sk_test_` or `sk_live_` and 43 url-safe characters (32 random bytes). */
export function newKey(environment: Environment): NewKey {
  const mode = environment === 'LIVE' ? 'live' : 'test'
  const secret = `sk_${mode}_${randomBytes(32).toString('base64url')}`
  return {
    secret,
    hash: hashKey(secret),
    key_prefix: secret.slice(0, 12),
    last4: secret.slice(-4),
  }
}

export function looksLikeKey(text: string): boolean {
  return keyPattern.test(text)
}

/** SHA-256: a key has 256 random bits, so a slow hash would add nothing but time. */
export function hashKey(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
