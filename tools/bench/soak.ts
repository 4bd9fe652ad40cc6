// `--soak MINUTES`: a steady load below what the service can do, for as long as is asked: how many
// payments are late, whether memory is flat and every table as large as its rows, and an audit.

import type { Ends } from '../../server/test/setup/ends.ts'
import { formatRows } from '../command/command-line.ts'
import type { Progress } from '../command/progress.ts'
import { type Grown, grownBeyond, type Held, isFlat, lookAtHouse } from './growth.ts'
import { startLoad } from './load-processes.ts'
import type { Options } from './options.ts'
import { type Bench, drain, findBest, median, runClosed, runPaced } from './phases.ts'
import { type Proof, prove } from './proof.ts'
import { formatProof } from './report.ts'
import { openShops } from './shops.ts'
import { startApp } from './start-app.ts'

export type SoakReport = Readonly<{
  minutes: number
  best_per_s: number
  per_s: number
  complete: number
  /** Of the complete ones, those over a second from the call to the webhook, the payer's apart. */
  late_part: number
  p50_ms: number
  p99_ms: number
  /** After the first quarter, and in the end. */
  memory_bytes: readonly [number, number]
  is_flat: boolean
  grown: readonly Grown[]
  proof: Proof
  ok: boolean
}>

/** Of the best rate. */
const load_part = 0.6
const late_part_max = 0.01
const warm_up_in_flight = 100
const looks = 12

export async function runSoak(
  options: Options,
  minutes: number,
  { progress, ends }: Readonly<{ progress: Progress; ends: Ends }>,
): Promise<SoakReport> {
  const { times, in_flight } = options
  const searching = in_flight.length * (times.settle + times.search)
  progress.begin(times.warm_up + searching + minutes * 60)
  ends.add(async () => progress.end())
  progress.step('the service starts')
  const load = await startLoad(ends)
  const app = await startApp(options, ends)
  const bench: Bench = { app, load, step: progress.step, passed: progress.passed }
  const endpoint = { url: load.endpoint, hears: true }
  load.aim(app.api, await openShops(app, app.open('pirogue_app'), options.merchants, endpoint))
  progress.step('warming up')
  const warm = { in_flight: warm_up_in_flight, settle_s: 0, measure_s: times.warm_up }
  await runClosed(bench, warm)
  const { best } = await findBest(bench, in_flight, times)
  await drain(bench)
  const per_s = best.per_s * load_part
  progress.step(`${Math.round(per_s)} a second for ${minutes} minutes`)
  const soaked = await soak(bench, per_s, minutes * 60)
  await drain(bench)
  progress.step('the books are looked at')
  const proof = await prove({ load, db: await app.openBooks(), deaf: [], stored: 0 })
  const { late_part, is_flat, grown } = soaked
  const ok = proof.ok && late_part <= late_part_max && is_flat && grown.length === 0
  return { minutes, best_per_s: best.per_s, per_s, ...soaked, proof, ok }
}

type Soaked = Omit<SoakReport, 'minutes' | 'best_per_s' | 'per_s' | 'proof' | 'ok'>

/** `looks` stretches of the same length; what is held is compared from the first quarter on. */
async function soak(bench: Bench, per_s: number, seconds: number): Promise<Soaked> {
  const db = bench.app.open('postgres')
  const before = await bench.load.counts()
  const held: Held[] = []
  const calls: Readonly<{ p50_ms: number; p99_ms: number }>[] = []
  for (let at = 0; at < looks; at += 1) {
    calls.push(await runPaced(bench, { per_s, settle_s: 0, measure_s: seconds / looks }))
    held.push(await lookAtHouse(bench.app, db))
  }
  const after = await bench.load.counts()
  const complete = after.complete - before.complete
  const [then, now] = [held[looks / 4 - 1], held.at(-1)]
  if (then === undefined || now === undefined) throw new Error('nothing was looked at')
  return {
    complete,
    late_part: (after.late - before.late) / Math.max(1, complete),
    p50_ms: median(calls.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(calls.map(({ p99_ms }) => p99_ms)),
    memory_bytes: [then.memory_bytes, now.memory_bytes],
    is_flat: isFlat(then, now),
    grown: grownBeyond(then, now),
  }
}

const mb = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

export function formatSoak(report: SoakReport): string {
  const { minutes, per_s, best_per_s, complete, late_part, memory_bytes, grown, proof } = report
  const [then, now] = memory_bytes
  const grew = grown.map(
    ({ name, was_bytes, is_bytes, rows }) =>
      `${name}: ${mb(was_bytes)} to ${mb(is_bytes)} for ${Math.round(rows)} rows`,
  )
  return formatRows([
    [
      'load',
      `${per_s.toFixed(0)} a second for ${minutes} minutes (best: ${best_per_s.toFixed(0)})`,
    ],
    ['complete', complete.toString()],
    ['over a second', `${(late_part * 100).toFixed(2)} % (wanted at most 1 %)`],
    ['initialize', `p50 ${report.p50_ms.toFixed(1)} ms, p99 ${report.p99_ms.toFixed(1)} ms`],
    ['memory', `${mb(then)} to ${mb(now)}${report.is_flat ? '' : ': NOT FLAT'}`],
    ['grown beyond their rows', grew.length === 0 ? 'nothing' : grew.join('; ')],
    ['payments', formatProof(proof)],
    ['books', proof.ledger.every(({ ok }) => ok) ? 'right' : 'WRONG'],
  ])
}
