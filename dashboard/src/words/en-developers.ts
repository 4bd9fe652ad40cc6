// What the screens of developers say, in English.

import { developers } from './en/developers.ts'
import type { WordsOf } from './fr.ts'
import type { words as french } from './fr-developers.ts'

export const words: WordsOf<typeof french> = { ...developers }
