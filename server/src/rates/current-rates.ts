// The rates that count now, as this process holds them. A rate may be written with a later moment:
// the copy holds the rates to come too and goes over to each at its moment, by the database's
// clock. It is let go when the catalogue's version moves on, and when it is a minute old, by a
// clock that no correction of the machine's time sets back.

import type { Db } from '../platform/db.ts'
import { listRatesAhead, type RateAhead, type StoredRate } from './store.ts'

export type RatesOf = (version: bigint) => Promise<readonly StoredRate[]>

const ageMaxMs = 60_000
const monotonic = () => performance.now()

export function currentRatesIn(db: Db, clock: () => number = monotonic): RatesOf {
  let current: { version: bigint; at: number; course: Promise<Course> } | undefined
  return async (version) => {
    if (current === undefined || current.version < version || clock() - current.at > ageMaxMs) {
      const course = readCourse(db, clock)
      const mine = { version, at: clock(), course }
      current = mine
      course.catch(() => {
        if (current === mine) current = undefined
      })
    }
    const { read_at, stages } = await current.course
    const passed_ms = clock() - read_at
    const stage = stages.findLast(({ from_ms }) => from_ms <= passed_ms)
    return stage?.rates ?? []
  }
}

/** What counts from when on, in milliseconds after the reading; the first stage counts at once. */
type Stage = Readonly<{ from_ms: number; rates: readonly StoredRate[] }>

/** `read_at` is this process's own time when the answer was there: never early, late by its way. */
type Course = Readonly<{ read_at: number; stages: readonly Stage[] }>

async function readCourse(db: Db, clock: () => number): Promise<Course> {
  const rows = await listRatesAhead(db)
  const in_force = rows.filter(({ in_ms }) => in_ms === 0)
  const stages: Stage[] = [{ from_ms: 0, rates: in_force }]
  for (const row of rows.filter(({ in_ms }) => in_ms > 0)) stages.push(stageWith(stages, row))
  return { read_at: clock(), stages }
}

/** The last stage with one pair's rate replaced, or a pair more. */
function stageWith(stages: readonly Stage[], row: RateAhead): Stage {
  const rates = stages.at(-1)?.rates ?? []
  const pairOf = (one: StoredRate) => `${one.from_currency} ${one.to_currency}`
  const others = rates.filter((one) => pairOf(one) !== pairOf(row))
  const all = [...others, row].sort((a, b) => (pairOf(a) < pairOf(b) ? -1 : 1))
  return { from_ms: row.in_ms, rates: all }
}
