// `--only weight`: what one payment writes, table by table, at a hundred payments at once; counters
// that hold on a busy machine, in half a minute.

import type { Ends } from '../../server/test/setup/ends.ts'
import { formatRows } from '../command/command-line.ts'
import type { Progress } from '../command/progress.ts'
import { startLoad } from './load-processes.ts'
import type { Options } from './options.ts'
import { type Bench, drain, runClosed } from './phases.ts'
import { openShops } from './shops.ts'
import { type Cpu, startApp } from './start-app.ts'
import { type TableWeight, type Weight, weigh } from './weight.ts'

export type WeightReport = Readonly<{
  payments: number
  in_flight: number
  weight: Weight
  /** CPU seconds of a payment. */
  cpu: Cpu
  ok: boolean
}>

const in_flight_default = 100

/** What the issue of a payment's weight asks for; the whole of them is shown beside the figures. */
const wanted = { index_entries: 65, not_hot: 4, wal_bytes: 14 * 1024 } as const

export async function runWeight(
  options: Options,
  progress: Progress,
  ends: Ends,
): Promise<WeightReport> {
  const { times } = options
  const in_flight = options.in_flight.length === 1 ? (options.in_flight[0] ?? 1) : in_flight_default
  const measure_s = options.quick ? times.measure : Math.min(times.measure, 15)
  progress.begin(times.warm_up + measure_s)
  ends.add(async () => progress.end())
  progress.step('the service starts')
  const load = await startLoad(ends)
  const app = await startApp(options, ends)
  const bench: Bench = { app, load, step: progress.step, passed: progress.passed }
  const db = app.open('pirogue_app')
  const endpoint = { url: load.endpoint, hears: true }
  load.aim(app.api, await openShops(app, db, options.merchants, endpoint))
  progress.step('warming up')
  await runClosed(bench, { in_flight, settle_s: 0, measure_s: times.warm_up })
  // Nothing is under way at either look, so that each payment is weighed whole.
  await drain(bench)
  const weight = await weigh(app.open('postgres'), { by_table: true })
  progress.step(`${in_flight} payments at once, weighed`)
  const { complete, cpu } = await runClosed(bench, { in_flight, settle_s: 2, measure_s })
  await drain(bench)
  progress.step('the log is read')
  return { payments: complete, in_flight, weight: await weight(), cpu, ok: complete > 0 }
}

const columns = [
  ['indexes', 'indexes', 0],
  ['rows', 'rows_inserted', 2],
  ['updated', 'rows_updated', 2],
  ['not HOT', 'not_hot', 2],
  ['entries', 'index_entries', 1],
  ['at most', 'index_entries_at_most', 1],
] as const

const wide = 9
/** A table that a payment in a hundred writes to is of the service, not of the payment. */
const of_a_payment = 0.01

export function formatWeight({ payments, in_flight, weight, cpu }: WeightReport): string {
  const heavy = weight.tables.filter(
    ({ rows_inserted, rows_updated }) => rows_inserted + rows_updated > of_a_payment,
  )
  const name_width = Math.max(...heavy.map(({ table }) => table.length))
  const head = [...columns.map(([title]) => title), 'WAL kB'].map((title) => title.padStart(wide))
  const lineOf = (table: TableWeight) =>
    [
      table.table.padEnd(name_width),
      ...columns.map(([, name, digits]) => table[name].toFixed(digits).padStart(wide)),
      kb(table.wal_bytes).padStart(wide),
    ].join('')
  return [
    `one payment of some ${payments}, ${in_flight} at once; by table: what is in the log`,
    '',
    `${''.padEnd(name_width)}${head.join('')}`,
    ...heavy.map(lineOf),
    '',
    formatRows([...wholeOf(weight), ...cpuOf(cpu)]),
  ].join('\n')
}

function wholeOf(weight: Weight): [string, string][] {
  const entered = weight.tables.reduce((all, { index_entries }) => all + index_entries, 0)
  const atMost = (figure: string, most: string) => `${figure} (wanted at most ${most})`
  const { not_hot, index_entries, wal_bytes } = wanted
  const most = weight.index_entries_at_most.toFixed(1)
  const records = weight.wal_records.toFixed(0)
  return [
    ['rows inserted', weight.rows_inserted.toFixed(1)],
    ['rows updated', weight.rows_updated.toFixed(1)],
    ['of them not HOT', atMost(weight.not_hot.toFixed(1), not_hot.toString())],
    ['index entries, made', atMost(entered.toFixed(1), index_entries.toString())],
    ['index entries, at most', `${most} (with partial indexes that no payment enters)`],
    ['WAL without images', atMost(`${kb(weight.wal_bytes)} kB`, `${kb(wal_bytes)} kB`)],
    ['WAL with images', `${kb(weight.wal_bytes_with_images)} kB`],
    ['WAL records', records],
    ['commits', weight.commits.toFixed(2)],
  ]
}

function cpuOf({ node, postgres, operator }: Cpu): [string, string][] {
  const ms = (seconds: number) => `${(seconds * 1000).toFixed(2)} ms`
  return [
    ['CPU: Node', ms(node)],
    ['CPU: PostgreSQL', ms(postgres)],
    ['CPU: sandbox operator', ms(operator)],
  ]
}

const kb = (bytes: number) => (bytes / 1024).toFixed(1)
