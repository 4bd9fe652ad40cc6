// `count-days`: writes down what ended on each merchant's day once it is over and settled. Law: a
// day that is counted never changes, because moves of a status are never rewritten, and a zone that
// is changed leaves the days that were as they were (docs/decisions/0041). What came of
// links follows.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Sql } from '../../platform/db.ts'
import { Troubles } from '../../platform/jobs/troubles.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { books_settle_min } from '../day.ts'
import { type EndedLine, listEnded } from '../overview/store.ts'
import { countNextOfLinks } from './count-links.ts'
import { listLinksBehind } from './links-store.ts'
import {
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
      for (const mark of await listLinksBehind(db, marks_at_once, troubles.resting())) {
        if (signal.aborted) return 'rest'
        const count = () => countNextOfLinks(db, mark)
        if (await troubles.spare(nameOfMark(mark), count, onFault)) counted += 1
      }
      if (counted > 0) return 'more'
      return (await insertMarks(db, marks_at_once)) > 0 ? 'more' : 'rest'
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

/** Of its hours, one line for what is alike. */
function linesOfDay(hours: readonly EndedLine[]): EndedLine[] {
  const lines = new Map<string, EndedLine>()
  for (const { country, network, type, currency, status, failure_code, ...figures } of hours) {
    const same = { country, network, type, currency, status, failure_code }
    const name = Object.values(same).join(' ')
    const before = lines.get(name) ?? { ...same, count: 0, requested: 0n, fees: 0n, net: 0n }
    lines.set(name, {
      ...same,
      count: before.count + figures.count,
      requested: before.requested + figures.requested,
      fees: before.fees + figures.fees,
      net: before.net + figures.net,
    })
  }
  return [...lines.values()]
}
