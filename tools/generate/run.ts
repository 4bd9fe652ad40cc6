// Writes what is generated, or says what is stale. With `--check` nothing is written, and each
// stale file is one line: what CI runs.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Artifact } from './artifact.ts'

export type Run = Readonly<{
  /** The directory that the paths start from. */
  root: string
  check: boolean
  artifacts: readonly Artifact[]
  /** Folders that hold nothing else: what is not made any more is stale there. */
  wholeFolders?: readonly string[]
  print: (line: string) => void
}>

/** The exit code: 1 when `check` found a stale file. */
export async function run(options: Run): Promise<0 | 1> {
  const { root, check, artifacts, print } = options
  let stale = await dropStrangers(options)
  for (const { path, render } of artifacts) {
    const file = join(root, path)
    const current = await readIfThere(file)
    const wanted = render(current)
    if (current === wanted) continue
    stale += 1
    if (!check) await writeInto(file, wanted)
    print(check ? describeStale(path, current, wanted) : `${path} is written.`)
  }
  if (stale === 0) print('Every generated file is current.')
  return check && stale > 0 ? 1 : 0
}

async function writeInto(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** How many files are there that nothing makes any more. */
async function dropStrangers({ root, check, artifacts, wholeFolders = [], print }: Run) {
  const made = new Set(artifacts.map(({ path }) => path))
  let found = 0
  for (const folder of wholeFolders) {
    const names = await readdir(join(root, folder)).catch(() => [])
    for (const path of names.map((name) => `${folder}/${name}`)) {
      if (made.has(path)) continue
      found += 1
      if (!check) await rm(join(root, path))
      print(check ? `${path} is stale: run \`npm run generate\`.` : `${path} is removed.`)
    }
  }
  return found
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
