// What a folder keeps to itself: its routes, its jobs, its pages, and what its store writes. A
// table is written by its folder alone; what only reads it may be imported by folders below it.

import { posix } from 'node:path'
import ts from 'typescript'
import { rim } from './folder-order.ts'
import { importsOf, lineOf, parse, stringsOf } from './source.ts'
import { isSql, writesIn } from './sql-text.ts'
import { type Finding, folderOf, isServer, type Leaf, type Tree } from './tree.ts'

type Leaves = ReadonlyMap<string, Leaf>

/** `routes.ts`, `jobs.ts`, `pages/` and what a store writes are seen from their own folder only. */
export function privateFiles(tree: Tree): Finding[] {
  const leaves: Leaves = new Map(tree.map((leaf) => [leaf.path, leaf]))
  const found: Finding[] = []
  for (const leaf of tree.filter(isServer)) {
    for (const { target, line } of importsOf(leaf)) {
      const hidden = target === undefined ? undefined : privateFileOf(target)
      if (hidden === undefined || leaf.path.startsWith(`${hidden.owner}/`)) continue
      const isForRim = hidden.name === 'routes.ts' || hidden.name === 'jobs.ts'
      if (isForRim && folderOf(leaf.path) === rim) continue
      const law = 'private rooms'
      if (!hidden.isStore) {
        const note = `${target} is a private room of ${hidden.owner}/: call a verb of that folder`
        found.push({ path: leaf.path, line, law, note })
        continue
      }
      const written = writesTaken(leaves, leaf, line)
      if (written.length === 0) continue
      const note = `${written.join(', ')} of ${target} may write: call a verb of ${hidden.owner}/`
      found.push({ path: leaf.path, line, law, note })
    }
  }
  return found
}

/** The folder a private file belongs to, and what makes it private. */
function privateFileOf(
  target: string,
): { owner: string; name: string; isStore: boolean } | undefined {
  if (!target.startsWith('server/src/')) return undefined
  const [, pagesOwner] = /^(.+?)\/pages\//.exec(target) ?? []
  if (pagesOwner !== undefined) return { owner: pagesOwner, name: 'pages/', isStore: false }
  const name = posix.basename(target)
  const isStore = /^(?:[a-z0-9-]+-)?store\.ts$/.test(name)
  const isPrivate = isStore || name === 'routes.ts' || name === 'jobs.ts'
  return isPrivate ? { owner: posix.dirname(target), name, isStore } : undefined
}

/** The names that the import of this line takes and that may write. */
function writesTaken(leaves: Leaves, leaf: Leaf, line: number): string[] {
  const at = parse(leaf).statements.find(
    (one) =>
      (ts.isImportDeclaration(one) || ts.isExportDeclaration(one)) &&
      one.moduleSpecifier !== undefined &&
      lineOf(leaf, one.moduleSpecifier) === line,
  )
  if (at === undefined) return isTypeAt(leaf, line) ? [] : ['all']
  const specifier = importsOf(leaf).find((one) => one.line === line)?.target ?? ''
  const names = namesTaken(at)
  return names.filter((name) => name === 'all' || mayWrite(leaves, specifier, name, new Set()))
}

/** `import('./store.ts').Row`, of which only a type can be taken. */
const isTypeAt = (leaf: Leaf, line: number): boolean =>
  /\bimport\([^)]*\)\.[A-Z]/.test(leaf.text.split('\n')[line - 1] ?? '')

function namesTaken(statement: ts.Statement): string[] {
  if (ts.isImportDeclaration(statement)) {
    const clause = statement.importClause
    if (clause === undefined || clause.isTypeOnly) return []
    const bindings = clause.namedBindings
    return bindings !== undefined && ts.isNamedImports(bindings)
      ? bindings.elements.flatMap(nameOf)
      : ['all']
  }
  if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return []
  const clause = statement.exportClause
  return clause !== undefined && ts.isNamedExports(clause)
    ? clause.elements.flatMap(nameOf)
    : ['all']
}

const nameOf = (one: ts.ImportSpecifier | ts.ExportSpecifier): string[] =>
  one.isTypeOnly ? [] : [(one.propertyName ?? one.name).text]

/** Whether what the file calls so writes, itself or by what it uses. What cannot be read may. */
function mayWrite(leaves: Leaves, path: string, name: string, seen: Set<string>): boolean {
  const key = `${path} ${name}`
  if (seen.has(key)) return false
  seen.add(key)
  const leaf = leaves.get(path)
  if (leaf === undefined) return true
  const declared = parse(leaf).statements.filter((one) => declaresIt(one, name))
  if (declared.length === 0) return true
  return declared.some((one) => {
    if (ts.isTypeAliasDeclaration(one) || ts.isInterfaceDeclaration(one)) return false
    const isWriting = stringsOf(leaf).some(
      (words) =>
        words.node.pos >= one.pos &&
        words.node.end <= one.end &&
        isSql(words) &&
        writesIn(words.text).length > 0,
    )
    return (
      isWriting || usedIn(leaves, leaf, one).some(([at, used]) => mayWrite(leaves, at, used, seen))
    )
  })
}

function declaresIt(statement: ts.Statement, name: string): boolean {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.some((one) => one.name.getText() === name)
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement)
  return isNamed && statement.name?.text === name
}

/** What a declaration uses of its own file, and of other files where SQL may stand. */
function usedIn(leaves: Leaves, leaf: Leaf, declared: ts.Statement): [string, string][] {
  const used = new Set<string>()
  const walk = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) used.add(node.text)
    ts.forEachChild(node, walk)
  }
  walk(declared)
  const found: [string, string][] = []
  for (const one of parse(leaf).statements) {
    if (!ts.isImportDeclaration(one) || !ts.isStringLiteral(one.moduleSpecifier)) {
      for (const name of used) if (declaresIt(one, name)) found.push([leaf.path, name])
      continue
    }
    const target = posix.join(posix.dirname(leaf.path), one.moduleSpecifier.text)
    const bindings = one.importClause?.namedBindings
    if (!/(?:store|statements)\.ts$/.test(target) || !leaves.has(target)) continue
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue
    for (const { name, propertyName } of bindings.elements) {
      if (used.has(name.text)) found.push([target, (propertyName ?? name).text])
    }
  }
  return found
}
