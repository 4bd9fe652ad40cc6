// The waits between tries, their jitter and their end.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextTry } from './delivery.ts'

const waits_s = [30, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400]

describe('nextTry', () => {
  it('waits as contract 6.6 says, in the middle of the jitter', () => {
    const waits = waits_s.map((_, index) => nextTry(index + 1, () => 0.5))
    expect(waits).toEqual(waits_s.map((wait) => ({ after_ms: wait * 1_000 })))
  })

  it('is exhausted after the ninth try, and stays so', () => {
    expect(nextTry(9, Math.random)).toBe('exhausted')
    expect(nextTry(10, Math.random)).toBe('exhausted')
  })

  it('never strays more than a tenth from the wait, and does stray', () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), chance, (attempt, random) => {
        const next = nextTry(attempt, () => random)
        const wait = (waits_s[attempt - 1] ?? 0) * 1_000
        expect(next).not.toBe('exhausted')
        if (next === 'exhausted') return
        expect(Number.isInteger(next.after_ms)).toBe(true)
        expect(Math.abs(next.after_ms - wait)).toBeLessThanOrEqual(wait / 10)
      }),
    )
    expect(nextTry(1, () => 0)).toEqual({ after_ms: 27_000 })
  })
})
