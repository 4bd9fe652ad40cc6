// Which function of the service made a piece of SQL, and its doc comment: read from the stack and
// the source, so that a renamed function is named correctly without further work.

import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { parse } from '../../../server/test/tidy/source.ts'
import type { Leaf } from '../../../server/test/tidy/tree.ts'

const root = resolve(import.meta.dirname, '../../..')

/** `path` from the repository's root; `opening`: the comment at the head of its file. */
export type Maker = Readonly<{
  path: string
  name: string
  doc: string | undefined
  opening: string
}>

const frame = /\(?((?:file:\/\/)?\/[^\s()]*?):(\d+):(\d+)\)?$/

/** The functions of the service that the stack names, innermost first, each once. */
export function makersOf({ stack = '' }: Readonly<{ stack?: string }>): Maker[] {
  const makers: Maker[] = []
  for (const line of stack.split('\n').slice(1)) {
    const [, place = '', row = '1', column = '1'] = frame.exec(line.trim()) ?? []
    const file = place.startsWith('file:') ? fileURLToPath(place) : place
    const path = relative(root, file).replaceAll('\\', '/')
    if (!path.startsWith('server/src/')) continue
    const maker = makerAt(path, Number(row), Number(column))
    const last = makers.at(-1)
    if (last?.path !== maker.path || last.name !== maker.name) makers.push(maker)
  }
  return makers
}

const leaves = new Map<string, Leaf>()

function leafAt(path: string): Leaf {
  const known = leaves.get(path)
  if (known !== undefined) return known
  const leaf = { path, text: readFileSync(resolve(root, path), 'utf8') }
  leaves.set(path, leaf)
  return leaf
}

function makerAt(path: string, row: number, column: number): Maker {
  const leaf = leafAt(path)
  const file = parse(leaf)
  const at = file.getPositionOfLineAndCharacter(row - 1, column - 1)
  const around = file.statements.find((one) => one.getStart(file) <= at && at < one.end)
  const name = around === undefined ? undefined : nameOf(around)
  if (around === undefined || name === undefined) throw new Error(`no function at ${path}:${row}`)
  return { path, name, doc: docOf(leaf, around), opening: openingOf(leaf) }
}

export function nameOf(statement: ts.Statement): string | undefined {
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
    return statement.name?.text
  }
  if (!ts.isVariableStatement(statement)) return undefined
  const [first] = statement.declarationList.declarations
  return first !== undefined && ts.isIdentifier(first.name) ? first.name.text : undefined
}

function docOf(leaf: Leaf, statement: ts.Statement): string | undefined {
  const [, said] = /\/\*\*([\s\S]*?)\*\/\s*$/.exec(
    leaf.text.slice(statement.getFullStart(), statement.getStart(parse(leaf))),
  ) ?? [undefined, undefined]
  return said === undefined ? undefined : plain(said.replace(/^\s*\*/gm, ''))
}

const openingOf = ({ text }: Leaf): string =>
  plain((/^(\/\/.*\n)+/.exec(text)?.[0] ?? '').replace(/^\/\/ ?/gm, ''))

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim()
