// Our key, where an operator takes fewer characters than a UUID has: 26 of Crockford's base 32, and
// back, without a table. Law: two keys never share one reference, and one that we did not make is
// read as none.

import { uuidFromBytes, uuidToBytes } from '../platform/ids.ts'

// No I, L, O or U, so that none is mistaken for a digit (crockford.com/base32.html).
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const characters = 26
const bitsOfOne = 5n
/** 26 characters hold two bits more than a UUID has: the first is one of these. */
const form = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** A UUID, of any version, as 26 characters. */
export function shortReference(uuid: string): string {
  let rest = BigInt(`0x${uuidToBytes(uuid).toString('hex')}`)
  let text = ''
  for (let at = 0; at < characters; at += 1) {
    text = alphabet.charAt(Number(rest & 31n)) + text
    rest >>= bitsOfOne
  }
  return text
}

/** The UUID; undefined for what `shortReference` never makes. Small letters are the same. */
export function uuidOfReference(text: string): string | undefined {
  const upper = text.toUpperCase()
  if (text.length !== characters || !form.test(upper)) return undefined
  let value = 0n
  for (const one of upper) value = (value << bitsOfOne) | BigInt(alphabet.indexOf(one))
  return uuidFromBytes(Buffer.from(value.toString(16).padStart(32, '0'), 'hex'))
}
