// How routes fare, as this process measures it: five failures in a row leave a route out for half a
// minute, with the reason kept. What is measured is written in small batches by a job, never by a
// payment, and read back, so that processes warn each other.

import type { Db } from '../platform/db.ts'
import type { RouteRow } from './store.ts'
import { addRouteHealth, listSkippedRoutes } from './store.ts'

type Figures = {
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
  /** `failed`: why the call says that the route is broken; undefined when it works. */
  record(route: Pick<RouteRow, 'id' | 'breaker'>, took_ms: number, failed: string | undefined): void
  /** Why the route is left out just now; undefined when it may be used. */
  skipped(route: Pick<RouteRow, 'id' | 'breaker'>): string | undefined
  /** Writes what was measured and reads what others measured. */
  exchange(db: Db): Promise<void>
}

export function newHealth(clock: () => number = Date.now): Health {
  const figures = new Map<string, Figures>()
  const of = (route_id: string): Figures => {
    let held = figures.get(route_id)
    if (held === undefined) {
      held = { calls: 0, failures: 0, took_ms: 0, in_a_row: 0, skip_until: null, skip_reason: '' }
      figures.set(route_id, held)
    }
    return held
  }
  return {
    record(route, took_ms, failed) {
      const held = of(route.id)
      held.calls += 1
      held.took_ms += Math.round(took_ms)
      if (failed === undefined) {
        held.in_a_row = 0
        return
      }
      held.failures += 1
      held.in_a_row += 1
      if (route.breaker && held.in_a_row >= failuresInARow) {
        held.skip_until = new Date(clock() + skipMs)
        held.skip_reason = `${held.in_a_row} failures in a row, the last: ${failed}`
        held.in_a_row = 0
      }
    },
    skipped(route) {
      const held = figures.get(route.id)
      if (!route.breaker || held?.skip_until == null) return undefined
      return held.skip_until.getTime() > clock() ? held.skip_reason : undefined
    },
    async exchange(db) {
      for (const [route_id, held] of figures) {
        if (held.calls === 0) continue
        const { calls, failures, took_ms, skip_until, skip_reason } = held
        Object.assign(held, { calls: 0, failures: 0, took_ms: 0 })
        try {
          await addRouteHealth(db, { route_id, calls, failures, took_ms, skip_until, skip_reason })
        } catch (error) {
          // Not written: told the next time, together with what was measured meanwhile.
          held.calls += calls
          held.failures += failures
          held.took_ms += took_ms
          throw error
        }
      }
      for (const row of await listSkippedRoutes(db)) {
        const held = of(row.route_id)
        // A call may have failed since: what this process found later stands.
        if (held.skip_until !== null && held.skip_until >= row.skip_until) continue
        held.skip_until = row.skip_until
        held.skip_reason = row.skip_reason
      }
    },
  }
}
