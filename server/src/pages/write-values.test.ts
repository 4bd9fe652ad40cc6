// Sums as people type them.

import { describe, expect, it } from 'vitest'
import { readTyped } from './write-values.ts'

describe('what is typed', () => {
  it.each([
    ['2 500', '2500'],
    ['2\u00a0500,50', '2500.50'],
    ['2\u202f500', '2500'],
    // No currency has three digits of cents.
    ['2,500', '2500'],
    ['2.500', '2500'],
    ['1.250.000', '1250000'],
    ['5.000,50', '5000.50'],
    ['5 000 F', '5000'],
    ['5000FCFA', '5000'],
    ['5 000 F CFA', '5000'],
    ['FCFA 5,000', '5000'],
    ['XOF 5000', '5000'],
    ['$28.14', '28.14'],
    // What is no amount stays what it is, for the amount's own rule to refuse.
    ['0.500', '0.500'],
    ['2.5000', '2.5000'],
    ['cinq mille', 'cinqmille'],
  ])('"%s" is read as "%s"', (typed, read) => {
    expect(readTyped(typed)).toBe(read)
  })
})
