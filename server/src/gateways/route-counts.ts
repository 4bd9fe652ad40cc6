// What became of payments, counted in this process by route and minute, and written in batches by a
// job: no payment writes here, and none waits.

import { createHash } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import { addRouteStats, type MinuteCounts } from './health-store.ts'

/**
 * `unknown`: it was sent and nothing is known of it; `known`: of one that was counted so, something
 * is known now.
 */
export type Fate = 'good' | 'bad' | 'payer' | 'expired' | 'unknown' | 'known'

export type Counted = Readonly<{
  route_id: string
  merchant_id: string
  fate: Fate
  /** For `unknown` and `known`: when it was sent. Milliseconds since 1970. Absent: now. */
  at_ms?: number
}>

export type RouteCounts = Readonly<{
  count(counted: Counted): void
  /** Writes what was counted; what could not be written is written the next time. */
  flush(db: Db): Promise<void>
}>

const minuteMs = 60_000
const merchantsMost = 3

type Counts = Omit<MinuteCounts, 'merchants'> & { merchants: Set<number> }
type Writable = { -readonly [K in keyof Counts]: Counts[K] }

const none = { good: 0, bad: 0, payer: 0, expired: 0, unknown: 0 }

/** A number that names nobody: only how many there are is asked of it. */
const tagOf = (merchant_id: string): number =>
  createHash('sha256').update(merchant_id).digest().readInt32BE()

export function newRouteCounts(clock: () => number): RouteCounts {
  let counts = new Map<string, Writable>()
  const at = (into: Map<string, Writable>, route_id: string, minute: Date): Writable => {
    const key = `${route_id} ${minute.getTime()}`
    const found = into.get(key) ?? { route_id, minute, ...none, merchants: new Set<number>() }
    into.set(key, found)
    return found
  }
  const minuteOf = (ms: number) => new Date(ms - (ms % minuteMs))
  return {
    count({ route_id, merchant_id, fate, at_ms }) {
      const row = at(counts, route_id, minuteOf(at_ms ?? clock()))
      if (fate === 'known') {
        row.unknown -= 1
        return
      }
      row[fate] += 1
      if (row.merchants.size < merchantsMost) row.merchants.add(tagOf(merchant_id))
    },
    async flush(db) {
      const taken = counts
      counts = new Map()
      try {
        await addRouteStats(
          db,
          [...taken.values()].map((row) => ({ ...row, merchants: [...row.merchants] })),
        )
      } catch (error) {
        for (const one of taken.values()) {
          const row = at(counts, one.route_id, one.minute)
          for (const fate of ['good', 'bad', 'payer', 'expired', 'unknown'] as const) {
            row[fate] += one[fate]
          }
          for (const tag of one.merchants) row.merchants.add(tag)
        }
        throw error
      }
    },
  }
}
