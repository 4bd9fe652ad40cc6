// Reading the API into screens: one cache, whose keys hold merchant and environment, so that test
// and live can never mix.

import { QueryClient, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  type ContentOf,
  call,
  configureCalls,
  failureIn,
  type Operation,
  type Place,
  type Request,
} from './call.ts'
import { isFollowedSince, untilFree } from './connection.ts'

const fresh_ms = 15_000
/** After a failure. */
export const later_ms = 30_000
/** Screens that ask no more often than this are about what hints report. */
export const hinted_ms = 60_000
const tries_max = 2

/** What may succeed when it is simply asked again. */
function isWorthAnother(tries: number, error: unknown): boolean {
  const failure = failureIn(error)
  // Whoever has waited for half a minute, or has given it up, asks for it themselves.
  if (failure?.is === 'unreached') return failure.isLate !== true && tries < tries_max
  return failure?.is === 'refused' && failure.retryable && tries < tries_max
}

const first_wait_ms = 1_000
const longest_wait_ms = 30_000

/** As long as the API says, else a second, then two. */
function waitBefore(tries: number, error: unknown): number {
  const failure = failureIn(error)
  const asked_ms = failure?.is === 'refused' ? failure.retry_after_s * 1_000 : 0
  if (asked_ms > 0) return asked_ms < longest_wait_ms ? asked_ms : longest_wait_ms
  return first_wait_ms * 2 ** tries
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: fresh_ms,
      retry: isWorthAnother,
      retryDelay: waitBefore,
      refetchOnWindowFocus: true,
    },
  },
})

// A record that somebody else has erased since goes from the screen, once an act says so.
configureCalls({ onGone: () => void queries.invalidateQueries() })

/** How long an answer is taken as it is, and how often it is asked for anew while it is visible. */
export type Freshness = Readonly<{
  stale_ms?: number
  every_ms?: number | false
  /** Hints report all of it: with them it is asked for by the clock each minute only. */
  isHinted?: boolean
  on?: boolean
}>

/** What an answer is known by: address, place, path, query. */
export type Key = readonly [string, string, string, object | undefined, object | undefined]

/** The same list with other filters: what was read of it stays until the new page is there. */
const isSameList = (one: Key, other: readonly unknown[] | undefined): boolean =>
  other !== undefined &&
  [0, 1, 2].every((at) => one[at] === other[at]) &&
  JSON.stringify(one[3]) === JSON.stringify(other[3])

/**
 * What hints report need not be asked for every minute; what is waited for is, and what was read
 * before there were hints, which may have missed something since.
 */
export function seldomer(
  every_ms: number | false,
  read_at_ms: number,
  isHinted = false,
): number | false {
  if (every_ms === false || !isFollowedSince(read_at_ms)) return every_ms
  if (every_ms >= hinted_ms) return every_ms * 5
  return isHinted ? hinted_ms : every_ms
}

type Reading<Of extends Operation> = Pick<Request<Of>, 'url' | 'path' | 'query'>

function queryOf<Of extends Operation, Answer>(place: Place, { url, path, query }: Reading<Of>) {
  const key: Key = [url, place.merchant, place.environment, path, query]
  return {
    queryKey: key,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      await untilFree()
      return await call<Of, Answer>({ method: 'GET', url, path, query, place, signal })
    },
  }
}

/** Asked for before what shows it is there, which then waits for the same answer. */
export const readAhead = <Of extends Operation, Answer>(
  place: Place,
  request: Reading<Of>,
): Promise<void> => queries.prefetchQuery(queryOf<Of, Answer>(place, request))

/** Reads one operation; while another page of a list loads, the one before stays. */
export function useRead<Of extends Operation, Answer>(
  place: Place,
  request: Reading<Of>,
  { stale_ms = fresh_ms, every_ms = false, isHinted = false, on = true }: Freshness = {},
) {
  const query = queryOf<Of, Answer>(place, request)
  const key: Key = query.queryKey
  return useQuery<ContentOf<Answer>>({
    ...query,
    staleTime: stale_ms,
    // After a failure not so soon: it may be that nobody is signed in any more.
    refetchInterval: ({ state }) =>
      every_ms !== false && state.status === 'error'
        ? later_ms
        : seldomer(every_ms, state.dataUpdatedAt, isHinted),
    placeholderData: <T>(before: T | undefined, of?: { queryKey: readonly unknown[] }) =>
      isSameList(key, of?.queryKey) ? before : undefined,
    enabled: on,
    meta: { isByClock: every_ms !== false },
  })
}

/** While an end is waited for: at first, and for as long as it takes. */
export type Rhythm = Readonly<{ soon_ms: number; later_ms: number }>

const soon_for_ms = 120_000

/**
 * How often what is open is asked for. Whoever stands and waits sees its end soon; left open for
 * hours or days it asks no more often than a screen that nothing happens on.
 */
export function useRhythm(isOpen: boolean, { soon_ms, later_ms }: Rhythm): number | false {
  const [isSoon, setIsSoon] = useState(true)
  useEffect(() => {
    setIsSoon(true)
    if (!isOpen) return
    const timer = setTimeout(() => setIsSoon(false), soon_for_ms)
    return () => clearTimeout(timer)
  }, [isOpen])
  return isOpen && (isSoon ? soon_ms : later_ms)
}

/** After a change: whatever was read of these addresses is read again. */
export const readAgain = (...urls: readonly string[]): Promise<void> =>
  queries.invalidateQueries({ predicate: ({ queryKey: [url] }) => urls.includes(String(url)) })

/** After an act that moves money: whatever is on screen is read again. */
export const readAllAgain = (): Promise<void> => queries.invalidateQueries()

/** When the oldest answer on this screen was read, in milliseconds; undefined: none is on it. */
export const oldestShown = (): number | undefined =>
  queries
    .getQueryCache()
    .findAll({ type: 'active' })
    .map(({ state }) => state.dataUpdatedAt)
    .filter((at) => at > 0)
    .sort((one, other) => one - other)[0]
