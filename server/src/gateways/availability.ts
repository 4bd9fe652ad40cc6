// Which networks can be paid by and paid out to just now, for everybody to see. Pure, but for the
// copy that is served. Law: it shows how many payments succeed only where there were twenty of
// three merchants at least, so that nobody learns how one of them does.

import type { Environment } from '../platform/http/route.ts'
import { writeMoment } from '../platform/write-moment.ts'
import { availability_minutes, type RouteFare } from './availability-store.ts'
import { type Closure, closedAt } from './opening-hours.ts'

export type Availability = Readonly<{
  country_code: string
  network_code: string
  direction: RouteFare['direction']
  status: 'OPERATIONAL' | 'DELAYED' | 'CLOSED'
  /** 0 to 1, two decimals; null where too few would be seen through it. */
  success_rate: string | null
  sample: number
  window_minutes: number
  since: string | null
  source: 'OPERATOR' | 'OBSERVED' | 'STAFF' | 'SCHEDULE'
  message: Readonly<{ en: string; fr: string }>
}>

const paymentsLeast = 20
const merchantsLeast = 3
/** Broken for a shorter time, a route may be well again before anybody has read of it. */
const brokenMs = 120_000

type State = Readonly<{
  status: Availability['status']
  source: Availability['source']
  since: Date | null
  closure?: Closure
}>

function stateOf(fare: RouteFare, now_ms: number): State {
  if (!fare.is_on) return { status: 'CLOSED', source: 'STAFF', since: null }
  const closure = fare.hours === null ? undefined : closedAt(fare.hours, now_ms)
  if (closure !== undefined) {
    return { status: 'CLOSED', source: closure.by, since: null, closure }
  }
  const { broken_since, demoted_at, published_state, published_since } = fare
  const said = { source: 'OPERATOR', since: published_since } as const
  if (published_state === 'CLOSED') return { status: 'CLOSED', ...said }
  if (broken_since !== null) {
    const isLong = now_ms - broken_since.getTime() >= brokenMs
    return { status: isLong ? 'CLOSED' : 'DELAYED', source: 'OBSERVED', since: broken_since }
  }
  if (published_state === 'DELAYED') return { status: 'DELAYED', ...said }
  if (demoted_at !== null) return { status: 'DELAYED', source: 'OBSERVED', since: demoted_at }
  if (fare.float_empty) return { status: 'DELAYED', source: 'STAFF', since: null }
  return { status: 'OPERATIONAL', source: 'OBSERVED', since: null }
}

const ranks = { OPERATIONAL: 0, DELAYED: 1, CLOSED: 2 } as const
const opensAt = ({ closure }: State) => closure?.until_ms ?? Number.POSITIVE_INFINITY
const sinceMs = ({ since }: State) => since?.getTime() ?? 0

/** The best of its routes: a payment takes that one. Of several closed, the first to open. */
function bestOf(states: readonly State[]): State | undefined {
  const [best] = states.toSorted(
    (a, b) =>
      ranks[a.status] - ranks[b.status] || opensAt(a) - opensAt(b) || sinceMs(b) - sinceMs(a),
  )
  return best
}

/** One row for each network and direction of the environment, in the order of `fares`. */
export function availabilityOf(
  fares: readonly RouteFare[],
  environment: Environment,
  now_ms: number,
): Availability[] {
  const of = new Map<string, RouteFare[]>()
  for (const fare of fares.filter((one) => one.environment === environment)) {
    const key = `${fare.network_code} ${fare.direction}`
    of.set(key, [...(of.get(key) ?? []), fare])
  }
  return [...of.values()].flatMap((routes) => {
    const [first] = routes
    const best = bestOf(routes.map((route) => stateOf(route, now_ms)))
    if (first === undefined || best === undefined) return []
    const { country_code, network_code, direction } = first
    return [
      {
        ...{ country_code, network_code, direction, status: best.status },
        ...{ ...rateOf(routes), window_minutes: availability_minutes },
        ...{ since: best.since?.toISOString() ?? null, source: best.source },
        message: messageOf(first.network_name, best),
      },
    ]
  })
}

function rateOf(routes: readonly RouteFare[]): Pick<Availability, 'success_rate' | 'sample'> {
  const merchants = new Set(routes.flatMap((route) => route.merchants))
  let [good, sample] = [0, 0]
  for (const { tally } of routes) {
    good += tally.good
    sample += tally.good + tally.bad + tally.unknown
  }
  if (sample < paymentsLeast || merchants.size < merchantsLeast) {
    return { success_rate: null, sample: 0 }
  }
  return { success_rate: (good / sample).toFixed(2), sample }
}

function messageOf(name: string, { status, source, closure }: State): Availability['message'] {
  if (status === 'OPERATIONAL') {
    return { en: `${name} works normally.`, fr: `${name} fonctionne normalement.` }
  }
  if (status === 'DELAYED') {
    return {
      en: `${name} is slower than usual, or fails more often.`,
      fr: `${name} est plus lent que d’habitude, ou échoue plus souvent.`,
    }
  }
  if (source === 'OBSERVED') {
    return { en: `${name} does not answer.`, fr: `${name} ne répond pas.` }
  }
  if (source === 'OPERATOR') {
    return {
      en: `${name} is down, as its operator says.`,
      fr: `${name} est en panne, selon son opérateur.`,
    }
  }
  const { until_ms = null, time_zone = 'UTC' } = closure ?? {}
  if (until_ms === null) {
    return { en: `${name} is closed for now.`, fr: `${name} est fermé pour le moment.` }
  }
  const until = new Date(until_ms)
  return {
    en: `${name} is closed until ${writeMoment(until, time_zone, 'en')}.`,
    fr: `${name} est fermé jusqu’au ${writeMoment(until, time_zone, 'fr')}.`,
  }
}

/** Rows that are read again when they are so old; meanwhile the old ones are served. */
const freshMs = 5_000
/** Older ones are not served: whoever asks waits for new ones. */
const oldestMs = 60_000

/** For so long the rows of the same reading are the same: hours pass by the minute. */
const sameMs = 1_000

/** The same array as long as nothing can have changed. */
export type AvailabilityNow = (environment: Environment) => Promise<readonly Availability[]>

type Made = Readonly<{ at: number; fares: readonly RouteFare[]; rows: readonly Availability[] }>

/** `read` is never called twice at a time, and by nobody's call more often than it must be. */
export function availabilityIn(
  read: () => Promise<readonly RouteFare[]>,
  clock: () => number,
): AvailabilityNow {
  let kept: { at: number; fares: readonly RouteFare[] } | undefined
  let under_way: Promise<readonly RouteFare[]> | undefined
  const readAgain = () => {
    const at = clock()
    under_way ??= read()
      .then((fares) => {
        kept = { at, fares }
        return fares
      })
      .finally(() => {
        under_way = undefined
      })
    return under_way
  }
  const made = new Map<Environment, Made>()
  const rowsOf = (fares: readonly RouteFare[], environment: Environment) => {
    const at = clock()
    const last = made.get(environment)
    if (last?.fares === fares && at - last.at < sameMs) return last.rows
    const rows = availabilityOf(fares, environment, at)
    made.set(environment, { at, fares, rows })
    return rows
  }
  return async (environment) => {
    const age = kept === undefined ? Number.POSITIVE_INFINITY : clock() - kept.at
    const again = age >= freshMs ? readAgain() : undefined
    if (kept !== undefined && age < oldestMs) {
      again?.catch(() => undefined)
      return rowsOf(kept.fares, environment)
    }
    return rowsOf((await again) ?? [], environment)
  }
}
