// A payout is killed at each of its steps with `kill -9`: before it is written, when it is written
// and nobody was asked, when the operator has it and we do not know, when it was answered, and when
// its end is being written. Started again, the same key answers for the same payout, and the
// operator has paid once.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Simulator, startSimulator } from '../../../simulator/src/start.ts'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { openDb } from '../../src/platform/db.ts'
import { eventually, type Json, newPayer, type Reply, type Shop, shopWith } from '../harness.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { freePort } from '../setup/loopback.ts'
import { openMerchant } from '../setup/open-merchant.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { type PausedOperator, pausedOperator } from '../setup/paused-operator.ts'
import { wholeIt } from '../setup/proof-size.ts'

const secret_key = randomBytes(32).toString('base64')
const { token, callback_secret } = simulatorSecrets(openKeyring(secret_key))

let data_dir: string
let port: number
let database: TestDatabase
let simulator: Simulator
let operator: PausedOperator
let service: ServiceProcess

beforeAll(async () => {
  data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-payout-kill-'))
  port = await freePort()
  database = await createTestDatabase()
  // What ends a payout comes so late that, on a busy machine too, the balance is held before it.
  simulator = await startSimulator({ port: 0, token, callback_secret, speed: 0.2 })
  operator = await pausedOperator(simulator.url)
  await start()
}, 90_000)
afterAll(async () => {
  await service?.stop()
  operator?.close()
  await simulator?.stop()
  await database?.drop()
  await rm(data_dir, { recursive: true, force: true })
})

async function start(): Promise<void> {
  const { host, port: database_port, user, database: name, password } = database.options
  const env = {
    DATABASE_URL: `postgres:///${name}`,
    PGHOST: host,
    PGPORT: String(database_port),
    PGUSER: user,
    ...(password === undefined ? {} : { PGPASSWORD: password }),
    SECRET_KEY: secret_key,
    SIMULATOR_URL: operator.url,
  }
  service = await startProcess({ data_dir, port, env })
}

async function richShop(): Promise<Shop> {
  const db = openDb({
    ...database.options,
    role: 'pirogue_owner',
    connections_max: 1,
    durable: true,
    application_name: 'test-shop',
  })
  const { merchant_id, secret } = await openMerchant(db)
  await db.end()
  await database.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`
  const shop = shopWith(service.url, merchant_id, secret)
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '15000' })
  return shop
}

const bodyOf = () => ({
  amount: '10000',
  currency: 'XOF',
  country: 'BJ',
  method: 'mtn_bj',
  recipient: { msisdn: newPayer('10').phone },
  customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
})

type Call = Readonly<{ shop: Shop; again: () => Promise<Reply> }>

async function aPayout(): Promise<Call> {
  const shop = await richShop()
  const body = bodyOf()
  const headers = { 'idempotency-key': 'once' }
  return { shop, again: () => shop.post('/payouts/initialize/', body, headers) }
}

/** What whoever is killed leaves of their call: no answer. */
const unanswered = (call: Promise<Reply>) =>
  call.then(
    (reply) => {
      throw new Error(`answered ${reply.status}`)
    },
    () => undefined,
  )

/** Somebody has the merchant's balance; who wants it waits. `end` kills those who do, in there. */
async function holdBalance({ merchant_id }: Shop) {
  const one = await database.owner.reserve()
  await one`begin`
  await one`select 1 from balances where merchant_id = ${merchant_id} for update`
  const waiting = () => one<{ pid: number }[]>`
    select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`
  return {
    untilWanted: () => eventually(async () => expect(await waiting()).not.toEqual([]), 20_000),
    async endWhoWaits() {
      for (const { pid } of await waiting()) await one`select pg_terminate_backend(${pid})`
      await eventually(async () => expect(await waiting()).toEqual([]))
    },
    async letGo() {
      await one`rollback`
      one.release()
    },
  }
}

const payoutsOf = ({ merchant_id }: Shop) => database.owner<{ id: string }[]>`
  select id from transactions where merchant_id = ${merchant_id}`

/** Answered for good: the payout as it stands; and from then on always the same. */
async function answered({ again }: Call): Promise<Reply> {
  const reply = await eventually(async () => {
    const one = await again()
    expect(one.status, JSON.stringify(one.body)).toBe(201)
    return one
  }, 60_000)
  const replay = await again()
  expect(replay.data).toEqual(reply.data)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  return reply
}

async function totals(): Promise<Json> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${simulator.url}/books/totals`, { headers })).json()
}

