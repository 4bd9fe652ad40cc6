// The token of a session: opaque, 32 random bytes, kept only as a hash. It ends after 12 hours of
// idleness, 7 days at most, and with a change of the password (contract 3.3); the staff's, which
// reaches every merchant, after 30 minutes of idleness and 12 hours.

import { hashToken, randomToken } from '../../platform/crypto/seal.ts'

/** Minutes of idleness, and hours in all, after which a session is over. */
export const session_ends = {
  MEMBER: { idle_min: 12 * 60, most_h: 7 * 24 },
  STAFF: { idle_min: 30, most_h: 12 },
} as const
/** For how long a code of the second factor counts. Minutes. */
export const second_factor_min = 10

const pattern = /^sess_[A-Za-z0-9_-]{43}$/

export function newSessionToken(): { token: string; hash: Buffer } {
  const token = `sess_${randomToken(32)}`
  return { token, hash: hashToken(token) }
}

export const looksLikeSession = (text: string): boolean => pattern.test(text)
