// The handler of a list that is walked by cursor, newest first, when each row has its place. Lists
// with another kind of place call `keysetPage` themselves.

import type { Locale } from '../errors.ts'
import type { Cursor } from './cursor.ts'
import { keysetPage, readCursorRequest } from './pages.ts'
import { type Input, ok, type Reply } from './route.ts'

/** Where the page begins, and how many rows to fetch: one more than it shows (`Keyset.rows`). */
type Stretch = Readonly<{ cursor: Cursor | undefined; limit: number }>

/** `place`: `created_at` with microseconds, as PostgreSQL prints it. */
type Sortable = Readonly<{ place: string; id: string }>

/** Shows the rows that `find` has fetched; the filters are `find`'s. */
export const listByCursor =
  <Row>(
    secret: Uint8Array,
    view: (row: Row, locale: Locale) => unknown,
    find: (input: Input, stretch: Stretch) => Promise<readonly (Row & Sortable)[]>,
  ) =>
  async (input: Input): Promise<Reply> => {
    const { page_size, cursor } = readCursorRequest(input.query, secret)
    const rows = await find(input, { cursor, limit: page_size + 1 })
    const keyOf = ({ place, id }: Sortable) => ({ created_at: place, id })
    const page = keysetPage({ rows, page_size, cursor, url: input.url, secret, keyOf })
    return ok({ ...page, results: page.results.map((row) => view(row, input.locale)) })
  }
