// Turns at what is scarce: so many at once in all, so many of one owner, and behind them a bounded
// queue. A call that finds it full is told at once to come back; no owner's queue holds up another
// while there is room for both.

import { type Refusal, refuse } from './errors.ts'
import { transportErrors } from './http/transport-errors.ts'

export type TurnLimits = Readonly<{
  /** How many have a turn at the same time. */
  at_once: number
  /** How many of one owner. Default: as many as in all. */
  of_owner?: number
  /** How many of one owner may wait. */
  waiting: number
  /** How many may wait in all. Default: no bound beyond each owner's. */
  waiting_in_all?: number
  /** A call that has waited so long is refused as well. Default: it waits on. */
  wait_ms?: number
}>

export type Turns = <T>(owner: string, work: () => Promise<T>) => Promise<T>

type Waiting = Readonly<{ owner: string; since: number; begin: () => void; refuse: () => void }>

const retry_after_s = 2

/** 503 with `Retry-After`: nothing was begun, and the same call may be made again. */
export const tooBusy = (note: string): Refusal =>
  refuse(transportErrors.service_unavailable, { note, retry_after_s })

export function turnsOf(limits: TurnLimits): Turns {
  const { at_once, of_owner = at_once } = limits
  const busy = new Map<string, number>()
  let under_way = 0
  let queue: Waiting[] = []

  const isFree = (owner: string) => under_way < at_once && (busy.get(owner) ?? 0) < of_owner

  function take(owner: string): void {
    under_way += 1
    busy.set(owner, (busy.get(owner) ?? 0) + 1)
  }

  function leave(owner: string): void {
    under_way -= 1
    const left = (busy.get(owner) ?? 1) - 1
    if (left === 0) busy.delete(owner)
    else busy.set(owner, left)
    if (queue.length > 0) hand()
  }

  /** The longest waiting first; one whose owner has its share lets others pass. */
  function hand(): void {
    const { wait_ms = Number.POSITIVE_INFINITY } = limits
    const oldest = performance.now() - wait_ms
    const still: Waiting[] = []
    for (const one of queue) {
      if (one.since < oldest) one.refuse()
      else if (isFree(one.owner)) {
        take(one.owner)
        one.begin()
      } else still.push(one)
    }
    queue = still
  }

  function isFull(owner: string): boolean {
    if (queue.length >= (limits.waiting_in_all ?? Number.POSITIVE_INFINITY)) return true
    return queue.filter((one) => one.owner === owner).length >= limits.waiting
  }

  async function turn(owner: string): Promise<void> {
    if (isFree(owner)) return take(owner)
    if (isFull(owner)) throw tooBusy('the queue is full')
    await new Promise<void>((begin, reject) => {
      const since = performance.now()
      queue.push({ owner, since, begin, refuse: () => reject(tooBusy('waited too long')) })
    })
  }

  return async (owner, work) => {
    await turn(owner)
    try {
      return await work()
    } finally {
      leave(owner)
    }
  }
}
