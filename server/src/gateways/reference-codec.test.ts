// What a key becomes on the wire leads back to that key alone.

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../test/setup/proof-size.ts'
import { newId } from '../platform/ids.ts'
import { shortReference, uuidOfReference } from './reference-codec.ts'

describe('a key in 26 characters', () => {
  it('comes back as it was, whatever its version', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const text = shortReference(uuid)
        return (
          text.length === 26 &&
          uuidOfReference(text) === uuid &&
          uuidOfReference(text.toLowerCase()) === uuid
        )
      }),
      { numRuns: 20_000 },
    )
  })

  it('is written as anybody else would write it', () => {
    const written = {
      '00000000-0000-0000-0000-000000000000': '0'.repeat(26),
      '00000000-0000-0000-0000-000000000020': `${'0'.repeat(24)}10`,
      'ffffffff-ffff-ffff-ffff-ffffffffffff': `7${'Z'.repeat(25)}`,
    }
    expect(Object.keys(written).map(shortReference)).toEqual(Object.values(written))
  })

  it('sorts as the keys do, and no two are one', () => {
    const ids = Array.from({ length: 50_000 }, () => newId())
    const texts = ids.map(shortReference)
    expect(new Set(texts).size).toBe(ids.length)
    expect([...texts].sort()).toEqual(texts)
  })

  it('is another for each attempt, of however many', () => {
    const many = sized(100_000, 10_000_000)
    // Sixty-two random bits of each: ten million texts would not fit.
    const kept = new BigUint64Array(many)
    for (let at = 0; at < many; at += 1) {
      const uuid = uuidOfReference(shortReference(randomUUID())) ?? ''
      kept[at] = BigInt(`0x${uuid.slice(-17).replace('-', '')}`)
    }
    kept.sort()
    expect(kept.findIndex((one, at) => at > 0 && one === kept[at - 1])).toBe(-1)
  }, 600_000)

  it('is none where we did not make it', () => {
    const foreign = ['', '0'.repeat(25), '0'.repeat(27), `8${'0'.repeat(25)}`, `${'0'.repeat(25)}U`]
    const odd = [`${'0'.repeat(25)}é`, 'ı'.repeat(26), ` ${'0'.repeat(25)}`, `${'0'.repeat(25)}\n`]
    expect([...foreign, ...odd].map(uuidOfReference)).toEqual(
      [...foreign, ...odd].map(() => undefined),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const uuid = uuidOfReference(text)
        return uuid === undefined || shortReference(uuid) === text.toUpperCase()
      }),
    )
  })
})
