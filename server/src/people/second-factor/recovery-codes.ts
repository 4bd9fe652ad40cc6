// Recovery codes: what opens the second factor when the telephone is lost. Ten at a time, each of
// 50 random bits, kept only as MACs bound to their person: a copy of the database alone cannot
// even be searched for them.

import { randomInt } from 'node:crypto'
import type { Keyring } from '../../platform/crypto/seal.ts'

const codes_count = 10
const half_length = 5
// Crockford's 32: no I, L, O, U. What was written down for 1 and 0 is read as such.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const half = () =>
  Array.from({ length: half_length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** `7K2M4-XQ0R9`, ten of them, all different. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < codes_count) codes.add(`${half()}-${half()}`)
  return [...codes]
}

/** As it was made, whatever the case, the spaces and the dash; undefined: no such code can be. */
export function readRecoveryCode(text: string): string | undefined {
  const plain = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{10}$/.test(plain) ? plain : undefined
}

const purpose = 'recovery-code'
const bound = (person_id: string, code: string) => `${person_id} ${readRecoveryCode(code)}`

export const macOfRecoveryCode = (keyring: Keyring, person_id: string, code: string): Buffer =>
  keyring.mac(purpose, bound(person_id, code))

/** Which of the kept MACs is this code's, under whichever key it was made. */
export function findMac(
  keyring: Keyring,
  { person_id, code, macs }: { person_id: string; code: string; macs: readonly Buffer[] },
): Buffer | undefined {
  if (readRecoveryCode(code) === undefined) return undefined
  return macs.find((mac) => keyring.macMatches(purpose, bound(person_id, code), mac))
}
