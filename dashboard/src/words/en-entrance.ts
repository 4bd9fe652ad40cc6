// What whoever is not signed in reads, in English.

import { entrance } from './en/entrance.ts'
import type { WordsOf } from './fr.ts'
import type { words as french } from './fr-entrance.ts'

export const words: WordsOf<typeof french> = { ...entrance }
