// What is counted of a day beside what ended on it: what began, and how top-ups ended. One day of
// one merchant after the other, as far as its days are. Law: a day that is counted never changes,
// as those of `count-days`.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Sql } from '../../platform/db.ts'
import { listEnded } from '../overview/store.ts'
import { moveFollowing } from './following-store.ts'
import { linesOfDay } from './lines-of-day.ts'
import { findNextStarted, listStarted } from './starts-store.ts'
import {
  type FollowingMark,
  findDayOf,
  findNextEnded,
  insertLaterDay,
  type Owner,
} from './store.ts'

const follower = 'later_until_day'

/** Counts the mark's day, or moves past days on which nothing began or ended. */
export async function countNextLater(db: Sql, mark: FollowingMark): Promise<void> {
  const { merchant_id, day, until_day } = mark
  const { from, to } = await readDays(db, merchant_id, { first: day, last: day })
  const next = await findNextMoment(db, mark, from)
  if (next === null) return moveFollowing(db, follower, mark, until_day)
  if (next >= to) {
    return moveFollowing(db, follower, mark, await findDayOf(db, merchant_id, next))
  }
  const lines = await Promise.all([
    listEnded(db, mark, { from, to }, ['RECHARGE']),
    listStarted(db, mark, { from, to }),
  ])
  return insertLaterDay(db, mark, linesOfDay(lines.flat()))
}

/** The first moment from this one on at which something ended or began. */
export async function findNextMoment(db: Sql, owner: Owner, from: Date): Promise<Date | null> {
  const moments = await Promise.all([
    findNextEnded(db, owner, from),
    findNextStarted(db, owner, from),
  ])
  const [first = null] = moments.filter((one) => one !== null).sort((a, b) => +a - +b)
  return first
}
