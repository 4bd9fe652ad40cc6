// Tokens that are sent by mail: single use, with an end, kept only as a hash.

import { hashToken, randomToken } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { insertToken, type TokenPurpose } from './store.ts'

const validS: Readonly<Record<TokenPurpose, number>> = {
  VERIFY_EMAIL: 3 * 24 * 3600,
  RESET_PASSWORD: 3600,
}

/** The token itself is in the answer and nowhere else. Earlier ones of its kind are void. */
export async function newPersonToken(
  sql: Sql,
  of: { person_id: string; email: string; purpose: TokenPurpose },
): Promise<string> {
  const token = randomToken(32)
  await insertToken(sql, { ...of, hash: hashToken(token), valid_s: validS[of.purpose] })
  return token
}
