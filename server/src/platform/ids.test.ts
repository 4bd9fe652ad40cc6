// Ids sort as they were made, also while the clock stands or steps back a little, and made of
// content they are the same everywhere.

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  idFromHash,
  idFromName,
  isUuid,
  newId,
  newReference,
  timeOfId,
  uuidFromBytes,
  uuidToBytes,
} from './ids.ts'

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
const versionOf = (id: string): string | undefined => id[14]
/** The two bits that say RFC 9562, as the digit that holds them. */
const hasVariant = (id: string): boolean => /^[89ab]$/.test(id[19] ?? '')

/** Later than any clock of this test, so that each test starts its own standing clock. */
let later_ms = Date.now() + 3_600_000
const frozenClock = (): number => {
  later_ms += 3_600_000
  return later_ms
}

const made = (count: number, now_ms: number): string[] =>
  Array.from({ length: count }, () => newId(now_ms))

describe('newId', () => {
  it('is a UUIDv7 of its millisecond', () => {
    const now_ms = frozenClock()
    const id = newId(now_ms)
    expect(isUuid(id)).toBe(true)
    expect(versionOf(id)).toBe('7')
    expect(hasVariant(id)).toBe(true)
    expect(timeOfId(id)).toBe(now_ms)
  })

  it('grows with each id while the clock stands, past what one millisecond can count', () => {
    const now_ms = frozenClock()
    const ids = made(20_000, now_ms)
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => versionOf(id) === '7' && hasVariant(id))).toBe(true)
    // 4 096 to a millisecond: the time runs ahead by a few, and no further.
    expect(timeOfId(ids.at(-1) ?? '')).toBeLessThan(now_ms + 10)
  })

  it('does not go back when the clock is corrected by minutes', () => {
    const now_ms = frozenClock()
    const before = newId(now_ms)
    const after = newId(now_ms - 300_000)
    expect(after > before).toBe(true)
    expect(timeOfId(after)).toBe(now_ms)
  })

  it('does not stay ahead when the clock was far off: it follows, and goes on from there', () => {
    const now_ms = frozenClock()
    newId(now_ms + 150 * 86_400_000)
    const ids = made(5_000, now_ms)
    expect(timeOfId(ids[0] ?? '')).toBe(now_ms)
    expect(ids).toEqual([...ids].sort())
    expect(timeOfId(ids.at(-1) ?? '')).toBeLessThan(now_ms + 10)
  })

  it('sorts by time once the clock moves on', () => {
    const now_ms = frozenClock()
    const early = made(50, now_ms)
    const late = made(50, now_ms + 1_000)
    expect([...late, ...early].sort()).toEqual([...early, ...late])
  })

  it('differs from one process to another at the same moment: 62 bits are random', () => {
    const tails = made(1_000, frozenClock()).map((id) => id.slice(19))
    expect(new Set(tails).size).toBe(tails.length)
  })
})

describe('ids made of content', () => {
  it('idFromHash: equal inputs make one id, another hash or moment makes another', () => {
    const id = idFromHash(1_763_712_000_000, sha256('body'))
    expect(id).toBe(idFromHash(1_763_712_000_000, sha256('body')))
    expect(id).not.toBe(idFromHash(1_763_712_000_000, sha256('another')))
    expect(id).not.toBe(idFromHash(1_763_712_000_001, sha256('body')))
    expect(versionOf(id)).toBe('7')
    expect(hasVariant(id)).toBe(true)
  })

  it('idFromHash keeps the moment, so it lies in the partition of that month', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.string(), (time_ms, text) => {
        const id = idFromHash(time_ms, sha256(text))
        expect(isUuid(id)).toBe(true)
        expect(timeOfId(id)).toBe(time_ms)
      }),
    )
  })

  it('idFromName is the content and nothing else: the same today as ever', () => {
    const id = idFromName(sha256('a'))
    expect(id).toBe('ca978112-ca1b-8dca-bac2-31b39a23dc4d')
    expect(idFromName(sha256('b'))).not.toBe(id)
  })

  it('idFromName leaves the hash it was given as it was', () => {
    const hash = sha256('a')
    idFromName(hash)
    expect(hash).toEqual(sha256('a'))
  })
})

describe('the text of an id', () => {
  it('becomes bytes and text again', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(isUuid(id)).toBe(true)
        expect(uuidToBytes(id)).toHaveLength(16)
        expect(uuidFromBytes(uuidToBytes(id))).toBe(id)
      }),
    )
  })

  it.each([
    '',
    'abc',
    `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(13)}`,
    `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(11)}g`,
    '0'.repeat(32),
    ` ${newId()}`,
    `${newId()}\n`,
  ])('isUuid refuses %j', (text) => {
    expect(isUuid(text)).toBe(false)
  })
})

describe('newReference', () => {
  it('is prefix, UTC day and ten characters that nobody mishears', () => {
    const seen = new Set<string>()
    for (let i = 0; i < 2_000; i += 1) {
      const reference = newReference('TXN', new Date('2026-11-21T23:59:59.999Z'))
      const [, tail = ''] =
        /^TXN-20261121-([23456789ABCDEFGHJKMNPQRSTVWXYZ]{10})$/.exec(reference) ?? []
      expect(tail).toHaveLength(10)
      seen.add(tail)
    }
    expect(seen.size).toBe(2_000)
    // Every character of the alphabet is used, so the tail has the 49 bits it promises.
    expect(new Set([...seen].join('')).size).toBe(30)
  })

  it('takes the day of the moment in UTC, wherever the process runs', () => {
    expect(newReference('SET', new Date('2026-12-31T23:30:00-02:00'))).toMatch(/^SET-20270101-/)
  })
})
