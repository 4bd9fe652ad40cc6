// A client whose statements are sent by somebody else: they are written as on any other, and a
// function of ours gets each of them when it is awaited.

import type postgres from 'postgres'
import type { Db, Tx } from '../db.ts'
import { Piece } from '../fragments.ts'

/** What the driver's statement is made of (postgres 3.4.9, `query.js`): none of it is typed. */
export type DriverQuery = {
  tagged: boolean
  strings: TemplateStringsArray
  args: postgres.ParameterOrFragment<bigint>[]
  options: postgres.UnsafeQueryOptions
  handler: (query: DriverQuery) => void
  resolve: (rows: unknown) => void
  reject: (error: unknown) => void
}

type Send = (query: DriverQuery) => Promise<unknown>

/** `db` writes the statements, `send` sends them; what is not in `more` is `db`'s own. */
export function redirected(
  db: () => Db,
  send: Send,
  more: Readonly<Record<string, unknown>> = {},
): Db {
  const handler = (query: DriverQuery) => {
    void send(query).then(query.resolve, query.reject)
  }
  const taken = (made: unknown): unknown => {
    if (made instanceof Piece) {
      return new Piece((...of) => taken(made.driver(...of)), made.strings, made.args)
    }
    if (isQuery(made)) made.handler = handler
    return made
  }
  return new Proxy(db(), {
    apply: (_, self, args) => taken(Reflect.apply(db(), self, args)),
    get(_, name) {
      if (typeof name === 'string' && Object.hasOwn(more, name)) return more[name]
      const at = db()
      if (name === 'unsafe') {
        return (...args: Parameters<Db['unsafe']>) => taken(at.unsafe(...args))
      }
      return Reflect.get(at, name)
    },
  })
}

const isQuery = (made: unknown): made is DriverQuery =>
  made instanceof Promise && 'handler' in made && 'strings' in made

export const sendOn = (
  tx: Tx,
  { tagged, strings, args, options }: DriverQuery,
): PromiseLike<unknown> =>
  tagged
    ? tx(strings, ...args)
    : tx.unsafe(strings[0] ?? '', args as postgres.ParameterOrJSON<bigint>[], options)
