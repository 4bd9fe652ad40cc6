// `count-days`: writes down what ended on each merchant's day once it is over and settled. Law: a
// day that is counted never changes, because moves of a status are never rewritten, and a zone that
// is changed leaves the days that were as they were (docs/decisions/0041). What came of
// links follows, and what else is counted later.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Sql } from '../../platform/db.ts'
import { Troubles } from '../../platform/jobs/troubles.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { books_settle_min } from '../day.ts'
import { listEnded } from '../overview/store.ts'
import { countNextLater } from './count-later.ts'
import { countNextOfLinks } from './count-links.ts'
import { type Follower, listBehind } from './following-store.ts'
import { linesOfDay } from './lines-of-day.ts'
import {
  type FollowingMark,
  findDayOf,
  findNextEnded,
  insertDay,
  insertMarks,
  listDueMarks,
  type Mark,
  moveMark,
  nameOfMark,
  restartMarks,
} from './store.ts'

const every_ms = 60_000
const marks_at_once = 50

/** What is counted of a day after the day itself is. */
const following: readonly (readonly [Follower, (db: Sql, mark: FollowingMark) => Promise<void>])[] =
  [
    ['links_until_day', countNextOfLinks],
    ['later_until_day', countNextLater],
  ]

/** `db`: of the worker; nothing waits for what it counts. */
export function countDays({ db }: Readonly<{ db: Sql }>): Job {
  const troubles = new Troubles()
  return {
    name: 'count-days',
    poll_ms: every_ms,
    async run({ signal, onFault }) {
      const marks = await listDueMarks(db, marks_at_once, troubles.resting())
      let counted = 0
      for (const mark of marks) {
        if (signal.aborted) return 'rest'
        const isCounted = await troubles.spare(nameOfMark(mark), () => countNext(db, mark), onFault)
        if (isCounted) counted += 1
      }
      // Before what follows, which may be a long past of many merchants.
      const isNew = counted === 0 && (await insertMarks(db, marks_at_once)) > 0
      for (const [follower, countNextOf] of following) {
        const but = troubles.resting()
        for (const mark of await listBehind(db, follower, { limit: marks_at_once, but })) {
          if (signal.aborted) return 'rest'
          const count = () => countNextOf(db, mark)
          if (await troubles.spare(nameOfMark(mark), count, onFault)) counted += 1
        }
      }
      return counted > 0 || isNew ? 'more' : 'rest'
    },
  }
}

/** Counts the mark's day, or moves past days on which nothing ended, or waits for its end. */
async function countNext(db: Sql, mark: Mark): Promise<void> {
  const { merchant_id, until_day: day } = mark
  const { now, from, to } = await readDays(db, merchant_id, { first: day, last: day })
  const settled_at = new Date(to.getTime() + books_settle_min * 60_000)
  if (settled_at > now) return moveMark(db, mark, { day, due_at: settled_at })
  const next = await findNextEnded(db, mark, from)
  if (next !== null && next < to) {
    return insertDay(db, mark, linesOfDay(await listEnded(db, mark, { from, to })))
  }
  // No further than to the first day that is not settled: what ends on it may still be written.
  const settled = new Date(now.getTime() - books_settle_min * 60_000)
  const last = await findDayOf(db, merchant_id, settled)
  const then = next === null ? last : await findDayOf(db, merchant_id, next)
  return moveMark(db, mark, { day: then < last ? then : last, due_at: now })
}

/** For a history that was made up behind the mark. */
export const countAgain = (sql: Sql, merchant_id: string): Promise<void> =>
  restartMarks(sql, merchant_id)
