// HTML that cannot forget to escape: a value in the template is text, unless it came out of the
// template itself. Attributes are in double quotes, and an address in one leads to the web, to our
// own paths, to a telephone's keys, to a mailbox, or nowhere: the template treats anything else as
// a bug.

import { createHash } from 'node:crypto'
import { assert } from './errors.ts'

/** Made only in this file, so that nothing unescaped can pass for it. */
export class Html {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  static #made = (text: string) => new Html(text)

  /** The template. */
  static of(parts: TemplateStringsArray, ...holes: Hole[]): Html {
    let text = parts[0] ?? ''
    for (const [index, hole] of holes.entries()) {
      text += fill(text, hole) + (parts[index + 1] ?? '')
    }
    return Html.#made(text)
  }

  /** An element of our own constant text, with the hash that admits it in a content policy. */
  static inline(element: 'style' | 'script', text: string): Inline {
    assert(!/<[!/]/.test(text), 'inline text that could end its element')
    const hash = createHash('sha256').update(text).digest('base64')
    return { html: Html.#made(`<${element}>${text}</${element}>`), source: `'sha256-${hash}'` }
  }

  toString(): string {
    return this.#text
  }
}

export type Inline = Readonly<{ html: Html; source: string }>

/** An absent value writes nothing. */
export type Hole = Html | string | number | undefined | null | false | readonly Hole[]

export const html = Html.of
export const { inline } = Html

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '')

const address = /\s(?:href|src|action|formaction)="$/
const web = /^(?:https?:\/\/|\/(?!\/)|#|\?|data:image\/(?:png|jpeg|webp);base64,)/i
/** What a telephone dials, and a message it writes: to nobody, until its owner says to whom. */
const phone = /^(?:tel:(?:[\d*+]|%23)+|sms:\?&body=[\w%.!~*'()-]*)$/
/** One recipient and nothing beside. */
const mail = /^mailto:[\w%.!~*'()-]+@[A-Za-z0-9.-]+$/
const safe = [web, phone, mail]
const safeAddress = { test: (text: string) => safe.some((form) => form.test(text)) }

function fill(before: string, hole: Hole): string {
  if (hole === undefined || hole === null || hole === false) return ''
  if (hole instanceof Html) return hole.toString()
  if (typeof hole === 'string' || typeof hole === 'number') return written(before, String(hole))
  return hole.map((one) => fill(before, one)).join('')
}

function written(before: string, text: string): string {
  assert(!before.endsWith('='), 'a hole in an attribute without quotes')
  assert(!address.test(before) || safeAddress.test(text), 'an address that may not be followed')
  return escaped(text)
}
