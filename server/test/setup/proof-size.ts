// How much of a long proof runs: a small part of it with all tests, the whole by `npm run proof`.
// A test file that imports this is run by both, so nobody keeps a list; what runs only whole is
// reported as skipped by the small run, never left out in silence.

import { describe, it } from 'vitest'
import { isWhole, shareBy, shares, turn } from './proof-files.ts'

/** Law: the small one proves the same thing, of fewer. */
export const sized = <T>(small: T, whole: T): T => (isWhole ? whole : small)

/** For one of a kind that its neighbours show too, or that takes its time by nature. */
export const wholeIt = isWhole ? it : it.skip
export const wholeDescribe = isWhole ? describe : describe.skip

/**
 * What of a long walk this run goes through: all, or where it has less time a share of it, another
 * one each day. `shift`: for the one of many walks that begins elsewhere.
 */
export const shareOf = <T>(all: readonly T[], shift = 0): readonly T[] =>
  shareBy(all, { shares, turn: turn - shift })
