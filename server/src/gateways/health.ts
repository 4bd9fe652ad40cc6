// How routes fare, as this process finds it and as others have found it: which are left because
// they are dead (`breaker.ts`), and which are tried last because they are ill. What is measured is
// written in small batches by a job, never by a payment, and read back, so that processes warn each
// other.

import type { Db } from '../platform/db.ts'
import { type Breaker, mayProbe, noteCall, probeMs, rowNeeded, soundBreaker } from './breaker.ts'
import { addRouteHealth, listFindings, type RouteFinding } from './health-store.ts'
import { newRouteCounts, type RouteCounts } from './route-counts.ts'
import type { RouteRow } from './store.ts'
import { unknownLeastShare } from './success-share.ts'

type RouteState = {
  calls: number
  failures: number
  took_ms: number
  breaker: Breaker
  /** The breaker's turn that was written last. */
  written_turn: number
  demoted: boolean
  /** See `leastShare`; undefined where nobody has looked within the hour. */
  least_share: number | undefined
  /** When each call began that nothing has answered since; the oldest first. */
  unanswered: number[]
  /** How long an answer usually takes. Milliseconds. */
  usual_ms: number
}

export type MeasuredRoute = Pick<RouteRow, 'id' | 'breaker'>

export type Health = {
  /** Milliseconds since 1970, by the clock that everything here goes by. */
  now(): number
  /** A call leaves now. */
  begin(route: MeasuredRoute): void
  /** It is over. `failed`: why it shows that the route is broken; undefined when it works. */
  record(route: MeasuredRoute, took_ms: number, failed: string | undefined): void
  /** It never left, for want of room in its pace: that says nothing of the route. */
  withdraw(route: MeasuredRoute): void
  /** What became of payments, for the shares that staff and the public see. */
  count: RouteCounts['count']
  /** Why the route is left out just now; undefined when it may be used. */
  skipped(route: MeasuredRoute): string | undefined
  /** Whether one payment may try a route that is left out: true once, until it is known. */
  claimProbe(route: MeasuredRoute): boolean
  hasBroken(): boolean
  /** Broken long enough to be tried again: whoever can ask its operator may. */
  isToTry(route: MeasuredRoute): boolean
  /** It is tried after the others: it does worse than it usually does. */
  isDemoted(route: Pick<RouteRow, 'id'>): boolean
  /** The share of its payments that succeed, with four chances in five at least. 0 to 1. */
  leastShare(route: Pick<RouteRow, 'id'>): number
  /** As much is with the account as may be. */
  isExposed(route: Pick<RouteRow, 'gateway_id' | 'direction'>): boolean
  setExposed(accounts: readonly Pick<RouteRow, 'gateway_id' | 'direction'>[]): void
  /** Its operator says that nothing goes there just now: it is tried after all others that work. */
  isSaidClosed(route: Pick<RouteRow, 'id'>): boolean
  /** Such routes, as far as is known for a minute from now. */
  setSaidClosed(route_ids: readonly string[]): void
  /** Writes what was measured and reads what others measured. */
  exchange(db: Db): Promise<void>
}

/** A call that lasts so long, and three times as long as usual, is as good as a failure. */
const silentMs = 3_000
const silentTimes = 3
/** What operators said counts for so long after it was last read here. */
const saidMs = 60_000

