// Any text a person may have typed, as runs of letters that our fonts can draw. Law: nothing
// becomes another letter: what no font has is shown as a dot, and what has no form (line breaks,
// controls, marks that turn the direction) as a space.

import { readFileSync } from 'node:fs'
import { create, type Font } from 'fontkit'

export type Weight = 'regular' | 'bold'

export type Run = Readonly<{ font: string; text: string; is_arabic: boolean }>

const files = {
  regular: ['latin-400', 'latin-ext-400', 'vietnamese-400', 'arabic-400'],
  bold: ['latin-700', 'latin-ext-700', 'vietnamese-700', 'arabic-400'],
} as const satisfies Record<Weight, readonly string[]>

const folder = new URL('../../../assets/fonts/', import.meta.url)
const opened = new Map<string, Font>()

/** Read once a process, when the first invoice is made. */
export function fontOf(name: string): Font {
  const font = opened.get(name) ?? create(readFileSync(new URL(`noto-sans-${name}.ttf`, folder)))
  opened.set(name, font)
  return font
}

const letters_max = 400
const graphemes = new Intl.Segmenter('fr', { granularity: 'grapheme' })

/** Letters as a reader counts them. */
export const lettersOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment)

/** One line of bounded length, in composed form. */
export function plain(text: string): string {
  const line = text
    .slice(0, letters_max * 4)
    .normalize('NFC')
    // fr-FR groups thousands by a narrow space that the font does not have.
    .replace(/\u202f/g, '\u00a0')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return lettersOf(line).slice(0, letters_max).join('')
}

/** Replaces a letter that no font of ours has. */
const unknown_letter = '·'

type Drawable = Readonly<{ font: string; shown: string; advance: number }>

/** Letters of one code point, by weight: as many as our fonts have. */
const known = { regular: new Map<string, Drawable>(), bold: new Map<string, Drawable>() }

/** A letter with all its marks in the first font that has them; `advance` of a size of 1. */
function drawable(letter: string, weight: Weight): Drawable {
  const found = known[weight].get(letter)
  if (found !== undefined) return found
  const points = Array.from(letter, (part) => part.codePointAt(0) ?? 0)
  for (const font of files[weight]) {
    const file = fontOf(font)
    if (!points.every((point) => file.hasGlyphForCodePoint(point))) continue
    const advances = points.map((point) => file.glyphForCodePoint(point).advanceWidth)
    const advance = advances.reduce((sum, each) => sum + each, 0) / file.unitsPerEm
    const made = { font, shown: letter, advance }
    if (points.length === 1) known[weight].set(letter, made)
    return made
  }
  return drawable(unknown_letter, weight)
}

/** In the order in which they are drawn, from the left. */
export function runsOf(text: string, weight: Weight): Run[] {
  const runs: { font: string; text: string; is_arabic: boolean }[] = []
  for (const letter of lettersOf(text)) {
    const { font, shown } = drawable(letter, weight)
    const last = runs.at(-1)
    // A space goes with the word before it, so that Arabic words stay one run in their own order.
    if (last !== undefined && (last.font === font || letter === ' ')) last.text += shown
    else runs.push({ font, text: shown, is_arabic: font === 'arabic-400' })
  }
  // The first word says which way the line is read.
  return runs[0]?.is_arabic === true ? fromTheRight(runs) : runs
}

/** Arabic from right to left, and between it other words, which keep their own order. */
function fromTheRight(runs: readonly Run[]): Run[] {
  const line: Run[] = []
  let others: Run[] = []
  for (const run of runs) {
    if (run.is_arabic) {
      line.unshift(run, ...others)
      others = []
    } else others.push(run)
  }
  return [...others, ...line]
}

/** As it is drawn: kerned, Arabic letters connected. */
export function widthOf(run: Run, size: number): number {
  const font = fontOf(run.font)
  return (font.layout(run.text).advanceWidth / font.unitsPerEm) * size
}

/** The form of a text: at most `lines_max` lines, none wider than `width`. */
export type Letters = Readonly<{ size: number; weight: Weight; width: number; lines_max: number }>

const ellipsis = '…'

/** The text in lines; a word too long for a line is broken, and a text too long ends in `…`. */
export function linesOf(text: string, form: Letters): string[] {
  const letters = lettersOf(plain(text))
  const lines: string[] = []
  let [start, at] = [0, 0]
  while (at < letters.length && lines.length < form.lines_max) {
    start = at
    at = endOfLine(letters, start, form)
    lines.push(letters.slice(start, at).join('').trim())
  }
  if (at >= letters.length) return lines
  const kept = letters.slice(start, at)
  while (endOfLine([...kept, ellipsis], 0, form) <= kept.length) kept.pop()
  return [...lines.slice(0, -1), kept.join('').trim() + ellipsis]
}

/** Where the next line begins; a line has one letter at least. */
function endOfLine(letters: readonly string[], start: number, form: Letters): number {
  let used = 0
  let word = start
  for (let at = start; at < letters.length; at += 1) {
    const letter = letters[at] ?? ''
    used += drawable(letter, form.weight).advance * form.size
    if (letter === ' ') word = at + 1
    else if (used > form.width && at > start) return word > start ? word : at
  }
  return letters.length
}
