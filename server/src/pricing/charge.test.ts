// Without these, a fee could be rounded twice, or escape its floor or its cap (contract 2.4).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { smallestUnit } from '../money/currency.ts'
import { clientFee, routeCost } from './charge.ts'
import type { Tier } from './tier.ts'

const tier = (change: Partial<Tier>): Tier => ({
  min_amount: 0n,
  max_amount: 10n ** 14n,
  percent_ppm: 0n,
  fixed: 0n,
  floor_amount: null,
  cap_amount: null,
  fee_charge_mode: 'ADD_ON',
  ...change,
})

describe('the client fee', () => {
  it.each([
    ['3.25 % of 10 000 F is 325 F', { percent_ppm: 32_500n }, 1_000_000n, 32_500n],
    [
      '1.5 % + 100 F of 10 000 F is 250 F',
      { percent_ppm: 15_000n, fixed: 10_000n },
      1_000_000n,
      25_000n,
    ],
    [
      '3.8 % of 1 000 F is raised to 450 F',
      { percent_ppm: 38_000n, floor_amount: 45_000n },
      100_000n,
      45_000n,
    ],
    [
      '5 % of 100 000 F stops at 2 000 F',
      { percent_ppm: 50_000n, cap_amount: 200_000n },
      10_000_000n,
      200_000n,
    ],
    [
      '3.8 % of 20 000 F is above its floor of 450 F, and stays',
      { percent_ppm: 38_000n, floor_amount: 45_000n },
      2_000_000n,
      76_000n,
    ],
    [
      '5 % of 10 000 F is below its cap of 2 000 F, and stays',
      { percent_ppm: 50_000n, cap_amount: 200_000n },
      1_000_000n,
      50_000n,
    ],
    [
      'a cap wins over a floor above it',
      { percent_ppm: 10_000n, floor_amount: 60_000n, cap_amount: 50_000n },
      1_000_000n,
      50_000n,
    ],
    ['6.5 F is 7 F', { percent_ppm: 32_500n }, 20_000n, 700n],
    ['percent and fixed are rounded together', { percent_ppm: 10_000n, fixed: 50n }, 5_000n, 100n],
    ['no price is no fee', {}, 1_000_000n, 0n],
  ] as const)('%s', (_, change, requested, fee) => {
    expect(clientFee(tier(change), requested, 'XOF')).toBe(fee)
  })

  it('keeps pesewas where there are pesewas', () => {
    expect(clientFee(tier({ percent_ppm: 32_500n }), 20_010n, 'GHS')).toBe(650n)
  })

  it('is the plain price wherever neither floor nor cap is reached', () => {
    const price = fc.record({
      percent_ppm: fc.bigInt(0n, 1_000_000n),
      fixed: fc.bigInt(0n, 9_999n),
    })
    fc.assert(
      fc.property(price, fc.bigInt(0n, 10n ** 12n), (change, amount) => {
        const plain = clientFee(tier(change), amount, 'GHS')
        const within = { ...change, floor_amount: plain - 1n, cap_amount: plain + 1n }
        fc.pre(plain > 0n)
        expect(clientFee(tier(within), amount, 'GHS')).toBe(plain)
      }),
    )
  })

  it('is whole units, within a unit of floor and cap, and grows with the amount', () => {
    const price = fc.record({
      percent_ppm: fc.bigInt(0n, 1_000_000n),
      fixed: fc.bigInt(0n, 1_000_000n),
      floor_amount: fc.option(fc.bigInt(0n, 1_000_000n)),
      cap_amount: fc.option(fc.bigInt(1_000_000n, 10_000_000n)),
    })
    const amount = fc.bigInt(0n, 10n ** 14n)
    const currency = fc.constantFrom('XOF', 'XAF', 'GHS', 'USD')
    fc.assert(
      fc.property(price, amount, amount, currency, (change, a, b, code) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        const fee = clientFee(tier(change), less, code)
        const unit = smallestUnit(code)
        expect(fee % unit).toBe(0n)
        expect(fee <= clientFee(tier(change), more, code)).toBe(true)
        expect(fee > (change.floor_amount ?? 0n) - unit).toBe(true)
        if (change.cap_amount !== null) expect(fee < change.cap_amount + unit).toBe(true)
      }),
    )
  })
})

describe('the route cost', () => {
  it.each([
    [{ percent_ppm: 15_000n, fixed: 0n, floor: null, cap: null }, 1_000_000n, 15_000n],
    [{ percent_ppm: 15_000n, fixed: 0n, floor: null, cap: null }, 10_000n, 200n], // 1.5 F
    [{ percent_ppm: 10_000n, fixed: 0n, floor: 6_000n, cap: null }, 400_000n, 6_000n],
    [{ percent_ppm: 10_000n, fixed: 500n, floor: null, cap: 3_000n }, 400_000n, 3_000n],
  ])('%o on %s hundredths is %s', (cost, amount, expected) => {
    expect(routeCost(cost, amount, 'XOF')).toBe(expected)
  })

  const none = { percent_ppm: 0n, fixed: 0n, floor: null, cap: null }

  it.each([{ percent_ppm: -1n }, { fixed: -1n }, { percent_ppm: -1n, fixed: -1n }])(
    'stops at a negative price: %o',
    (change) => {
      const cost = () => routeCost({ ...none, ...change }, 100n, 'XOF')
      expect(cost).toThrow('bug: a charge is never negative')
    },
  )

  it('stops at a negative amount, whatever the price', () => {
    for (const fixed of [0n, 100n]) {
      const cost = () => routeCost({ ...none, fixed }, -100n, 'XOF')
      expect(cost).toThrow('bug: a charge is never negative')
    }
  })

  it.each([{ floor: -1n }, { cap: -1n }, { floor: -1n, cap: 5n }, { floor: 5n, cap: -1n }])(
    'stops at a negative bound: %o',
    (change) => {
      const cost = () => routeCost({ ...none, ...change }, 100n, 'XOF')
      expect(cost).toThrow('bug: a bound is never negative')
    },
  )

  it('takes bounds of zero', () => {
    expect(routeCost({ ...none, fixed: 100n, floor: 0n, cap: 0n }, 100n, 'XOF')).toBe(0n)
  })
})
