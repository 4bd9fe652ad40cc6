// The guide to errors names every code that the service can answer, under its status, and no other:
// a developer who meets a code finds it there.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ErrorRow } from '../src/platform/errors.ts'
import { readTree } from './tidy/tree.ts'

const root = path.resolve(import.meta.dirname, '../..')

const isRow = (value: unknown): value is ErrorRow =>
  typeof value === 'object' && value !== null && 'code' in value && 'retryable' in value

/** Every row of every table of errors, as `status code`. */
async function codesOfTheCode(): Promise<string[]> {
  const tables = readTree(root).filter(
    ({ path: at, text }) =>
      /^server\/src\/.*(?<!\.test|\/fixture)\.ts$/.test(at) && text.includes('= defineErrors('),
  )
  const listed = new Set<string>()
  for (const { path: at } of tables) {
    const exported: Record<string, unknown> = await import(path.join(root, at))
    for (const table of Object.values(exported)) {
      if (typeof table !== 'object' || table === null) continue
      for (const row of Object.values(table))
        if (isRow(row)) listed.add(`${row.status} ${row.code}`)
    }
  }
  return [...listed].sort()
}

/** Of the guide's table: each line's statuses, and every code that it names. */
async function codesOfTheGuide(): Promise<{ statuses: string[]; codes: string[] }[]> {
  const text = await readFile(path.join(root, 'docs/guides/errors.md'), 'utf8')
  return [...text.matchAll(/^\| (\d{3}(?:, \d{3})*) \|(.*)\|[^|]*\|$/gm)].map(
    ([, statuses = '', codes = '']) => ({
      statuses: statuses.split(', '),
      codes: [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
    }),
  )
}

describe('the guide to errors', () => {
  it('names each code of the code under its status, and no other', async () => {
    const [rows, lines] = await Promise.all([codesOfTheCode(), codesOfTheGuide()])
    expect(rows.length).toBeGreaterThan(50)
    const isNamed = (row: string) => {
      const [status = '', code = ''] = row.split(' ')
      return lines.some((line) => line.statuses.includes(status) && line.codes.includes(code))
    }
    expect(rows.filter((row) => !isNamed(row))).toEqual([])
    const known = new Set(rows.map((row) => row.split(' ')[1]))
    const named = lines.flatMap(({ codes }) => codes)
    expect(named.filter((code) => !known.has(code))).toEqual([])
  })
})
