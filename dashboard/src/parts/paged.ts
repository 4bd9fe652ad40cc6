// A list as the address has it: what it is narrowed by, which page of how many rows, and what it is
// sorted by. One that may have millions of rows goes by cursor while the newest come first, and by
// numbered pages once its reader has sorted it otherwise.

import { useLayoutEffect } from 'react'
import { useLocation, useSearch } from 'wouter'
import { failureIn } from '../data/call.ts'
import { anyText, isPageNumber, type MayBe } from './filter-values.ts'
import { pageNumber } from './narrow.tsx'
import { useFilters } from './place.tsx'
import { type PageOf, sizeOf, sizes } from './records.tsx'

type Lists<Order> = Readonly<{ first?: Order | ''; isLong?: boolean }>

/** Of a list that may have millions of rows. */
export const newestFirst = { first: '-created_at', isLong: true } as const

const by_cursor = 'cursor'

/**
 * `known`: what each filter may be; `orders`: those of the API that a head offers; `first`: the one
 * that a list begins with, by cursor where it may be long.
 */
export function usePaged<Name extends string, Order extends string>(
  known: Readonly<Record<Name, MayBe>>,
  orders: readonly Order[],
  { first = '', isLong = false }: Lists<Order> = {},
) {
  const { filters, set } = useFilters<string>({
    ...known,
    ...{ page: isPageNumber, cursor: anyText, size: sizes, order: orders },
  })
  const { page, size, order, cursor } = filters
  const kept: Partial<Record<Name, string>> = {}
  for (const name in known) {
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
      isStart: isByCursor ? cursor === undefined : undefined,
      sort: {
        now: ordering ?? first,
        set: (next: string) => set({ ...kept, size, order: next }),
      },
    },
  }
}

type Content = Readonly<{
  previous: string | null
  next: string | null
  results: readonly unknown[]
}>

type Reading = Readonly<{
  data: Content | undefined
  error: unknown
  isFetching: boolean
  isPlaceholderData: boolean
}>

/** What takes the place of a page by cursor: a cursor, null for the first page, or nothing. */
function insteadOf({ data, error, isFetching, isPlaceholderData }: Reading) {
  const failure = failureIn(error)
  // One that is cut off, or that no key is kept for.
  if (failure?.is === 'fields' && failure.fields['cursor'] !== undefined) return null
  if (isFetching || isPlaceholderData || data === undefined || data.results.length > 0) {
    return undefined
  }
  // With both, looking has only come so far.
  if (data.previous !== null && data.next !== null) return undefined
  return data.previous === null ? null : new URL(data.previous).searchParams.get('cursor')
}

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
  const instead = insteadOf(list)
  // Before it is painted that the page was not found.
  useLayoutEffect(() => {
    const asked = new URLSearchParams(search)
    const put = (name: 'page' | 'cursor', value: string | null) => {
      if (value === null) asked.delete(name)
      else asked.set(name, value)
      const query = asked.toString()
      navigate(query === '' ? path : `${path}?${query}`, { replace: true })
    }
    if (isGone && asked.has('page')) {
      put('page', previous === null ? null : new URL(previous).searchParams.get('page'))
    } else if (instead !== undefined && asked.has('cursor')) put('cursor', instead)
  }, [isGone, previous, instead, navigate, path, search])
  return list
}
