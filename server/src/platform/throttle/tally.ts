// Counts in this process's memory for what is too cheap to be worth a row: the first sieve before
// the database is read. Bounded, whatever comes: a full minute begins with nothing.

const minute_ms = 60_000
const names_max = 10_000

export type Tally = Readonly<{
  /** Counts one more of this name in this minute; false when it was one too many. */
  take(name: string, most: number): boolean
}>

export function newTally(clock: () => number = Date.now): Tally {
  const counts = new Map<string, number>()
  let minute = 0
  return {
    take(name, most) {
      const now = Math.floor(clock() / minute_ms)
      if (now !== minute) {
        counts.clear()
        minute = now
      }
      const used = (counts.get(name) ?? 0) + 1
      // Names that no longer fit are counted together: a flood of them shares one allowance.
      const counted = used > 1 || counts.size < names_max
      const kept = counted ? name : ''
      const total = counted ? used : (counts.get('') ?? 0) + 1
      counts.set(kept, total)
      return total <= most
    },
  }
}
