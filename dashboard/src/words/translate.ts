// The words of the interface in the language that the reader has chosen: loaded for that one only.
// French is written first; English has the same keys and the same holes (a test holds it).

import type { Language } from '../format/amount.ts'
import type { Key, Words } from './fr.ts'

export type { Key } from './fr.ts'
export type Holes = Readonly<Record<string, string | number>>

const chosen_key = 'pirogue-language'

type Spoken = { language: Language; words: Partial<Words> }
const spoken: Spoken = { language: 'fr', words: {} }

/** What the reader chose here before, else what their browser asks for. */
export function languageOfReader(): Language {
  const chosen = localStorage.getItem(chosen_key)
  if (chosen === 'fr' || chosen === 'en') return chosen
  const [first] = navigator.languages.map((tag) => tag.slice(0, 2)).filter(isLanguage)
  return first ?? 'fr'
}

const isLanguage = (tag: string): tag is Language => tag === 'fr' || tag === 'en'

export async function speak(language: Language, isChoice = false): Promise<void> {
  spoken.words = language === 'fr' ? (await import('./fr.ts')).fr : (await import('./en.ts')).en
  spoken.language = language
  document.documentElement.lang = language
  if (isChoice) localStorage.setItem(chosen_key, language)
}

export const languageNow = (): Language => spoken.language

/** A sentence, whole; `{name}` is filled in. */
export function t(key: Key, holes: Holes = {}): string {
  const words = spoken.words[key] ?? key
  return words.replace(/\{(\w+)\}/g, (hole, name) => String(holes[name] ?? hole))
}
