// Without these, a fee of 3.25 % could be charged as 3 %, or to a tenth of a franc.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPercent, PPM, parsePercent, percentOf, taxWithin } from './percent.ts'

describe('percentages', () => {
  it.each([
    ['XOF', 1_000_000n, 32_500n, 32_500n],
    ['XOF', 20_000n, 32_500n, 700n], // 6.5 francs
    ['XOF', 19_900n, 32_500n, 600n], // 6.4675 francs
    ['GHS', 20_000n, 32_500n, 650n],
    ['GHS', 1n, 500_000n, 1n],
    ['XOF', 0n, 32_500n, 0n],
  ])('in %s takes of %s hundredths %s ppm as %s', (currency, amount, ppm, fee) => {
    expect(percentOf(amount, ppm, currency)).toBe(fee)
  })

  it('takes the whole at 100 % and nothing at 0 %', () => {
    expect(percentOf(12_300n, PPM, 'XOF')).toBe(12_300n)
    expect(percentOf(12_300n, 0n, 'XOF')).toBe(0n)
  })

  it.each([
    [100n, PPM + 1n],
    [100n, -1n],
    [-100n, 1n],
    [-100n, -1n],
    [-100n, PPM + 1n],
  ])('stops at a share of %s by %s ppm, and says so', (amount, ppm) => {
    expect(() => percentOf(amount, ppm, 'XOF')).toThrow(`bug: ${ppm} ppm of ${amount}`)
  })

  it('writes no negative percentage', () => {
    expect(() => formatPercent(-1n)).toThrow('bug: -1 ppm')
  })

  it.each([
    ['3.25', 32_500n, '3.25'],
    ['2', 20_000n, '2.00'],
    ['0', 0n, '0.00'],
    ['0.0001', 1n, '0.0001'],
    ['1.125', 11_250n, '1.125'],
    ['100', PPM, '100.00'],
  ])('reads %s percent as %s ppm and writes it as %s', (text, ppm, written) => {
    expect(parsePercent(text)).toBe(ppm)
    expect(formatPercent(ppm)).toBe(written)
  })

  it.each(['', '-1', '+1', '1e1', '1,5', '.5', '1.', '1.00001', '100.01', '1000', ' 1'])(
    'takes %j for no percentage',
    (text) => {
      expect(parsePercent(text)).toBeUndefined()
    },
  )

  it('reads back every percentage it writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: PPM }), (ppm) => {
        expect(parsePercent(formatPercent(ppm))).toBe(ppm)
      }),
    )
  })
})

describe('the tax within a price', () => {
  it.each([
    ['XOF', 1_180_000n, 180_000n, 180_000n],
    ['XOF', 500_000n, 180_000n, 76_300n], // 762.71 francs
    ['GHS', 10_000n, 192_500n, 1_614n],
    ['XOF', 500_000n, 0n, 0n],
    ['XOF', 0n, 180_000n, 0n],
  ])('in %s, of %s hundredths at %s ppm, is %s', (currency, price, ppm, tax) => {
    expect(taxWithin(price, ppm, currency)).toBe(tax)
  })

  it('is that of the price without it, to the smallest unit', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 12n }).map((units) => units * 100n)
    fc.assert(
      fc.property(price, fc.bigInt({ min: 0n, max: PPM }), (whole, ppm) => {
        const tax = taxWithin(whole, ppm, 'XOF')
        const off = percentOf(whole - tax, ppm, 'XOF') - tax
        expect(off >= -100n && off <= 100n).toBe(true)
      }),
    )
  })

  it('stops at a negative price or rate, and says so', () => {
    expect(() => taxWithin(-1n, 1n, 'XOF')).toThrow('bug: tax of 1 ppm within -1')
    expect(() => taxWithin(1n, -1n, 'XOF')).toThrow('bug: tax of -1 ppm within 1')
  })
})
