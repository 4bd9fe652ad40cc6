// What a job fails at again and again: a row that no statement takes, a merchant whose data breaks
// a rule. It is tried less often each time and holds up no other; whoever watches the log and
// `pirogue_job_faults_total` is shown it. In memory: another process finds out by itself.

import { isDatabaseAway, isLockTimeout, isOutOfRoom, isPassing, isTooSlow } from '../db.ts'

const first_ms = 2_000
const most_ms = 600_000
/** Beyond so many there is another cause than each of them: the run fails, and is run again. */
const most = 1_000

/** Is shown each failure: what it was about, and the error. */
export type OnFault = (about: string, err: unknown) => void

export class Troubles {
  readonly #of = new Map<string, { failures: number; due: number }>()
  readonly #clock: () => number

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  isResting(name: string): boolean {
    return (this.#of.get(name)?.due ?? 0) > this.#clock()
  }

  /** The names of those that rest now. */
  resting(): string[] {
    return [...this.#of.keys()].filter((name) => this.isResting(name))
  }

  /**
   * Does the work for this one; false where it failed, and from then on `isResting` for a while. A
   * failure that is not this one's (the database is away or full, a row is locked) is thrown, and
   * so is each where nobody is shown it.
   */
  async spare(name: string, work: () => Promise<unknown>, onFault?: OnFault): Promise<boolean> {
    try {
      await work()
      this.#of.delete(name)
      return true
    } catch (err) {
      const failures = (this.#of.get(name)?.failures ?? 0) + 1
      const isFull = failures === 1 && this.#of.size >= most
      if (onFault === undefined || isFull || isNobodys(err)) throw err
      const rest_ms = Math.min(most_ms, first_ms * 2 ** Math.min(failures - 1, 20))
      this.#of.set(name, { failures, due: this.#clock() + rest_ms })
      onFault(name, err)
      return false
    }
  }
}

const isNobodys = (err: unknown): boolean =>
  isDatabaseAway(err) || isOutOfRoom(err) || isPassing(err) || isLockTimeout(err) || isTooSlow(err)
