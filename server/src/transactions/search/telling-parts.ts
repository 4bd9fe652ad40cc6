// Which parts of what is searched for the index of the search rows is asked for. It has a list for
// each three letters; those that nearly every row has, as of `@example.com` or of the digits of a
// country, are the longest to read and leave out nothing (docs/decisions/0218). Pure.

import { patternWithin, type Term, textWithin } from '../../customers/search/terms.ts'

/** What a row must have: one of the alternatives, and of it each of the patterns. */
export type TellingTerm = readonly (readonly string[])[]

/** The pieces of three letters of all terms, none of them twice. */
export const piecesOf = (terms: readonly Term[]): readonly string[] => [
  ...new Set(terms.flat().flatMap((pattern) => piecesIn(textWithin(pattern)))),
]

/**
 * What the index is asked for, as patterns for SQL's `like`: each pattern of each term without the
 * pieces that are `common`. One of which nothing would be left stays whole. It finds all that the
 * terms find and more, so whoever asks looks for the terms themselves in what is found.
 */
export const tellingTerms = (
  terms: readonly Term[],
  common: ReadonlySet<string>,
): readonly TellingTerm[] =>
  terms.map((patterns) => patterns.map((pattern) => tellingPatterns(pattern, common)))

function tellingPatterns(pattern: string, common: ReadonlySet<string>): readonly string[] {
  const runs: string[][] = [[]]
  for (const piece of piecesIn(textWithin(pattern))) {
    const run = runs.at(-1)
    if (common.has(piece) || !hasList(piece)) runs.push([])
    else run?.push(run.length === 0 ? piece : ([...piece].at(-1) ?? ''))
  }
  const parts = runs.filter((run) => run.length > 0).map((run) => patternWithin(run.join('')))
  return parts.length === 0 ? [pattern] : parts
}

/** Lists are of letters and digits, and of where a word of them begins or ends. */
const hasList = (piece: string): boolean => /[\p{L}\p{N}]{2}/u.test(piece)

const piece_length = 3

/** By whole signs: half of one is found nowhere. */
function piecesIn(text: string): string[] {
  const signs = [...text]
  const pieces: string[] = []
  for (let at = 0; at + piece_length <= signs.length; at += 1) {
    pieces.push(signs.slice(at, at + piece_length).join(''))
  }
  return pieces
}
