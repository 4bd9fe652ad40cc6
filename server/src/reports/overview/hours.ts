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
export type Hour<Line = EndedLine> = Readonly<{ at: Date; lines: readonly Line[] }>

export type Span = Readonly<{
  /** The first hour begins here. */
  from: Date
  /** Not included. */
  to: Date
}>

/** Hours from the first moment of a span to its last; the last may be a part of one. */
export type HoursOf<Line = EndedLine> = (
  sql: Sql,
  owner: Owner,
  span: Span,
  now: Date,
) => Promise<Hour<Line>[]>

/** What ended in a span, by how many whole hours after its beginning. */
type ReadEnded<Line> = (sql: Sql, owner: Owner, span: Span) => Promise<ReadonlyMap<number, Line[]>>

export const hour_ms = 3_600_000
/** Hours and their lines, of all merchants; some 100 MB at most. */
const kept_max = 300_000

/**
 * One copy a process; the hours that were read first are let go. Without `types` of payments and
 * payouts.
 */
export const keptHours = (types?: readonly EndedLine['type'][]): HoursOf =>
  keptHoursOf<EndedLine>(async (...asked) => byHour(await listEnded(...asked, types)))

/** The same of lines that are read otherwise, which an hour that is over has for ever too. */
export function keptHoursOf<Line>(readEnded: ReadEnded<Line>): HoursOf<Line> {
  const kept = new Map<string, readonly Line[]>()
  let weight = 0
  const keep = (name: string, lines: readonly Line[]) => {
    if (kept.has(name)) return
    kept.set(name, lines)
    weight += 1 + lines.length
    for (const [oldest, its] of kept) {
      if (weight <= kept_max) break
      kept.delete(oldest)
      weight -= 1 + its.length
    }
  }
  return async (sql, owner, { from, to }, now) => {
    const nameOf = (at_ms: number) => `${owner.merchant_id} ${owner.environment} ${at_ms}`
    const starts = startsOf({ from, to })
    const settled_ms = now.getTime() - books_settle_min * 60_000
    const isOver = (at_ms: number) => at_ms + hour_ms <= Math.min(to.getTime(), settled_ms)
    // Taken now: while the rest is read, others may have them let go.
    const known = new Map(starts.map((at_ms) => [at_ms, kept.get(nameOf(at_ms))]))
    const missing = starts.filter((at_ms) => known.get(at_ms) === undefined)
    const [first_ms] = missing
    if (first_ms === undefined) return starts.map((at_ms) => hourAt(at_ms, known.get(at_ms)))
    const fresh = await readEnded(sql, owner, { from: new Date(first_ms), to })
    const freshAt = (at_ms: number) => fresh.get((at_ms - first_ms) / hour_ms) ?? []
    const hours = starts.map((at_ms) => hourAt(at_ms, known.get(at_ms) ?? freshAt(at_ms)))
    // An empty hour of a sandbox may still be filled with examples; there is little to read anew.
    const isFinal = (at_ms: number) =>
      isOver(at_ms) && (owner.environment === 'LIVE' || freshAt(at_ms).length > 0)
    for (const at_ms of missing.filter(isFinal)) keep(nameOf(at_ms), freshAt(at_ms))
    return hours
  }
}

export function byHour<Line extends { hour: number }>(
  lines: readonly Line[],
): Map<number, Omit<Line, 'hour'>[]> {
  const hours = new Map<number, Omit<Line, 'hour'>[]>()
  for (const { hour, ...line } of lines) {
    const its = hours.get(hour)
    if (its === undefined) hours.set(hour, [line])
    else its.push(line)
  }
  return hours
}

/** The first moment of each hour of a span. */
export function startsOf({ from, to }: Span): number[] {
  const starts: number[] = []
  for (let at_ms = from.getTime(); at_ms < to.getTime(); at_ms += hour_ms) starts.push(at_ms)
  return starts
}

const hourAt = <Line>(at_ms: number, lines: readonly Line[] = []): Hour<Line> => ({
  at: new Date(at_ms),
  lines,
})
