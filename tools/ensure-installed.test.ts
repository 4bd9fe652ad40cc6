// What is installed at a start, and where nothing is: beside a database of somebody's own a start says
// what the build has left out.

import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let root: string
let npm: string
const lock = {
  packages: {
    '': {},
    'node_modules/needed': { version: '1.0.0', integrity: 'x' },
    'node_modules/tool': { version: '1.0.0', integrity: 'x', dev: true },
  },
}

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'pirogue-install-'))
  await mkdir(path.join(root, 'tools'))
  const tool = fileURLToPath(new URL('./ensure-installed.mjs', import.meta.url))
  await copyFile(tool, path.join(root, 'tools', 'ensure-installed.mjs'))
  await writeFile(path.join(root, 'package-lock.json'), JSON.stringify(lock))
  // Stands in for npm: it writes down what it was asked for.
  npm = path.join(root, 'npm-cli.cjs')
  await writeFile(
    npm,
    `const fs = require('node:fs')
     fs.writeFileSync(${JSON.stringify(path.join(root, 'asked'))}, process.argv.slice(2).join(' '))
     fs.mkdirSync(${JSON.stringify(path.join(root, 'node_modules'))}, { recursive: true })`,
  )
})
afterAll(() => rm(root, { recursive: true, force: true }))

function run(env: Record<string, string>) {
  const tool = path.join(root, 'tools', 'ensure-installed.mjs')
  const settings = { PATH: process.env['PATH'], npm_execpath: npm, ...env }
  const { status, stderr } = spawnSync(process.execPath, [tool], {
    env: settings,
    encoding: 'utf8',
  })
  return { status, said: stderr }
}

const asked = () => readFile(path.join(root, 'asked'), 'utf8').catch(() => 'nothing')
const DATABASE_URL = 'postgres://db/x'

describe('a start', () => {
  it.each(['prestart', 'precli'])(
    'beside a database of its own installs nothing: %s',
    async (on) => {
      const { status, said } = run({ DATABASE_URL, npm_lifecycle_event: on })
      expect(status).toBe(1)
      expect(said.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/DATABASE_URL.*npm ci --ignore-scripts --omit=dev/),
      ])
      expect(await asked()).toBe('nothing')
    },
  )

  it('there is content with an installation without what only developers need', async () => {
    const modules = path.join(root, 'node_modules')
    await mkdir(path.join(modules, 'needed'), { recursive: true })
    await writeFile(path.join(modules, 'needed', 'package.json'), '{}')
    const { '': _, 'node_modules/tool': __, ...packages } = lock.packages
    await writeFile(path.join(modules, '.package-lock.json'), JSON.stringify({ packages }))
    expect(run({ DATABASE_URL, npm_lifecycle_event: 'prestart' })).toEqual({ status: 0, said: '' })
    expect(await asked()).toBe('nothing')
  })

  it('elsewhere installs, and runs no script of a package', async () => {
    expect(run({ npm_lifecycle_event: 'prestart' }).status).toBe(0)
    expect(await asked()).toMatch(/^ci .*--ignore-scripts/)
  })
})
