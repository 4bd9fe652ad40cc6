// Sums as people type them.

import { describe, expect, it } from 'vitest'
import { readTyped } from './write-values.ts'

describe('what is typed', () => {
  it.each([
    ['2 500', '2500'],
    ['2\u00a0500,50', '2500.50'],
    ['2\u202f500', '2500'],
    // A thousand or a point? Nobody knows: left for the amount's own rule to refuse.
    ['2,500', '2,500'],
    ['2.500', '2.500'],
  ])('"%s" is read as "%s"', (typed, read) => {
    expect(readTyped(typed)).toBe(read)
  })
})
