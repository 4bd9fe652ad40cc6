// What others wrote of the dashboard that a browser runs: five libraries at most, each at one exact
// version, and none that runs anything when it is installed.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

/** As the bundler lists what it took in. */
const bundled = [...read('dashboard/built/licences.md').matchAll(/^## (\S+) - (\S+) /gm)].map(
  ([, name = '', version = '']) => ({ name, version }),
)

it('five libraries at most are bundled', () => {
  expect(bundled.map(({ name }) => name)).toContain('preact')
  expect(bundled.length).toBeLessThanOrEqual(5)
})

it('each is pinned, and runs nothing when it is installed', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  const { devDependencies } = JSON.parse(read('dashboard/package.json'))
  for (const [name, version] of Object.entries<string>(devDependencies)) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
  }
  for (const { name, version } of bundled) {
    const installed = packages[`node_modules/${name}`]
    expect(installed, name).toMatchObject({ version })
    expect(installed.hasInstallScript ?? false, name).toBe(false)
  }
})
