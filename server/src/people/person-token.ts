// Tokens that are sent by mail, or printed by a demo's start: single use, with an end, kept only as
// a hash. Law: one that is unknown, used, over or for another address is answered like any other.

import { hashToken, randomToken } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { type Invalid, invalid } from '../platform/errors.ts'
import { insertToken, type TokenPurpose } from './store.ts'

const validS: Readonly<Record<TokenPurpose, number>> = {
  VERIFY_EMAIL: 3 * 24 * 3600,
  RESET_PASSWORD: 3600,
  SIGN_IN: 600,
}

/**
 * The token is in the answer and nowhere else. Earlier ones are void, but for those that reset a
 * password.
 */
export async function newPersonToken(
  sql: Sql,
  of: { person_id: string; email: string; purpose: TokenPurpose },
): Promise<string> {
  const token = randomToken(32)
  await insertToken(sql, { ...of, hash: hashToken(token), valid_s: validS[of.purpose] })
  return token
}

export const opensNothing = (): Invalid =>
  invalid('token', {
    en:
      'This link is not valid, or no longer is. It works once, for a limited time: request a ' +
      'new one.',
    fr:
      'Ce lien n’est pas valable ou ne l’est plus. Il ne sert qu’une fois, pour un ' +
      'temps limité : demandez-en un autre.',
  })
