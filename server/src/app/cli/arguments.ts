// Reads single arguments: the message of each mistake names what was expected.

import { type Command, InvalidArgumentError } from 'commander'
import type { Locale } from '../../platform/errors.ts'

/** One of `words`, in whatever case it is typed. */
export function wordFrom<const W extends string>(words: readonly W[]): (text: string) => W {
  return (text) => {
    const word = words.find((one) => one.toUpperCase() === text.toUpperCase())
    if (word === undefined) throw new InvalidArgumentError(`Use one of ${words.join(', ')}.`)
    return word
  }
}

export function languageFrom(text: string): Locale {
  const language = (['en', 'fr'] as const).find((one) => one === text.toLowerCase())
  if (language === undefined) throw new InvalidArgumentError('Use one of fr, en.')
  return language
}

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number above 0.')
  return Number(text)
}

/** The same, with an upper bound. */
export const integerUpTo =
  (most: number) =>
  (text: string): number => {
    const count = positiveInteger(text)
    if (count > most) throw new InvalidArgumentError(`Use at most ${most}.`)
    return count
  }

/** The argument in place or behind its flag; neither is a mistake. */
export function given(command: Command, name: string, ...ways: (string | undefined)[]): string {
  const value = ways.find((way) => way !== undefined && way.trim() !== '')
  if (value !== undefined) return value.trim()
  return command.error(`missing ${name}: give it as an argument or with --${name}`)
}
