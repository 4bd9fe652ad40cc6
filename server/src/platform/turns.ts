// Turns at what is scarce: so many at once in all, so many of one owner, and behind them a bounded
// queue. A call that finds it full is refused for now; owners who wait are served in turn, so
// that no owner's queue holds up another.

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

/**
 * `FIRST`: before all of its owner's that wait otherwise, and with a queue of its own: what an
 * owner asks for, however much, keeps nobody from stopping them.
 */
export type Place = 'FIRST' | 'IN_TURN'

export type Turns = <T>(owner: string, work: () => Promise<T>, place?: Place) => Promise<T>

type Waiting = Readonly<{
  owner: string
  place: Place
  /** Where its owner had no turn yet: as if that had been a round before this came. */
  as_if_no: number
  begin: () => void
}>

const retry_after_s = 2

/** 503 with `Retry-After`: nothing was begun, and the same call may be made again. */
export const tooBusy = (note: string): Refusal =>
  refuse(transportErrors.service_unavailable, { note, retry_after_s })

/** Whose owner's last turn is longest ago; of one owner, the longest waiting. */
function longestAgo(
  waiting: readonly Waiting[],
  lastOf: (one: Waiting) => number,
): Waiting | undefined {
  return waiting.reduce<Waiting | undefined>(
    (best, one) => (best === undefined || lastOf(one) < lastOf(best) ? one : best),
    undefined,
  )
}

function isFull(
  queue: readonly Waiting[],
  { owner, place }: Pick<Waiting, 'owner' | 'place'>,
  { waiting, waiting_in_all = Number.POSITIVE_INFINITY }: TurnLimits,
): boolean {
  if (queue.length >= waiting_in_all) return true
  return queue.filter((one) => one.owner === owner && one.place === place).length >= waiting
}

/** What goes first stands behind its like, and before all else. */
function withAnother(queue: readonly Waiting[], one: Waiting): Waiting[] {
  if (one.place !== 'FIRST') return [...queue, one]
  const isFirst = ({ place }: Waiting) => place === 'FIRST'
  return [...queue.filter(isFirst), one, ...queue.filter((other) => !isFirst(other))]
}

/** Who has a turn, and when those who have or await one had their last. */
function turnsHad({ at_once, of_owner = at_once }: TurnLimits) {
  const busy = new Map<string, number>()
  /** The number of the last turn of each. */
  const served = new Map<string, number>()
  let turn_no = 0
  let under_way = 0
  return {
    isFree: (owner: string) => under_way < at_once && (busy.get(owner) ?? 0) < of_owner,
    lastOf: ({ owner, as_if_no }: Waiting) => served.get(owner) ?? as_if_no,
    aRoundAgo: () => turn_no - served.size,
    take(owner: string): void {
      under_way += 1
      busy.set(owner, (busy.get(owner) ?? 0) + 1)
      turn_no += 1
      served.set(owner, turn_no)
    },
    end(owner: string): void {
      under_way -= 1
      const left = (busy.get(owner) ?? 1) - 1
      if (left === 0) busy.delete(owner)
      else busy.set(owner, left)
    },
    /** An owner who has and awaits nothing is as one who never came. */
    forget(owner: string, queue: readonly Waiting[]): void {
      if (!busy.has(owner) && !queue.some((one) => one.owner === owner)) served.delete(owner)
      if (under_way === 0 && queue.length === 0) served.clear()
    },
  }
}

export function turnsOf(limits: TurnLimits): Turns {
  const had = turnsHad(limits)
  let queue: Waiting[] = []

  function leave(owner: string): void {
    had.end(owner)
    if (queue.length > 0) hand()
    had.forget(owner, queue)
  }

  const next = () =>
    longestAgo(
      queue.filter(({ owner }) => had.isFree(owner)),
      had.lastOf,
    )

  /**
   * One of each owner in turn, so that two who fill the queue do not keep a third waiting, and who
   * comes anew passes nobody for more than a round; one whose owner has its share lets others pass.
   */
  function hand(): void {
    for (let one = next(); one !== undefined; one = next()) {
      const begun = one
      queue = queue.filter((other) => other !== begun)
      had.take(begun.owner)
      begun.begin()
    }
  }

  async function turn(owner: string, place: Place): Promise<void> {
    if (had.isFree(owner)) return had.take(owner)
    if (isFull(queue, { owner, place }, limits)) throw tooBusy('the queue is full')
    let late: NodeJS.Timeout | undefined
    await new Promise<void>((begin, reject) => {
      const one = { owner, place, as_if_no: had.aRoundAgo(), begin }
      queue = withAnother(queue, one)
      // By a clock of its own: while all who have a turn wait for rows, none of them ends.
      if (limits.wait_ms !== undefined) late = setTimeout(giveUp, limits.wait_ms, one, reject)
    }).finally(() => clearTimeout(late))
  }

  function giveUp(one: Waiting, reject: (error: Refusal) => void): void {
    // Its turn may have come in the same moment.
    if (!queue.includes(one)) return
    queue = queue.filter((other) => other !== one)
    had.forget(one.owner, queue)
    reject(tooBusy('waited too long'))
  }

  return async (owner, work, place = 'IN_TURN') => {
    await turn(owner, place)
    try {
      return await work()
    } finally {
      leave(owner)
    }
  }
}
