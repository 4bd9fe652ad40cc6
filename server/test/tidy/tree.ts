// The repository as text: every law reads a `Tree`, so that the same law runs over the real files
// and over a planted breach. Paths are relative to the repository and use `/`.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Leaf = Readonly<{ path: string; text: string }>
export type Tree = readonly Leaf[]

/** What a law found. `say` ends with what to do about it. */
export type Finding = Readonly<{ path: string; line: number; law: string; note: string }>

const leftOut = new Set(['node_modules', 'dist', 'coverage', 'built'])
const dotFilesRead = new Set(['.github', '.gitignore', '.npmrc', '.dockerignore', '.env.example'])

/** Every text file below `root`; what is installed, built or logged there is left out. */
export function readTree(root: string): Tree {
  const leaves: Leaf[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (leftOut.has(entry.name) || entry.name.endsWith('.log')) continue
      if (entry.name.startsWith('.') && !dotFilesRead.has(entry.name)) continue
      if (entry.isDirectory()) pending.push(path)
      if (!entry.isFile()) continue
      const bytes = readFileSync(join(root, path))
      if (!bytes.includes(0)) leaves.push({ path, text: bytes.toString('utf8') })
    }
  }
  return leaves.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** A tree made of a plan: path to text. */
export function plant(plan: Readonly<Record<string, string>>): Tree {
  return Object.entries(plan).map(([path, text]) => ({ path, text }))
}

export function formatFinding({ path, line, law, note }: Finding): string {
  return `${path}:${line} [${law}] ${note}`
}

const packages = /^(server|simulator|sdk|dashboard|tools)\//

export const isCode = ({ path }: Leaf): boolean => /\.(ts|tsx|mts|js|mjs)$/.test(path)
export const isTypeScript = ({ path }: Leaf): boolean => /\.(ts|tsx|mts)$/.test(path)
export const isTest = ({ path }: Leaf): boolean => /\.test\.tsx?$/.test(path)
export const isOurs = (leaf: Leaf): boolean => isCode(leaf) && packages.test(leaf.path)
export const isServer = (leaf: Leaf): boolean =>
  isTypeScript(leaf) && leaf.path.startsWith('server/src/')
export const isServerProduction = (leaf: Leaf): boolean => isServer(leaf) && !isTest(leaf)

/** `server/src/ledger/post.ts` → `ledger`; undefined outside server/src and for a loose file. */
export function folderOf(path: string): string | undefined {
  return /^server\/src\/([^/]+)\//.exec(path)?.[1]
}
