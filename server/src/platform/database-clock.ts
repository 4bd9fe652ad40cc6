// The database's clock as this process knows it, so that what is judged by its age (a signature) is
// judged alike in all of them. Law: a measurement that took long is no measurement.

export type DatabaseClock = Readonly<{
  /** Milliseconds since 1970; this process's own until it was measured. */
  now_ms(): number
  /** Asks the database: at most every half minute, once it has been answered in time. */
  measure(): Promise<void>
}>

const restMs = 30_000
/** The true moment lies within the round trip: half of a longer one is too much. */
const longestMs = 1_000

/** `readAhead`: how far this process is ahead of the database, in milliseconds. */
export function databaseClock(
  readAhead: () => Promise<number>,
  own: () => number = Date.now,
): DatabaseClock {
  let ahead_ms = 0
  let measured_at = Number.NEGATIVE_INFINITY
  return {
    now_ms: () => own() - ahead_ms,
    async measure() {
      const sent_at = own()
      const since_ms = sent_at - measured_at
      // Below zero its own clock was set back: what was measured before that counts for nothing.
      if (since_ms >= 0 && since_ms < restMs) return
      const read_ms = await readAhead()
      if (Math.abs(own() - sent_at) > longestMs) return
      measured_at = sent_at
      ahead_ms = Math.round(read_ms)
    },
  }
}
