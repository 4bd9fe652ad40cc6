// How routes fare, as this process measures it: five failures in a row leave a route out for half a
// minute, with the reason kept. What is measured is written in small batches by a job, never by a
// payment, and read back, so that processes warn each other.

import type { Db } from '../platform/db.ts'
import type { RouteRow } from './store.ts'
import { addRouteHealth, listSkippedRoutes } from './store.ts'

type RouteCounts = {
  calls: number
  failures: number
  took_ms: number
  in_a_row: number
  skip_until: Date | null
  skip_reason: string
}

const failuresInARow = 5
const skipMs = 30_000

export type Health = {
  /** Milliseconds since 1970, by the clock that everything here goes by. */
  now(): number
  /** `failed`: why the call shows that the route is broken; undefined when it works. */
  record(route: Pick<RouteRow, 'id' | 'breaker'>, took_ms: number, failed: string | undefined): void
  /** Why the route is left out just now; undefined when it may be used. */
  skipped(route: Pick<RouteRow, 'id' | 'breaker'>): string | undefined
  /** Writes what was measured and reads what others measured. */
  exchange(db: Db): Promise<void>
}

export function newHealth(clock: () => number = Date.now): Health {
  const figures = new Map<string, RouteCounts>()
  const of = (route_id: string): RouteCounts => {
    let counts = figures.get(route_id)
    if (counts === undefined) {
      counts = { calls: 0, failures: 0, took_ms: 0, in_a_row: 0, skip_until: null, skip_reason: '' }
      figures.set(route_id, counts)
    }
    return counts
  }
  return {
    now: clock,
    record(route, took_ms, failed) {
      const counts = of(route.id)
      counts.calls += 1
      counts.took_ms += Math.round(took_ms)
      if (failed === undefined) {
        counts.in_a_row = 0
        return
      }
      counts.failures += 1
      counts.in_a_row += 1
      if (route.breaker && counts.in_a_row >= failuresInARow) {
        counts.skip_until = new Date(clock() + skipMs)
        counts.skip_reason = `${counts.in_a_row} failures in a row, the last: ${failed}`
        counts.in_a_row = 0
      }
    },
    skipped(route) {
      const counts = figures.get(route.id)
      if (!route.breaker || counts?.skip_until == null) return undefined
      return counts.skip_until.getTime() > clock() ? counts.skip_reason : undefined
    },
    async exchange(db) {
      for (const [route_id, counts] of figures) {
        if (counts.calls === 0) continue
        const { calls, failures, took_ms, skip_until, skip_reason } = counts
        Object.assign(counts, { calls: 0, failures: 0, took_ms: 0 })
        try {
          await addRouteHealth(db, { route_id, calls, failures, took_ms, skip_until, skip_reason })
        } catch (error) {
          // Not written: reported the next time, together with what was measured meanwhile.
          counts.calls += calls
          counts.failures += failures
          counts.took_ms += took_ms
          throw error
        }
      }
      for (const row of await listSkippedRoutes(db)) {
        const counts = of(row.route_id)
        // A call may have failed since: what this process found later prevails.
        if (counts.skip_until !== null && counts.skip_until >= row.skip_until) continue
        counts.skip_until = row.skip_until
        counts.skip_reason = row.skip_reason
      }
    },
  }
}
