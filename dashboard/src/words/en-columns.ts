// What the columns of files are called, in English.

import { columns } from './en/columns.ts'
import type { WordsOf } from './fr.ts'
import type { words as french } from './fr-columns.ts'

export const words: WordsOf<typeof french> = { ...columns }
