// What is sent comes back as the same sum, in every form.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../test/setup/proof-size.ts'
import { type AmountForm, fitsForm, fromWire, toWire } from './wire-amount.ts'

const forms: readonly AmountForm[] = [
  { decimals: 0, wire: 'TEXT' },
  { decimals: 2, wire: 'TEXT' },
  { decimals: 0, wire: 'INTEGER' },
  { decimals: 0, wire: 'SUBUNIT' },
  { decimals: 2, wire: 'SUBUNIT' },
]

function isRefused(hundredths: bigint, form: AmountForm): boolean {
  try {
    toWire(hundredths, form)
    return false
  } catch {
    return true
  }
}

describe('an amount on the wire', () => {
  it.each(forms)('comes back as it was sent: %o', (form) => {
    fc.assert(
      fc.property(fc.bigInt(1n, 99_999_999_999_999n), (hundredths) => {
        if (!fitsForm(hundredths, form)) return isRefused(hundredths, form)
        const text = toWire(hundredths, form)
        return !/^0\d/.test(text) && fromWire(text, form) === hundredths
      }),
      { numRuns: sized(20_000, 200_000) },
    )
  })

  it('is written as the operators want it', () => {
    const sent = (form: AmountForm) => toWire(10_325_00n, form)
    expect(forms.map(sent)).toEqual(['10325', '10325.00', '10325', '10325', '1032500'])
    expect(toWire(5n, { decimals: 2, wire: 'TEXT' })).toBe('0.05')
    expect(toWire(5n, { decimals: 2, wire: 'SUBUNIT' })).toBe('5')
  })

  it('is compared as money: 5000 and 5000.00 are equal, and cents do not vanish', () => {
    const text: AmountForm = { decimals: 0, wire: 'TEXT' }
    expect([fromWire('5000', text), fromWire('5000.00', text)]).toEqual([500_000n, 500_000n])
    const none = ['5000.01', '-5000', '0', '', '5e3', ' 5000', '5,000', '5000.000', 'NaN']
    expect(none.map((one) => fromWire(one, text))).toEqual(none.map(() => undefined))
    expect(fromWire('50.00', { decimals: 2, wire: 'SUBUNIT' })).toBeUndefined()
  })
})
