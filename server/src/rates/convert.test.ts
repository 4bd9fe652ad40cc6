// Without these, a franc CFA could lose value by crossing a border (contract 5.13, money 3).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { smallestUnit } from '../money/currency.ts'
import { formatRate } from '../money/format.ts'
import { convert, findPath, parseRate } from './convert.ts'

const eur_xof = { from_currency: 'EUR', to_currency: 'XOF', rate: '655.957' }
const eur_xaf = { from_currency: 'EUR', to_currency: 'XAF', rate: '655.957' }
const eur_usd = { from_currency: 'EUR', to_currency: 'USD', rate: '1.0842' }
const usd_ghs = { from_currency: 'USD', to_currency: 'GHS', rate: '15.1' }
const ngn_usd = { from_currency: 'NGN', to_currency: 'USD', rate: '0.00065' }
const rates = [eur_xof, eur_xaf, eur_usd, usd_ghs, ngn_usd]

describe('conversion', () => {
  it.each([
    ['EUR', 'XOF', 100n, 65_600n, '655.95700000'],
    ['EUR', 'XOF', 1_000n, 656_000n, '655.95700000'], // 6559.57 F
    ['XOF', 'EUR', 65_595_700n, 100_000n, '0.00152449'],
    ['XOF', 'XAF', 12_300n, 12_300n, '1.00000000'],
    ['XAF', 'XOF', 100n, 100n, '1.00000000'],
    ['XOF', 'USD', 65_595_700n, 108_420n, '0.00165285'],
    ['NGN', 'GHS', 100_000n, 982n, '0.00981500'], // 981.5 pesewas
    ['XOF', 'XOF', 12_300n, 12_300n, '1.00000000'],
  ])('%s to %s: %s hundredths are %s, at %s', (from, to, amount, converted, rate) => {
    const answer = convert(rates, { amount, from, to })
    expect(answer?.converted).toBe(converted)
    expect(answer && formatRate(answer.rate_e8)).toBe(rate)
  })

  it('says which rates it rests on', () => {
    expect(findPath(rates, 'EUR', 'XOF')?.rows).toEqual([eur_xof])
    expect(findPath(rates, 'XOF', 'EUR')?.rows).toEqual([eur_xof])
    expect(findPath(rates, 'XOF', 'XAF')?.rows).toEqual([eur_xof, eur_xaf])
    expect(findPath(rates, 'NGN', 'GHS')?.rows).toEqual([ngn_usd, usd_ghs])
    expect(findPath([], 'XOF', 'XOF')?.rows).toEqual([])
  })

  it('prefers the quoted pair, then its inverse, then a cross', () => {
    const quoted = { from_currency: 'XOF', to_currency: 'XAF', rate: '2' }
    const inverse = { from_currency: 'XAF', to_currency: 'XOF', rate: '4' }
    const input = { amount: 400n, from: 'XOF', to: 'XAF' }
    expect(convert([...rates, inverse, quoted], input)?.converted).toBe(800n)
    expect(convert([...rates, inverse], input)?.converted).toBe(100n)
    expect(convert(rates, input)?.converted).toBe(400n)
  })

  it('has no answer without a rate, nor through more than one cross', () => {
    expect(convert(rates, { amount: 100n, from: 'XOF', to: 'MAD' })).toBeUndefined()
    expect(convert(rates, { amount: 100n, from: 'XOF', to: 'GHS' })).toBeUndefined()
    expect(convert([], { amount: 100n, from: 'EUR', to: 'XOF' })).toBeUndefined()
  })

  it.each(['', '0', '0.000', '-1', '1e3', 'abc', '.5', '1.', ' 1', '1,5'])(
    'takes %j for no rate, and stops at a row that holds it',
    (rate) => {
      expect(parseRate(rate)).toBeUndefined()
      const row = { from_currency: 'EUR', to_currency: 'XOF', rate }
      const input = { amount: 1n, from: 'EUR', to: 'XOF' }
      expect(() => convert([row], input)).toThrow(`bug: rate EUR→XOF is ${rate}`)
    },
  )

  it('keeps every franc between XOF and XAF', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), (francs) => {
        const amount = francs * 100n
        expect(convert(rates, { amount, from: 'XOF', to: 'XAF' })?.converted).toBe(amount)
      }),
    )
  })

  it('brings euros back to the cent after a way through francs', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 14n), (amount) => {
        const there = convert(rates, { amount, from: 'EUR', to: 'XOF' })
        const back = convert(rates, { amount: there?.converted ?? 0n, from: 'XOF', to: 'EUR' })
        expect(back?.converted).toBe(amount)
      }),
    )
  })

  it('errs by half a unit at most, and by no more than both halves there and back', () => {
    const codes = fc.constantFrom('EUR', 'XOF', 'XAF', 'USD')
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 14n), codes, codes, (sum, from, to) => {
        const amount = sum - (sum % smallestUnit(from))
        const { numerator, denominator } = findPath(rates, from, to)?.ratio ?? eurozone()
        const there = convert(rates, { amount, from, to })?.converted ?? -1n
        const back = convert(rates, { amount: there, from: to, to: from })?.converted ?? -1n
        const [unit_to, unit_from] = [smallestUnit(to), smallestUnit(from)]
        expect(there % unit_to).toBe(0n)
        expect(2n * distance(there * denominator, amount * numerator)).toBeLessThanOrEqual(
          unit_to * denominator,
        )
        expect(2n * distance(back, amount) * numerator).toBeLessThanOrEqual(
          unit_to * denominator + unit_from * numerator,
        )
      }),
      { numRuns: 1_000 },
    )
  })
})

const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a)

function eurozone(): never {
  throw new Error('these four currencies always have a path')
}
