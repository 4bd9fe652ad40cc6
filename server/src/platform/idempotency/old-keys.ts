// Answers are kept for thirty days at least (contract 4.1); then their keys are free again. Law: no
// index finds old keys for long, because each payment would pay for one that does; their table is
// walked page by page, and of a large one only a part at a time.

import type { Sql } from '../db.ts'
import { eachGroup } from '../places/places.ts'
import type { Removed } from '../retention/expire.ts'
import { countKeyPages, deleteOldKeys } from './store.ts'

/** One of `of` equal parts of a table; all of a table that has at most `whole_pages`. */
export type TablePart = Readonly<{ no: number; of: number; whole_pages: number }>

type Walk = Readonly<{
  days: number
  /** The most that one statement removes. */
  limit: number
  /** How many pages of the part have been walked. */
  at: number
  /** Absent: the whole table. */
  part?: TablePart | undefined
}>

/** 8 MB: what one statement reads at most. */
const pages_at_once = 1_024

/** Removes what is over among the next pages, of each group's table where there are several. */
export async function dropOldKeys(sql: Sql, walk: Walk): Promise<Removed> {
  const groups = await eachGroup(sql, async (at) => [await dropFrom(at, walk)])
  const removed = groups.reduce((sum, group) => sum + group.removed, 0)
  if (groups.some((group) => group.removed === walk.limit)) return { removed, next: walk.at }
  const is_over = groups.every((group) => group.is_over)
  return { removed, next: is_over ? undefined : walk.at + pages_at_once }
}

async function dropFrom(sql: Sql, { days, limit, at, part }: Walk) {
  const pages = await countKeyPages(sql)
  if (pages === undefined) return dropBehindView(sql, { days, limit, part })
  const { from, to } = pagesOf(pages, part)
  const low = from + at
  const high = Math.min(low + pages_at_once, to)
  const removed = low < high ? await deleteOldKeys(sql, { days, limit, pages: { low, high } }) : 0
  return { removed, is_over: high >= to }
}

/** A view has no pages: all of it is read, which is done four times a day. */
async function dropBehindView(sql: Sql, { days, limit, part }: Omit<Walk, 'at'>) {
  const isDue = part === undefined || part.no % Math.ceil(part.of / 4) === 0
  return { removed: isDue ? await deleteOldKeys(sql, { days, limit }) : 0, is_over: true }
}

/** The pages of a part; each page of a table is in one of its parts. */
export function pagesOf(pages: number, part: TablePart | undefined): { from: number; to: number } {
  if (part === undefined || pages <= part.whole_pages) return { from: 0, to: pages }
  const begin = (no: number) => Math.floor((pages * no) / part.of)
  return { from: begin(part.no), to: begin(part.no + 1) }
}
