// The service as one file, made once for a run and gone with it: to read and compile hundreds of
// files anew was most of what a process took to start.

import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { bundleVariable, serviceSource } from './main-program.ts'

const root = resolve(import.meta.dirname, '../../..')

/** What lies beside a source file is still found from there: migrations, seeds, fonts, operator. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const url = JSON.stringify(pathToFileURL(path).href)
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' }
    })
  },
}

/** Vitest's global set-up. */
export default async function setUp(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'pirogue-bundle-'))
  const outfile = join(directory, 'main.mjs')
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await build({
    entryPoints: [serviceSource],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    sourcesContent: false,
    plugins: [keepPlaces],
  })
  process.env[bundleVariable] = outfile
  return async () => {
    delete process.env[bundleVariable]
    await rm(directory, { recursive: true, force: true })
  }
}
