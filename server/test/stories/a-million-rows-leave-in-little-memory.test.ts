// A merchant takes a million transactions away: whole, begun at once, and the process that serves
// them stays as small as it was, also as gzip and also for a reader who is slower than the
// database. Without this one merchant's spreadsheet takes the memory that everybody's payments
// need.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, type Shop, startApp, type TestApp } from '../harness.ts'
import { freePort } from '../setup/loopback.ts'
import { plantManyTransactions } from '../setup/many-transactions.ts'
import { databaseEnv, type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { residentBytes } from '../setup/process-tree.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'

/** Small, no less than what a database does not write without waiting for a reader. */
const rows = sized(150_000, 1_000_000)
const file_min = 240 * rows
/** A quarter of the whole file; the process needs some 30 MB for its first one and 1 for each other. */
const growth_max = 60 * 2 ** 20

let data_dir: string
let app: TestApp
let shop: Shop
let service: ServiceProcess

beforeAll(async () => {
  data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-export-'))
  app = await startApp()
  shop = await app.shop()
  await plantManyTransactions(app.owner, shop.merchant_id, rows)
  // A process of its own, so that its memory is not the reader's.
  const env = {
    ...databaseEnv(app.database.options),
    SECRET_KEY: randomBytes(32).toString('base64'),
    SIMULATOR_URL: app.simulator.url,
    HOST: '127.0.0.1',
    ROLE: 'api',
  }
  service = await startProcess({ data_dir, port: await freePort(), env })
}, 300_000)
afterAll(async () => {
  await service?.stop()
  await app?.stop()
  await rm(data_dir, { recursive: true, force: true })
})

type Headers = Readonly<Record<string, string>>

/** The response as it comes, unread. */
const begin = (headers: Headers): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = { headers: { authorization: `Bearer ${shop.key}`, ...headers } }
    httpGet(`${service.url}/api/v1/transactions/export/`, request, resolve).on('error', reject)
  })

/** By how much the service was larger, at most, while `work` went on. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const pid = service.pids()[0] ?? 0
  const before = residentBytes(pid)
  let most = before
  const look = () => {
    most = Math.max(most, residentBytes(pid))
  }
  const looking = setInterval(look, 50)
  try {
    await work()
  } finally {
    clearInterval(looking)
  }
  look()
  return most - before
}

/** What a database's side of an export waits for; undefined when there is none. */
async function waitsFor(): Promise<string | null | undefined> {
  const [row] = await app.owner<{ wait_event: string | null }[]>`
    select wait_event from pg_stat_activity
     where application_name = 'pirogue-export' and datname = current_database()`
  return row?.wait_event
}

/** Half a second of it: a database that is merely quicker than its reader waits now and then. */
async function settlesDown(): Promise<void> {
  for (let looks = 0; looks < 10; looks += 1) {
    expect(await waitsFor()).toBe('ClientWrite')
    await sleep(50)
  }
}

type Read = { bytes: number; lines: number; last: Buffer }

function take(read: Read, piece: Buffer): void {
  read.bytes += piece.length
  for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) read.lines += 1
  read.last = Buffer.concat([read.last, piece.subarray(-4)]).subarray(-4)
}

async function takeUntil(file: IncomingMessage, read: Read, bytes: number): Promise<void> {
  while (read.bytes < bytes) {
    const piece: Buffer | null = file.read()
    if (piece === null) await once(file, 'readable')
    else take(read, piece)
  }
}

/** Stops after each of the first pieces until the database waits for them; then takes the rest. */
async function readSlowly(headers: Headers, piece_bytes: number): Promise<Read> {
  const read = { bytes: 0, lines: 0, last: Buffer.alloc(0) }
  const file = await begin(headers)
  for (let pause = 1; pause <= 3; pause += 1) {
    await takeUntil(file, read, pause * piece_bytes)
    await eventually(settlesDown, 60_000)
  }
  for await (const piece of file) take(read, piece)
  return read
}

const gzip = { 'accept-encoding': 'gzip' }
let file_bytes = 0

it('comes whole and from the first row on; the database waits for its reader, no heap grows', async () => {
  const growth = await growthDuring(async () => {
    const { lines, bytes } = await readSlowly({}, 2 ** 22)
    expect(lines).toBe(rows + 1)
    expect(bytes).toBeGreaterThan(file_min)
    file_bytes = bytes
  })
  expect(growth).toBeLessThan(growth_max)
}, 300_000)

wholeIt('does the same when it is packed', { timeout: 300_000 }, async () => {
  const growth = await growthDuring(async () => {
    const { last } = await readSlowly(gzip, 2 ** 19)
    // Its last four bytes are the length of what was packed (RFC 1952, 2.3.1).
    expect(last.readUInt32LE()).toBe(file_bytes)
  })
  expect(growth).toBeLessThan(growth_max)
})

// A packed file’s end was an error to the unpacked one behind it, which then left its statement
// and its seat waiting for half an hour: four such readers, and nobody could export.
it.each([
  ['plain', {}],
  ['packed', gzip],
])('ends with its reader when it is %s', async (_, headers) => {
  const file = await begin(headers)
  await takeUntil(file, { bytes: 0, lines: 0, last: Buffer.alloc(0) }, 2 ** 20)
  file.destroy()
  await eventually(async () => expect(await waitsFor()).toBeUndefined())
})
