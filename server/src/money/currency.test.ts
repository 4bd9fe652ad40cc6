// Without these, a franc could be cut into centimes, or a word could pass for a currency.

import { describe, expect, it } from 'vitest'
import { currencies, isCurrency, minorUnits, smallestUnit } from './currency.ts'

describe('currencies', () => {
  it('knows the currencies of every country served, and those merchants price in', () => {
    for (const code of 'XOF XAF GNF CDF GHS NGN USD EUR GBP MAD RWF UGX KES ZAR CNY'.split(' ')) {
      expect(isCurrency(code), code).toBe(true)
    }
  })

  it.each(['', 'xof', 'XO', 'XOFF', 'ABC', 'ZZZ', 'XXX', 'XTS', 'XAU', 'SLL', 'HRK', null, 952])(
    'takes %j for no currency',
    (code) => {
      expect(isCurrency(code)).toBe(false)
    },
  )

  it('lists each code once and in order, three capital letters each', () => {
    expect(currencies).toEqual([...currencies].sort())
    expect(new Set(currencies).size).toBe(currencies.length)
    expect(currencies.length).toBeGreaterThan(150)
    expect(currencies.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([])
  })

  it.each('XOF XAF GNF RWF UGX BIF DJF KMF CLP JPY KRW PYG VND VUV XPF'.split(' '))(
    'pays %s in whole units only',
    (code) => {
      expect(minorUnits(code)).toBe(0)
      expect(smallestUnit(code)).toBe(100n)
    },
  )

  it.each(['GHS', 'NGN', 'CDF', 'USD', 'EUR'])('pays %s in hundredths', (code) => {
    expect(minorUnits(code)).toBe(2)
    expect(smallestUnit(code)).toBe(1n)
  })

  it.each([
    [3, 'BHD IQD JOD KWD LYD OMR TND'],
    [4, 'CLF UYW'],
  ])('holds hundredths where the currency has %i decimals', (digits, codes) => {
    const fine = codes.split(' ')
    expect(currencies.filter((code) => minorUnits(code) === digits)).toEqual(fine)
    expect(fine.map(smallestUnit)).toEqual(fine.map(() => 1n))
  })

  it('stops at a code that is no currency instead of guessing', () => {
    expect(() => smallestUnit('ABC')).toThrow('no currency')
  })
})
