// Both languages say the same things, and each sentence is used: a key that nobody asks for is
// stale, and one that is asked for and missing would be shown as its own name.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { en } from '../src/words/en.ts'
import { fr } from '../src/words/fr.ts'

const source = resolve(import.meta.dirname, '../src')

const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/^(api|words)\b/.test(path))
  .map((path) => readFileSync(join(source, path), 'utf8'))
  .join('\n')

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
    const stems = [...code.matchAll(/`(\w+_)\$\{/g)].map(([, stem = '']) => stem)
    const isUsed = (key: string) =>
      code.includes(`'${key}'`) || stems.some((stem) => key.startsWith(stem))
    expect(keys.filter((key) => !isUsed(key))).toEqual([])
  })

  it('are typographically French in French', () => {
    const wrong = Object.entries(fr).filter(([, text]) =>
      /\w'\w|[^\u00a0\s] ?[?!](?!\w)/.test(text),
    )
    expect(wrong.filter(([, text]) => /\w'|[^\s\u00a0][?!]/.test(text))).toEqual([])
  })

  it('stand nowhere else: no text is written into a screen', () => {
    expect(
      [...code.matchAll(/>\s*([A-ZÀ-Ý][a-zà-ÿ]+ [a-zà-ÿ]+[^<>{}]*)</g)].map(([, text]) => text),
    ).toEqual([])
  })
})
