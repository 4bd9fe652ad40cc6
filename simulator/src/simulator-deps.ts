// What every verb of the operator is given: its books, its timers, the way out, and its secret.

import type { Books } from './books.ts'
import type { DialectDesk } from './dialect-desk.ts'
import type { Poster } from './post.ts'

export type SimulatorDeps = Readonly<{
  books: Books
  alarms: Alarms
  poster: Poster
  dialects: DialectDesk
  callback_secret: string
  /** Divides every delay of the operator. */
  speed: number
  /** Also plays the planted misbehaviour of numbers 9910 to 9915 (conformance tests). */
  misbehaves: boolean
  /** Where payers reach the operator's pages, without a last slash. */
  publicUrl(): string
}>

/** The unix millisecond at which an unscaled delay from `from` is over. */
export function later(deps: SimulatorDeps, from: number, delay_ms: number): number {
  return from + delay_ms / deps.speed
}

// Timers that can all be ended together, so that a stopped operator leaves nothing running.

export type Alarms = Readonly<{
  /** Runs `work` at a time in unix milliseconds; a time gone by means as soon as possible. */
  at(time_ms: number, work: () => void | Promise<void>): void
  /** From then on no alarm fires, new ones neither. */
  stop(): void
  stopped(): boolean
}>

function complain(error: unknown): void {
  process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
}

export function createAlarms(): Alarms {
  const timers = new Set<NodeJS.Timeout>()
  let over = false
  return {
    at: (time_ms, work) => {
      if (over) return
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          // A rejection is a bug or a broken journal. It is logged, and must not end the process
          // that hosts us; with a broken journal every later request answers 500.
          Promise.resolve(work()).catch(complain)
        },
        Math.max(0, time_ms - Date.now()),
      )
      timers.add(timer)
    },
    stop: () => {
      over = true
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
    stopped: () => over,
  }
}
