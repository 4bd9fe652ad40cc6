// A typed search, as patterns for SQL's `like`. Pure. Every term must be found, by any of its
// patterns; nothing that was typed is a wildcard.

/** Patterns over the folded words of a transaction (`words`, migration 0022). */
export type Term = readonly string[]

export const search_length_max = 200

/** Folds as `fold_text` of the database does: no accents, no case, one kind of apostrophe. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[œŒ]/g, 'oe')
    .replace(/[æÆ]/g, 'ae')
    .replace(/[’‘ʼ]/g, "'")
    .toLowerCase()

/** A pattern that is found nowhere. */
const impossible: Term = []

/**
 * Words in any order; what looks like a phone as a whole is one term, however it is spaced. Words
 * without a letter or a digit are skipped, but a search of such words alone finds nothing.
 */
export function readTerms(text: string): readonly Term[] {
  const folded = fold(text).replace(/\s+/g, ' ').trim()
  const words = isPhone(folded) ? [folded] : folded.split(' ')
  const telling = words.filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (folded !== '' && telling.length === 0) return [impossible]
  return telling.map((word) => [...new Set(spellingsOf(word))].map(patternOf))
}

const isPhone = (text: string): boolean =>
  /^[+\d(][\d ()./-]*$/.test(text) && text.replace(/\D/g, '').length >= 3

/** As it was typed and, for a phone, as it is stored: `+` and the country, no leading zero. */
function spellingsOf(word: string): string[] {
  if (!isPhone(word)) return [word]
  const digits = word.replace(/\D/g, '')
  if (word.startsWith('+')) return [word, `+${digits}`]
  if (digits.startsWith('00')) return [word, digits, `+${digits.slice(2)}`]
  // Where a zero is only dialled within the country, the stored number is without it.
  const is_long = digits.length >= trunk_digits_min && digits.startsWith('0')
  return is_long ? [word, digits, digits.slice(1)] : [word, digits]
}

const trunk_digits_min = 8

/** Shorter words have no trigram inside a word: they are searched where a word begins. */
const inside_length_min = 3

function patternOf(text: string): string {
  return [...text].length < inside_length_min ? `% ${escaped(text)}%` : patternWithin(text)
}

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** The pattern that finds this text anywhere. */
export const patternWithin = (text: string): string => `%${escaped(text)}%`

/** The text that a pattern of a term finds: what stood in `patternWithin`. */
export const textWithin = (pattern: string): string =>
  pattern.slice(1, -1).replace(/\\(.)/gsu, '$1')
