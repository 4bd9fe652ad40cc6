// What the laws need of a source file, read by the TypeScript parser and kept per file: imports,
// functions, strings with their holes, comments. Nothing here resolves types or touches the disk.

import { posix } from 'node:path'
import ts from 'typescript'
import type { Leaf } from './tree.ts'

const parsed = new WeakMap<Leaf, ts.SourceFile>()

export function parse(leaf: Leaf): ts.SourceFile {
  const known = parsed.get(leaf)
  if (known !== undefined) return known
  const file = ts.createSourceFile(leaf.path, leaf.text, ts.ScriptTarget.ES2023, true)
  parsed.set(leaf, file)
  return file
}

const walked = new WeakMap<Leaf, readonly ts.Node[]>()

/** Walked once for all laws: a walk takes longer than what most of them do with a node. */
function nodesOf(leaf: Leaf): readonly ts.Node[] {
  const known = walked.get(leaf)
  if (known !== undefined) return known
  const nodes: ts.Node[] = []
  const walk = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, walk)
  }
  walk(parse(leaf))
  walked.set(leaf, nodes)
  return nodes
}

/** Calls `visit` for every node of the file, parents first. */
export function eachNode(leaf: Leaf, visit: (node: ts.Node) => void): void {
  for (const node of nodesOf(leaf)) visit(node)
}

export function lineAt(leaf: Leaf, position: number): number {
  return parse(leaf).getLineAndCharacterOfPosition(position).line + 1
}

export function lineOf(leaf: Leaf, node: ts.Node): number {
  return lineAt(leaf, node.getStart(parse(leaf)))
}

/** `target` is the repository path an import of ours points at; undefined for a package. */
export type Import = Readonly<{ specifier: string; line: number; target: string | undefined }>

const imports = new WeakMap<Leaf, readonly Import[]>()

/** Every import of the file: static, of types, re-exports, `import()`, `import('x').T`, require. */
export function importsOf(leaf: Leaf): readonly Import[] {
  const known = imports.get(leaf)
  if (known !== undefined) return known
  const found: Import[] = []
  eachNode(leaf, (node) => {
    const specifier = specifierOf(node)
    if (specifier === undefined) return
    const target = targetOf(leaf.path, specifier.text)
    found.push({ specifier: specifier.text, line: lineOf(leaf, specifier), target })
  })
  imports.set(leaf, found)
  return found
}

function specifierOf(node: ts.Node): ts.StringLiteralLike | undefined {
  const specifier = specifierNode(node)
  return specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier : undefined
}

function specifierNode(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isExternalModuleReference(node)) return node.expression
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  }
  if (!ts.isCallExpression(node)) return undefined
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isImport || isRequire ? node.arguments[0] : undefined
}

export function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  const own = /^@pirogue\/([^/]+)(\/.*)?$/.exec(specifier)
  return own === null ? undefined : `${own[1]}${own[2] ?? '/'}`
}

/**
 * A string or template as it stands in the source. `${…}` becomes `${}` with its line breaks kept,
 * so that a line inside `text` is a line of the file.
 */
export type Words = Readonly<{
  text: string
  line: number
  node: ts.Node
  tag: string | undefined
}>

const strings = new WeakMap<Leaf, readonly Words[]>()

export function stringsOf(leaf: Leaf): readonly Words[] {
  const known = strings.get(leaf)
  if (known !== undefined) return known
  const found: Words[] = []
  eachNode(leaf, (node) => {
    const text = textOf(leaf, node)
    if (text === undefined) return
    const tag = ts.isTaggedTemplateExpression(node.parent)
      ? node.parent.tag.getText(parse(leaf))
      : undefined
    found.push({ text, line: lineOf(leaf, node), node, tag })
  })
  strings.set(leaf, found)
  return found
}

function textOf(leaf: Leaf, node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.getText(parse(leaf)).slice(1, -1)
  if (!ts.isTemplateExpression(node)) return undefined
  let text = node.head.getText(parse(leaf)).slice(1, -2)
  for (const { expression, literal } of node.templateSpans) {
    const start = expression.getFullStart()
    const hole = leaf.text.slice(start, literal.getStart(parse(leaf)))
    text += `\${${hole.replace(/[^\n]/g, '')}}`
    const isLast = literal.kind === ts.SyntaxKind.TemplateTail
    text += literal.getText(parse(leaf)).slice(1, isLast ? -1 : -2)
  }
  return text
}

export type Comment = Readonly<{ text: string; position: number }>

/** Every comment of the file, once. */
export function commentsOf(leaf: Leaf): readonly Comment[] {
  const found = new Map<number, string>()
  const note = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) found.set(pos, leaf.text.slice(pos, end))
  }
  const walk = (node: ts.Node): void => {
    const children = node.getChildren(parse(leaf))
    if (children.length > 0) {
      for (const child of children) walk(child)
      return
    }
    note(ts.getLeadingCommentRanges(leaf.text, node.pos))
    note(ts.getTrailingCommentRanges(leaf.text, node.end))
  }
  walk(parse(leaf))
  return [...found].map(([position, text]) => ({ position, text }))
}

/** The names of the functions, methods and constants a node stands in, innermost first. */
export function namesAround(node: ts.Node): readonly string[] {
  const names: string[] = []
  for (let at: ts.Node = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isFunctionLike(at) && !ts.isVariableDeclaration(at)) continue
    if (at.name !== undefined && ts.isIdentifier(at.name)) names.push(at.name.text)
  }
  return names
}
