// Without these, one amount could have two prices, or a bound could belong to nobody.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tier } from './tier.ts'
import { findTier, highestBound, lowestBound, overlaps } from './tier.ts'

const tier = (min_amount: bigint, max_amount: bigint): Tier => ({
  min_amount,
  max_amount,
  percent_ppm: 32_500n,
  fixed: 0n,
  floor_amount: null,
  cap_amount: null,
  fee_charge_mode: 'ADD_ON',
})

const low = tier(20_000n, 99_900n)
const high = tier(100_000n, 500_000n)

describe('tiers', () => {
  it('hold their own bounds', () => {
    expect(findTier([low, high], 20_000n)).toBe(low)
    expect(findTier([low, high], 99_900n)).toBe(low)
    expect(findTier([low, high], 100_000n)).toBe(high)
    expect(findTier([low, high], 500_000n)).toBe(high)
  })

  it('hold nothing outside them, nor in a gap', () => {
    for (const amount of [19_999n, 99_950n, 500_001n]) {
      expect(findTier([low, high], amount)).toBeUndefined()
    }
  })

  it('tell the bounds to name in the refusal, in any order', () => {
    for (const tiers of [
      [high, low],
      [low, high],
    ]) {
      expect([lowestBound(tiers), highestBound(tiers)]).toEqual([20_000n, 500_000n])
    }
    expect([lowestBound([]), highestBound([])]).toEqual([undefined, undefined])
  })

  it('overlap when they share a single hundredth', () => {
    expect(overlaps([low, high])).toBe(false)
    expect(overlaps([low, tier(99_900n, 200_000n)])).toBe(true)
    expect(overlaps([high, low, tier(1n, 1_000_000n)])).toBe(true)
    expect(overlaps([low, low])).toBe(true)
    expect(overlaps([high, tier(500_000n, 600_000n)])).toBe(true)
    expect(overlaps([tier(500_000n, 600_000n), high])).toBe(true)
    expect(overlaps([])).toBe(false)
  })

  it('never overlap exactly when no amount has two tiers', () => {
    const bound = fc.tuple(fc.bigInt(0n, 12n), fc.bigInt(0n, 12n))
    const some = fc.array(bound, { maxLength: 4 })
    fc.assert(
      fc.property(some, (bounds) => {
        const tiers = bounds.map(([a, b]) => (a < b ? tier(a, b) : tier(b, a)))
        const amounts = Array.from({ length: 13 }, (_, at) => BigInt(at))
        const holders = amounts.map(
          (amount) => tiers.filter((one) => findTier([one], amount) !== undefined).length,
        )
        expect(overlaps(tiers)).toBe(holders.some((count) => count > 1))
      }),
    )
  })
})
