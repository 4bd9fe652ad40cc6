// One run: yardstick, load, comparisons, yardstick again, proof.

import { cpus } from 'node:os'
import type { Ends } from './ends.ts'
import { type House, startHouse } from './house.ts'
import { startLoad } from './load.ts'
import type { Options } from './options.ts'
import { type Bench, drain, findBest, type Measured, runClosed, runPaced } from './phases.ts'
import type { Progress } from './progress.ts'
import { prove } from './proof.ts'
import type { Compared, Report } from './report.ts'
import { openShops, type Shop } from './shops.ts'
import { openYardstick } from './yardstick.ts'

const warm_up_in_flight = 100

export async function runBench(options: Options, progress: Progress, ends: Ends): Promise<Report> {
  const { times } = options
  progress.begin(secondsOf(options))
  ends.add(async () => progress.end())
  progress.step('the house starts')
  const load = await startLoad(ends)
  const house = await startHouse(options, ends)
  const bench: Bench = { house, load, step: progress.step, passed: progress.passed }
  const app = house.open('pirogue_app')
  const shops = await openShops(house, app, options.merchants, { url: load.endpoint, hears: true })
  const yardstick = await openYardstick(house.postgres)
  if (process.env['PGSTAT'])
    await house.open('postgres')`create extension if not exists pg_stat_statements`

  progress.step(`TPC-B by ${yardstick.by}`)
  const first = await yardstick.measure(times.yardstick)
  progress.passed(times.yardstick)
  const main = await mainFigure(bench, options, shops)
  const compared: Compared[] = []
  await drain(bench)
  progress.step(`TPC-B by ${yardstick.by}, again`)
  const second = await yardstick.measure(times.yardstick)
  progress.passed(times.yardstick)

  if (process.env['PGSTAT']) {
    const su = house.open('postgres')
    const rows =
      await su`select calls, round(total_exec_time::numeric,0) as exec_ms, round(total_plan_time::numeric,0) as plan_ms, plans, round(mean_exec_time::numeric,3) as mean, rows, shared_blks_hit/nullif(calls,0) as hits, wal_bytes/nullif(calls,0) as wal, substr(regexp_replace(query,'\\s+',' ','g'),1,150) as q from pg_stat_statements where dbid=(select oid from pg_database where datname='postgres') order by total_exec_time+total_plan_time desc limit 30`
    for (const r of rows)
      console.error(
        [
          r.calls,
          'exec',
          r.exec_ms,
          'plan',
          r.plan_ms,
          'plans',
          r.plans,
          'mean',
          r.mean,
          'rows',
          r.rows,
          'hits',
          r.hits,
          'wal',
          r.wal,
          r.q,
        ].join(' '),
      )
  }
  progress.step('the books are looked at')
  const proof = await prove({ load, db: house.open('pirogue_owner'), deaf: [], stored: 0 })
  const per_s = (first.per_s + second.per_s) / 2
  return {
    machine: await machineOf(house),
    processes: options.processes,
    yardstick: {
      by: yardstick.by,
      per_s,
      clients: second.clients,
      each: [first.per_s, second.per_s],
    },
    ...main,
    ratio: main.measured.per_s / per_s,
    compared,
    proof,
  }
}

type Main = Pick<Report, 'tried' | 'measured' | 'half_load'>

async function mainFigure(bench: Bench, { times, in_flight }: Options, shops: Shop[]) {
  const { house, load, step } = bench
  load.aim(house.api, shops)
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

function secondsOf({ times, in_flight }: Options): number {
  const { warm_up, settle, search, measure, half_load, yardstick } = times
  const searching = in_flight.length * (settle + search)
  return 2 * yardstick + warm_up + searching + settle + measure + settle + half_load
}

async function machineOf(house: House): Promise<string> {
  const db = house.open('postgres')
  const [row] = await db<{ server_version: string }[]>`show server_version`
  const [cpu] = cpus()
  const cores = `${cpus().length} cores (${cpu?.model.trim()})`
  return `${cores}, ${process.platform}, Node ${process.version}, PostgreSQL ${row?.server_version}`
}
