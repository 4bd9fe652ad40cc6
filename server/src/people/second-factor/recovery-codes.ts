// Recovery codes: what opens the second factor when the telephone is lost. Ten at a time, each of
// 125 random bits, kept only as MACs bound to their person: not even a copy of the database and the
// key together can be searched for them (OWASP ASVS 5.0, 6.5.2: below 112 bits a slow hash is due).

import { randomInt } from 'node:crypto'
import type { Keyring } from '../../platform/crypto/seal.ts'

const codes_count = 10
const groups_count = 5
const group_length = 5
// Crockford's 32: no I, L, O, U. What was written down for 1 and 0 is read as such.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const newGroup = () =>
  Array.from({ length: group_length }, () => alphabet[randomInt(alphabet.length)]).join('')

const newCode = () => Array.from({ length: groups_count }, newGroup).join('-')

/** `7K2M4-XQ0R9-B3WZ8-1H5TN-9CDEF`, ten of them, all different. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < codes_count) codes.add(newCode())
  return [...codes]
}

/**
 * The canonical form, whatever the case, spaces and dashes; undefined: no such code can be. Those
 * of ten characters were made before and are valid until they are renewed.
 */
export function readRecoveryCode(text: string): string | undefined {
  const plain = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  return /^(?:[0-9A-HJKMNP-TV-Z]{10}|[0-9A-HJKMNP-TV-Z]{25})$/.test(plain) ? plain : undefined
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
