// A database that remembers the statements it was sent: each as PostgreSQL got it, with the pieces
// it was made of. Law: what is kept was really run; a piece that nobody sent is not.

import { Piece as Made } from '../../../server/src/platform/fragments.ts'

/** A piece of SQL as its author wrote it; `made` tells where, as a stack. */
export type Piece = Readonly<{
  strings: readonly string[]
  args: readonly unknown[]
  made: Readonly<{ stack?: string }>
}>

/** `text`: as it was sent; undefined of what never was. */
export type Sent = Readonly<{ text: () => string | undefined; piece: Piece }>

const framesMax = 20
const pieces = new WeakMap<object, Piece>()

export const pieceOf = (value: unknown): Piece | undefined =>
  typeof value === 'object' && value !== null ? pieces.get(value) : undefined

type Keep = (sent: Sent) => void

/**
 * The same database; `keep` is called with each statement when it is sent, so that two at the same
 * time are in the order in which they were called, not in which they were answered.
 */
export function recordDb<T extends object>(db: T, keep: Keep): T {
  return new Proxy(db, {
    apply(target, self, args: unknown[]) {
      const query: unknown = Reflect.apply(callable(target), self, args)
      const [strings, ...values] = args
      if (!isTemplate(strings) || !isQuery(query)) return query
      const piece = { strings, args: values, made: stackHere() }
      pieces.set(query, piece)
      const run = query.then.bind(query)
      // biome-ignore lint/suspicious/noThenProperty: a query begins when it is awaited.
      query.then = (done, failed) => {
        keep({ text: () => query.statement?.string, piece })
        return run(done, failed)
      }
      return query
    },
    get(target, name) {
      const found: unknown = Reflect.get(target, name)
      if (name !== 'begin') return found
      return (mode: string, work: (tx: object) => unknown) =>
        callable(found)(mode, (tx: object) => work(recordDb(tx, keep)))
    },
  })
}

/** What the driver knows of a query: its statement once it was sent. */
type Query = PromiseLike<unknown> & { statement: { string: string } | null }

const isQuery = (value: unknown): value is Query => value instanceof Made

type Callable = (...args: unknown[]) => unknown

function callable(value: unknown): Callable {
  const isCallable = (one: unknown): one is Callable => typeof one === 'function'
  if (!isCallable(value)) throw new Error('no function of the driver')
  return value
}

function stackHere(): { stack?: string } {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = framesMax
  const made = new Error('a piece of SQL is made')
  Error.stackTraceLimit = before
  return made
}

const isTemplate = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && 'raw' in value
