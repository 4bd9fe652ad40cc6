// A slug is typed, shared and written into files as it is.

import { expect, it } from 'vitest'
import { looksLikeSlug, newSlug } from './slug.ts'

it('is no formula in a spreadsheet', () => {
  // One of 64 began with a minus.
  const slugs = Array.from({ length: 2_000 }, newSlug)
  expect(slugs.filter((slug) => !/^\w/.test(slug) || !looksLikeSlug(slug))).toEqual([])
  expect(new Set(slugs).size).toBe(slugs.length)
})
