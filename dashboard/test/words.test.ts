// Both languages say the same things, and each sentence is used: a key that nobody asks for is
// stale, and one that is asked for and missing would be shown as its own name.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { en, enAreas, fr, frAreas } from './all-words.ts'

const source = resolve(import.meta.dirname, '../src')

const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/^(api|words)\b/.test(path))
  .map((path) => join(source, path))
const code = sources.map((path) => readFileSync(path, 'utf8')).join('\n')

/** A file and all that it imports at once, not later. */
function withImports(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  const imported = /^(?:import|export) (?!type )[^'"()]*? from '(\.[^']+\.tsx?)'/gm
  for (const [, next = ''] of text.matchAll(imported)) {
    const found = resolve(dirname(path), next)
    if (!/types\.gen|\/src\/words\//.test(found)) withImports(found, seen)
  }
  return seen
}

/** With what a screen loads later too: its own parts have no words of their own, but by `part()`. */
function withEverything(path: string): Set<string> {
  const seen = withImports(path)
  for (const one of seen) {
    const text = readFileSync(one, 'utf8')
    const apart = screensOf(one).map(([of]) => of)
    for (const [, next = ''] of text.matchAll(/import\('(\.[^']+)'\)/g)) {
      const found = resolve(dirname(one), next)
      if (!apart.includes(found)) withImports(found, seen)
    }
  }
  return seen
}

/** The screens and parts that a file loads later, with the areas whose words come with each. */
function screensOf(path: string): (readonly [path: string, areas: readonly string[]])[] {
  const text = readFileSync(path, 'utf8')
  const named = /(?:screen|part)\(\s*\(\) => import\('([^']+)'\),?\s*(?:\[([^\]]*)\],?\s*)?\)/g
  return [...text.matchAll(named)].map(([, file = '', areas = "'screens'"]) => [
    resolve(dirname(path), file),
    [...areas.matchAll(/'(\w+)'/g)].map(([, area = '']) => area),
  ])
}

/** The words that some code asks for, as far as its text tells. */
function asksFor(text: string): (key: string) => boolean {
  const stems = [...text.matchAll(/`(\w+_)\$\{/g)].map(([, stem = '']) => stem)
  return (key) => text.includes(`'${key}'`) || stems.some((stem) => key.startsWith(stem))
}

const textOf = (paths: Iterable<string>) =>
  [...paths].map((path) => readFileSync(path, 'utf8')).join('\n')

const app = (name: string) => join(source, 'app', name)
const firstLoad = withImports(app('main.tsx'))
// What a form or a state loads once something has failed says words of the first load.
for (const path of [...firstLoad].filter((one) => one.startsWith(join(source, 'ui')))) {
  const text = readFileSync(path, 'utf8')
  for (const [, later = ''] of text.matchAll(/import\('(\.\/[^']+)'\)/g)) {
    withImports(resolve(dirname(path), later), firstLoad)
  }
}
const entrance = withImports(join(source, 'features/entrance/entrance.tsx'))
const frame = withImports(app('dashboard.tsx'))
withImports(join(source, 'features/home/home.tsx'), frame)

const holesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([hole]) => hole).sort()

describe('the words of the dashboard', () => {
  const keys = Object.keys(fr)

  it('are there in both languages, in the same order', () => {
    expect(keys.length).toBeGreaterThan(100)
    expect(Object.keys(en)).toEqual(keys)
  })

  it.each(['fr', 'en'])('are sorted in each file, and none is in two: %s', async (language) => {
    const paths = readdirSync(join(source, 'words', language), { encoding: 'utf8' })
    const files = await Promise.all(
      paths.map(
        (path): Promise<Record<string, object>> => import(join(source, 'words', language, path)),
      ),
    )
    const lists = files.flatMap((file) => Object.values(file).map((list) => Object.keys(list)))
    for (const list of lists) expect(list).toEqual([...list].sort())
    const told = lists.flat()
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told).size).toBe(told.length)
    expect(told.every((key) => keys.includes(key))).toBe(true)
  })

  it.each(Object.entries(fr))('have the same holes in both languages: %s', (key, french) => {
    const english = Object.entries(en).find(([name]) => name === key)?.[1] ?? ''
    expect(holesOf(english)).toEqual(holesOf(french))
    expect(english.trim()).not.toBe('')
  })

  it('are about as long in both: what has room in the one language has it in the other', () => {
    const english: Readonly<Record<string, string>> = en
    const longer = Object.entries(fr).filter(([key, french]) => {
      const lengths = [french.length, (english[key] ?? '').length]
      const longest = Math.max(...lengths)
      return longest > 20 && longest > 1.6 * Math.min(...lengths)
    })
    expect(longer.map(([key]) => key)).toEqual([])
  })

  it('are all used', () => {
    const isUsed = asksFor(code)
    expect(keys.filter((key) => !isUsed(key))).toEqual([])
  })

  it('are in one area each', () => {
    const all = Object.values(frAreas).flatMap((list) => Object.keys(list))
    expect(new Set(all).size).toBe(all.length)
    const keysOf = (of: object) =>
      Object.entries(of).map(([area, list]) => [area, Object.keys(list)])
    expect(keysOf(enAreas)).toEqual(keysOf(frAreas))
  })

  it('of the first load and of the frame are there with each, and are all that it brings', () => {
    const isAsked = asksFor(textOf(firstLoad))
    const isAskedInside = asksFor(textOf(frame))
    const [first, inside] = [Object.keys(frAreas.first), Object.keys(frAreas.frame)]
    expect(keys.filter((key) => isAsked(key) && !first.includes(key))).toEqual([])
    const there = [...first, ...inside]
    expect(keys.filter((key) => isAskedInside(key) && !there.includes(key))).toEqual([])
    // What both an entrance and a screen say comes first, too.
    const isAskedOutside = asksFor(textOf(entrance))
    expect(first.filter((key) => !isAsked(key) && !isAskedOutside(key))).toEqual([])
    expect(inside.filter((key) => !isAskedInside(key))).toEqual([])
  })

  const inside = [...screensOf(app('dashboard.tsx')), ...screensOf(app('money-screens.tsx'))]
  /** Of screens, which bring the words of screens. */
  const parts = sources.filter((path) => !path.startsWith(app(''))).flatMap(screensOf)
  const screens = [
    ...screensOf(app('main.tsx')),
    ...inside.map(([path, brought]) => [path, ['frame', ...brought]] as const),
    ...parts.map(([path, brought]) => [path, ['frame', 'screens', ...brought]] as const),
  ]

  it.each(screens)('of a screen come with it: %s', (path, brought) => {
    const lists = Object.entries(frAreas).filter(([area]) => ['first', ...brought].includes(area))
    const there = lists.flatMap(([, list]) => Object.keys(list))
    const isAsked = asksFor(textOf(withEverything(path)))
    expect(keys.filter((key) => isAsked(key) && !there.includes(key))).toEqual([])
  })

  it('have a screen each where they are asked for', () => {
    expect(screens.length).toBeGreaterThan(30)
    expect(parts.length).toBeGreaterThan(0)
    const files = ['main.tsx', 'dashboard.tsx', 'money-screens.tsx'].map(app)
    // Home, whose words are the frame's.
    expect(textOf(files).match(/lazy\(/g)).toHaveLength(1)
  })

  it('are typographically French in French', () => {
    const wrong = Object.entries(fr).filter(([, text]) =>
      /\w'\w|[^\u00a0\s] ?[?!](?!\w)/.test(text),
    )
    expect(wrong.filter(([, text]) => /\w'|[^\s\u00a0][?!]/.test(text))).toEqual([])
  })

  it('have in French no article before a moment, which today is its hour alone', () => {
    const wrong = Object.entries(fr).filter(([, text]) => /\b(le|au|du) \{at\}/.test(text))
    expect(wrong).toEqual([])
  })

  it('are broken in French at no sign, as they are built', () => {
    const assets = join(source, '../built/assets')
    const built = readdirSync(assets).filter((name) => /^fr-.*\.js$/.test(name))
    expect(built).toHaveLength(Object.keys(frAreas).length)
    const texts = built.map((name) => readFileSync(join(assets, name), 'utf8'))
    expect(texts.flatMap((text) => text.match(/.{9}(?:« | [:;?!%»])/g) ?? [])).toEqual([])
  })

  it('stand nowhere else: no text is written into a screen', () => {
    expect(
      [...code.matchAll(/>\s*([A-ZÀ-Ý][a-zà-ÿ]+ [a-zà-ÿ]+[^<>{}]*)</g)].map(([, text]) => text),
    ).toEqual([])
  })
})
