// What screens of a merchant say, in English.

import { books } from './en/books.ts'
import { manage } from './en/manage.ts'
import { money } from './en/money.ts'
import { selling } from './en/selling.ts'
import { settings } from './en/settings.ts'
import { several } from './en/several.ts'
import { story } from './en/story.ts'
import type { WordsOf } from './fr.ts'
import type { words as french } from './fr-screens.ts'

export const words: WordsOf<typeof french> = {
  ...several,
  ...money,
  ...books,
  ...selling,
  ...manage,
  ...settings,
  ...story,
}
