// Small drawings of our own: a merchant's or a network's initials on a colour. They are no
// trademark.

import { type Html, html } from '../platform/html.ts'
import { textOn } from './colour.ts'

const colours = ['#7a3e00', '#0b5d8a', '#5b2a86', '#8a1538', '#1d5c2f', '#3d4a57'] as const

/** Always the same for the same network. */
function colourOf(code: string): string {
  const sum = [...code].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 9973, 7)
  return colours[sum % colours.length] ?? colours[0]
}

const wordsOf = (name: string): string[] =>
  name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')

const first = (word: string, count: number): string =>
  [...word].slice(0, count).join('').toUpperCase()

const mark = (text: string, colour: string): Html => html`<svg width="40" height="40"
 viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="8" fill="${colour}"/><text
 x="20" y="26" font-size="16" font-weight="700" text-anchor="middle"
 fill="${textOn(colour)}">${text}</text></svg>`

export const networkMark = ({ code, name }: Readonly<{ code: string; name: string }>): Html =>
  mark(first(name, 2), colourOf(code))

export const merchantMark = (name: string, colour: string): Html =>
  mark(
    wordsOf(name)
      .slice(0, 2)
      .map((word) => first(word, 1))
      .join(''),
    colour,
  )
