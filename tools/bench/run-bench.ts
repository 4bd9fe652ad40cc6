// One run: yardstick, load, comparisons, yardstick again, proof.

import { cpus } from 'node:os'
import type { Ends } from '../../server/test/setup/ends.ts'
import type { Progress } from '../command/progress.ts'
import { compareAll, dialect_rounds } from './comparisons.ts'
import { startLoad } from './load-processes.ts'
import type { Options } from './options.ts'
import {
  type Bench,
  comparedSeconds,
  drain,
  findBest,
  type Measured,
  runClosed,
  runPaced,
} from './phases.ts'
import { countSettled, prove } from './proof.ts'
import type { Report } from './report.ts'
import { openShops, type Shop } from './shops.ts'
import { type BenchApp, startApp } from './start-app.ts'
import { weigh } from './weight.ts'
import { openYardstick, type Pace } from './yardstick.ts'

const warm_up_in_flight = 100

export async function runBench(options: Options, progress: Progress, ends: Ends): Promise<Report> {
  const { times } = options
  progress.begin(secondsOf(options))
  ends.add(async () => progress.end())
  progress.step('the service starts')
  const load = await startLoad(ends)
  const app = await startApp(options, ends)
  const bench: Bench = { app, load, step: progress.step, passed: progress.passed }
  const app_db = app.open('pirogue_app')
  const shops = await openShops(app, app_db, options.merchants, { url: load.endpoint, hears: true })
  const yardstick = await openYardstick(app.database, ends)
  const books = await app.openBooks()
  const settled_before = await countSettled(books)

  progress.step(`TPC-B by ${yardstick.by}`)
  const first = await yardstick.measure(times.yardstick)
  progress.passed(times.yardstick)
  // What a cluster writes is counted on several servers, and left out.
  const weight = app.database.nodes > 0 ? undefined : await weigh(app.open('postgres'))
  const main = { ...(await mainFigure(bench, options, shops)), weight: await weight?.() }
  const { in_flight } = main.measured
  const others = await compareAll({ bench, options, shops, in_flight, ends })
  await drain(bench)
  progress.step(`TPC-B by ${yardstick.by}, again`)
  const second = await yardstick.measure(times.yardstick)
  progress.passed(times.yardstick)

  progress.step('the books are looked at')
  const { compared, deaf, stored } = others
  const proof = await prove({ load, db: books, deaf, stored: stored + settled_before })
  const yard = meanOf(first, second)
  const { cpu, cpu_of_load, per_s } = main.measured
  const of_payment = cpu.node + cpu.postgres + cpu.operator + cpu_of_load
  return {
    machine: await machineOf(app),
    processes: options.processes,
    yardstick: { by: yardstick.by, ...yard, each: [first, second] },
    ...main,
    ratio: per_s / yard.per_s,
    ratio_of_cpu: yard.cpu_s / of_payment,
    compared,
    proof,
  }
}

const meanOf = (one: Pace, other: Pace): Pace => ({
  per_s: (one.per_s + other.per_s) / 2,
  cpu_s: (one.cpu_s + other.cpu_s) / 2,
  clients: other.clients,
})

type Main = Pick<Report, 'tried' | 'measured' | 'half_load'>

async function mainFigure(bench: Bench, { times, in_flight }: Options, shops: Shop[]) {
  const { app, load, step } = bench
  load.aim(app.api, shops)
  step('warming up')
  await runClosed(bench, { in_flight: warm_up_in_flight, settle_s: 0, measure_s: times.warm_up })
  const { best, tried } = await findBest(bench, in_flight, times)
  step(`${best.in_flight} payments at once, measured`)
  const closed = { in_flight: best.in_flight, settle_s: times.settle, measure_s: times.measure }
  const measured: Measured = await runClosed(bench, closed)
  await drain(bench)
  const per_s = measured.per_s / 2
  step(`initialize at ${Math.round(per_s)} a second`)
  const paced = { per_s, settle_s: times.settle, measure_s: times.half_load }
  const { p50_ms, p99_ms } = await runPaced(bench, paced)
  return { tried, measured, half_load: { per_s, p50_ms, p99_ms } } satisfies Main
}

function secondsOf({ times, in_flight, compare }: Options): number {
  const { warm_up, settle, search, measure, half_load, yardstick } = times
  const searching = in_flight.length * (settle + search)
  const main = 2 * yardstick + warm_up + searching + settle + measure + settle + half_load
  const single = [compare.merchants, compare.hanging].filter(Boolean).length
  const pairs = single + 2 * Number(compare.stored)
  const closed = { in_flight: 0, settle_s: settle, measure_s: times.pair }
  const dialect = compare.dialect ? comparedSeconds(closed, dialect_rounds) : 0
  return main + pairs * comparedSeconds(closed) + dialect
}

async function machineOf(app: BenchApp): Promise<string> {
  const db = app.open('postgres')
  const [row] = await db<{ server_version: string }[]>`show server_version`
  const [cpu] = cpus()
  const cores = `${cpus().length} cores (${cpu?.model.trim()})`
  const { nodes } = app.database
  const postgres = `PostgreSQL ${row?.server_version}${nodes > 0 ? `, Citus, ${nodes} nodes` : ''}`
  return `${cores}, ${process.platform}, Node ${process.version}, ${postgres}`
}
