// A list as the address has it: what it is narrowed by, which page of how many rows, and what it is
// sorted by. One that may have millions of rows goes by cursor while the newest come first, and by
// numbered pages once its reader has sorted it otherwise.

import { useLayoutEffect } from 'react'
import { useLocation, useSearch } from 'wouter'
import { failureIn } from '../data/call.ts'
import { pageNumber } from './narrow.tsx'
import { useFilters } from './place.tsx'
import { type PageOf, sizeOf } from './records.tsx'

type Lists<Order> = Readonly<{ first?: Order | ''; isLong?: boolean }>

/** Of a list that may have millions of rows. */
export const newestFirst = { first: '-created_at', isLong: true } as const

const by_cursor = 'cursor'

/**
 * `orders`: those of the API that a head offers; `first`: the one that a list begins with, by
 * cursor where it may be long.
 */
export function usePaged<Name extends string, Order extends string>(
  names: readonly Name[],
  orders: readonly Order[],
  { first = '', isLong = false }: Lists<Order> = {},
) {
  const { filters, set } = useFilters<string>([...names, 'page', 'cursor', 'size', 'order'])
  const { page, size, order, cursor } = filters
  const kept: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = filters[name]
    if (value !== undefined) kept[name] = value
  }
  const ordering = orders.find((one) => one === order)
  const isByCursor = isLong && page === undefined && (ordering ?? first) === first
  return {
    filters,
    kept,
    query: isByCursor
      ? ({ pagination: by_cursor, cursor, page_size: sizeOf(size) } as const)
      : ({ ordering, page: pageNumber(page), page_size: sizeOf(size) } as const),
    /** Other filters begin at the first page. */
    narrow: (next: Partial<Record<Name, string | undefined>>) => set({ ...next, size, order }),
    paging: {
      go: (at: PageOf) => set({ ...kept, order, ...at }),
      size: sizeOf(size),
      page: isByCursor ? undefined : pageNumber(page),
      sort: {
        now: ordering ?? first,
        set: (next: string) => set({ ...kept, size, order: next }),
      },
    },
  }
}

type Reading = Readonly<{
  data: { previous: string | null } | undefined
  error: unknown
  isFetching: boolean
}>

/**
 * A page of a list as it was read. One that its last row has left is none any more: the page before
 * takes its place; an address of a page that is not there leads to the first.
 */
export function useThere<List extends Reading>(list: List): List {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const failure = failureIn(list.error)
  // A page that was gone and may be there again is being asked for: what it was says nothing.
  const isGone = !list.isFetching && failure?.is === 'refused' && failure.status === 404
  const previous = list.data?.previous ?? null
  // Before it is painted that the page was not found.
  useLayoutEffect(() => {
    const asked = new URLSearchParams(search)
    if (!isGone || !asked.has('page')) return
    const before = previous === null ? null : new URL(previous).searchParams.get('page')
    if (before === null) asked.delete('page')
    else asked.set('page', before)
    const query = asked.toString()
    navigate(query === '' ? path : `${path}?${query}`, { replace: true })
  }, [isGone, previous, navigate, path, search])
  return list
}
