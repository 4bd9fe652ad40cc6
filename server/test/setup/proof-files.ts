// Whether this run is `npm run proof`, and the test files that it runs whole: those that import
// `proof-size.ts`. The configuration of the run asks, so nothing of Vitest is here.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const isWhole = process.env['PROOF'] === 'whole'

const root = resolve(import.meta.dirname, '../../..')
const importsSize = /^import .*\/proof-size\.ts'$/m

function testsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testsBelow(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })
}

/** Their paths from the root of the repository. */
export const proofFiles = (): string[] =>
  ['server', 'simulator', 'dashboard', 'tools']
    .flatMap(testsBelow)
    .filter((path) => importsSize.test(readFileSync(join(root, path), 'utf8')))
