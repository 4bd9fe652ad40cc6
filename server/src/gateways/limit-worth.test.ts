// What an account's limits are counted in: several currencies, one limit.

import { describe, expect, it } from 'vitest'
import { isWorthMore, worthOf, worthOfAll } from './limit-worth.ts'

const rates = [
  { from_currency: 'EUR', to_currency: 'XOF', rate: '655.957' },
  { from_currency: 'EUR', to_currency: 'XAF', rate: '655.957' },
  { from_currency: 'EUR', to_currency: 'USD', rate: '1.1612' },
  { from_currency: 'EUR', to_currency: 'GNF', rate: '10085' },
]
const limit = 50_000_00n
const isAbove = (hundredths: bigint, currency: string) =>
  isWorthMore(hundredths, limit, worthOf(rates, currency))

describe('one payment', () => {
  it('is above a limit by what it is worth in XOF, to the hundredth', () => {
    expect([isAbove(limit, 'XOF'), isAbove(limit + 1n, 'XOF')]).toEqual([false, true])
    expect([isAbove(limit, 'XAF'), isAbove(limit + 1n, 'XAF')]).toEqual([false, true])
    // 88.51 dollars are 49 998.9 francs.
    expect([isAbove(88_51n, 'USD'), isAbove(88_52n, 'USD')]).toEqual([false, true])
    expect([isAbove(768_724_00n, 'GNF'), isAbove(768_725_00n, 'GNF')]).toEqual([false, true])
  })

  it('of a currency without a rate, or of none, is above every limit', () => {
    expect([isAbove(1n, 'ZMW'), isAbove(1n, ''), isAbove(1n, 'constructor')]).toEqual([
      ...[true, true, true],
    ])
  })

  it('of a route without a worth is in the limit’s own', () => {
    expect([isWorthMore(2n, 2n, undefined), isWorthMore(3n, 2n, undefined)]).toEqual([false, true])
  })
})

describe('all that is under way', () => {
  it('is what each currency is worth, rounded up', () => {
    const francs = { currency: 'XOF', open: 10_000_00n }
    expect(worthOfAll(rates, [])).toBe(0n)
    expect(worthOfAll(rates, [francs, { currency: 'XAF', open: 1n }])).toBe(10_000_01n)
    expect(worthOfAll(rates, [francs, { currency: 'GNF', open: 1n }])).toBe(10_000_01n)
    expect(worthOfAll(rates, [francs, { currency: 'USD', open: 100_00n }])).toBe(66_489_58n)
  })

  it('is not known where one of them has no rate', () => {
    expect(worthOfAll(rates, [{ currency: 'ZMW', open: 1n }])).toBeUndefined()
  })
})