/** One payout, paid once, by the operator's books and by ours. */
async function paidOnce(call: Call): Promise<Reply> {
  const { shop } = call
  const reply = await answered(call)
  const { id, status } = reply.data
  expect(['PENDING', 'SUCCESS']).toContain(status)
  expect(await payoutsOf(shop)).toEqual([{ id }])
  const paid = await shop.becomes(id, 'SUCCESS', 60_000)
  const attempts = await database.owner<{ our_key: string; status: string }[]>`
    select our_key, status from attempts where merchant_id = ${shop.merchant_id}`
  expect(attempts.map((one) => one.status)).toEqual(['SUCCESS'])
  const theirs = simulator.books().filter((one) => one.reference === attempts[0]?.our_key)
  expect(theirs).toMatchObject([{ kind: 'PAYOUT', status: 'SUCCESSFUL', amount: paid.net_amount }])
  const left = { available_amount: '5000.00', pending_amount: '0.00' }
  expect(await shop.balance()).toEqual(left)
  const { a = {}, b = {} } = await totals()
  const books = { simulator_a: a, simulator_b: b }
  expect(await compareGatewayBooks(database.owner, books)).toMatchObject({ ok: true })
  expect((await verifyLedger(database.owner)).filter(({ ok }) => !ok)).toEqual([])
  return reply
}

describe('a payout that is killed', { timeout: 180_000 }, () => {
  wholeIt('before it is committed was never made, and its key makes it once', async () => {
    const call = await aPayout()
    const balance = await holdBalance(call.shop)
    const dead = unanswered(call.again())
    await balance.untilWanted()
    await service.killHard()
    await dead
    await balance.endWhoWaits()
    await balance.letGo()
    expect(await payoutsOf(call.shop)).toEqual([])
    await start()
    await paidOnce(call)
  })

  const committedLate =
    'while its commit is under way is there when the database commits it after all'

  wholeIt(committedLate, async () => {
    const call = await aPayout()
    const balance = await holdBalance(call.shop)
    const dead = unanswered(call.again())
    await balance.untilWanted()
    await service.killHard()
    await dead
    await balance.letGo()
    const made = await eventually(async () => {
      const rows = await payoutsOf(call.shop)
      expect(rows).toHaveLength(1)
      return rows
    })
    await start()
    const reply = await paidOnce(call)
    expect(reply.data.id).toBe(made[0]?.id)
  })

  const sentThen = 'when it is written and the operator has not heard of it is sent then, once'

  wholeIt(sentThen, async () => {
    const call = await aPayout()
    const stopped = operator.stopNext('before')
    const dead = unanswered(call.again())
    await stopped
    const made = await payoutsOf(call.shop)
    expect(made).toHaveLength(1)
    await service.killHard()
    await dead
    await start()
    const expected = { available_amount: '5000.00' }
    expect(await call.shop.balance()).toMatchObject(expected)
    const reply = await paidOnce(call)
    expect(reply.data.id).toBe(made[0]?.id)
  })

  it('when the operator has it and its answer is not stored is not sent again', async () => {
    const call = await aPayout()
    const stopped = operator.stopNext('after')
    const dead = unanswered(call.again())
    await stopped
    const made = await payoutsOf(call.shop)
    await service.killHard()
    await dead
    await start()
    const reply = await paidOnce(call)
    expect(reply.data.id).toBe(made[0]?.id)
  })

  wholeIt('when its answer is stored answers the same, though it has ended since', async () => {
    const call = await aPayout()
    const first = await call.again()
    expect(first.data).toMatchObject({ status: 'PENDING' })
    await service.killHard()
    await start()
    await call.shop.becomes(first.data.id, 'SUCCESS', 60_000)
    const reply = await paidOnce(call)
    expect(reply.data).toEqual(first.data)
  })

  it('when its end is being written ends later, once', async () => {
    const call = await aPayout()
    const first = await call.again()
    const balance = await holdBalance(call.shop)
    await balance.untilWanted()
    await service.killHard()
    await balance.endWhoWaits()
    await balance.letGo()
    expect(await call.shop.balance().catch(() => 'nobody answers')).toBe('nobody answers')
    await start()
    const reply = await paidOnce(call)
    expect(reply.data).toEqual(first.data)
  })
})
