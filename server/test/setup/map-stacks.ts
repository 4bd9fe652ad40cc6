// A stack names lines of the source, also of files that Node reads as the run's bundle has them
// (`read-built.mjs`): Vitest knows the lines of test files only.

import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { bundleVariable } from './main-program.ts'

const root = resolve(import.meta.dirname, '../../..')
const bundle = process.env[bundleVariable]
const maps = new Map<string, SourceMap | undefined>()

function readMap(file: string): SourceMap | undefined {
  const path = join(bundle ?? '', 'modules', relative(root, file).replace(/\.ts$/, '.js.map'))
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined // not one of ours
  }
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file))
  return maps.get(file)
}

/** `file:///…/post.ts:3:15` by the line and column that a person wrote. */
export const withSourceLines = (stack: string): string =>
  stack.replace(/file:\/\/(\/[^\s()]+\.ts):(\d+):(\d+)/g, (all, file, line, column) => {
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (found === undefined || !('originalLine' in found)) return all
    return `file://${file}:${found.originalLine + 1}:${found.originalColumn + 1}`
  })

/** Vitest runs this before each file, in one process: once is enough. */
const done = Symbol.for('pirogue.stacks')
const before = Error.prepareStackTrace
if (bundle !== undefined && before !== undefined && !(done in before)) {
  const mapped: typeof before = (error, frames) => {
    const stack: unknown = before(error, frames)
    return typeof stack === 'string' ? withSourceLines(stack) : stack
  }
  Error.prepareStackTrace = Object.assign(mapped, { [done]: true })
}
