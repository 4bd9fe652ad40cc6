// Without these, a client would read 1.5 where 1.50 is promised.

import { describe, expect, it } from 'vitest'
import { formatAmount, formatRate } from './format.ts'

describe('amounts and rates on the wire', () => {
  it.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [150n, '1.50'],
    [12_300n, '123.00'],
    [99_999_999_999_999n, '999999999999.99'],
    [-5n, '-0.05'],
    [-12_345n, '-123.45'],
  ])('writes %s hundredths as %s', (hundredths, text) => {
    expect(formatAmount(hundredths)).toBe(text)
  })

  it.each([
    [65_595_700_000n, '655.95700000'],
    [152_449n, '0.00152449'],
    [100_000_000n, '1.00000000'],
    [0n, '0.00000000'],
  ])('writes a rate of %s × 10⁻⁸ as %s', (rate_e8, text) => {
    expect(formatRate(rate_e8)).toBe(text)
  })

  it('knows no negative rate', () => {
    expect(() => formatRate(-1n)).toThrow('bug: rate -1')
  })
})
