// The law of imports: ranks, walls between packages, no rings. A type import is an import: a ring
// through types is still a ring. Private rooms are beside it.

import { posix } from 'node:path'
import { type Folder, folderOrder, importedOnlyBy, mustNotImport, rim } from './folder-order.ts'
import { type Import, importsOf } from './source.ts'
import {
  type Finding,
  folderOf,
  isOurs,
  isServerProduction,
  isTest,
  isTypeScript,
  type Leaf,
  type Tree,
} from './tree.ts'

const ranks: ReadonlyMap<string, number> = new Map(
  folderOrder.map((folder, rank) => [folder, rank]),
)

/** A folder imports itself and the folders above its line; nobody imports the rim. */
export function importLaw(tree: Tree): Finding[] {
  const found = strangeFolders(tree)
  for (const leaf of tree.filter(isServerProduction)) {
    for (const { target, line } of importsOf(leaf)) {
      const note = target === undefined ? undefined : rankBroken(leaf.path, target)
      if (note !== undefined) found.push({ path: leaf.path, line, law: 'import law', note })
    }
  }
  return found
}

function rankBroken(path: string, target: string): string | undefined {
  const from = folderOf(path)
  const to = folderOf(target)
  if (from === undefined || to === undefined || from === to) return undefined
  if (to === rim) return `nobody imports ${rim}/: pass what is needed as an argument from wire.ts`
  const allowed: readonly string[] | undefined = importedOnlyBy[to as Folder]
  if (allowed !== undefined && !allowed.includes(from)) {
    return `${to}/ is imported by ${allowed.join(', ')} only: move what is shared above both`
  }
  const forbidden: readonly string[] = mustNotImport[from as Folder] ?? []
  if (forbidden.includes(to)) {
    return `${from}/ imports nothing of ${to}/: move what both need into a folder above both`
  }
  const rankFrom = ranks.get(from)
  const rankTo = ranks.get(to)
  if (rankFrom === undefined || rankTo === undefined || rankTo < rankFrom) return undefined
  return `${from}/ stands above ${to}/: declare it where its rule lives, or take it as an argument`
}

function strangeFolders(tree: Tree): Finding[] {
  const seen = new Set<string>()
  const found: Finding[] = []
  for (const { path } of tree.filter(({ path }) => path.startsWith('server/src/'))) {
    const folder = folderOf(path)
    if (folder !== undefined && (ranks.has(folder) || seen.has(folder))) continue
    if (folder !== undefined) seen.add(folder)
    const note = folder
      ? `${folder}/ is not in folder-order.ts: add its line with a decision record, or move it`
      : 'a file stands loose in server/src: move it into a folder of the list'
    found.push({ path, line: 1, law: 'import law', note })
  }
  return found
}

/** The four packages share no code: each runs on another machine. Only the rim may start others. */
export function walls(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isTypeScript)) {
    const own = /^(server|simulator|sdk|dashboard)\/src\//.exec(leaf.path)?.[1]
    if (own === undefined || isTest(leaf)) continue
    for (const { target, line } of importsOf(leaf)) {
      if (target === undefined || target.startsWith(`${own}/src/`)) continue
      if (target === `${own}/package.json`) continue
      if (target.startsWith('simulator/') && folderOf(leaf.path) === rim) continue
      const note = `${own}/src imports nothing of ours outside itself: ${target} is behind a wall`
      found.push({ path: leaf.path, line, law: 'walls', note })
    }
  }
  return found
}

/** Conformance suites are production of the port: adapters elsewhere run them too. */
const isTestSide = (leaf: Leaf): boolean =>
  isTest(leaf) || /^(server|simulator)\/test\//.test(leaf.path)
const isSuite = (path: string): boolean => posix.basename(path).startsWith('conformance')

/** What only tests import is a test's own. A file that nobody imports is a program. */
export function testsApart(tree: Tree): Finding[] {
  const importers = new Map<string, Leaf[]>()
  for (const leaf of tree.filter(isTypeScript)) {
    for (const { target = '' } of importsOf(leaf)) {
      importers.set(target, [...(importers.get(target) ?? []), leaf])
    }
  }
  return tree.filter(isServerProduction).flatMap(({ path }) => {
    const by = importers.get(path) ?? []
    if (isSuite(path) || by.length === 0 || !by.every(isTestSide)) return []
    const note = 'only tests import it: move it to server/test, or delete it'
    return [{ path, line: 1, law: 'tests apart', note }]
  })
}

const exported = /^export (?:async )?(?:function\*?|const|class) ([\w$]+)/

/** Tables that are read with all others: the guide to errors is compared with each. */
const readWhole = / = defineErrors\(/

/** A function or constant that production code exports is named in some other file of ours. */
export function exportsUsed(tree: Tree): Finding[] {
  const ours = tree.filter(isOurs)
  const named = new Map<string, number>()
  for (const { text } of ours) {
    for (const word of new Set(text.match(/[\w$]+/g))) named.set(word, (named.get(word) ?? 0) + 1)
  }
  const isExporting = (leaf: Leaf) => !isTest(leaf) && homes.some((at) => leaf.path.startsWith(at))
  return ours.filter(isExporting).flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const name = exported.exec(line)?.[1]
      if (name === undefined || (named.get(name) ?? 0) > 1 || readWhole.test(line)) return []
      const note = `${name} is exported and nobody imports it: it is its file's own`
      return [{ path, line: index + 1, law: 'exports used', note }]
    }),
  )
}

const homes = ['server/src/', 'simulator/src/', 'sdk/src/', 'dashboard/src/']

/** No file reaches itself through imports. One finding per ring, at the import that closes it. */
export function noCycles(tree: Tree): Finding[] {
  return homes.flatMap((home) =>
    cyclesAmong(tree.filter((leaf) => isTypeScript(leaf) && leaf.path.startsWith(home))),
  )
}

type Arrow = Import & { target: string }
type Frame = { leaf: Leaf; arrows: readonly Arrow[]; next: number }

// Depth first, with the open path on a stack: an arrow to a file on the path closes a ring.
function cyclesAmong(leaves: Tree): Finding[] {
  const byPath = new Map(leaves.map((leaf) => [leaf.path, leaf]))
  const done = new Set<string>()
  const found: Finding[] = []
  const open = (leaf: Leaf): Frame => {
    const arrows = importsOf(leaf).filter((one): one is Arrow => byPath.has(one.target ?? ''))
    return { leaf, arrows, next: 0 }
  }
  for (const start of leaves) {
    const stack = done.has(start.path) ? [] : [open(start)]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const arrow = top.arrows[top.next++]
      if (arrow === undefined) {
        done.add(top.leaf.path)
        stack.pop()
        continue
      }
      const path = stack.map((frame) => frame.leaf.path)
      const from = path.indexOf(arrow.target)
      if (from >= 0) found.push(cycleFound([...path.slice(from), arrow.target], arrow.line))
      const leaf = byPath.get(arrow.target)
      if (from < 0 && leaf !== undefined && !done.has(arrow.target)) stack.push(open(leaf))
    }
  }
  return found
}

function cycleFound(path: readonly string[], line: number): Finding {
  const note = `a ring of imports: ${path.join(' → ')}; move what both need into a file below both`
  return { path: path.at(-2) ?? '', line, law: 'no rings', note }
}
