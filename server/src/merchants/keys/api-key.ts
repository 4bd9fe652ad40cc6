// The secret API key: its form, and what of it is kept (contract 3.1). Only a hash is stored.

import { createHash, randomBytes } from 'node:crypto'
import { defineErrors } from '../../platform/errors.ts'
import { dateOf } from '../../platform/http/formats.ts'
import type { Environment, Scope } from '../../platform/http/route.ts'

declare module '../../platform/http/route.ts' {
  interface KeyScopes {
    PAYIN: true
    PAYOUT: true
  }
}

/** What a key may be for. */
export const scopes = ['PAYIN', 'PAYOUT', 'BOTH'] as const satisfies readonly Scope[]

export const keyStatuses = ['ACTIVE', 'REVOKED', 'EXPIRED'] as const
export type KeyStatus = (typeof keyStatuses)[number]

/** What is known of a key; its secret is not, so it is no field. */
export type ApiKey = Readonly<{
  merchant_id: string
  id: string
  name: string
  environment: Environment
  scope: Scope
  key_prefix: string
  last4: string
  status: KeyStatus
  /** Addresses and networks that it may call from, as `readNetwork` writes them; none: any. */
  ip_whitelist: readonly string[]
  /** It may GET and nothing else. */
  read_only: boolean
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  /** Empty until it was used. */
  last_used_ip: string
  /** The key that took over from this one. */
  rotated_to: string | null
  created_by_member: string | null
  created_at: Date
  /** Made, changed by a member, or revoked: the latest of these. */
  updated_at: Date
}>

/**
 * Active keys of a merchant in one environment. One that was rotated away does not count: a leaked
 * key must be replaceable at any time. Of those there may be as many again.
 */
export const keys_max = 50

export const name_length_max = 100
export const addresses_max = 20
export const overlap_s_default = 86_400
export const overlap_s_max = 604_800

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

/** Not a number where it is no moment. Milliseconds since 1970. */
export const momentOf = (text: string): number => dateOf(text).getTime()

// What managing API keys can refuse, beside what every route can.

export const keyErrors = defineErrors({
  key_not_active: {
    status: 409,
    message: {
      en:
        'This key has been revoked, has expired or has already been rotated. Rotate its ' +
        'successor.',
      fr: 'Cette clé est révoquée, expirée ou déjà remplacée. Remplacez celle qui lui succède.',
    },
  },
  key_limit_reached: {
    status: 409,
    message: {
      en: `An account can have at most ${keys_max} active keys per environment. Revoke one.`,
      fr: `Un compte a au plus ${keys_max} clés actives par environnement. Révoquez-en une.`,
    },
  },
})
