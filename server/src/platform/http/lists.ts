// The handlers of lists: by cursor, by page number, and of rows that are kept in memory
// (contract 1.6).

import { invalid, type Locale } from '../errors.ts'
import { newestFirst, orderingFilter, type SortBy, singleSort } from './filters.ts'
import {
  type Cursor,
  type CursorSecret,
  keysetPage,
  type NumberPage,
  numberPage,
  readCursorRequest,
  readNumberRequest,
} from './pages.ts'
import { type Input, ok, type Reply } from './route.ts'

/** Where the page begins, and how many rows to fetch: one more than it shows (`Keyset.rows`). */
type Stretch = Readonly<{ cursor: Cursor | undefined; limit: number }>

/** `place`: `created_at` with microseconds, as PostgreSQL prints it. */
type Sortable = Readonly<{ place: string; id: string }>

/** Rows of a page, and where looking ended before there were enough of them. */
export type Looked<Row> = Readonly<{
  rows: readonly (Row & Sortable)[]
  stopped_at: Pick<Cursor, 'created_at' | 'id'> | undefined
}>

/** Shows the rows that `find` has fetched; the filters are `find`'s. */
export const listByCursor = <Row>(
  secret: CursorSecret,
  view: (row: Row, locale: Locale) => unknown,
  find: (input: Input, stretch: Stretch) => Promise<readonly (Row & Sortable)[]>,
) =>
  listByLooking(secret, view, async (input, stretch) => ({
    rows: await find(input, stretch),
    stopped_at: undefined,
  }))

/** The same where a page may come short, with a link that goes on from where looking ended. */
export const listByLooking =
  <Row>(
    secret: CursorSecret,
    view: (row: Row, locale: Locale) => unknown,
    find: (input: Input, stretch: Stretch) => Promise<Looked<Row>>,
  ) =>
  async (input: Input): Promise<Reply> => {
    const { page_size, cursor } = readCursorRequest(input.query, secret)
    const found = await find(input, { cursor, limit: page_size + 1 })
    const keyOf = ({ place, id }: Sortable) => ({ created_at: place, id })
    const page = keysetPage({ ...found, page_size, cursor, url: input.url, secret, keyOf })
    return ok({ ...page, results: page.results.map((row) => view(row, input.locale)) })
  }

// A list with numbered pages and an exact count, when the database cuts the page.

/** The rows of the page, as the statement selects them. */
type Cut = Readonly<{ limit: number; offset: number }>

type Found<Row> = Readonly<{ count: number; rows: readonly Row[] }>

/** Shows the rows of one page, as `find` has cut and counted them; the filters are `find`'s. */
export const listByNumber =
  <Row>(
    view: (row: Row, locale: Locale) => unknown,
    find: (input: Input, cut: Cut) => Promise<Found<Row>>,
  ) =>
  async (input: Input): Promise<Reply> => {
    const request = readNumberRequest(input.query)
    const { count, rows } = await find(input, { limit: request.page_size, offset: request.offset })
    const results = rows.map((row) => view(row, input.locale))
    return ok(numberPage(request, { count, results, url: input.url }))
  }

// A list that has both kinds of page.

/** A page by its number in some order, or by cursor from the newest down. */
export type Wanted<Field extends string> =
  | (Cut & Readonly<{ is: 'number'; order: SortBy<Field> }>)
  | (Stretch & Readonly<{ is: 'cursor' }>)

/** By cursor `count` is null where there are too many to count, and each row has its place. */
export type Had<Row> = Readonly<{
  count: number | null
  rows: readonly (Row & Readonly<{ id: string; place?: string | undefined }>)[]
  stopped_at?: Looked<Row>['stopped_at']
}>

/** Shows the page that `find` has fetched, of either kind; the filters are `find`'s. */
export const listByEither =
  <Row, Field extends string>(
    secret: CursorSecret,
    fields: readonly (Field | 'created_at')[],
    view: (row: Row, locale: Locale) => unknown,
    find: (input: Input, wanted: Wanted<Field | 'created_at'>) => Promise<Had<Row>>,
  ) =>
  async (input: Input): Promise<Reply> => {
    const { query, url, locale } = input
    if (query['pagination'] !== 'cursor') {
      if (query['cursor'] !== undefined) throw isOfCursorPages()
      const request = readNumberRequest(query)
      const order = singleSort(query, fields, newestFirst)
      const cut = { limit: request.page_size, offset: request.offset }
      const { count, rows } = await find(input, { is: 'number', order, ...cut })
      const results = rows.map((row) => view(row, locale))
      return ok(numberPage(request, { count: count ?? 0, results, url }))
    }
    if ((query['ordering'] ?? '-created_at') !== '-created_at') throw hasOneOrder()
    if ((query['page'] ?? '1') !== '1') throw hasNoNumbers()
    const { page_size, cursor } = readCursorRequest(query, secret)
    const { count, ...found } = await find(input, { is: 'cursor', cursor, limit: page_size + 1 })
    const keyOf = ({ place = '', id }: Had<Row>['rows'][number]) => ({ created_at: place, id })
    const page = keysetPage({ ...found, page_size, cursor, url, secret, keyOf })
    return ok({ count, ...page, results: page.results.map((row) => view(row, locale)) })
  }

const isOfCursorPages = () =>
  invalid('cursor', {
    en: 'Only with `pagination=cursor`.',
    fr: 'Seulement avec `pagination=cursor`.',
  })

const hasOneOrder = () =>
  invalid('ordering', {
    en: 'With `pagination=cursor` the newest come first: leave `ordering` out.',
    fr: 'Avec `pagination=cursor`, les plus récents viennent d’abord : omettez `ordering`.',
  })

const hasNoNumbers = () =>
  invalid('page', {
    en: 'With `pagination=cursor` there are no page numbers: follow `next`.',
    fr: 'Avec `pagination=cursor`, il n’y a pas de numéros de page : suivez `next`.',
  })

// A list of rows that are kept in memory: searched, sorted, cut, counted.

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
