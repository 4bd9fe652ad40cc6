// The committed files are what the code makes today, and a stale one is named. Without this the
// published interface, the reviewed schema and the drawings would drift from what runs.

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wholeIt } from '../server/test/setup/proof-size.ts'
import type { Artifact } from './generate/artifact.ts'
import { makeArtifacts, wholeFolders } from './generate/make-artifacts.ts'
import { run } from './generate/run.ts'
import { closing, opening, stateDrawings } from './generate/state-drawings.ts'

const root = resolve(import.meta.dirname, '..')
const paths = [
  'server/openapi.json',
  'server/schema.sql',
  'server/statements.sql',
  'ARCHITECTURE.md',
  'docs/operators/README.md',
  'dashboard/src/api/types.gen.ts',
]
/** Parts of these are written by people. */
const drawnInto = ['ARCHITECTURE.md', 'docs/operators/README.md']
/** The names of these are made of their content. */
const builtPath = /^dashboard\/built\/(assets\/[\w.-]+|index\.html|licences\.md)$/
let artifacts: readonly Artifact[] = []
let copy = ''

beforeAll(async () => {
  artifacts = await makeArtifacts()
  copy = await mkdtemp(join(tmpdir(), 'pirogue-generate-test-'))
  // Types and the built dashboard too: twenty seconds of work, many times that beside others.
}, 400_000)
afterAll(() => rm(copy, { recursive: true, force: true }))

async function runIn(directory: string, check: boolean) {
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  return { code: await run({ root: directory, check, artifacts, wholeFolders, print }), lines }
}

/** A fresh copy of the generated files, current whether or not the committed ones are. */
async function copyCurrent(): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await cp(join(root, path), join(copy, path))
  }
  await runIn(copy, false)
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(copy, path)
  await writeFile(file, change(await readFile(file, 'utf8')))
}

describe('npm run generate', () => {
  it('finds every committed file current', async () => {
    const made = artifacts.map(({ path }) => path)
    expect(made.filter((path) => !builtPath.test(path))).toEqual(paths)
    expect(made.filter((path) => builtPath.test(path)).length).toBeGreaterThan(5)
    expect(await runIn(root, true)).toEqual({
      code: 0,
      lines: ['Every generated file is current.'],
    })
  })

  wholeIt(
    'makes the same schema from a second, fresh database',
    async () => {
      const again = await makeArtifacts()
      const texts = (made: readonly Artifact[]) =>
        made.filter(({ path }) => !drawnInto.includes(path)).map(({ render }) => render(undefined))
      expect(texts(again)).toEqual(texts(artifacts))
    },
    240_000,
  )

  it('names what is built no more, and removes it', async () => {
    await copyCurrent()
    const old = 'dashboard/built/assets/main-old.js'
    await writeFile(join(copy, old), '')
    const stale = [`${old} is stale: run \`npm run generate\`.`]
    expect(await runIn(copy, true)).toEqual({ code: 1, lines: stale })
    expect((await runIn(copy, false)).lines).toEqual([`${old} is removed.`])
    expect((await runIn(copy, true)).code).toBe(0)
  })

  it('fails its check with one line for each stale or missing file, and writes nothing', async () => {
    await copyCurrent()
    await edit('server/openapi.json', (text) =>
      text.replace('"openapi": "3.1.0"', '"openapi": "3"'),
    )
    await edit('ARCHITECTURE.md', (text) => text.replace('PENDING --> SUCCESS', 'PENDING --> LOST'))
    await rm(join(copy, 'server/schema.sql'))
    const { code, lines } = await runIn(copy, true)
    expect(code).toBe(1)
    expect(lines).toEqual([
      'server/openapi.json:2 is stale: run `npm run generate`.',
      'server/schema.sql is missing: run `npm run generate`.',
      expect.stringMatching(/^ARCHITECTURE\.md:\d+ is stale: run `npm run generate`\.$/),
    ])
    expect(await readFile(join(copy, 'ARCHITECTURE.md'), 'utf8')).toContain('PENDING --> LOST')
  })

  it('repairs what is stale and leaves the rest of ARCHITECTURE.md as it was written', async () => {
    await copyCurrent()
    const current = await readFile(join(copy, 'ARCHITECTURE.md'), 'utf8')
    const stale = (text: string) => `${text.replace('--> FAILED', '--> GONE')}\nA last word.\n`
    await edit('ARCHITECTURE.md', stale)
    expect((await runIn(copy, false)).lines).toEqual(['ARCHITECTURE.md is written.'])
    const repaired = await readFile(join(copy, 'ARCHITECTURE.md'), 'utf8')
    expect(repaired).toBe(`${current}\nA last word.\n`)
    expect((await runIn(copy, true)).code).toBe(0)
  })

  it.each([
    ['no marker', 'A drawing.'],
    ['one marker', `${opening}\n`],
    ['a marker twice', `${opening}\n${closing}\n${opening}\n${closing}\n`],
  ])('refuses an ARCHITECTURE.md with %s', (_, text) => {
    expect(() => stateDrawings().render(text)).toThrow(/must hold once/)
  })
})

describe('server/schema.sql', () => {
  const schema = () =>
    artifacts.find(({ path }) => path === 'server/schema.sql')?.render(undefined) ?? ''

  it('shows what keeps the laws: checks, unique keys, who may write what', () => {
    expect(schema()).toContain('constraint balances_available_check CHECK (available >= 0)')
    expect(schema()).toContain('CREATE UNIQUE INDEX attempts_one_open_of_transaction')
    expect(schema()).toContain('grant select, insert on ledger_entries to pirogue_app;')
    expect(schema()).toContain('create unlogged table rate_windows')
    expect(schema()).toContain(') partition by range (id);')
  })

  it('names no month, so that it is the same tomorrow', () => {
    expect(schema()).toContain('create table events_default partition of events default;')
    expect(schema()).not.toMatch(/_20\d{4}\b/)
  })
})
