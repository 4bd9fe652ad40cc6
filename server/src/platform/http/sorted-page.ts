// A page-number list of rows that are held in memory: searched, sorted, cut, counted.

import { orderingFilter, type SortBy } from './filters.ts'
import { type NumberPage, numberPage, readNumberRequest } from './pages.ts'
import type { Input } from './route.ts'

type Comparable = string | Date

const compare = (a: Comparable, b: Comparable): number => (a < b ? -1 : a > b ? 1 : 0)

function sorted<F extends string, Row extends Readonly<Record<F, Comparable>>>(
  rows: readonly Row[],
  order: readonly SortBy<F>[],
): Row[] {
  return [...rows].sort((a, b) => {
    for (const { field, descending } of order) {
      const difference = compare(a[field], b[field])
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  })
}

/** Rows with the text somewhere in one of their words, in any case. */
function found<Row>(
  rows: readonly Row[],
  words: ((row: Row) => readonly string[]) | undefined,
  search: string | undefined,
): readonly Row[] {
  if (words === undefined || search === undefined) return rows
  const wanted = search.toLowerCase()
  return rows.filter((row) => words(row).some((word) => word.toLowerCase().includes(wanted)))
}

/**
 * The page that `input` requests; without `ordering` the rows keep the order they are in. A list
 * that names no `words` has no search.
 */
export function sortedPage<const F extends string, Row extends Readonly<Record<F, Comparable>>, V>(
  input: Pick<Input, 'query' | 'url'>,
  list: Readonly<{
    rows: readonly Row[]
    fields: readonly F[]
    words?: (row: Row) => readonly string[]
    view: (row: Row) => V
  }>,
): NumberPage<V> {
  const request = readNumberRequest(input.query)
  const wanted = found(list.rows, list.words, input.query['search'])
  const rows = sorted(wanted, orderingFilter(input.query, list.fields, []))
  const cut = rows.slice(request.offset, request.offset + request.page_size)
  return numberPage(request, { count: rows.length, results: cut.map(list.view), url: input.url })
}
