// The shape of files: names, sizes, the opening comment. Sizes bind production code; names and the
// opening comment bind tests too.

import ts from 'typescript'
import { bannedWords, generatedFolders } from './folder-order.ts'
import { commentsOf, eachNode, lineAt, lineOf, parse, stringsOf } from './source.ts'
import { type Finding, isOurs, isTest, type Leaf, type Tree } from './tree.ts'

export const limits = { function_lines: 70, file_lines: 400, line_length: 100, parameters: 4 }
/** Of the production files at most this share, in percent, has so few lines. */
export const dust = { lines: 30, percent_max: 10 }

const isGenerated = ({ path }: Leaf): boolean => generatedFolders.some((at) => path.startsWith(at))
const isWritten = (leaf: Leaf): boolean => isOurs(leaf) && !isGenerated(leaf)

/** No barrels, no folder or file named for everything, kebab-case. */
export function names(tree: Tree): Finding[] {
  const found: Finding[] = []
  const find = (path: string, note: string) => found.push({ path, line: 1, law: 'names', note })
  for (const { path } of tree.filter(isWritten)) {
    const parts = path.split('/')
    const file = parts.at(-1) ?? ''
    if (/^index\.[a-z]+$/.test(file)) find(path, 'a barrel: the file name is the door, import it')
    for (const part of parts) {
      const banned = part
        .toLowerCase()
        .split(/[-._]/)
        .find((word) => bannedWords.includes(word))
      if (banned === undefined) continue
      find(path, `“${banned}” is a banned name: name the file by its noun or its verb`)
    }
    const crooked = parts.find((part) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part))
    if (crooked !== undefined) find(path, `${crooked} is not kebab-case`)
  }
  return found
}

/** Functions, files, lines and parameter lists stay within `limits`. */
export function sizes(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter((leaf) => isWritten(leaf) && !isTest(leaf))) {
    const find = (line: number, note: string) =>
      found.push({ path: leaf.path, line, law: 'sizes', note })
    const lines = leaf.text.replace(/\n$/, '').split('\n')
    if (lines.length > limits.file_lines) {
      find(1, `${lines.length} lines, at most ${limits.file_lines}: split it by what it does`)
    }
    lines.forEach((line, index) => {
      const length = [...line].length
      const holdsLongUrl = /https?:\/\/\S{40,}/.test(line)
      if (length <= limits.line_length || holdsLongUrl) return
      find(index + 1, `${length} characters, at most ${limits.line_length}: break the line`)
    })
    eachNode(leaf, (node) => {
      if (!ts.isFunctionLike(node)) return
      for (const note of tooLarge(leaf, node)) find(lineOf(leaf, node), note)
    })
  }
  return found
}

function tooLarge(leaf: Leaf, node: ts.SignatureDeclaration): string[] {
  const file = parse(leaf)
  const name = node.name?.getText(file) ?? 'a function'
  const problems: string[] = []
  const text = node.getText(file)
  const lines = text.split('\n').length
  if (lines > limits.function_lines) {
    problems.push(`${name} has ${lines} lines, at most ${limits.function_lines}: name its steps`)
  }
  const parameters = node.parameters.filter((one) => one.name.getText(file) !== 'this').length
  if (parameters > limits.parameters) {
    problems.push(
      `${name} takes ${parameters} parameters, at most ${limits.parameters}: make an object`,
    )
  }
  return problems
}

const isProduction = (leaf: Leaf): boolean =>
  isWritten(leaf) && !isTest(leaf) && /^(server|simulator|dashboard)\/src\//.test(leaf.path)

/**
 * A file holds a group of verbs that share a lock or a noun: few files are very small, and none
 * only passes on what another one has.
 */
export function fullerFiles(tree: Tree): Finding[] {
  const files = tree.filter(isProduction)
  const small = files.filter((leaf) => linesOf(leaf) <= dust.lines)
  const isDust = small.length * 100 > files.length * dust.percent_max
  const law = 'fuller files'
  const counted = `${small.length} of ${files.length} files have ${dust.lines} lines or fewer`
  return files.flatMap((leaf) => {
    const found: Finding[] = []
    const find = (note: string) => found.push({ path: leaf.path, line: 1, law, note })
    if (passesOnOnly(leaf)) find('it only passes names on: import them from where they are')
    if (isDust && small.includes(leaf)) find(`${counted}: merge it with its neighbours`)
    return found
  })
}

const linesOf = (leaf: Leaf): number => leaf.text.replace(/\n$/, '').split('\n').length

function passesOnOnly(leaf: Leaf): boolean {
  const { statements } = parse(leaf)
  const isPassing = (one: ts.Statement) => ts.isExportDeclaration(one) || isExportOf(one)
  return (
    statements.some(isPassing) &&
    statements.every((one) => ts.isImportDeclaration(one) || isPassing(one))
  )
}

