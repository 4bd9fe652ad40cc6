// Countries by their names in the reader's language, from the browser's own list.

import type { Language } from './amount.ts'

const kept = new Map<Language, Intl.DisplayNames>()

/** Made once a language: to make one costs a hundred times what it costs to use it. */
function namesIn(language: Language): Intl.DisplayNames {
  const names =
    kept.get(language) ?? new Intl.DisplayNames(language, { type: 'region', fallback: 'code' })
  kept.set(language, names)
  return names
}

/** A country's name, of its two letters; as they are where the browser knows no name. */
export const countryName = (iso_code: string, language: Language): string => {
  // Of no country: what is paid from anywhere.
  if (iso_code === 'XX') return 'International (USD)'
  return /^[A-Z]{2}$/.test(iso_code) ? (namesIn(language).of(iso_code) ?? iso_code) : iso_code
}

/** Countries as a reader looks for them: by their names in the reader's language. */
export const byName = (codes: readonly string[], language: Language): string[] =>
  [...codes].sort((one, other) =>
    countryName(one, language).localeCompare(countryName(other, language), language),
  )

/** Rows of countries by their names; those of one's `own` country come first. */
export function byCountry<Row extends Readonly<{ country: string }>>(
  rows: readonly Row[],
  language: Language,
  own: string | null,
): Row[] {
  const codes = byName([...new Set(rows.map(({ country }) => country))], language)
  const sorted = [...codes.filter((code) => code === own), ...codes.filter((code) => code !== own)]
  return sorted.flatMap((code) => rows.filter(({ country }) => country === code))
}
