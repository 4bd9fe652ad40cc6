// Lines of work that advance one step at a time, in an order that the world decides. A step is a
// statement or one way of a call to an operator: whatever a process does between two of its awaits.
// A line may die at a step, before or after it took effect; then it does nothing more, ever.

import type { Crash } from './world.ts'

export class Died extends Error {
  constructor(at: string) {
    super(`died at ${at}`)
  }
}

export type Line = Readonly<{
  name: string
  /** Waits for its turn, then does `work`. */
  step<T>(what: () => string, work: () => PromiseLike<T> | T): Promise<T>
}>

/** How a line of work ended. `error` is what it threw; a line that died is not an error. */
export type Ended = Readonly<{ name: string; error: unknown; died: boolean }>

type Waiting = {
  name: string
  describe: () => string
  go: () => Promise<void>
  drop: () => void
}

export type Turns = Readonly<{
  start(name: string, crash: Crash | null, work: (line: Line) => Promise<void>): void
  /** How many steps wait for their turn. */
  waiting(): number
  /** Lets these go (places in the line of waiting steps), at once, and waits until all rest. */
  release(places: readonly number[]): Promise<void>
  /** True when every line has ended. */
  over(): boolean
  ended(): readonly Ended[]
  /** How many steps were taken. */
  taken(): number
  /** What was done, step by step. */
  story(): readonly string[]
}>

export type Clock = Readonly<{
  now: () => number
  isTooLate: (step: () => string, waited_s: number) => boolean
}>

type State = Clock & {
  waiting: Waiting[]
  running: number
  ended: Ended[]
  story: (() => string)[]
}

type Life = { steps: number; dead: boolean }

/** `now`: seconds on the world's clock. Who waits too long for a step dies instead of taking it. */
export function newTurns({ now, isTooLate }: Clock): Turns {
  const state: State = { now, isTooLate, waiting: [], running: 0, ended: [], story: [] }
  return {
    start(name, crash, work) {
      const life: Life = { steps: 0, dead: false }
      const line = { name, step: stepper(state, name, crash, life) }
      state.running += 1
      const end = (error: unknown) => {
        state.running -= 1
        if (life.dead) dropAll(state, name)
        state.ended.push({ name, error: life.dead ? undefined : error, died: life.dead })
      }
      work(line).then(() => end(undefined), end)
    },
    waiting: () => state.waiting.length,
    async release(places) {
      const chosen = places.flatMap((place) => state.waiting[place] ?? [])
      state.waiting = state.waiting.filter((one) => !chosen.includes(one))
      if (chosen.length > 1) state.story.push(() => `— ${chosen.length} at once:`)
      for (const one of chosen) state.story.push(one.describe)
      await Promise.all(chosen.map((one) => one.go()))
      await rested(state)
    },
    over: () => state.running === 0,
    ended: () => state.ended,
    taken: () => state.story.length,
    story: () => state.story.map((describe) => describe()),
  }
}

function stepper(state: State, name: string, crash: Crash | null, life: Life): Line['step'] {
  return <T>(what: () => string, work: () => PromiseLike<T> | T): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      life.steps += 1
      const since_s = state.now()
      const isLast = crash?.step === life.steps
      const dies = isLast ? (crash.after ? ' † after' : ' † before') : ''
      const die = () => {
        life.dead = true
        reject(new Died(what()))
      }
      if (life.dead) return die()
      const go = async () => {
        const isTooLate = state.isTooLate(what, state.now() - since_s)
        if (life.dead || isTooLate || (isLast && !crash.after)) return die()
        try {
          const result = await work()
          if (life.dead || isLast) die()
          else resolve(result)
        } catch (error) {
          reject(error)
        }
      }
      const describe = () => `${name}: ${what()}${dies}`
      state.waiting.push({ name, describe, go, drop: die })
    })
}

/** The other steps of a line that died wait for nothing. */
function dropAll(state: State, name: string): void {
  const own = state.waiting.filter((one) => one.name === name)
  state.waiting = state.waiting.filter((one) => !own.includes(one))
  for (const one of own) one.drop()
}

const patienceMs = 20_000

/**
 * Everything that waits for a statement has it now; what follows runs in microtasks, up to the next
 * step. A line that neither waits for its turn nor ends is on a timer of its own: it is waited for.
 */
async function rested(state: State): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  const until = Date.now() + patienceMs
  while (state.waiting.length === 0 && state.running > 0) {
    if (Date.now() > until) throw new Error(`a line hangs after ${state.story.at(-1)?.()}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
