// An operator's clock beside the database's, by the `Date` of each of its answers: signatures and
// what expires are judged by both. Law: it costs no statement, and a slow answer is no wrong clock:
// only what the whole of a call cannot explain counts.

import type { Outbound } from '../platform/outbound/outbound.ts'

/** From here on it is counted. Seconds. */
export const noted_s = 5

/** A `Date` says which second it was. Milliseconds. */
const second_ms = 1_000

export type Called = Readonly<{
  /** When the call began and ended, by the database's clock. Milliseconds since 1970. */
  from_ms: number
  until_ms: number
  /** What its answer's `Date` says. Milliseconds since 1970. */
  date_ms: number
}>

/** How far it is ahead at least, in seconds; below 0: behind. 0 where the call explains it. */
export function apartOf({ from_ms, until_ms, date_ms }: Called): number {
  if (date_ms > until_ms) return (date_ms - until_ms) / 1000
  const end_ms = date_ms + second_ms
  return end_ms < from_ms ? (end_ms - from_ms) / 1000 : 0
}

export type ClockWatch = Readonly<{
  /** The database's clock as this process knows it. Milliseconds since 1970. */
  now_ms: () => number
  /** Called for an answer that was more than five seconds apart. Seconds. */
  onApart: (apart_s: number) => void
}>

/** The same client; the `Date` of what it is answered is looked at. */
export function watchedOutbound(outbound: Outbound, { now_ms, onApart }: ClockWatch): Outbound {
  return {
    ...outbound,
    async send(request) {
      const from_ms = now_ms()
      const result = await outbound.send(request)
      const date_ms = result.is === 'answered' ? dateOf(result.headers) : undefined
      if (date_ms !== undefined) {
        const apart_s = apartOf({ from_ms, until_ms: now_ms(), date_ms })
        if (Math.abs(apart_s) > noted_s) onApart(apart_s)
      }
      return result
    },
  }
}

/** As RFC 9110 wants it written; other forms are of nobody's clock. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

function dateOf({ date = '' }: Readonly<Record<string, string>>): number | undefined {
  const date_ms = httpDate.test(date) ? Date.parse(date) : Number.NaN
  return Number.isFinite(date_ms) ? date_ms : undefined
}
