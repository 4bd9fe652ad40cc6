// What is done with the app under load, phase after phase. A figure counts only payments whose
// webhook came while it was measured; the time before, when the load has just changed, is left out.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load-processes.ts'
import type { BenchApp, Cpu } from './start-app.ts'
import type { Target } from './talk.ts'

export type Bench = Readonly<{
  app: BenchApp
  load: Load
  /** Shows what is being done now, and that so many seconds more are done. */
  step: (what: string) => void
  passed: (seconds: number) => void
}>

export type Measured = Readonly<{
  in_flight: number
  seconds: number
  complete: number
  per_s: number
  /** CPU seconds per complete payment. */
  cpu: Cpu
  cpu_of_load: number
  p50_ms: number
  p99_ms: number
}>

export type Closed = Readonly<{ in_flight: number; settle_s: number; measure_s: number }>

/** So many payments at once for a while. */
export async function runClosed(bench: Bench, closed: Closed): Promise<Measured> {
  bench.load.closed(closed.in_flight)
  return measureAfter(bench, closed)
}

/** So many new payments a second: how long initialize takes when it is not at its limit. */
export async function runPaced(
  bench: Bench,
  { per_s, settle_s, measure_s }: { per_s: number; settle_s: number; measure_s: number },
): Promise<Measured> {
  bench.load.paced(per_s)
  return measureAfter(bench, { in_flight: 0, settle_s, measure_s })
}

async function measureAfter(bench: Bench, { in_flight, settle_s, measure_s }: Closed) {
  const { app, load } = bench
  await pass(bench, settle_s)
  const before = { counts: await load.counts(), cpu: app.cpu(), load: load.cpu() }
  const began_ms = performance.now()
  await pass(bench, measure_s)
  const seconds = (performance.now() - began_ms) / 1000
  const after = { counts: await load.counts(), cpu: app.cpu(), load: load.cpu() }
  const complete = after.counts.complete - before.counts.complete
  const refused = after.counts.refused - before.counts.refused
  if (refused > 0) throw new Error(`${refused} refused: ${after.counts.last_refusal}`)
  const each = (now: number, then: number) => (now - then) / Math.max(1, complete)
  return {
    in_flight,
    seconds,
    complete,
    per_s: complete / seconds,
    cpu: {
      node: each(after.cpu.node, before.cpu.node),
      postgres: each(after.cpu.postgres, before.cpu.postgres),
      operator: each(after.cpu.operator, before.cpu.operator),
    },
    cpu_of_load: each(after.load, before.load),
    p50_ms: after.counts.p50_ms,
    p99_ms: after.counts.p99_ms,
  }
}

/** Lets so many seconds pass. */
export async function pass({ passed }: Bench, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 1) {
    await sleep(Math.min(1, left) * 1000)
    passed(Math.min(1, left))
  }
}

const drain_within_ms = 60_000

/** Begins nothing new, and waits until what is under way is complete. */
export async function drain({ load, step }: Bench): Promise<void> {
  step('the last payments end')
  load.closed(0)
  const until = Date.now() + drain_within_ms
  for (;;) {
    const { open, refused, last_refusal } = await load.counts()
    if (open === 0) return
    if (Date.now() > until) throw new Error(`${open} open, ${refused} refused: ${last_refusal}`)
    await sleep(100)
  }
}

/** Tries each number of payments at once; the one with the most complete ones a second. */
export async function findBest(
  bench: Bench,
  levels: readonly number[],
  times: { settle: number; search: number },
): Promise<{ best: Measured; tried: Measured[] }> {
  const tried: Measured[] = []
  for (const in_flight of levels) {
    bench.step(`${in_flight} payments at once`)
    const { settle, search } = times
    tried.push(await runClosed(bench, { in_flight, settle_s: settle, measure_s: search }))
  }
  const best = tried.reduce((most, one) => (one.per_s > most.per_s ? one : most))
  return { best, tried }
}

export type Side = Readonly<{ name: string; targets: readonly Target[] }>
export type Pair = Readonly<{ a: Measured[]; b: Measured[] }>

/** Rounds of a comparison that names no other number. */
const usual_rounds = 3

/** Two sides in turn, so that what else the machine does weighs on both alike. */
export async function comparePairs(
  bench: Bench,
  sides: { a: Side; b: Side },
  closed: Closed,
  rounds = usual_rounds,
): Promise<Pair> {
  const found: { a: Measured[]; b: Measured[] } = { a: [], b: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const side of ['a', 'b'] as const) {
      const { name, targets } = sides[side]
      await drain(bench)
      bench.step(name)
      bench.load.aim(bench.app.api, targets)
      found[side].push(await runClosed(bench, closed))
    }
  }
  return found
}

export const comparedSeconds = ({ settle_s, measure_s }: Closed, rounds = usual_rounds): number =>
  2 * rounds * (settle_s + measure_s)

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
