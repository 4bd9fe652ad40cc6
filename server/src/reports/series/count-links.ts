// What came of payment links on days that are counted: one day of one merchant after the other, as
// far as its days are. Law: a day that is counted never changes, as those of `count-days`.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Sql } from '../../platform/db.ts'
import { moveFollowing } from './following-store.ts'
import { hasLinks, insertLinksDay, listOfLinks } from './links-store.ts'
import { type FollowingMark, findDayOf, findNextEnded } from './store.ts'

/** Counts the mark's day of links, or moves past days on which nothing can have come of any. */
export async function countNextOfLinks(db: Sql, mark: FollowingMark): Promise<void> {
  const { merchant_id, day, until_day } = mark
  const move = (to: string) => moveFollowing(db, 'links_until_day', mark, to)
  if (!(await hasLinks(db, mark))) return move(until_day)
  const { from, to } = await readDays(db, merchant_id, { first: day, last: day })
  const next = await findNextEnded(db, mark, from)
  if (next === null) return move(until_day)
  if (next >= to) return move(await findDayOf(db, merchant_id, next))
  return insertLinksDay(db, mark, await listOfLinks(db, mark, [{ name: day, from, to }]))
}
