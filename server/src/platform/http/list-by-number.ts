// The handler of a list with numbered pages and an exact count, when the database cuts the page.
// For rows that are all in memory: `sorted-page.ts`.

import type { Locale } from '../errors.ts'
import { numberPage, readNumberRequest } from './pages.ts'
import { type Input, ok, type Reply } from './route.ts'

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
