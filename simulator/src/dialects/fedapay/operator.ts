// The operator at work: what its routes and its page share. A change sends its events.

import { createHash } from 'node:crypto'
import type { Chaos } from '../chaos.ts'
import type { Events } from '../signed-events.ts'
import {
  type Books,
  begunAt,
  keyOf,
  type Pace,
  scenarioFor,
  show,
  stateOf,
  type Thing,
} from './books.ts'
import type { Kind } from './scenarios.ts'

export type OperatorDeps = Pace &
  Readonly<{
    books: Books
    events: Events
    /** Whose key it takes; absent: that of any account. */
    secret_key?: string | undefined
    chaos: Chaos | undefined
    asked: Map<string, number>
    /** Payouts that are started now wait in its queue. */
    queues: { payouts: boolean }
    url: () => string
    now: () => number
    /** The number of something new; `about`: what its maker calls it. */
    idFor(kind: Kind, about: string): number
  }>

/** By its caller's reference: its number says who came first, and a story must not. */
export const subjectOf = (thing: Thing): string => thing.merchant_reference ?? keyOf(thing)

export const tokenOf = (thing: Thing): string =>
  `tok_${thing.id}_${createHash('sha256').update(keyOf(thing)).digest('hex').slice(0, 24)}`

export function withToken({ books }: OperatorDeps, token: string): Thing | undefined {
  const all = [...books.things.values()].filter(({ kind }) => kind === 'transaction')
  return all.find((one) => tokenOf(one) === token)
}

/** The events of its ends; resolves with the last of them. */
export async function announce(deps: OperatorDeps, thing: Thing): Promise<void> {
  const { turns: played, events: how } = scenarioFor(thing, deps)
  const { resolved, scheduled, released_at } = thing
  if (scheduled === true && released_at === undefined && resolved === undefined) return
  const turns = resolved === undefined ? played : [{ ...resolved, after_ms: 0 }]
  const targets = [...deps.books.webhooks.values()]
  await Promise.all(
    turns.map(({ status, after_ms }) => {
      const type = `${thing.kind}.${status}`
      const object = () => show(thing, deps, deps.now(), true)
      const at = resolved?.at ?? begunAt(thing) + after_ms / deps.speed
      return deps.events.schedule({ type, subject: subjectOf(thing), at, object, how }, targets)
    }),
  )
}

/** The event of what it is now, at once or at a later time. */
export function announceNow(deps: OperatorDeps, thing: Thing, at = deps.now()): Promise<void> {
  const { status } = stateOf(thing, deps, deps.now())
  const event = {
    ...{ type: `${thing.kind}.${status}`, subject: subjectOf(thing), at },
    ...{ object: () => show(thing, deps, deps.now(), true), how: 'once' as const },
  }
  return deps.events.schedule(event, [...deps.books.webhooks.values()])
}
