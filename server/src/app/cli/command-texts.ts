// Words that several commands about accounts print, in both languages.

import type { Text } from '../../platform/errors.ts'

/** What is typed next; `command`: without what all commands begin with. */
export const nextLine = (command: string): Text => ({
  en: `Next: npm run cli -- ${command}`,
  fr: `Ensuite : npm run cli -- ${command}`,
})

/** A name and its value, which both languages have alike. */
export const namedLine = (name: Text, value: string): Text => ({
  en: `${name.en}: ${value}`,
  fr: `${name.fr} : ${value}`,
})

export const settingLine = (key: string, value: string): Text =>
  namedLine({ en: `setting ${key}`, fr: `réglage ${key}` }, value)

/** Texts beside each other, as columns are. */
export const columnsOf = (parts: readonly (string | Text)[]): Text => ({
  en: parts.map((part) => (typeof part === 'string' ? part : part.en)).join('  '),
  fr: parts.map((part) => (typeof part === 'string' ? part : part.fr)).join('  '),
})