/** `export const find = store.find`, which is no more than another name. */
const isExportOf = (one: ts.Statement): boolean =>
  ts.isVariableStatement(one) &&
  one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true &&
  one.declarationList.declarations.every(
    ({ initializer }) =>
      initializer !== undefined &&
      (ts.isIdentifier(initializer) || ts.isPropertyAccessExpression(initializer)),
  )

/** Every file opens with a comment: what lives here and the law it keeps. A migration says why. */
export function openings(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree) {
    const isMigration = /^server\/migrations\/.+\.sql$/.test(leaf.path)
    if (!isMigration && !isWritten(leaf)) continue
    const text = leaf.text.replace(/^#!.*\n/, '').trimStart()
    const opens = isMigration ? text.startsWith('--') : /^\/[/*]/.test(text)
    if (opens) continue
    const note = isMigration
      ? 'a migration opens with a comment: why it is here and what it locks'
      : 'open the file with one to four comment lines: what lives here and the law it keeps'
    found.push({ path: leaf.path, line: 1, law: 'openings', note })
  }
  return found
}

const glossary = 'docs/GLOSSARY.md'

/** No name and no comment of production code, nor a relation in its SQL, has a retired word. */
export function retiredWords(tree: Tree): Finding[] {
  const table = tree.find(({ path }) => path === glossary)?.text.split('## Retired words')[1] ?? ''
  const rows = [...table.matchAll(/^\| (?!retired)([a-z, ]+) \| (.+) \|$/gm)]
  const instead = new Map(
    rows.flatMap(([, words = '', better = '']) => words.split(', ').map((word) => [word, better])),
  )
  const found: Finding[] = []
  for (const leaf of tree) {
    if (!/^(server|simulator|dashboard)\/src\//.test(leaf.path) || !isOurs(leaf) || isTest(leaf))
      continue
    const check = (name: string, line: number) => {
      const retired = wordsOf(name).find((one) => instead.has(one))
      if (retired === undefined) return
      const note = `${name}: “${retired}” is retired, say ${instead.get(retired)} (${glossary})`
      found.push({ path: leaf.path, line, law: 'retired words', note })
    }
    eachNode(leaf, (node) => {
      const name = declaredName(node)
      if (name !== undefined) check(name, lineOf(leaf, node))
    })
    for (const { text, line } of stringsOf(leaf)) {
      for (const [, name = ''] of text.matchAll(relation)) check(name, line)
    }
    for (const { text, position } of isGenerated(leaf) ? [] : commentsOf(leaf)) {
      const said = text.replaceAll(/`[^`]*`/g, (code) => ' '.repeat(code.length))
      for (const { 0: word, index } of said.matchAll(/\b[A-Za-z]+\b/g)) {
        if (!plainInComments.includes(word.toLowerCase()))
          check(word, lineAt(leaf, position + index))
      }
    }
  }
  return found
}

/** Of a name they say nothing; of an answer, a page or a document they are plain English. */
const plainInComments: readonly string[] = ['say', 'says']

/** `name as (…)`, as a statement names what it has found. */
const relation = /\b([a-z_]+) as (?:materialized )?\(/g

/** Verbs that say nothing without what is done to what. */
const bareVerbs: readonly string[] = [
  'act',
  'apply',
  'ask',
  'begin',
  'check',
  'close',
  'do',
  'end',
  'find',
  'get',
  'go',
  'handle',
  'make',
  'open',
  'process',
  'put',
  'read',
  'record',
  'run',
  'send',
  'set',
  'start',
  'take',
  'try',
  'write',
]

/** A function of a file says what it does to what; inside another function a verb may be enough. */
export function wholeNames(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isProduction)) {
    // What a suite offers its tests reads as a sentence there.
    if (!leaf.path.startsWith('server/src/') || leaf.path.includes('/conformance')) continue
    for (const { name, node } of functionsOf(leaf)) {
      if (!bareVerbs.includes(name)) continue
      const note = `${name}: of what? “${name}” alone is a verb of the whole program`
      found.push({ path: leaf.path, line: lineOf(leaf, node), law: 'whole names', note })
    }
  }
  return found
}

/** The functions that a file declares at its top. */
function functionsOf(leaf: Leaf): { name: string; node: ts.Node }[] {
  const file = parse(leaf)
  return file.statements.flatMap((node): { name: string; node: ts.Node }[] => {
    if (ts.isFunctionDeclaration(node)) return [{ name: node.name?.text ?? '', node }]
    if (!ts.isVariableStatement(node)) return []
    return node.declarationList.declarations
      .filter(({ initializer: value }) => value !== undefined && ts.isArrowFunction(value))
      .map((one) => ({ name: one.name.getText(file), node: one }))
  })
}

/** What it declares, unless that mirrors a column: properties, and names with an underscore. */
function declaredName(node: ts.Node): string | undefined {
  const declares =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isMethodDeclaration(node)
  if (!declares || node.name === undefined || !ts.isIdentifier(node.name)) return undefined
  return node.name.text.includes('_') ? undefined : node.name.text
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/)
