// The streams of one process over a real database: what they cost, and how each ends. Without it a
// few tabs keep a database busy, and one reader who does not read fills the memory of all.

import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { sized } from '../../../test/setup/proof-size.ts'
import { type Db, openDb } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { type Follower, type StreamLimits, type Streams, streamsOn } from './streams.ts'

const application_name = 'streams-test'
const fast = { read_ms: 50, recheck_ms: 100, heartbeat_ms: 200 } as const

let database: TestDatabase
let db: Db
let counted = 0
let asked: number[] = []
let refused: ReadonlySet<string> = new Set()
const started: Streams[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const one = { role: 'pirogue_app', connections_max: 1, durable: false } as const
  db = openDb({ ...database.options, ...one, application_name })
})
afterEach(async () => {
  for (const one of started.splice(0)) one.stop()
  refused = new Set()
  asked = []
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const networks = { SANDBOX: 'mtn_bj OPERATIONAL', LIVE: 'mtn_bj OPERATIONAL' }

function open(limits: Partial<StreamLimits> = {}): Streams {
  const streams = streamsOn({
    db,
    areAdmitted: async (followers) => {
      asked.push(followers.length)
      return followers.map(({ api_key_id }) => !refused.has(api_key_id ?? ''))
    },
    onCount: (count) => {
      counted = count
    },
    networksOf: async (environment) => networks[environment],
    log: pino({ level: 'silent' }),
    limits: { ...fast, ...limits },
  })
  started.push(streams)
  return streams
}

const follower = (merchant_id: string = randomUUID()): Follower => ({
  ...{ merchant_id, environment: 'SANDBOX', session: null, member_id: null },
  ...{ api_key_id: randomUUID(), ip: '127.0.0.1' },
})

/** Read to the end, as a good reader does. */
function read(file: Readable): { text: () => string; ended: Promise<void> } {
  let text = ''
  file.on('data', (piece) => {
    text += piece
  })
  const ended = new Promise<void>((resolve) => file.once('close', resolve))
  return { text: () => text, ended }
}

const hintsIn = (text: string): number => text.split('event: hint').length - 1

async function happen(merchant_id: string, count: number): Promise<void> {
  await database.owner`
    with feed as (
      insert into event_feeds as f (merchant_id, environment, last_seq)
      values (${merchant_id}, 'SANDBOX', ${count})
      on conflict (merchant_id, environment) do update set last_seq = f.last_seq + ${count}
      returning last_seq)
    insert into events (merchant_id, id, environment, type, transaction_id, plain, seq)
    select ${merchant_id}, (left(${newId()}::text, 15) || right(gen_random_uuid()::text, 21))::uuid,
           'SANDBOX', 'transaction.success', gen_random_uuid(), '{}', last_seq - ${count}::int + n
      from feed, generate_series(1, ${count}::int) n`
}

/** Transactions of the database: what else is asked there meanwhile is counted too. */
async function transactionsDone(): Promise<number> {
  await database.owner`select pg_stat_force_next_flush()`
  const [row] = await database.owner<{ done: number }[]>`
    select xact_commit::int as done from pg_stat_database where datname = current_database()`
  return row?.done ?? 0
}

it('five hundred cost no statement each, and each hears', async () => {
  const streams = open({ read_ms: 200, recheck_ms: 500, at_once: 600 })
  const merchants = Array.from({ length: 10 }, () => randomUUID())
  const before = await transactionsDone()
  const began = performance.now()
  const files = Array.from({ length: 500 }, (_, n) =>
    read(streams.open(follower(merchants[n % merchants.length]), undefined)),
  )
  await expect.poll(() => files.every(({ text }) => text().includes('event: ready'))).toBe(true)
  for (const merchant of merchants) await happen(merchant, 2)
  await expect.poll(() => files.every(({ text }) => hintsIn(text()) === 2)).toBe(true)
  await sleep(1_000)
  const turns = (performance.now() - began) / 200
  expect((await transactionsDone()) - before).toBeLessThan(turns + 60)
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.length).toBeLessThan(turns / 2)
  expect(counted).toBe(500)
})

it('a reader who does not read is cut off, and what is kept for them is bounded', async () => {
  const streams = open()
  const one = follower()
  const slow = streams.open(one, undefined)
  const good = read(streams.open(follower(one.merchant_id), undefined))
  await expect.poll(() => good.text()).toContain('event: ready')
  let most = 0
  await expect
    .poll(
      async () => {
        await happen(one.merchant_id, 90)
        most = Math.max(most, slow.readableLength)
        return slow.destroyed
      },
      { timeout: 20_000 },
    )
    .toBe(true)
  // The bound, and what one turn may add to it.
  expect(most).toBeLessThan(65_536 + 100 * 250)
  expect(slow.readableLength).toBeLessThan(65_536 + 100 * 250)
  await expect.poll(() => counted).toBe(1)
  const heard = hintsIn(good.text())
  await happen(one.merchant_id, 1)
  await expect.poll(() => hintsIn(good.text())).toBeGreaterThan(heard)
})

it('of more than can be told one by one it is told that there was more', async () => {
  const streams = open()
  const one = follower()
  const { text } = read(streams.open(one, undefined))
  await expect.poll(text).toContain('event: ready')
  await happen(one.merchant_id, 101)
  await expect.poll(text).toContain('id: 101\nevent: resync\ndata: {"sequence":101}\n')
  await happen(one.merchant_id, 1)
  await expect.poll(text).toContain('id: 102\nevent: hint')
  expect(hintsIn(text())).toBe(1)
})

it('each ends with its time, its right or its process, and lives by heartbeats until then', async () => {
  const streams = open({ life_ms: 8_000 })
  const [leaving, staying] = [follower(), follower()]
  const began = performance.now()
  const first = read(streams.open(leaving, undefined))
  const second = read(streams.open(staying, undefined))
  refused = new Set([leaving.api_key_id ?? ''])
  await first.ended
  expect(performance.now() - began).toBeLessThan(7_000)
  await second.ended
  const lived_ms = performance.now() - began
  expect(lived_ms).toBeGreaterThan(7_000)
  expect(lived_ms).toBeLessThan(20_000)
  expect(second.text()).toContain(': still here\n\n')
  const third = read(streams.open(staying, undefined))
  // Whoever does not read what there is holds up nobody's end, and nothing is written after it.
  const unread = streams.open(leaving, undefined)
  await sleep(300)
  await happen(staying.merchant_id, 1)
  const stopped = performance.now()
  streams.stop()
  await third.ended
  await new Promise((resolve) => unread.once('close', resolve))
  // By itself the third would end later still.
  expect(performance.now() - stopped).toBeLessThan(sized(6_500, 3_000))
  const late = read(streams.open(staying, undefined))
  await late.ended
  expect(late.text()).toMatch(/^retry: \d+\n\n$/)
  expect(counted).toBe(0)
})

it('there are so many of a key, of a merchant, of the process', async () => {
  const streams = open({ of_credential: 2, of_merchant: 3, at_once: 4 })
  const one = follower()
  const same = follower(one.merchant_id)
  const isRefused = (who: Follower) =>
    expect(() => streams.open(who, undefined)).toThrow('rate_limited')
  const files = [one, one].map((who) => streams.open(who, undefined))
  isRefused(one)
  streams.open(same, undefined)
  isRefused(follower(one.merchant_id))
  streams.open(follower(), undefined)
  isRefused(follower())
  files[0]?.destroy()
  await expect.poll(() => counted).toBe(3)
  streams.open(one, undefined)
})

it('a network that stops is hinted to who follows its environment, and moves nobody’s place', async () => {
  const streams = open({ networks_ms: 50 })
  const [here, live] = [follower(), { ...follower(), environment: 'LIVE' as const }]
  const [one, other] = [read(streams.open(here, undefined)), read(streams.open(live, undefined))]
  await expect.poll(() => [one, other].every(({ text }) => text().includes('ready'))).toBe(true)
  await sleep(300)
  expect(one.text()).not.toContain('event: networks')
  networks.SANDBOX = 'mtn_bj CLOSED'
  await expect.poll(() => one.text()).toContain('event: networks')
  const [, text = ''] = one.text().replaceAll(': still here\n\n', '').split('event: networks')
  expect(text).toBe('\ndata: {"sequence":0,"kind":"network"}\n\n')
  expect(other.text()).not.toContain('event: networks')
})
