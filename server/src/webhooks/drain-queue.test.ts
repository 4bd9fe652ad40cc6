// A queue is as wide as its endpoint is quick, and as narrow as can be while it fails.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { firstWidth, nextWidth, width_max } from './drain-queue.ts'

const outcome = fc.record({
  acknowledged: fc.boolean(),
  took_ms: fc.integer({ min: 0, max: 15_000 }),
})

it('is one after any failure and never outside 1 to 16', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(outcome), (is_failing, outcomes) => {
      let width = firstWidth(is_failing)
      for (const one of outcomes) {
        width = nextWidth(width, one)
        expect(width).toBeGreaterThanOrEqual(1)
        expect(width).toBeLessThanOrEqual(width_max)
        if (!one.acknowledged) expect(width).toBe(1)
      }
    }),
  )
})

it('widens with quick answers, stays with middling ones, narrows with slow ones', () => {
  const after = (width: number, took_ms: number) =>
    nextWidth(width, { acknowledged: true, took_ms })
  expect(after(1, 50)).toBe(2)
  expect(after(8, 50)).toBe(16)
  expect(after(4, 2_000)).toBe(4)
  expect(after(4, 5_000)).toBe(2)
  expect(after(1, 5_000)).toBe(1)
  // One second is no longer quick, and three are not slow yet.
  expect([after(4, 999), after(4, 1_000), after(4, 3_000), after(4, 3_001)]).toEqual([8, 4, 4, 2])
  expect(after(5, 5_000)).toBe(2)
})
