// The words of the interface in the language that the reader has chosen: loaded for that one only,
// those of the frame and of a screen with them. French is written first; English has the same keys
// and the same holes (a test holds it, and that each screen brings what it says).

import type { Language } from '../format/amount.ts'
import type { Key } from './fr.ts'

export type { Key } from './fr.ts'
export type Holes = Readonly<Record<string, string | number>>

/** What a screen says that the first load does not. */
export type Area = 'acts' | 'columns' | 'developers' | 'entrance' | 'frame' | 'screens'

type Words = Readonly<Partial<Record<Key, string>>>
type Load = () => Promise<Readonly<{ words: Words }>>

const first: Readonly<Record<Language, Load>> = {
  fr: () => import('./fr.ts'),
  en: () => import('./en.ts'),
}

const areas: Readonly<Record<Language, Readonly<Record<Area, Load>>>> = {
  fr: {
    acts: () => import('./fr-acts.ts'),
    columns: () => import('./fr-columns.ts'),
    developers: () => import('./fr-developers.ts'),
    entrance: () => import('./fr-entrance.ts'),
    frame: () => import('./fr-frame.ts'),
    screens: () => import('./fr-screens.ts'),
  },
  en: {
    acts: () => import('./en-acts.ts'),
    columns: () => import('./en-columns.ts'),
    developers: () => import('./en-developers.ts'),
    entrance: () => import('./en-entrance.ts'),
    frame: () => import('./en-frame.ts'),
    screens: () => import('./en-screens.ts'),
  },
}

type Spoken = { language: Language; words: Words; areas: ReadonlySet<Area> }
const spoken: Spoken = { language: 'fr', words: {}, areas: new Set() }

/** `chosen`: what the reader chose here before; else what their browser asks for. */
export function languageOfReader(chosen: string | null | undefined): Language {
  if (chosen === 'fr' || chosen === 'en') return chosen
  const [first] = navigator.languages.map((tag) => tag.slice(0, 2)).filter(isLanguage)
  return first ?? 'fr'
}

const isLanguage = (tag: string): tag is Language => tag === 'fr' || tag === 'en'

/** What comes with the first words, because it will be shown at once. */
export function expectWords(wanted: readonly Area[]): void {
  spoken.areas = new Set([...spoken.areas, ...wanted])
}

/** With the words of every screen that was opened: what is on the page stays whole. */
export async function speak(language: Language): Promise<void> {
  const more = [...spoken.areas].map((area) => areas[language][area])
  const loaded = await Promise.all([first[language], ...more].map((load) => load()))
  spoken.words = Object.assign({}, ...loaded.map(({ words }) => words))
  spoken.language = language
  document.documentElement.lang = language
}

/** The words of a screen, loaded beside it. */
export async function speakOf(wanted: readonly Area[]): Promise<void> {
  const { language } = spoken
  expectWords(wanted)
  const loaded = await Promise.all(wanted.map((area) => areas[language][area]()))
  // The reader may have chosen the other language meanwhile.
  if (spoken.language !== language) return speakOf(wanted)
  spoken.words = Object.assign({}, spoken.words, ...loaded.map(({ words }) => words))
}

export const languageNow = (): Language => spoken.language

/** A sentence, whole; `{name}` is filled in. */
export function t(key: Key, holes: Holes = {}): string {
  const words = spoken.words[key] ?? key
  return words.replace(/\{(\w+)\}/g, (hole, name) => String(holes[name] ?? hole))
}
