// What every verb of the operator is given: its books, its timers, the way out, and its secret.

import type { Alarms } from './alarms.ts'
import type { Books } from './books.ts'
import type { Poster } from './post.ts'

export type SimulatorDeps = Readonly<{
  books: Books
  alarms: Alarms
  poster: Poster
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
