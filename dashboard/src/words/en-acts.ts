// What was done and by whom, as a story and the audit log say it, in English.

import { acts } from './en/acts.ts'
import { audit } from './en/audit.ts'
import type { WordsOf } from './fr.ts'
import type { words as french } from './fr-acts.ts'

export const words: WordsOf<typeof french> = { ...acts, ...audit }
