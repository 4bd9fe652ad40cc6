// Without these, a client would read 1.5 where 1.50 is promised.

import { describe, expect, it } from 'vitest'
import { formatAmount, formatRate, writeAmount } from './format.ts'

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

// Sums as people read them.

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('a sum', () => {
  it.each([
    [500_000n, 'XOF', '5 000 FCFA', 'FCFA 5,000'],
    [123_456_700n, 'XAF', '1 234 567 FCFA', 'FCFA 1,234,567'],
    [100n, 'XOF', '1 FCFA', 'FCFA 1'],
    [2_550n, 'GHS', '25,50 GHS', 'GHS 25.50'],
    [5n, 'USD', '0,05 USD', 'USD 0.05'],
    [100_000_000n, 'GNF', '1 000 000 GNF', 'GNF 1,000,000'],
  ])('of %s %s is "%s", or "%s" in English', (hundredths, currency, fr, en) => {
    expect(plain(writeAmount(hundredths, currency, 'fr'))).toBe(fr)
    expect(plain(writeAmount(hundredths, currency, 'en'))).toBe(en)
  })

  it('never breaks over two lines', () => {
    expect(writeAmount(500_000n, 'XOF', 'fr')).not.toContain(' ')
  })
})
