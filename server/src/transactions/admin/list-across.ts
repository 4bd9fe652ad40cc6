// A page of transactions over all merchants, by id. Law: it never costs a payment anything and does
// not occupy the database for long; a page whose search took its time comes short, with a link that
// continues from there.

import type { Db } from '../../platform/db.ts'
import type { Cursor } from '../../platform/http/pages.ts'
import type { Environment } from '../../platform/http/route.ts'
import { beyond, limitsOf, type Walk, walkFrom, windowOf } from './id-windows.ts'
import { type AcrossFilters, listInWindow, type StaffTransaction } from './store.ts'

/** For how long a page may search. */
export type Patience = Readonly<{ search_ms: number; first_span_ms: number }>
export const patience: Patience = { search_ms: 1_500, first_span_ms: 10_000 }

const span_growth = 8
/** A window that took longer is not followed by a wider one. */
const quick_ms = 100

export type AcrossQuery = AcrossFilters &
  Readonly<{ environment: Environment; cursor: Cursor | undefined; limit: number }>

export type Across = Readonly<{
  /** From the newest down, or from the cursor up, as the cursor demands. */
  rows: readonly StaffTransaction[]
  /** Where to continue, when the time was over before the page was full. */
  stopped_at: string | undefined
}>

export async function listAcross(
  db: Db,
  query: AcrossQuery,
  { search_ms, first_span_ms }: Patience = patience,
): Promise<Across> {
  const began = Date.now()
  const rows: StaffTransaction[] = []
  let walk: Walk = walkFrom(query.cursor, limitsOf(query))
  let span_ms = first_span_ms
  for (;;) {
    const step_began = Date.now()
    const window = windowOf(walk, span_ms, step_began)
    const limit = query.limit - rows.length
    rows.push(...(await listInWindow(db, { ...query, dir: walk.dir, window, limit })))
    if (rows.length >= query.limit || window.is_last) return { rows, stopped_at: undefined }
    walk = beyond(walk, window)
    if (Date.now() - began >= search_ms) return { rows, stopped_at: walk.at }
    if (Date.now() - step_began < quick_ms) span_ms *= span_growth
  }
}
