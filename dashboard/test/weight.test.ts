// What the first screen costs a telephone: the page, what it names, and Home or an entrance with its
// words.
// Counted on the built files, compressed as they are served.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const built = resolve(import.meta.dirname, '../built')
const assets = readdirSync(join(built, 'assets'))
const weightOf = (path: string) => gzipSync(readFileSync(join(built, path))).length
const read = (name: string) => readFileSync(join(built, 'assets', name), 'utf8')

/** A file and all that it imports at once, not later. */
function withImports(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  if (!name.endsWith('.js')) return seen
  for (const [, next = ''] of read(name).matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) {
    withImports(next, seen)
  }
  return seen
}

const named = (pattern: RegExp): string => {
  const found = assets.find((name) => pattern.test(name))
  if (found === undefined) throw new Error(`${pattern} was not built`)
  return found
}

const whole = readFileSync(join(built, 'index.html'), 'utf8')
/** As the server sends it to a reader of French who opens Home. */
const page = whole.replace(/^.*data-language="en".*\n/gm, '')

/** What the page names, and these beside it, with all that they import at once. */
function loadOf(text: string, beside: readonly RegExp[]): number {
  const first = [...text.matchAll(/assets\/([^"]+)"/g)].map(([, name = '']) => name)
  expect(first.length).toBeGreaterThan(1)
  const files = new Set<string>()
  for (const name of [...first, ...beside.map(named)]) withImports(name, files)
  expect(files.size).toBeGreaterThan(3)
  const bytes = [...files].reduce((sum, name) => sum + weightOf(`assets/${name}`), 0)
  return bytes + gzipSync(text).length
}

/** And to a browser without a session. */
const outside = page.replace(/^.*data-for="member".*\n/gm, '')
const words = (area: string) => new RegExp(`^fr${area}-[\\w-]{8}\\.js$`)

it('the first load of Home is at most 66 kB', () => {
  const bytes = loadOf(page, [/^home-/, words(''), words('-frame')])
  console.log(`first load: ${(bytes / 1024).toFixed(1)} kB gz`)
  expect(bytes).toBeLessThan(66 * 1024)
})

it.each([
  ['signing in', []],
  ['signing up, an invitation, a new password', [/^entrance-/, words('-entrance')]],
])('whoever is not signed in loads at most 30 kB: %s', (_, more) => {
  expect(outside).not.toBe(page)
  const bytes = loadOf(outside, [words(''), ...more])
  console.log(`an entrance: ${(bytes / 1024).toFixed(1)} kB gz`)
  expect(bytes).toBeLessThan(30 * 1024)
})

it('what a reader loads at once is named by the page, in few files', () => {
  const first = ['frame', 'dashboard', 'home', 'fr', 'fr-frame']
  for (const name of first) expect(page).toMatch(new RegExp(`preload[^>]*/${name}-[\\w-]{8}\\.js`))
  expect(page).not.toMatch(/\/en(-frame)?-[\w-]{8}/)
  expect(outside).not.toMatch(/\/(frame|dashboard|home|fr-frame)-/)
  const named = new Set([...page.matchAll(/assets\/([^"]+)"/g)].map(([, name = '']) => name))
  // Home waits for no second way there and back: all that it imports at once is named.
  for (const name of [...named].flatMap((one) => [...withImports(one)]))
    expect(named).toContain(name)
  // A browser asks for six at a time, and a small one takes its turn as a large one does.
  expect(named.size).toBeLessThanOrEqual(9)
})

it('each screen’s own code is at most 25 kB, as is whatever else is a file of its own', () => {
  const scripts = assets.filter((name) => name.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(45)
  const heavy = scripts.filter((name) => weightOf(`assets/${name}`) >= 25 * 1024)
  expect(heavy).toEqual([])
})

it('the page has no script and no style of its own, and asks no other host', () => {
  expect(whole).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc="\.\/assets\/)/)
  expect(whole).not.toMatch(/https?:/)
})

it('the licences of what is bundled go with it', () => {
  const text = readFileSync(join(built, 'licences.md'), 'utf8')
  for (const name of ['preact', 'wouter', '@tanstack/react-query']) expect(text).toContain(name)
})
