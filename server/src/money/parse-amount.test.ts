// Without these, an amount that the client did not write could be charged (contract 2.1, 2.2).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currencies, smallestUnit } from './currency.ts'
import { formatAmount } from './format.ts'
import {
  type AmountFault,
  amountFaultText,
  parseAmount,
  parseDecimal,
  parseHundredths,
} from './parse-amount.ts'

describe('an amount as it comes in', () => {
  it.each([
    ['100', 'XOF', 10_000n],
    ['100.0', 'XOF', 10_000n],
    ['100.00', 'XOF', 10_000n],
    ['000100.00', 'XOF', 10_000n],
    ['00000000000000000100', 'XOF', 10_000n],
    ['999999999999', 'XOF', 99_999_999_999_900n],
    [100, 'XOF', 10_000n],
    [1e3, 'XOF', 100_000n],
    ['100.5', 'GHS', 10_050n],
    ['0.01', 'GHS', 1n],
    [100.1, 'GHS', 10_010n],
    [0.07, 'GHS', 7n],
    [999_999_999_999.99, 'GHS', 99_999_999_999_999n],
    ['1.25', 'TND', 125n],
  ])('%j %s is exactly that', (input, currency, hundredths) => {
    expect(parseAmount(input, currency)).toEqual({ is: 'amount', hundredths })
  })

  const decimals = [
    ...['', ' ', 'abc', '12a', ' 100', '100 ', '1 000', '1,000', '1.000,00', '100.', '.50', '.'],
    ...['+100', '-100', '-0', '1e3', '1E3', '1e-2', '0x10', '١٠٠', '100\n', 'NaN', 'Infinity'],
    ...[-100, -0.5, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY],
    ...[null, undefined, true, {}, [], ['100'], 100n],
  ]
  it.each(decimals.map((input) => ({ input })))('$input is no decimal', ({ input }) => {
    expect(parseAmount(input, 'GHS')).toEqual({ is: 'invalid', why: 'not_a_decimal' })
    expect(parseDecimal(input)).toEqual({ is: 'invalid', why: 'not_a_decimal' })
  })

  it.each([
    ['100.001', 'GHS', 'too_many_decimals'],
    ['100.000', 'XOF', 'too_many_decimals'],
    [0.1 + 0.2, 'GHS', 'too_many_decimals'],
    ['1.250', 'TND', 'too_many_decimals'],
    ['1000000000000', 'XOF', 'too_large'],
    [1_000_000_000_000, 'XOF', 'too_large'],
    ['0', 'XOF', 'zero'],
    ['0.00', 'GHS', 'zero'],
    ['000', 'XOF', 'zero'],
    [0, 'XOF', 'zero'],
    [-0, 'XOF', 'zero'],
    ['100.50', 'XOF', 'not_whole'],
    [100.5, 'XAF', 'not_whole'],
    ['0.01', 'GNF', 'not_whole'],
  ] as const)('%j %s is refused as %s', (input, currency, why) => {
    expect(parseAmount(input, currency)).toEqual({ is: 'invalid', why })
  })

  it('a hundred thousand digits are too many, and are not computed with', () => {
    const endless = '9'.repeat(100_000)
    expect(parseAmount(endless, 'XOF')).toEqual({ is: 'invalid', why: 'too_large' })
  })

  it('tells the caller what is wrong, in their language', () => {
    const texts = Object.entries(amountFaultText).map(([why, { en, fr }]) => [why, en, fr])
    const expected: readonly (readonly [AmountFault, string, string])[] = [
      ['not_a_decimal', 'positive decimal number', 'nombre décimal positif'],
      ['too_many_decimals', '2 decimal places', '2 décimales'],
      ['too_large', '12 digits', '12 chiffres'],
      ['zero', 'above zero', 'supérieur à zéro'],
      ['not_whole', 'whole amount', 'montant entier'],
    ]
    expect(texts).toEqual(
      expected.map(([why, en, fr]) => [
        why,
        expect.stringContaining(en),
        expect.stringContaining(fr),
      ]),
    )
  })

  it('checks the form alone while the currency is unknown', () => {
    expect(parseDecimal('100.50')).toEqual({ is: 'amount', hundredths: 10_050n })
    expect(parseDecimal('0')).toEqual({ is: 'invalid', why: 'zero' })
  })

  it('takes zero among our own figures, and still no other form', () => {
    expect(parseHundredths('0')).toBe(0n)
    expect(parseHundredths('3.5')).toBe(350n)
    expect(parseHundredths('-1')).toBeUndefined()
    expect(parseHundredths('')).toBeUndefined()
  })

  it('reads back every amount it writes, as a string and as a JSON number', () => {
    const sums = fc.bigInt({ min: 1n, max: 999_999_999_999n })
    fc.assert(
      fc.property(sums, fc.constantFrom(...currencies), (units, currency) => {
        const hundredths = units * smallestUnit(currency)
        const text = formatAmount(hundredths)
        const answer = { is: 'amount', hundredths }
        expect(parseAmount(text, currency)).toEqual(answer)
        expect(parseAmount(JSON.parse(text), currency)).toEqual(answer)
      }),
    )
  })
})
