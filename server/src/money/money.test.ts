// Without these, a sum could mix two currencies and nobody would know.

import { describe, expect, it } from 'vitest'
import type { Money } from './money.ts'
import { add, compare, equal, larger, smaller, subtract } from './money.ts'

const xof = (hundredths: bigint): Money => ({ hundredths, currency: 'XOF' })
const xaf: Money = { hundredths: 100n, currency: 'XAF' }

describe('money', () => {
  it('adds and subtracts exactly, beyond what a float can hold', () => {
    const huge = 9_007_199_254_740_993n
    expect(add(xof(huge), xof(1n))).toEqual(xof(huge + 1n))
    expect(subtract(xof(100n), xof(300n))).toEqual(xof(-200n))
  })

  it('orders amounts', () => {
    expect([xof(3n), xof(1n), xof(2n)].sort(compare)).toEqual([xof(1n), xof(2n), xof(3n)])
    expect(smaller(xof(1n), xof(2n))).toEqual(xof(1n))
    expect(larger(xof(1n), xof(2n))).toEqual(xof(2n))
    const [one, same] = [xof(1n), xof(1n)]
    expect(compare(one, same)).toBe(0)
    expect(equal(one, same)).toBe(true)
    expect(equal(xof(1n), xof(2n))).toBe(false)
  })

  it.each([add, subtract, compare, equal, smaller, larger])(
    'never mixes two currencies ($name)',
    (operation) => {
      expect(() => operation(xof(100n), xaf)).toThrow('XOF meets XAF')
    },
  )
})
