// What screens of a merchant say, in French.

import { books } from './fr/books.ts'
import { manage } from './fr/manage.ts'
import { money } from './fr/money.ts'
import { selling } from './fr/selling.ts'
import { settings } from './fr/settings.ts'
import { several } from './fr/several.ts'
import { story } from './fr/story.ts'

export const words = {
  ...several,
  ...money,
  ...books,
  ...selling,
  ...manage,
  ...settings,
  ...story,
} as const
