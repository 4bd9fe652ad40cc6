// Codes against the vectors of RFC 6238 (appendix B, the last six of their eight digits), and how
// far a telephone's clock may be off.

import { generateSync } from 'otplib'
import { describe, expect, it } from 'vitest'
import { newTotpSecret, otpauthUrl, qrSvg, stepOfCode } from './totp.ts'

/** `12345678901234567890` in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('the codes of RFC 6238', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %d it is %s', (now_s, code) => {
    expect(stepOfCode(secret, code, { now_s })).toBe(Math.floor(now_s / 30))
  })

  it('are not those of another secret', () => {
    expect(stepOfCode(newTotpSecret(), '287082', { now_s: 59 })).toBeUndefined()
  })
})

describe('a clock that is off', () => {
  const made_at = 1_200_000_000 // the first second of its step
  const code = generateSync({ secret, epoch: made_at })
  const at = (now_s: number) => stepOfCode(secret, code, { now_s })

  it('is forgiven one step either way, and its code keeps its own step', () => {
    for (const now_s of [made_at - 30, made_at - 1, made_at, made_at + 29, made_at + 59]) {
      expect(at(now_s)).toBe(made_at / 30)
    }
  })

  it('is not forgiven a second more', () => {
    expect(at(made_at - 31)).toBeUndefined()
    expect(at(made_at + 60)).toBeUndefined()
  })
})

describe('what is no code', () => {
  it.each(['', '28708', '2870820', ' 287082', '28708a', '２８７０８２'])('%j', (text) => {
    expect(stepOfCode(secret, text, { now_s: 59 })).toBeUndefined()
  })
})

describe('a new secret', () => {
  it('has 20 random bytes', () => {
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
    expect(newTotpSecret()).not.toBe(newTotpSecret())
  })

  it('is shown as apps read it, and drawn without loading anything', async () => {
    const url = new URL(otpauthUrl(secret, 'awa+1@shop.example'))
    expect(url.protocol + url.host).toBe('otpauth:totp')
    expect(decodeURIComponent(url.pathname)).toBe('/Pirogue:awa+1@shop.example')
    expect(Object.fromEntries(url.searchParams)).toEqual({ secret, issuer: 'Pirogue' })
    const svg = await qrSvg(url.href)
    expect(svg).toMatch(/^<svg [^>]*viewBox/)
    expect(svg).not.toMatch(/script|href|onload/i)
  })
})
