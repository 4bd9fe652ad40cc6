// What the honesty table claims of each operator: no more than its evidence, and every adapter has a
// page with its facts.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Claim, faultsOf, tableOf } from '../../tools/generate/honesty-table.ts'
import { adapters } from '../src/gateways/adapters.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/operators')
const claims: Claim[] = JSON.parse(readFileSync(join(folder, 'verified.json'), 'utf8'))

const evidenceIn = (file: string) => {
  const path = join(folder, 'evidence', file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
const foreign: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'simulator/foreign/package.json'), 'utf8'),
).dependencies

describe('the honesty table', () => {
  it('claims nothing without its evidence', () => {
    expect(faultsOf(claims, evidenceIn, foreign)).toEqual([])
  })

  it('is the page that people read', () => {
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(tableOf(claims))
  })

  it('finds a claim that nobody has evidence of, or that says more than it', () => {
    const [first] = claims
    if (first === undefined) throw new Error('there are no claims')
    const seen = { on: '2026-11-20', by: 'Ada', evidence: 'seen.json', amount: '5000.00 XOF' }
    const { operator, ability } = first
    const found = {
      ...{ operator, ability, by: 'Ada', environment: 'SANDBOX', amount: '5000.00 XOF' },
      seen_at: '2026-11-20T08:00:00.000Z',
    }
    const faults = (claim: Partial<Claim>, text?: string) =>
      faultsOf([{ ...first, ...claim }], () => text, foreign)
    expect(faultsOf([{ ...first, sandbox: seen }], evidenceIn, foreign)).toHaveLength(1)
    expect(faults({ sandbox: seen }, JSON.stringify(found))).toEqual([])
    for (const lacking of [{ evidence: '' }, { by: '' }]) {
      const sandbox = { ...seen, ...lacking }
      expect(faults({ sandbox }, JSON.stringify(found)), String(lacking)).toHaveLength(1)
    }
    // Seen in the sandbox, claimed of LIVE; another ability, sum, day, person; no facts at all.
    expect(faults({ live: seen }, JSON.stringify(found))).toHaveLength(1)
    for (const other of [
      { ability: 'pay out' },
      { operator: 'Another' },
      { amount: '50.00 XOF' },
      { seen_at: '2026-11-19T08:00:00.000Z' },
      { by: 'Bob' },
    ]) {
      const text = JSON.stringify({ ...found, ...other })
      expect(faults({ sandbox: seen }, text), text).toHaveLength(1)
    }
    for (const text of ['', 'a picture', '[]', 'null']) {
      expect(faults({ sandbox: seen }, text), text).not.toEqual([])
    }
    expect(faults({ imitated: 'soon' })).toHaveLength(1)
    for (const client of ['npm mtn-momo 2.0.1', 'npm nobody 1.0.0', 'a friend']) {
      expect(faults({ client_proof: { on: '2026-11-20', client } }), client).toHaveLength(1)
    }
  })

  it('says of what was seen, on every day, when it is stale', () => {
    const [first] = claims
    if (first === undefined) throw new Error('there are no claims')
    const seen = { on: '2026-11-20', by: 'Ada', evidence: 'seen.json' }
    expect(tableOf([{ ...first, sandbox: seen }])).toContain(
      '2026-11-20, Ada (stale after 2027-05-19)',
    )
    expect(tableOf([{ ...first, sandbox: null }])).toContain('not yet')
    for (const { sandbox, live } of claims) {
      for (const one of [sandbox, live]) if (one !== null) expect(tableOf(claims)).toMatch(/stale/)
    }
  })

  it('has a page of facts and a runbook for each operator that has accounts', () => {
    for (const { adapter } of adapters) {
      expect(readdirSync(folder)).toContain(`${adapter}.md`)
      expect(readdirSync(join(root, 'docs/runbooks'))).toContain(`operator-${adapter}.md`)
    }
  })
})

describe('the checks of operators', () => {
  const section = readFileSync(join(root, 'docs/proof.md'), 'utf8').split('## Operators')[1] ?? ''
  const rows = [...section.matchAll(/^\| (\d+) \|(.+)$/gm)].map(([, number, text = '']) => ({
    number: Number(number),
    tests: [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path),
  }))

  it('have a row each, in their order', () => {
    const numbers = Array.from({ length: 41 }, (_, at) => at + 1).filter((one) => one !== 37)
    expect(rows.map(({ number }) => number)).toEqual(numbers)
  })

  it('name tests that are there, each row one or more', () => {
    expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([])
    const named = rows.flatMap(({ tests }) => tests)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

describe('clients of others', () => {
  it('are no packages of ours: they are installed for the proof alone', () => {
    const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
    const foreign = Object.keys(read('simulator/foreign/package.json').dependencies)
    expect(foreign.length).toBeGreaterThan(3)
    const ours = Object.keys(read('package-lock.json').packages)
    expect(foreign.filter((one) => ours.includes(`node_modules/${one}`))).toEqual([])
    expect(read('package.json').workspaces).not.toContain('simulator/foreign')
  })
})

/** What Node reads before the first line of `entry` runs: files of ours, and packages. */
function loadedBy(entry: string): { files: Set<string>; packages: Set<string> } {
  const [files, packages] = [new Set<string>(), new Set<string>()]
  const read = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    const text = readFileSync(join(root, file), 'utf8')
    // A list of types alone is erased; what is imported by a call is read later, if at all.
    const named = /^(?:import|export)(?! type)(?:\s[^;'"]*?\sfrom)?\s+'([^']+)'/gm
    for (const [, what = ''] of text.matchAll(named)) {
      if (what.startsWith('.')) read(join(file, '..', what))
      else if (!what.startsWith('node:')) packages.add(what)
    }
  }
  read(entry)
  return { files, packages }
}

describe('npm start', () => {
  const service = loadedBy('server/src/app/main.ts')
  const operator = loadedBy('simulator/src/main.ts')
  const adapters = readdirSync(join(root, 'server/src/gateways'), { withFileTypes: true })
    .filter((one) => one.isDirectory() && one.name !== 'simulator')
    .map(({ name }) => `server/src/gateways/${name}/`)

  it('reads no wire of an imitation: neither the service nor the operator beside it', () => {
    const wires = readdirSync(join(root, 'simulator/src/dialects'), { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => `simulator/src/dialects/${name}/`)
    expect(wires.length).toBe(6)
    const read = [...service.files, ...operator.files].filter((file) =>
      wires.some((wire) => file.startsWith(wire)),
    )
    expect(read).toEqual([])
    expect(service.files.size).toBeGreaterThan(500)
    expect(operator.files.size).toBeGreaterThan(15)
  })

  it('reads little for the operators, and no package', () => {
    const own = [...service.files].filter((file) => adapters.some((one) => file.startsWith(one)))
    const bytes = (files: Iterable<string>) =>
      [...files].reduce((sum, file) => sum + statSync(join(root, file)).size, 0)
    expect(own.length).toBeGreaterThan(20)
    const share = bytes(own) / bytes(service.files)
    expect(share, `${own.length} of ${service.files.size} files`).toBeLessThan(0.1)
    const packages = own.flatMap((file) => [...packagesOf(file)])
    expect(packages).toEqual([])
  })
})

const packagesOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^import(?! type)[^;'"]*'([^'.][^']*)'/gm)]
    .map(([, what = '']) => what)
    .filter((what) => !what.startsWith('node:'))
