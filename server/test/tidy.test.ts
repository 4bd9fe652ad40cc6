// The laws as a test. Each law reads the whole repository and must find nothing there; then it
// reads a planted breach, which it must find, and innocent look-alikes, which it must let pass.

import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderOrder, namesOfMechanisms } from './tidy/folder-order.ts'
import { type LawName, laws, type Planted } from './tidy/laws.ts'
import { composers } from './tidy/paper-laws.ts'
import { plantedCitations } from './tidy/planted-citations.ts'
import { plantedDashboard } from './tidy/planted-dashboard.ts'
import { plantedImports } from './tidy/planted-imports.ts'
import { plantedMoney } from './tidy/planted-money.ts'
import { plantedPapers } from './tidy/planted-papers.ts'
import { plantedRim } from './tidy/planted-rim.ts'
import { plantedRoutes } from './tidy/planted-routes.ts'
import { plantedShapes } from './tidy/planted-shapes.ts'
import { plantedTests } from './tidy/planted-tests.ts'
import { importsOf, stringsOf } from './tidy/source.ts'
import { unknownOwners } from './tidy/sql-laws.ts'
import { isSql } from './tidy/sql-text.ts'
import { type Finding, formatFinding, isServerProduction, plant, readTree } from './tidy/tree.ts'

const root = resolve(import.meta.dirname, '../..')
const tree = readTree(root)

const planted: Record<LawName, readonly Planted[]> = {
  ...plantedCitations,
  ...plantedDashboard,
  ...plantedImports,
  ...plantedMoney,
  ...plantedRim,
  ...plantedRoutes,
  ...plantedShapes,
  ...plantedPapers,
  ...plantedTests,
}

const places = (findings: readonly Finding[]): string[] =>
  findings.map(({ path, line }) => `${path}:${line}`)

// Without this, a moved folder would make every law below pass on nothing.
describe('what the laws read', () => {
  const server = tree.filter(isServerProduction)

  it('holds files of the server, of its tests and of the repository around them', () => {
    expect(server.length).toBeGreaterThan(0)
    const paths = tree.map(({ path }) => path)
    expect(paths).toContain('package.json')
    expect(paths).toContain('server/test/tidy.test.ts')
    expect(paths).toContain('dashboard/src/app/main.tsx')
    expect(paths.filter((path) => path.includes('node_modules'))).toEqual([])
  })

  it('holds imports, and every relative one points at a file that was read', () => {
    const read = new Set(tree.map(({ path }) => path))
    const targets = server.flatMap(importsOf).flatMap(({ target }) => target ?? [])
    expect(targets.length).toBeGreaterThan(0)
    expect(targets.filter((target) => target.startsWith('server/') && !read.has(target))).toEqual(
      [],
    )
  })

  it('holds SQL', () => {
    expect(server.flatMap(stringsOf).filter(isSql).length).toBeGreaterThan(0)
  })

  it('holds the files by which statements are put together', () => {
    const paths = new Set(tree.map(({ path }) => path))
    expect(Object.keys(composers).filter((path) => !paths.has(path))).toEqual([])
  })

  it('has each folder of the list once, and no table owned by a stranger', () => {
    expect(new Set(folderOrder).size).toBe(folderOrder.length)
    expect(unknownOwners()).toEqual([])
  })

  it('has each name that a mechanism may have, or the exception would hide the next breach', () => {
    const mechanisms = server
      .filter(({ path }) => path.startsWith('server/src/platform/'))
      .map(({ text }) => text)
      .join('\n')
    const names = Object.values(namesOfMechanisms).flat()
    const isNamed = (name: string) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(mechanisms)
    expect(names.filter((name) => !isNamed(name))).toEqual([])
  })
})

for (const [name, check] of Object.entries(laws)) {
  describe(`law: ${name}`, () => {
    const plants = Object.entries(planted).find(([law]) => law === name)?.[1] ?? []

    it('is kept in the whole tree', () => {
      expect(check(tree).map(formatFinding)).toEqual([])
    })

    it('has been planted with a breach and with a look-alike', () => {
      expect(plants.some(({ found }) => found.length > 0)).toBe(true)
      expect(plants.some(({ found }) => found.length === 0)).toBe(true)
    })

    it.each(plants)('planted: $title', ({ files, found }) => {
      const findings = check(plant(files))
      expect(places(findings)).toEqual(found)
      expect(findings.filter(({ law }) => law !== name)).toEqual([])
    })
  })
}
