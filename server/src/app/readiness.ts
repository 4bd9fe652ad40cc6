// `/readyz` reports the truth (contract 7.4): database reachable, all our migrations applied, a
// worker alive, and a clock that ids may be made by. It answers in time even when the database does
// not; and since anybody may call it, simultaneous calls share one check.

import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Db, Sql } from '../platform/db.ts'
import { workerIsAlive } from '../platform/jobs/worker.ts'
import type { Role } from './config.ts'
import { listMigrations, readClockAhead } from './store.ts'

export type Readiness = () => Promise<{ ready: boolean; report: Record<string, string> }>

const migrations_dir = fileURLToPath(new URL('../../migrations', import.meta.url))
/** A load balancer waits about as long. */
const patience_ms = 2_000

/** The names of our migrations that are not among these. */
export async function missingMigrations(applied: readonly string[]): Promise<string[]> {
  const shipped = (await readdir(migrations_dir)).filter((name) => name.endsWith('.sql'))
  return shipped.filter((name) => !applied.includes(name))
}

/** A worker anywhere on this database counts; an API process alone only reports its absence. */
export async function readinessOf(role: Role, db: Db): Promise<Readiness> {
  const shipped = (await readdir(migrations_dir)).filter((name) => name.endsWith('.sql'))
  const check = shared(() => Promise.all([workerIsAlive(db), listMigrations(db), isOnTime(db)]))
  return async () => {
    const seen = await inTime(check())
    if (seen === undefined) return { ready: false, report: { database: 'unreachable' } }
    const [worker, names, on_time] = seen
    const applied = new Set(names)
    const migrated = shipped.every((name) => applied.has(name))
    return {
      ready: migrated && on_time && (worker || role === 'api'),
      report: {
        database: 'ok',
        migrations: migrated ? 'ok' : 'missing',
        worker: worker ? 'ok' : 'missing',
        clock: on_time ? 'ok' : 'wrong',
      },
    }
  }
}

/** Until it has its answer, or has taken too long for one, it does not run again. */
export function shared<T>(work: () => Promise<T>, clock: () => number = Date.now) {
  let under_way: { since: number; answer: Promise<T> } | undefined
  return (): Promise<T> => {
    const for_ms = under_way === undefined ? 0 : clock() - under_way.since
    // Below zero the clock was set back: how long it takes by now is not known.
    if (under_way !== undefined && for_ms >= 0 && for_ms < patience_ms) return under_way.answer
    const mine = { since: clock(), answer: work() }
    under_way = mine
    const done = () => {
      if (under_way === mine) under_way = undefined
    }
    mine.answer.then(done, done)
    return mine.answer
  }
}

/** Undefined when it fails or takes longer than a caller waits. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patience_ms)
  })
  try {
    return await Promise.race([work.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

// This process's clock beside the database's, which decides deadlines. Ids contain the time and are
// made by processes: one whose clock is far ahead would write into months that are not made yet.

/** Ids of one process never go back by less than this (platform/ids.ts). Milliseconds. */
export const differs_max_ms = 5 * 60_000

const isOnTime = async (sql: Sql): Promise<boolean> =>
  Math.abs(await readClockAhead(sql)) <= differs_max_ms

/** Throws one clear line: nothing is served by a wrong clock. */
export async function requireOnTime(db: Db): Promise<void> {
  const ahead_ms = await readClockAhead(db)
  if (Math.abs(ahead_ms) <= differs_max_ms) return
  const minutes = Math.round(Math.abs(ahead_ms) / 60_000)
  const where = ahead_ms > 0 ? 'ahead of' : 'behind'
  throw new Error(
    `This machine's clock is ${minutes} minutes ${where} the database's. Set it and start again.`,
  )
}