export function newHealth(clock: () => number = Date.now): Health {
  const states = new Map<string, RouteState>()
  const counts = newRouteCounts(clock)
  let exposed = new Set<string>()
  let said_closed = { routes: new Set<string>(), until: 0 }
  const of = (route_id: string) => stateIn(states, route_id)
  const keyOf = (of: Pick<RouteRow, 'gateway_id' | 'direction'>) =>
    `${of.gateway_id} ${of.direction}`
  return {
    now: clock,
    begin: ({ id }) => void of(id).unanswered.push(clock()),
    record(route, took_ms, failed) {
      const state = of(route.id)
      state.calls += 1
      state.took_ms += Math.round(took_ms)
      if (failed === undefined) {
        state.unanswered = []
        state.usual_ms += (took_ms - state.usual_ms) / 10
      } else {
        state.unanswered.shift()
        state.failures += 1
      }
      state.breaker = noteCall(state.breaker, failed, clock())
    },
    withdraw: ({ id }) => void of(id).unanswered.pop(),
    count: counts.count,
    skipped(route) {
      const state = states.get(route.id)
      if (!route.breaker || state === undefined) return undefined
      const { broken_since, reason, failures, share } = state.breaker
      if (broken_since !== null) return reason
      const silent = silentCalls(state, clock())
      if (silent === 0) return undefined
      const in_vain = failures + silent
      return in_vain < rowNeeded(share) ? undefined : `${in_vain} calls without an answer`
    },
    claimProbe(route) {
      const state = states.get(route.id)
      if (state === undefined || !mayProbe(state.breaker, clock())) return false
      state.breaker = { ...state.breaker, probing_until: clock() + probeMs }
      return true
    },
    hasBroken: () => [...states.values()].some(({ breaker }) => breaker.broken_since !== null),
    isToTry: ({ id, breaker }) => breaker && mayProbe(of(id).breaker, clock()),
    isDemoted: ({ id }) => states.get(id)?.demoted ?? false,
    leastShare: ({ id }) => states.get(id)?.least_share ?? unknownLeastShare,
    isExposed: (route) => exposed.size > 0 && exposed.has(keyOf(route)),
    setExposed(accounts) {
      exposed = new Set(accounts.map(keyOf))
    },
    isSaidClosed: ({ id }) => said_closed.routes.has(id) && clock() < said_closed.until,
    setSaidClosed(route_ids) {
      said_closed = { routes: new Set(route_ids), until: clock() + saidMs }
    },
    async exchange(db) {
      await writeMeasured(db, states)
      await counts.flush(db)
      const findings = await listFindings(db)
      for (const state of states.values()) state.least_share = undefined
      for (const found of findings) adopt(of(found.route_id), found)
    },
  }
}

function stateIn(states: Map<string, RouteState>, route_id: string): RouteState {
  let state = states.get(route_id)
  if (state === undefined) {
    const figures = { calls: 0, failures: 0, took_ms: 0, demoted: false, unanswered: [] }
    const written_turn = soundBreaker.turned_at
    const nothing = { usual_ms: 0, least_share: undefined }
    state = { ...figures, ...nothing, breaker: soundBreaker, written_turn }
    states.set(route_id, state)
  }
  return state
}

/** How many calls are under way, once the first of them lasts too long. */
function silentCalls({ unanswered, usual_ms }: RouteState, now: number): number {
  const [first] = unanswered
  const before = now - Math.max(silentMs, silentTimes * usual_ms)
  return first === undefined || first > before ? 0 : unanswered.length
}

const momentOf = (ms: number | null): Date | null =>
  ms === null || !Number.isFinite(ms) ? null : new Date(ms)

async function writeMeasured(db: Db, states: ReadonlyMap<string, RouteState>): Promise<void> {
  const taken = [...states].flatMap(([route_id, state]) => {
    const { calls, failures, took_ms, breaker, written_turn } = state
    const isNews = breaker.turned_at > written_turn
    if (calls === 0 && !isNews) return []
    Object.assign(state, { calls: 0, failures: 0, took_ms: 0, written_turn: breaker.turned_at })
    const found = {
      turned_at: isNews ? momentOf(breaker.turned_at) : null,
      broken_since: momentOf(breaker.broken_since),
      skip_until: breaker.broken_since === null ? null : momentOf(breaker.open_until),
      ...{ openings: breaker.openings, skip_reason: breaker.reason },
    }
    return [{ state, written_turn, row: { route_id, calls, failures, took_ms, ...found } }]
  })
  try {
    await addRouteHealth(
      db,
      taken.map(({ row }) => row),
    )
  } catch (error) {
    // Not written: reported the next time, together with what was measured meanwhile.
    for (const { state, written_turn, row } of taken) {
      state.calls += row.calls
      state.failures += row.failures
      state.took_ms += row.took_ms
      state.written_turn = written_turn
    }
    throw error
  }
}

/** What another process found later than this one prevails; its own share of calls stays. */
function adopt(state: RouteState, found: RouteFinding): void {
  state.demoted = found.demoted
  const { least_share_ppm } = found
  state.least_share = least_share_ppm === null ? undefined : least_share_ppm / 1_000_000
  const turned_at = found.turned_at?.getTime() ?? Number.NEGATIVE_INFINITY
  if (turned_at <= state.breaker.turned_at) return
  state.breaker = {
    ...state.breaker,
    ...{ turned_at, openings: found.openings, reason: found.skip_reason },
    broken_since: found.broken_since?.getTime() ?? null,
    open_until: found.skip_until?.getTime() ?? 0,
    ...{ failures: 0, probing_until: 0 },
  }
  state.written_turn = turned_at
}
