// A statement that was sent, as a reader wants to see it: the function that makes it, that
// function's doc comment, and above each of its relations the function that made the part.

import { composed, runPart } from '../../../server/src/platform/sql.ts'
import { formatSql, type LaidOut } from './format-sql.ts'
import { type Piece, pieceOf, type Sent } from './record-db.ts'
import { type Maker, makersOf } from './where-made.ts'

export type Composed = Readonly<{
  text: string
  /** Who makes it, and by whom that is called: in the same file, and the next one outside. */
  own: Maker
  callers: readonly Maker[]
  /** True when several folders brought its parts. */
  is_joined: boolean
  pieces: readonly Piece[]
}>

const mechanisms = 'server/src/platform/'
const joining = { path: 'server/src/platform/sql.ts', name: composed.name, alone: runPart.name }

/** Undefined for what the service did not send. */
export function composedOf(sent: Sent): Composed | undefined {
  const { piece } = sent
  const text = sent.text()
  if (text === undefined) return undefined
  const pieces = piecesIn(piece)
  const [own, ...callers] = makersFrom(isAlone(piece) ? (firstPart(pieces) ?? piece) : piece)
  return own && { text, own, callers, pieces, is_joined: pieces.some(isJoined) }
}

const isJoined = ({ made }: Piece): boolean => {
  const [maker] = makersOf(made)
  return maker?.path === joining.path && maker.name === joining.name
}

/** A part that was run by itself is its maker's statement. */
const isAlone = ({ made }: Piece): boolean => {
  const [maker] = makersOf(made)
  return maker?.path === joining.path && maker.name === joining.alone
}

const firstPart = (pieces: readonly Piece[]): Piece | undefined =>
  pieces.find(({ made }) => makersOf(made)[0]?.path !== joining.path)

/** Mechanisms are left out, unless it is a statement of theirs. */
function makersFrom({ made }: Piece): readonly Maker[] {
  const all = makersOf(made).filter(({ path }) => path !== joining.path)
  const [own] = all
  if (own === undefined) return []
  const others = all.filter(({ path }) => path === own.path || !path.startsWith(mechanisms))
  const next = others.find(({ path }) => path !== own.path)
  const names = new Set<string>()
  const same = others.filter(({ path, name }) => {
    const isNew = path === own.path && !names.has(name)
    names.add(name)
    return isNew
  })
  return next === undefined ? same : [...same, next]
}

/** The piece itself first, then what it is made of. */
const piecesIn = (piece: Piece): readonly Piece[] => [
  piece,
  ...piece.args.flatMap((value) => {
    const inner = pieceOf(value)
    return inner === undefined ? [] : piecesIn(inner)
  }),
]

/** `seen`: relations that an earlier form of it has shown. */
export function layOut(composed: Composed, seen: ReadonlySet<string>): LaidOut {
  const { text, pieces, own } = composed
  const above = new Map<string, string>()
  // The innermost piece that begins with the name is who made the relation.
  for (const piece of pieces) {
    const [, name] = /^\s*"?(\w+)"? as (?:(?:not )?materialized )?\(/.exec(wordsOf(piece)) ?? []
    const [maker] = makersOf(piece.made).filter(({ path }) => path !== joining.path)
    if (name === undefined || maker === undefined) continue
    const isOwn = maker.path === own.path && maker.name === own.name
    if (isOwn) above.delete(name)
    else above.set(name, `by ${sayMaker(maker)}`)
  }
  return formatSql(text, { above, seen })
}

export const sayMaker = ({ name, path }: Maker): string => `${name}, ${path}`

const beginning = 200

/** The first words of a piece; what is bound is left out, names of relations are not. */
function wordsOf({ strings, args }: Piece): string {
  let text = ''
  for (const [at, words] of strings.entries()) {
    text += words
    if (text.length > beginning) break
    const value = args[at]
    const inner = pieceOf(value)
    if (inner !== undefined) text += wordsOf(inner)
    else if (isIdentifier(value)) text += value.value
  }
  return text
}

const isIdentifier = (value: unknown): value is { value: string } =>
  typeof value === 'object' &&
  value !== null &&
  'value' in value &&
  typeof value.value === 'string' &&
  value.constructor.name === 'Identifier'
