// A list by numbered pages, as the address has it: what it is narrowed by, which page of how many
// rows, and what it is sorted by.

import { pageNumber } from './narrow.tsx'
import { useFilters } from './place.tsx'
import { type PageOf, sizeOf } from './records.tsx'

/** `orders`: those of the API that a head offers; `first`: the one that a list begins with. */
export function usePaged<Name extends string, Order extends string>(
  names: readonly Name[],
  orders: readonly Order[],
  first = '',
) {
  const { filters, set } = useFilters<string>([...names, 'page', 'size', 'order'])
  const { page, size, order } = filters
  const kept: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = filters[name]
    if (value !== undefined) kept[name] = value
  }
  const ordering = orders.find((one) => one === order)
  return {
    filters,
    kept,
    query: { ordering, page: pageNumber(page), page_size: sizeOf(size) },
    /** Other filters begin at the first page. */
    narrow: (next: Partial<Record<Name, string | undefined>>) => set({ ...next, size, order }),
    paging: {
      go: (at: PageOf) => set({ ...kept, order, ...at }),
      size: sizeOf(size),
      page: pageNumber(page),
      sort: {
        now: ordering ?? first,
        set: (next: string) => set({ ...kept, size, order: next }),
      },
    },
  }
}
