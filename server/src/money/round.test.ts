// Without these, a half franc could be lost, and lost again at each step.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideHalfUp, roundDownToStep, roundToUnit, roundUpToStep } from './round.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 20n })
const positive = fc.bigInt({ min: 1n, max: 10n ** 12n })

describe('rounding', () => {
  it('sends a half up and less than a half down', () => {
    expect(divideHalfUp(5n, 2n)).toBe(3n)
    expect(divideHalfUp(7n, 3n)).toBe(2n)
    expect(divideHalfUp(0n, 3n)).toBe(0n)
    expect(roundToUnit(15_050n, 1n, 100n)).toBe(15_100n)
    expect(roundToUnit(15_049n, 1n, 100n)).toBe(15_000n)
  })

  it('is never further than half a unit from the exact value, and a half is above it', () => {
    fc.assert(
      fc.property(amount, positive, fc.constantFrom(1n, 100n, 500n), (top, bottom, unit) => {
        const rounded = roundToUnit(top, bottom, unit)
        const off = 2n * (rounded * bottom - top)
        expect(rounded % unit).toBe(0n)
        expect(off > -unit * bottom && off <= unit * bottom).toBe(true)
      }),
    )
  })

  it('steps to the nearest multiple on the side asked for', () => {
    fc.assert(
      fc.property(amount, positive, (sum, step) => {
        const down = roundDownToStep(sum, step)
        const up = roundUpToStep(sum, step)
        expect([down % step, up % step]).toEqual([0n, 0n])
        expect(down <= sum && sum <= up && up - down <= step).toBe(true)
        expect(up === down).toBe(sum % step === 0n)
      }),
    )
  })

  it('stops at what has no rounding, and says what it was', () => {
    expect(() => divideHalfUp(-1n, 2n)).toThrow('bug: cannot round -1/2')
    expect(() => divideHalfUp(1n, 0n)).toThrow('bug: cannot round 1/0')
    expect(() => roundToUnit(1n, 1n, 0n)).toThrow('bug: unit 0')
    expect(() => roundToUnit(1n, -1n, -100n)).toThrow('bug: unit -100')
    expect(() => roundDownToStep(1n, 0n)).toThrow('bug: cannot step 1 by 0')
    expect(() => roundDownToStep(-1n, 1n)).toThrow('bug: cannot step -1 by 1')
    expect(() => roundUpToStep(1n, -1n)).toThrow('bug: cannot step')
  })
})
