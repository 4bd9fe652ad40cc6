// A page of rows that are in all groups, for staff who look over all merchants: each group gives
// the rows that may be on the page, and they are put in order here. On one PostgreSQL it is the
// one statement that the caller wrote.

import type { Db, Sql } from '../db.ts'
import { eachGroup, groupsOf } from './places.ts'

type Order<F> = readonly Readonly<{ field: F; descending: boolean }>[]
type Bounds = Readonly<{ limit: number; offset: number }>

/** Rows of a page, and how many there are in all. */
export type Counted<R> = Readonly<{ count: number; rows: R[] }>

/** What a part of a page is of: everything is in one place, or it is one group, or control. */
export type Part = 'all' | 'group' | 'control'

type Wanted<R> = Bounds & Readonly<{ order: Order<keyof R>; has_control?: boolean }>

/**
 * `order` is the statement's own, to the last field that makes it unambiguous; `has_control`: some
 * of the rows stand there, and are read as a part of their own.
 */
export async function pageOfAll<R extends object>(
  sql: Sql,
  { order, limit, offset, has_control = false }: Wanted<R>,
  read: (at: Sql, bounds: Bounds, part: Part) => Promise<Counted<R>>,
): Promise<Counted<R>> {
  if (groupsOf(sql as Db).length === 0) return read(sql, { limit, offset }, 'all')
  const bounds = { limit: offset + limit, offset: 0 }
  const parts = await eachGroup(sql, async (at) => [await read(at, bounds, 'group')])
  if (has_control) parts.push(await read(sql, bounds, 'control'))
  const rows = parts.flatMap((part) => part.rows)
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    rows: inOrder(rows, order).slice(offset, offset + limit),
  }
}

export function inOrder<R extends object>(rows: readonly R[], order: Order<keyof R>): R[] {
  return rows.toSorted((a, b) => {
    for (const { field, descending } of order) {
      const [x, y] = [a[field], b[field]]
      if (x < y) return descending ? 1 : -1
      if (x > y) return descending ? -1 : 1
    }
    return 0
  })
}
