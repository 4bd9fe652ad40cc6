// Small drawings of our own: a merchant's or a network's initials on its colour, and the signs of
// the pages. They are no trademark: an operator is known by its colour and its name.

import { type Html, html } from '../platform/html.ts'
import { textOn } from './colour.ts'

/** A network whose colour we do not know: one grey for all, and no colour is made up. */
const unknown_colour = '#5b6168'

const wordsOf = (name: string): string[] =>
  name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')

const first = (word: string, count: number): string =>
  [...word].slice(0, count).join('').toUpperCase()

const mark = (text: string, colour: string, corner: number): Html => html`<svg width="36"
 height="36" viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="${corner}"
 fill="${colour}"/><text x="18" y="23" font-size="${[...text].length > 2 ? 11 : 14}"
 font-weight="700" text-anchor="middle" fill="${textOn(colour)}">${text}</text></svg>`

/** A short name is written whole (MTN), a longer one begins. */
export function networkMark({ colour, name }: Readonly<{ colour: string; name: string }>): Html {
  const [word = ''] = wordsOf(name)
  const text = [...word].length <= 4 ? word : first(word, 1)
  return mark(text, colour === '' ? unknown_colour : colour, 18)
}

export const merchantMark = (name: string, colour: string): Html =>
  mark(
    wordsOf(name)
      .slice(0, 2)
      .map((word) => first(word, 1))
      .join(''),
    colour,
    8,
  )

const sign = (size: number, path: Html): Html => html`<svg class="tick" width="${size}"
 height="${size}" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor"
 stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${path}</svg>`

const disc = html`<circle cx="12" cy="12" r="11" fill="currentColor" stroke="none"/>`
const tick = html`<path stroke="var(--p)" d="M7 12.5l3.5 3.5 6.5-7.5"/>`

/** Chosen, or done. */
export const tickMark = (size: number): Html => sign(size, html`${disc}${tick}`)

export const crossMark = (size: number): Html =>
  sign(size, html`${disc}<path stroke="var(--p)" d="M8 8l8 8M16 8l-8 8"/>`)

/** Too late, or not now. */
export const clockMark = (size: number): Html =>
  sign(size, html`${disc}<path stroke="var(--p)" d="M12 6v6l4 2"/>`)

export const lockMark = html`<svg width="18" height="18" viewBox="0 0 24 24" aria-hidden="true"
 fill="none" stroke="currentColor" stroke-width="2"><rect x="5" y="11" width="14" height="9"
 rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/></svg>`
