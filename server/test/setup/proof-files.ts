// Whether this run is `npm run proof`, and the test files that it runs whole: those that import
// `proof-size.ts`, of which those that import `by-the-clock.ts` run after the others, alone. The
// configuration of the run asks, so nothing of Vitest is here.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const isWhole = process.env['PROOF'] === 'whole'

/** Whether the proofs run whole after this run, as CI does it: small they would say less. */
export const areLeft = process.env['PROOF'] === 'apart'

/** Of a proof in two parts the one that this run is; else both. */
const part = process.env['PROOF_PART']

/**
 * The longest walks go through one share of many each day where PROOF_SHARES says of how many (CI
 * does, for the time it has), so that all is seen in as many days; else through all. PROOF_TURN:
 * which, counted from 0; the number of the day otherwise.
 */
export const shares = Math.max(1, Number(process.env['PROOF_SHARES'] ?? 1))
export const turn = Number(process.env['PROOF_TURN'] ?? Math.floor(Date.now() / 86_400_000))

type Turn = Readonly<{ shares: number; turn: number }>

/** Every so-manieth, from the turn's own; no share of a short list is empty. */
export function shareBy<T>(all: readonly T[], { shares, turn }: Turn): readonly T[] {
  const of = Math.max(1, Math.min(shares, all.length))
  return all.filter((_, nth) => (nth - turn) % of === 0)
}

const root = resolve(import.meta.dirname, '../../..')
const importsSize = /^import .*\/proof-size\.ts'$/m
const importsClock = /^import .*\/by-the-clock\.ts'$/m

function testsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testsBelow(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Their paths from the root of the repository. */
export const proofFiles = (): string[] =>
  ['server', 'simulator', 'dashboard', 'tools']
    .flatMap(testsBelow)
    .filter((path) => importsSize.test(read(path)))

/** Those of this run's part. */
export const proofFilesNow = (): string[] =>
  proofFiles().filter(
    (path) => part === undefined || (part === 'alone') === importsClock.test(read(path)),
  )
