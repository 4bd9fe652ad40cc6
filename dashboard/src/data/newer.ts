// What a list has beyond what is shown of it, read beside it. Law: no row comes, goes or changes
// its place before its reader wants it, and each that is shown says how it stands now.

import { useQuery } from '@tanstack/react-query'
import { call, type Operation, type Place, type Request } from './call.ts'
import { untilFree } from './connection.ts'
import { hinted_ms, type Key, later_ms, queries, seldomer } from './queries.ts'

type Row = Readonly<{
  id: string
  created_at: string
  status?: string
  incident?: Readonly<{ is_contradiction: boolean }> | null
}>

/** A page of what has an id and a beginning, newest first. */
export type Listed = Readonly<{ results: readonly Row[] }>

export type Newer = Readonly<{ count: number; isMore: boolean; show: () => void }>

/** The rows that are shown, each as it is now: none comes, goes or changes its place. */
function renewed<Content extends Listed>(shown: Content, rows: readonly Row[]): Content {
  const known = new Map(rows.map((row) => [row.id, row]))
  return { ...shown, results: shown.results.map((row) => known.get(row.id) ?? row) }
}

/** Filters by how a row stands: it leaves the list when that changes. */
const by_state: readonly string[] = ['status', 'approval', 'waiting', 'outcome', 'incident']
const most_rows = 100

type Reading = Readonly<{ shown: Listed; now: Listed; query: object | undefined }>

/**
 * What to ask for so that rows that have left a list of one state say what became of them;
 * undefined where none has. Of a row that says so already it is not asked again.
 */
function queryOfLeft({ shown, now, query }: Reading): object | undefined {
  const narrowing = Object.entries(query ?? {}).filter(([, value]) => Boolean(value))
  const wider = narrowing.filter(([name]) => !by_state.includes(name))
  if (wider.length === narrowing.length) return undefined
  // What waits for something is pending, and what people look into has any status.
  const { status = 'PENDING', incident } = Object.fromEntries(narrowing)
  const isAsBefore = (row: Row): boolean =>
    incident === undefined ? row.status === status : row.incident?.is_contradiction === true
  const there = new Set(now.results.map(({ id }) => id))
  const newest = shown.results.find((row) => !there.has(row.id) && isAsBefore(row))
  if (newest === undefined) return undefined
  // The service counts finer than it writes.
  const until = new Date(Date.parse(newest.created_at) + 1_000).toISOString()
  return { ...Object.fromEntries(wider), created_at__lte: until, page_size: most_rows }
}

/**
 * Read by hints and each minute, so that no row moves before its reader wants it; the rows that are
 * there say how it stands with them now. Begins with what is `shown`, and so with no call.
 * `isHinted`: there is a hint for each new row.
 */
export function useNewer<Content extends Listed>(
  place: Place,
  { url, query }: Pick<Request<Operation>, 'url' | 'query'>,
  { shown, on, isHinted }: Readonly<{ shown: Content; on: boolean; isHinted: boolean }>,
): Newer {
  const key: Key = [url, place.merchant, place.environment, undefined, query]
  /** When the list was answered, or what is shown of it last renewed. */
  const listedAt = () => queries.getQueryState(key)?.dataUpdatedAt ?? 0
  const { data: read = shown, dataUpdatedAt: readAt } = useQuery<Content>({
    queryKey: [...key, 'newer'],
    queryFn: async ({ signal }) => {
      await untilFree()
      const ask = (asked: object | undefined) =>
        call<Operation, { data: Content }>({ method: 'GET', url, query: asked, place, signal })
      const beganAt = listedAt()
      const now = await ask(query)
      const before = queries.getQueryData<Content>(key) ?? shown
      const left = queryOfLeft({ shown: before, now, query })
      const rows = left === undefined ? [] : (await ask(left)).results
      // The list was read anew meanwhile, and may know more than this.
      if (listedAt() !== beganAt) return queries.getQueryData<Content>(key) ?? now
      const all = [...rows, ...now.results]
      queries.setQueryData<Content>(key, (kept) => kept && renewed(kept, all))
      return now
    },
    initialData: shown,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: on,
    refetchInterval: ({ state }) => {
      if (state.status === 'error') return later_ms
      return isHinted ? seldomer(hinted_ms, state.dataUpdatedAt) : hinted_ms
    },
    meta: { isByClock: true },
  })
  // What was asked for before the list was has nothing that is newer than it.
  const data = readAt < listedAt() ? shown : read
  const known = new Set(shown.results.map(({ id }) => id))
  const oldest = shown.results.at(-1)?.created_at ?? ''
  // What has come up from the next page because others left this one is not new.
  const added = data.results.filter(({ id, created_at }) => !known.has(id) && created_at >= oldest)
  return {
    count: on ? added.length : 0,
    isMore: added.length > 0 && added.length === data.results.length && known.size > 0,
    show: () => queries.setQueryData(key, data),
  }
}
