// Which of our languages a person reads, from `Accept-Language` (RFC 9110 12.5.4).

import type { Locale } from '../errors.ts'

type LanguageRange = { tag: string; weight: number }

function readRange(part: string): LanguageRange {
  const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return { tag, weight: Number.isFinite(weight) ? weight : 0 }
}

function localeOf(tag: string, fallback: Locale): Locale | undefined {
  const language = tag.split('-')[0]
  if (language === 'fr' || language === 'en') return language
  return language === '*' ? fallback : undefined
}

/**
 * The preferred one of our languages; `fallback` when none is preferred or the header is absent.
 */
export function pickLocale(accept_language: string | undefined, fallback: Locale): Locale {
  if (accept_language === undefined) return fallback
  const ranges = accept_language.split(',').map(readRange)
  // The sort is stable: of two equal weights the first named wins.
  ranges.sort((one, other) => other.weight - one.weight)
  for (const { tag, weight } of ranges) {
    const locale = weight > 0 ? localeOf(tag, fallback) : undefined
    if (locale !== undefined) return locale
  }
  return fallback
}
