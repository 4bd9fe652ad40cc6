// The shares of a long walk: together all of it, and no share is empty.

import { expect, it } from 'vitest'
import { proofFiles, shareBy } from './proof-files.ts'

const all = Array.from({ length: 56 }, (_, nth) => nth)

it('go through all of it in as many turns, and through each once', () => {
  const turns = [7, 8, 9].map((turn) => shareBy(all, { shares: 3, turn }))
  expect(turns.flat().toSorted((one, other) => one - other)).toEqual(all)
  for (const share of turns) expect(share.length).toBeLessThan(20)
})

it('are all where there is one share, and one of two where the list is that short', () => {
  expect(shareBy(all, { shares: 1, turn: 20_000 })).toEqual(all)
  expect([0, 1].map((turn) => shareBy(['en', 'fr'], { shares: 3, turn }))).toEqual([['en'], ['fr']])
  expect(shareBy(['en'], { shares: 3, turn: -5 })).toEqual(['en'])
  expect(shareBy([], { shares: 3, turn: 1 })).toEqual([])
})

it('are of proofs that there are', () => {
  expect(proofFiles().length).toBeGreaterThan(100)
})
