// Writes what is generated, or says what is stale. With `--check` nothing is written, and each
// stale file is one line: what CI runs.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifact } from './artifact.ts'

export type Run = Readonly<{
  /** The directory that the paths start from. */
  root: string
  check: boolean
  artifacts: readonly Artifact[]
  print: (line: string) => void
}>

/** The exit code: 1 when `check` found a stale file. */
export async function run({ root, check, artifacts, print }: Run): Promise<0 | 1> {
  let stale = 0
  for (const { path, render } of artifacts) {
    const file = join(root, path)
    const current = await readIfThere(file)
    const wanted = render(current)
    if (current === wanted) continue
    stale += 1
    if (!check) await writeFile(file, wanted)
    print(check ? describeStale(path, current, wanted) : `${path} is written.`)
  }
  if (stale === 0) print('Every generated file is current.')
  return check && stale > 0 ? 1 : 0
}

function describeStale(path: string, current: string | undefined, wanted: string): string {
  if (current === undefined) return `${path} is missing: run \`npm run generate\`.`
  return `${path}:${firstDifference(current, wanted)} is stale: run \`npm run generate\`.`
}

/** The number of the first line that differs. */
function firstDifference(current: string, wanted: string): number {
  const ours = wanted.split('\n')
  const theirs = current.split('\n')
  const at = ours.findIndex((line, index) => line !== theirs[index])
  return (at < 0 ? ours.length : at) + 1
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
