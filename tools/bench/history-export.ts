// The export of a long history: its rate beside a bare `copy` of the same query, in turns, when its
// first byte comes, and what the service holds in memory meanwhile.

import { copyOut } from '../../server/src/platform/export/copy-statements.ts'
import { columns, transactionRows } from '../../server/src/transactions/export/store.ts'
import { readTransactionFilters } from '../../server/src/transactions/filters.ts'
import { residentBytes } from '../../server/test/setup/process-tree.ts'
import type { Reader } from './history-lists.ts'
import { median } from './phases.ts'
import type { BenchApp } from './start-app.ts'

export type Exported = Readonly<{
  rows: number
  bytes: number
  /** The median of the rounds. */
  seconds: number
  first_ms: number
  /** The ratio of the rates: the export's against the bare copy's. */
  ratio: number
  /** Bytes of memory that the service held more at most than before. */
  grown: number
  ok: boolean
}>

type Read = Readonly<{ lines: number; bytes: number; seconds: number; first_ms: number }>

const rounds = 3
const header_lines = 1
const ratio_min = 0.5
const grown_max = 64 * 2 ** 20

export async function measureExport(app: BenchApp, reader: Reader): Promise<Exported> {
  const before = residentBytes(app.api_pid)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes(app.api_pid))
  }, 50)
  const [whole, bare]: [Read[], Read[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await readAll(() => bareCopy(app, reader)))
    whole.push(await readAll(() => exportOf(reader)))
  }
  clearInterval(watch)
  const [first] = whole
  if (first === undefined) throw new Error('nothing was exported')
  const seconds = median(whole.map((read) => read.seconds))
  const ratio = median(bare.map((read) => read.seconds)) / seconds
  const grown = most - before
  const ok = ratio >= ratio_min && grown <= grown_max
  const first_ms = median(whole.map((read) => read.first_ms))
  return {
    rows: first.lines - header_lines,
    bytes: first.bytes,
    seconds,
    first_ms,
    ratio,
    grown,
    ok,
  }
}

async function exportOf({ url, key }: Reader): Promise<AsyncIterable<Uint8Array>> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' }
  const reply = await fetch(`${url}/transactions/export/`, { headers })
  if (reply.status !== 200 || reply.body === null) throw new Error(`export: ${reply.status}`)
  return reply.body
}

/** On a connection of its own: what a large copy leaves of one is not for others. */
function bareCopy(app: BenchApp, { merchant_id }: Reader) {
  const owner = { merchant_id, environment: 'SANDBOX' } as const
  const db = app.open('pirogue_app', 1)
  const form = { separator: ',', is_french: false, start: '' } as const
  const rows = transactionRows({ ...owner, ...readTransactionFilters({}), terms: [], ids: [] })
  return copyOut(db, { columns, form, rowsOf: (copied) => rows(db, copied) })
}

async function readAll(open: () => Promise<AsyncIterable<Uint8Array>>): Promise<Read> {
  const began = performance.now()
  let [lines, bytes, first_ms] = [0, 0, 0]
  for await (const piece of await open()) {
    if (bytes === 0) first_ms = performance.now() - began
    bytes += piece.length
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1
  }
  return { lines, bytes, seconds: (performance.now() - began) / 1000, first_ms }
}
