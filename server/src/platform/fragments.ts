// The driver's tag, with fragments that cost little. A statement of the payment's way is put
// together from some fifty of them for each group, and in the driver each is a promise of its own.
// Here a fragment is what its author wrote and no more, and the text of all together is made once
// for each shape: for the same templates, nested in the same way. The driver gets that text and the
// values in their order, as if all had been written as one template (docs/decisions/0067).

import type postgres from 'postgres'

type Query = postgres.PendingQuery<postgres.Row[]>
type Tag = (...args: unknown[]) => unknown
type Method = (...args: unknown[]) => unknown

/**
 * What a template makes: a fragment of another one, or a statement. It is sent when it is awaited
 * or one of the driver's methods is called, as the driver's own query is.
 */
export class Piece implements PromiseLike<unknown> {
  #query: Query | undefined

  readonly driver: Tag
  readonly strings: TemplateStringsArray
  readonly args: readonly unknown[]

  constructor(driver: Tag, strings: TemplateStringsArray, args: readonly unknown[]) {
    this.driver = driver
    this.strings = strings
    this.args = args
  }

  get query(): Query {
    this.#query ??= flatten(this)
    return this.#query
  }

  /** What the driver made of it; null before it was sent. */
  get statement(): unknown {
    return this.#query === undefined ? null : Reflect.get(this.#query, 'statement')
  }

  // biome-ignore lint/suspicious/noThenProperty: a query begins when it is awaited.
  then<A = unknown, B = never>(
    done?: ((rows: unknown) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.query.then(done, failed)
  }

  catch<B>(failed: (error: unknown) => B): Promise<unknown> {
    return this.query.catch(failed)
  }

  finally(done: () => void): Promise<unknown> {
    return this.query.finally(done)
  }
}

const methods = ['execute', 'simple', 'readable', 'writable', 'values', 'raw', 'describe'] as const
const more = ['cursor', 'forEach', 'cancel'] as const
for (const name of [...methods, ...more]) {
  const method = function (this: Piece, ...args: unknown[]): unknown {
    const { query } = this
    return Reflect.apply(Reflect.get(query, name) as Method, query, args)
  }
  Object.defineProperty(Piece.prototype, name, { value: method })
}

/** The same client, whose templates make pieces; its transactions' do so too. */
export function withPieces<S>(client: S): S {
  const driver = client as Tag
  const tag = (first: unknown, ...args: unknown[]): unknown =>
    isTemplate(first) ? new Piece(driver, first, args) : driver(inside(first), ...args)
  Object.defineProperties(tag, Object.getOwnPropertyDescriptors(driver))
  for (const name of ['begin', 'savepoint']) {
    const begin: unknown = Reflect.get(driver, name)
    if (typeof begin !== 'function') continue
    const own = (...args: unknown[]): unknown => {
      const work = args.pop() as Method
      return Reflect.apply(begin, driver, [...args, (tx: Tag) => work(withPieces(tx))])
    }
    Object.defineProperty(tag, name, { value: own, writable: true })
  }
  withOwn.add(tag)
  // The tag is the driver's function but for what a template makes.
  return tag as S
}

const withOwn = new WeakSet<object>()
const verbatims = new Map<string, Piece>()

/**
 * A text that stands in the code, as a fragment. It is kept for ever: never for what a caller sent.
 */
export function verbatim<S extends { unsafe(text: string): Query }>(sql: S, text: string): Query {
  if (!withOwn.has(sql)) return sql.unsafe(text)
  const known = verbatims.get(text) ?? new Piece(unsent, templateOf([text]), [])
  verbatims.set(text, known)
  return known as unknown as Query
}

const unsent: Tag = () => {
  throw new Error('a fragment is no statement')
}

const isTemplate = (value: unknown): value is TemplateStringsArray =>
  Array.isArray(value) && 'raw' in value

/** Rows and columns given to the driver's helpers: it knows its own queries only. */
function inside(value: unknown): unknown {
  if (value instanceof Piece) return value.query
  if (Array.isArray(value)) return value.map(inside)
  if (typeof value !== 'object' || value === null || isLeaf(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, own(one)]))
}

const isLeaf = (value: object): boolean => Object.getPrototypeOf(value) !== Object.prototype
const own = (value: unknown): unknown => (value instanceof Piece ? value.query : value)

/** What one template became, and what leads on from there: a nested template, or a value. */
type Shape = { readonly next: Map<unknown, Shape>; whole?: TemplateStringsArray }

const root: Shape = { next: new Map() }
const a_value = Symbol('a value')
/** The service has some thousands; callers make more by searching for ever other words. */
const steps_max = 50_000
let steps = 0

function flatten({ driver, strings, args }: Piece): Query {
  if (steps > steps_max) forgetShapes()
  const values: unknown[] = []
  const shape = walk(args, values, step(root, strings))
  shape.whole ??= templateOf(textsOf(strings, args))
  return driver(shape.whole, ...values) as Query
}

/** Collects the values in their order; returns the shape of it all. */
function walk(args: readonly unknown[], values: unknown[], from: Shape): Shape {
  let shape = from
  for (const arg of args) {
    if (arg instanceof Piece) {
      shape = walk(arg.args, values, step(shape, arg.strings))
    } else {
      shape = step(shape, a_value)
      values.push(Array.isArray(arg) ? arg.map(own) : arg)
    }
  }
  return shape
}

function step(from: Shape, key: unknown): Shape {
  const known = from.next.get(key)
  if (known !== undefined) return known
  const made: Shape = { next: new Map() }
  from.next.set(key, made)
  steps += 1
  return made
}

/** How many steps from one shape to another are known. */
export const shapesKept = (): number => steps

/** They are made anew when they are wanted. */
export function forgetShapes(): void {
  root.next.clear()
  steps = 0
}

/** The texts around the values of a template, with those of all that it nests. */
function textsOf(strings: readonly string[], args: readonly unknown[]): string[] {
  const texts = [strings[0] ?? '']
  for (const [at, arg] of args.entries()) {
    const [first = '', ...rest] = arg instanceof Piece ? textsOf(arg.strings, arg.args) : ['', '']
    texts[texts.length - 1] += first
    texts.push(...rest)
    texts[texts.length - 1] += strings[at + 1] ?? ''
  }
  return texts
}

const templateOf = (texts: readonly string[]): TemplateStringsArray =>
  Object.assign([...texts], { raw: texts })
