// The token of a session: opaque, 32 random bytes, kept only as a hash. It ends after 12 hours of
// idleness, 7 days at most, and with a change of the password (decisions 3.3).

import { hashToken, randomToken } from '../platform/crypto/seal.ts'

export const session_idle_h = 12
export const session_most_days = 7
/** For how long a code of the second factor counts. Minutes. */
export const second_factor_min = 10

const pattern = /^sess_[A-Za-z0-9_-]{43}$/

export function newSessionToken(): { token: string; hash: Buffer } {
  const token = `sess_${randomToken(32)}`
  return { token, hash: hashToken(token) }
}

export const looksLikeSession = (text: string): boolean => pattern.test(text)
