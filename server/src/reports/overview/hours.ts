// What ended in each hour, kept in memory once the hour is over. Law: an hour that is over and
// settled has its figures for ever, because moves are never rewritten and a success is final; a
// failure that is paid after all is a success of a later hour. So each hour is read once, and a day
// costs what its last hour costs.

import type { Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { books_settle_min } from '../day.ts'
import { type EndedLine, listEnded } from './store.ts'

export type Owner = Readonly<{ merchant_id: string; environment: Environment }>

/** What ended within an hour (or a part of one) from `at` on. */
export type Hour = Readonly<{ at: Date; lines: readonly EndedLine[] }>

export type Span = Readonly<{
  /** The first hour begins here. */
  from: Date
  /** Not included. */
  to: Date
}>

/** Hours from the first moment of a span to its last; the last may be a part of one. */
export type HoursOf = (sql: Sql, owner: Owner, span: Span, now: Date) => Promise<Hour[]>

const hour_ms = 3_600_000
const kept_max = 50_000

/** One copy a process; the hours that were read first are let go. */
export function keptHours(): HoursOf {
  const kept = new Map<string, readonly EndedLine[]>()
  const keep = (name: string, lines: readonly EndedLine[]) => {
    kept.set(name, lines)
    const [oldest] = kept.keys()
    if (kept.size > kept_max && oldest !== undefined) kept.delete(oldest)
  }
  return async (sql, owner, { from, to }, now) => {
    const nameOf = (at_ms: number) => `${owner.merchant_id} ${owner.environment} ${at_ms}`
    const starts = startsOf({ from, to })
    const settled_ms = now.getTime() - books_settle_min * 60_000
    const isOver = (at_ms: number) => at_ms + hour_ms <= Math.min(to.getTime(), settled_ms)
    const missing = starts.filter((at_ms) => !kept.has(nameOf(at_ms)))
    const [first_ms] = missing
    if (first_ms === undefined) return starts.map((at_ms) => hourAt(at_ms, kept.get(nameOf(at_ms))))
    const read = await listEnded(sql, owner, { from: new Date(first_ms), to })
    const fresh = new Map<number, EndedLine[]>()
    for (const { hour, ...line } of read) {
      const at_ms = first_ms + hour * hour_ms
      fresh.set(at_ms, [...(fresh.get(at_ms) ?? []), line])
    }
    const hours = starts.map((at_ms) => hourAt(at_ms, kept.get(nameOf(at_ms)) ?? fresh.get(at_ms)))
    for (const at_ms of missing.filter(isOver)) keep(nameOf(at_ms), fresh.get(at_ms) ?? [])
    return hours
  }
}

function startsOf({ from, to }: Span): number[] {
  const starts: number[] = []
  for (let at_ms = from.getTime(); at_ms < to.getTime(); at_ms += hour_ms) starts.push(at_ms)
  return starts
}

const hourAt = (at_ms: number, lines: readonly EndedLine[] = []): Hour => ({
  at: new Date(at_ms),
  lines,
})
