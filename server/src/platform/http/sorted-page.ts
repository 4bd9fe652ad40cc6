// A page-number list of rows that are held in memory: sorted as asked, cut, counted.

import { type Order, orderingFilter } from './filters.ts'
import { type NumberPage, numberPage, readNumberRequest } from './pages.ts'
import type { Input } from './route.ts'

type Comparable = string | Date

const compare = (a: Comparable, b: Comparable): number => (a < b ? -1 : a > b ? 1 : 0)

function sorted<F extends string, Row extends Readonly<Record<F, Comparable>>>(
  rows: readonly Row[],
  order: readonly Order<F>[],
): Row[] {
  return [...rows].sort((a, b) => {
    for (const { field, descending } of order) {
      const difference = compare(a[field], b[field])
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  })
}

/** The page that `input` asks for; without `ordering` the rows keep the order they are in. */
export function sortedPage<const F extends string, Row extends Readonly<Record<F, Comparable>>, V>(
  input: Pick<Input, 'query' | 'url'>,
  list: Readonly<{ rows: readonly Row[]; fields: readonly F[]; view: (row: Row) => V }>,
): NumberPage<V> {
  const request = readNumberRequest(input.query)
  const rows = sorted(list.rows, orderingFilter(input.query, list.fields, []))
  const cut = rows.slice(request.offset, request.offset + request.page_size)
  return numberPage(request, { count: rows.length, results: cut.map(list.view), url: input.url })
}
