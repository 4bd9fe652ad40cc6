// `--only history`: what lists, search and the export of a long history cost beside those of a
// short one in the same database, and what the export does beside a bare `copy` of the same query.

import { generateHistory } from '../../server/src/app/demo/generate-history.ts'
import { demoMerchant } from '../../server/src/app/seed.ts'
import type { Ends } from '../../server/test/setup/ends.ts'
import { openMerchant } from '../../server/test/setup/open-merchant.ts'
import { formatRows } from '../command/command-line.ts'
import type { Progress } from '../command/progress.ts'
import { type Exported, measureExport } from './history-export.ts'
import { listCalls, type Reader, type Took, timeCall } from './history-lists.ts'
import { makeOtherRows } from './history-rows.ts'
import type { Options } from './options.ts'
import { type BenchApp, startApp } from './start-app.ts'

export type HistoryReport = Readonly<{
  short_rows: number
  long_rows: number
  /** For the long history; null when it was there already. */
  made_per_s: number | null
  calls: readonly Readonly<{ name: string; short: Took; long: Took; ok: boolean }>[]
  exported: Exported
  ok: boolean
}>

const short_rows = 50_000
const days = 400

export async function runHistory(
  { stored, data_dir }: Pick<Options, 'stored' | 'data_dir'>,
  progress: Progress,
  ends: Ends,
): Promise<HistoryReport> {
  const app = await startApp({ processes: ['all'], profile_dir: undefined, data_dir }, ends)
  const making = { app, progress }
  const short = await openReader(app)
  await makeHistory(making, short.merchant_id, short_rows)
  const isThere = data_dir !== undefined
  const long = await openReader(app, isThere ? { merchant_id: demoMerchant.id } : {})
  const made_per_s = isThere ? null : await makeHistory(making, long.merchant_id, stored)
  progress.step('tables are counted')
  await app.open('postgres')`vacuum analyze`
  const calls: HistoryReport['calls'][number][] = []
  for (const { is, name, path } of listCalls) {
    progress.step(name)
    const took = { short: await timeCall(short, path), long: await timeCall(long, path) }
    calls.push({ name, ...took, ok: isFlat(is, took) })
  }
  progress.step('the export')
  const exported = await measureExport(app, long)
  const ok = exported.ok && calls.every((call) => call.ok)
  return { short_rows, long_rows: exported.rows, made_per_s, calls, exported, ok }
}

/**
 * A list takes as long however long it is: a tree may be a level higher, and the rows of the
 * longest walk (some 22 000) lie on more pages than are in memory. A search by a text that few
 * rows have reads a part of its index that grows with the history.
 */
const isFlat = (is: 'list' | 'search', { short, long }: { short: Took; long: Took }) =>
  is === 'list' ? long.p50_ms <= 2 * short.p50_ms + 50 : long.p50_ms <= search_max_ms

const search_max_ms = 1_000

async function openReader(app: BenchApp, of: { merchant_id?: string } = {}): Promise<Reader> {
  const { merchant_id, secret } = await openMerchant(app.open('pirogue_app'), of)
  return { merchant_id, key: secret, url: `http://${app.api.host}:${app.api.port}/api/v1` }
}

type Making = Readonly<{ app: BenchApp; progress: Progress }>

/** Answers how many were made a second. */
async function makeHistory({ app, progress }: Making, merchant_id: string, transactions: number) {
  let done = 0
  const passed = (count: number) => {
    done += count
    progress.step(`${done} of ${transactions} transactions are made up`)
  }
  const began = performance.now()
  const db = app.open('pirogue_owner')
  const made = await generateHistory(db, { merchant_id, transactions, days, passed })
  const made_per_s = made / ((performance.now() - began) / 1000)
  progress.step('links, sessions, refunds and settlements are made up')
  await makeOtherRows(db, merchant_id)
  return made_per_s
}

const ms = (number: number) => `${number.toFixed(1)} ms`

export function formatHistory(report: HistoryReport): string {
  const { short_rows, long_rows, made_per_s, calls, exported } = report
  const { bytes, rows, seconds, first_ms, ratio, grown } = exported
  const mb = (count: number) => `${(count / 2 ** 20).toFixed(0)} MB`
  const sides = (one: Took, other: Took) => `${ms(one.p50_ms)} -> ${ms(other.p50_ms)}`
  const lines: [string, string][] = [
    ['rows', `${short_rows} -> ${long_rows}`],
    ['made up', made_per_s === null ? 'before' : `${Math.round(made_per_s)} a second`],
    ...calls.map(({ name, short, long, ok }): [string, string] => [
      name,
      `${sides(short, long)}${ok ? '' : '  MISSED'}`,
    ]),
    ['export', `${rows} rows, ${mb(bytes)} in ${seconds.toFixed(1)} s, first ${ms(first_ms)}`],
    ['its rate against a bare copy', `${ratio.toFixed(2)} (wanted at least 0.5)`],
    ['memory it took', mb(grown)],
    ['', report.ok ? 'as wanted' : 'MISSED'],
  ]
  return formatRows(lines)
}
