// Tests import the service, and what tests share, as Node imports its own modules: each file turned
// into JavaScript once for the whole run (`bundle-main.ts`), not once more by Vite for each of its
// modules, which was a tenth of the run. Loaded first in each worker, and by vitest.config.ts for
// the global set-ups, which begin before anything is built. No TypeScript: it is what reads that.
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const root = resolve(import.meta.dirname, '../../..')
const bundle = process.env['PIROGUE_TEST_BUNDLE']

// This file is also the hook itself, which Node runs in a thread of its own.
if (isMainThread) register(import.meta.url)

/** A file keeps its own address: what it finds beside itself is still there. */
export async function load(url, context, next) {
  if (!/^file:.*\.ts$/.test(url)) return next(url, context)
  const file = fileURLToPath(url)
  const path = relative(root, file)
  if (path.startsWith('..') || path.split(sep).includes('node_modules')) return next(url, context)
  const built = bundle && join(bundle, 'modules', path.replace(/\.ts$/, '.js'))
  const source = built === undefined ? await transformed(file) : await readFile(built, 'utf8')
  return { format: 'module', source, shortCircuit: true }
}

async function transformed(file) {
  const { transform } = await import('esbuild')
  const text = await readFile(file, 'utf8')
  const { code } = await transform(text, { loader: 'ts', sourcefile: file, sourcemap: 'inline' })
  return code
}
