// Sealing, MACs and tokens: what opens, what must not, and what a malformed SECRET_KEY says.

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashToken, openKeyring, randomToken, readSecretKey } from './seal.ts'

const newKey = () => randomBytes(32).toString('base64')
/** The bytes 0 to 31. */
const knownKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

describe('seal', () => {
  it('opens what it sealed, for any text and any row', () => {
    const keyring = openKeyring(newKey())
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, row) => {
        expect(keyring.unseal(keyring.seal(text, row), row)).toBe(text)
      }),
    )
  })

  it('never gives the same bytes twice, nor the text in them', () => {
    const keyring = openKeyring(newKey())
    const sealed = keyring.seal('whsec_abc', 'row')
    expect(sealed.equals(keyring.seal('whsec_abc', 'row'))).toBe(false)
    expect(sealed.includes('whsec_abc')).toBe(false)
  })

  it('opens what was sealed by the first version, made here outside this code', () => {
    const sealed = Buffer.from(
      '0168efa7c3a5d44fdf6465666768696a6b6c6d6e6f377f36e9428eeaa1ac03078ce72fe2d810e6667e0753f9' +
        '9cadc37b',
      'hex',
    )
    expect(openKeyring(knownKey).unseal(sealed, 'webhooks/1/secret')).toBe('whsec_été')
  })

  it('does not open in another row, and says why as far as it knows', () => {
    const keyring = openKeyring(newKey())
    const sealed = keyring.seal('secret', 'webhooks/1/secret')
    const open = () => keyring.unseal(sealed, 'webhooks/2/secret')
    expect(open).toThrow('another row')
    expect(open).toThrow(expect.objectContaining({ cause: expect.any(Error) }))
  })

  it('takes nothing for a sealed text that is too short for one, or of another format', () => {
    const keyring = openKeyring(newKey())
    const empty = keyring.seal('', 'row')
    expect(empty).toHaveLength(37)
    for (const length of [0, 1, 20, 36]) {
      const cut = empty.subarray(0, length)
      expect(() => keyring.unseal(cut, 'row')).toThrow('not a sealed text')
    }
    const newer = Buffer.concat([Buffer.from([2]), empty.subarray(1)])
    expect(() => keyring.unseal(newer, 'row')).toThrow('not a sealed text')
  })

  it('does not open when any single bit was changed, or when cut anywhere', () => {
    const keyring = openKeyring(newKey())
    const sealed = keyring.seal('secret', 'row')
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => keyring.unseal(changed, 'row')).toThrow()
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => keyring.unseal(sealed.subarray(0, length), 'row')).toThrow()
    }
  })

  it('opens under a rotated list, seals by the first, and says when the key is gone', () => {
    const [old, next] = [newKey(), newKey()]
    const before = openKeyring(old).seal('secret', 'row')
    const rotated = openKeyring(`${next}, ${old}`)
    expect(rotated.unseal(before, 'row')).toBe('secret')
    const after = rotated.seal('secret', 'row')
    expect(openKeyring(next).unseal(after, 'row')).toBe('secret')
    expect(() => openKeyring(old).unseal(after, 'row')).toThrow('SECRET_KEY does not list')
  })
})

describe('mac', () => {
  it('differs by purpose, data and key, and is stable for the same three', () => {
    const text = newKey()
    const keyring = openKeyring(text)
    const tag = keyring.mac('cursor', 'data')
    expect(tag).toHaveLength(32)
    expect(openKeyring(text).mac('cursor', Buffer.from('data')).equals(tag)).toBe(true)
    expect(keyring.mac('callback', 'data').equals(tag)).toBe(false)
    expect(keyring.mac('cursor', 'datb').equals(tag)).toBe(false)
    expect(openKeyring(newKey()).mac('cursor', 'data').equals(tag)).toBe(false)
  })

  it('is what any other HKDF and HMAC of SHA-256 give', () => {
    const tag = '687df22217b8369ffc3b617d3d420b27322e28ef6c728c76d97de693e4e81ed1'
    expect(openKeyring(knownKey).mac('cursor', 'data').toString('hex')).toBe(tag)
  })

  it('matches under every listed key and refuses a cut, longer or foreign tag', () => {
    const [old, next] = [newKey(), newKey()]
    const tag = openKeyring(old).mac('cursor', 'data')
    const rotated = openKeyring(`${next},${old}`)
    expect(rotated.macMatches('cursor', 'data', tag)).toBe(true)
    expect(rotated.macMatches('cursor', 'data', rotated.mac('cursor', 'data'))).toBe(true)
    expect(rotated.macMatches('callback', 'data', tag)).toBe(false)
    expect(rotated.macMatches('cursor', 'data', tag.subarray(0, 31))).toBe(false)
    expect(rotated.macMatches('cursor', 'data', Buffer.concat([tag, tag]))).toBe(false)
    expect(rotated.macMatches('cursor', 'data', Buffer.alloc(0))).toBe(false)
    expect(openKeyring(next).macMatches('cursor', 'data', tag)).toBe(false)
  })
})

describe('SECRET_KEY', () => {
  const short = randomBytes(16).toString('base64')

  it.each([
    ['', 'is empty'],
    ['not base64 at all!', 'is not base64'],
    [`!${newKey()}`, 'is not base64'],
    [`${newKey()}!`, 'is not base64'],
    [short, 'has 16 bytes'],
    [`${newKey()},`, 'entry 2 of 2 is empty'],
    [`${newKey()},${short}`, 'entry 2 of 2 has 16 bytes'],
  ])('says what is wrong with a malformed value (case %#)', (text, fault) => {
    expect(() => openKeyring(text)).toThrow(fault)
    expect(() => openKeyring(text)).toThrow('SECRET_KEY')
  })

  it('never repeats the value in the error, and says what would be right', () => {
    const reading = readSecretKey(short)
    expect(JSON.stringify(reading)).not.toContain(short)
    const line =
      'SECRET_KEY: has 16 bytes; expected 32 bytes in base64 (44 characters), ' +
      'or several of them separated by commas.'
    expect(reading).toEqual({ is: 'mistake', line })
  })

  it('is a list of keys, the first one first', () => {
    const [one, two] = [newKey(), newKey()]
    const keys = [one, two].map((text) => Buffer.from(text, 'base64'))
    expect(readSecretKey(` ${one} ,${two}`)).toEqual({ is: 'keys', keys })
  })

  it('takes url-safe and unpadded base64 as the same key', () => {
    const bytes = Buffer.alloc(32, 0xfb)
    const tag = openKeyring(bytes.toString('base64')).mac('p', 'd')
    expect(openKeyring(bytes.toString('base64url')).macMatches('p', 'd', tag)).toBe(true)
  })
})

describe('tokens', () => {
  it('are url-safe, as long as contract 3.1 says, and never repeat', () => {
    const tokens = Array.from({ length: 100 }, () => randomToken(32))
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(new Set(tokens).size).toBe(100)
  })

  it('are hashed by SHA-256', () => {
    const hex = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(hashToken('abc').toString('hex')).toBe(hex)
  })
})
