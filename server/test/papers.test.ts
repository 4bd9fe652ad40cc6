// The papers say what is so: each file that those on security and the records of decisions name
// exists, each item of the ASVS stands there once, each statement of a runbook runs on a real
// database.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './setup/database.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const runbooks = readdirSync(join(root, 'docs/runbooks')).map((name) => `docs/runbooks/${name}`)
const papers = readdirSync(join(root, 'docs/security')).map((name) => `docs/security/${name}`)
const guides = readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`)
const firstReads = [
  'docs/configuration.md',
  'docs/dashboard.md',
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'docs/reviews/2026-11.md',
]

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const statementsOf = (path: string): string[] =>
  [...read(path).matchAll(/```sql\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split(';'))
    .filter((statement) => statement.trim() !== '')

/** In backticks, from whichever folder: its name as the record has it. `/openapi.json` is a route. */
const fileName = /`(?!\/)([\w./*-]+\.(?:css|csv|json|md|mjs|sql|tsx?|yml))`/g

const homes = ['dashboard', 'docs', 'sdk', 'server', 'simulator', 'tools']

/** What a start writes, and how a record is named. */
const elsewhere = ['credentials.json', 'NNNN-title.md']

describe('the papers', () => {
  it.each(['SECURITY.md', ...firstReads, ...guides, ...papers, ...runbooks])(
    '%s links to what is there',
    (path) => {
      const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
        ([, link = '']) => link,
      )
      const missing = links.filter((link) => !existsSync(join(root, dirname(path), link)))
      expect(missing).toEqual([])
    },
  )

  it('the table of the dashboard has each bar and journey once, and names tests that exist', () => {
    const paper = read('docs/dashboard.md')
    const numbers = [...paper.matchAll(/^\| ([AS]\d+) \|/gm)].map(([, number]) => number)
    const upTo = (letter: string, last: number) =>
      Array.from({ length: last }, (_, nth) => `${letter}${nth + 1}`)
    expect(numbers).toEqual([...upTo('A', 27), ...upTo('S', 12)])
    const journeys = [...paper.matchAll(/\bJ\d+\b/g)].map(([journey]) => journey)
    expect(journeys.sort()).toEqual(upTo('J', 30).sort())
    const tests = new Set([...paper.matchAll(/`([\w-]+\.test\.ts)`/g)].map(([, name = '']) => name))
    const folders = ['server/test', 'server/test/browser', 'server/test/stories', 'dashboard/test']
    const known = folders.flatMap((folder) => readdirSync(join(root, folder)))
    expect(tests.size).toBeGreaterThan(20)
    expect([...tests].filter((name) => !known.includes(name))).toEqual([])
  })

  it('the list of the ASVS has each item once, a verdict, and files that exist', () => {
    const rows = [...read('docs/security/asvs.md').matchAll(/^\| (\d+\.\d+\.\d+) \|(.*)\|$/gm)]
    const items = rows.map(([, item]) => item)
    expect(items.length).toBe(217)
    expect(new Set(items).size).toBe(items.length)
    const verdicts = /\| (met( \(S-\d\d(, S-\d\d)*\))?|not applicable|\*\*not met\*\*) \|/
    expect(rows.filter(([row]) => !verdicts.test(row)).map(([, item]) => item)).toEqual([])
    const named = rows.flatMap(([row]) => [
      ...row.matchAll(/`([\w./-]+\/?[\w.-]+\.\w+|\.ci\/run)`/g),
    ])
    const files = [...new Set(named.map(([, file = '']) => file))]
    expect(files.length).toBeGreaterThan(50)
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    const met = rows.filter(([row]) => /\| met/.test(row))
    expect(met.filter(([row]) => !row.includes('`')).map(([, item]) => item)).toEqual([])
  })

  it('the records of decisions name files that exist', () => {
    const walked = homes.flatMap((home) =>
      readdirSync(join(root, home), { recursive: true }).map((file) => `/${home}/${file}\n`),
    )
    const files = [...readdirSync(root).map((file) => `/${file}\n`), ...walked].join('')
    const folder = 'docs/decisions'
    const named = readdirSync(join(root, folder)).flatMap((record) =>
      [...read(`${folder}/${record}`).matchAll(fileName)].map(([, file = '']) => [record, file]),
    )
    expect(named.length).toBeGreaterThan(300)
    const isThere = (file: string) =>
      new RegExp(`/${file.replaceAll('.', '\\.').replaceAll('*', '[^/\n]*')}\n`).test(files)
    expect(named.filter(([, file = '']) => !isThere(file) && !elsewhere.includes(file))).toEqual([])
  })

  it.each(runbooks.filter((path) => statementsOf(path).length > 0))(
    'each statement of %s runs',
    async (path) => {
      for (const statement of statementsOf(path)) await database.owner.unsafe(statement)
    },
  )
})
