// Reads single settings of the environment and collects the errors. Law: one line for each mistake,
// all at once, and no line shows a secret.

import { parsePercent } from '../../money/percent.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Collects one line for each mistake, so that a person corrects them all in one go. */
export class Reader {
  readonly lines: string[] = []
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  text(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined
  }

  value<T>(name: string, parse: (text: string) => T | undefined, expected: string) {
    const text = this.text(name)
    const value = text === undefined ? undefined : parse(text)
    if (text !== undefined && value === undefined) this.mistake(name, shown(text), expected)
    return value
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const parse = (text: string) => allowed.find((each) => each === text)
    return this.value(name, parse, `one of ${allowed.join(', ')}`)
  }

  /** Parts per million. */
  percent(name: string): bigint | undefined {
    const expected = 'a percentage from 0 to 100 with at most four decimals, such as 1.25'
    return this.value(name, parsePercent, expected)
  }

  mistake(name: string, read: string, expected: string) {
    this.lines.push(`${name}: read ${read}, expected ${expected}.`)
  }
}

/** One line, whatever was read, and without a password that is in a URL. */
const shown = (text: string) => JSON.stringify(text.replace(/\/\/.*@/s, '//***@').slice(0, 200))

/** Where a malformed URL keeps its password cannot be known: only the scheme is shown. */
export function scheme(text: string): string {
  const [found] = /^[a-z][a-z0-9+]{0,15}:\/\//i.exec(text) ?? []
  return found === undefined ? 'a text that is no URL' : `"${found}…"`
}

/** A whole number of at most nine digits. */
export const parseCount = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

/** An absolute http(s) URL, without a trailing slash. */
export function parseUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s?#]+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return undefined
  return (url.origin + url.pathname).replace(/\/+$/, '')
}
