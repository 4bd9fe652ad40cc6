// All words of both languages, and which of them come with what: for the tests.

import { words as enFirst } from '../src/words/en.ts'
import { words as enActs } from '../src/words/en-acts.ts'
import { words as enColumns } from '../src/words/en-columns.ts'
import { words as enDevelopers } from '../src/words/en-developers.ts'
import { words as enEntrance } from '../src/words/en-entrance.ts'
import { words as enFrame } from '../src/words/en-frame.ts'
import { words as enScreens } from '../src/words/en-screens.ts'
import { words as frFirst } from '../src/words/fr.ts'
import { words as frActs } from '../src/words/fr-acts.ts'
import { words as frColumns } from '../src/words/fr-columns.ts'
import { words as frDevelopers } from '../src/words/fr-developers.ts'
import { words as frEntrance } from '../src/words/fr-entrance.ts'
import { words as frFrame } from '../src/words/fr-frame.ts'
import { words as frScreens } from '../src/words/fr-screens.ts'

/** By what brings them; in both languages under the same names. */
export const frAreas = {
  first: frFirst,
  frame: frFrame,
  screens: frScreens,
  columns: frColumns,
  developers: frDevelopers,
  acts: frActs,
  entrance: frEntrance,
} as const
export const enAreas = {
  first: enFirst,
  frame: enFrame,
  screens: enScreens,
  columns: enColumns,
  developers: enDevelopers,
  acts: enActs,
  entrance: enEntrance,
} as const

export const fr = {
  ...frFirst,
  ...frFrame,
  ...frScreens,
  ...frColumns,
  ...frDevelopers,
  ...frActs,
  ...frEntrance,
}
export const en = {
  ...enFirst,
  ...enFrame,
  ...enScreens,
  ...enColumns,
  ...enDevelopers,
  ...enActs,
  ...enEntrance,
}
