// Recovery codes: their form, how they are read back, and whose they are.

import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openKeyring } from '../../platform/crypto/seal.ts'
import { findMac, macOfRecoveryCode, newRecoveryCodes, readRecoveryCode } from './recovery-codes.ts'

const newKey = () => randomBytes(32).toString('base64')
const keyring = openKeyring(newKey())
const person_id = randomUUID()
const codes = newRecoveryCodes()
const macs = codes.map((code) => macOfRecoveryCode(keyring, person_id, code))
const [code = ''] = codes

describe('new recovery codes', () => {
  it('are ten different ones of 125 bits in characters that nobody confuses', () => {
    expect(new Set(codes).size).toBe(10)
    for (const one of codes)
      expect(one).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/)
  })

  it('are other ones each time', () => {
    expect(newRecoveryCodes().filter((one) => codes.includes(one))).toEqual([])
  })
})

describe('reading one back', () => {
  it('minds neither case, nor dash, nor spaces, nor O for 0 and l for 1', () => {
    expect(readRecoveryCode('o1l2M-34567')).toBe('0112M34567')
    for (const text of [
      code.toLowerCase(),
      code.replaceAll('-', ''),
      ` ${code.replaceAll('-', ' ')} `,
    ]) {
      expect(findMac(keyring, { person_id, code: text, macs })).toEqual(macs[0])
    }
  })

  it.each(['', '123456', 'ABCDE-FGHJ', 'ABCDE-FGHJKM', 'ABCDE-FGHJU', '!!!!!-!!!!!'])(
    'finds nothing in %j',
    (text) => {
      expect(readRecoveryCode(text)).toBeUndefined()
      expect(findMac(keyring, { person_id, code: text, macs })).toBeUndefined()
    },
  )
})

it('one of those that were made with ten characters still opens', () => {
  const old = '7K2M4-XQ0R9'
  const kept = macOfRecoveryCode(keyring, person_id, old)
  expect(findMac(keyring, { person_id, code: '7k2m4 xqOr9', macs: [kept] })).toEqual(kept)
})

describe('what is kept of them', () => {
  it('is of one person only, and of one installation’s key', () => {
    const other = { person_id: randomUUID(), code, macs }
    expect(findMac(keyring, other)).toBeUndefined()
    expect(findMac(openKeyring(newKey()), { person_id, code, macs })).toBeUndefined()
  })

  it('stays good when SECRET_KEY is rotated', () => {
    const [old, young] = [newKey(), newKey()]
    const mac = macOfRecoveryCode(openKeyring(old), person_id, code)
    const rotated = openKeyring(`${young},${old}`)
    expect(findMac(rotated, { person_id, code, macs: [mac] })).toEqual(mac)
  })
})
