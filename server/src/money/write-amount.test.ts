// Sums as people read them.

import { describe, expect, it } from 'vitest'
import { writeAmount } from './write-amount.ts'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('a sum', () => {
  it.each([
    [500_000n, 'XOF', '5 000 FCFA', 'XOF 5,000'],
    [123_456_700n, 'XAF', '1 234 567 FCFA', 'XAF 1,234,567'],
    [100n, 'XOF', '1 FCFA', 'XOF 1'],
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
