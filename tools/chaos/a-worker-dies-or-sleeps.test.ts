// The work of a worker that is killed is taken over by the other one within 15 seconds, whatever
// it was in the midst of; one that slept past all its leases and goes on does no harm.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { crowd } from '../../server/test/setup/by-the-clock.ts'
import { createEnds } from '../../server/test/setup/ends.ts'
import { wholeIt } from '../../server/test/setup/proof-size.ts'
import { randomOf } from '../fuzz/random.ts'
import { type Caller, createCaller, paymentIn } from './caller.ts'
import { startLoad } from './load.ts'
import { untilUp } from './member.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { comeToRest } from './rest.ts'
import { openShops, type Shop } from './shops.ts'
import { type ChaosApp, startApp } from './start-app.ts'
import type { Strike } from './strikes.ts'

const taken_over_within_ms = 15_000
/** What never comes is left at. */
const given_up_after_ms = 60_000
/** Longer than the longest lease, that of a queue. */
const sleeps_ms = 22_000
const starts_within_ms = 60_000

const ends = createEnds()
let app: ChaosApp
let receiver: Receiver
let caller: Caller
let shops: Shop[]

beforeAll(async () => {
  receiver = await startReceiver(ends)
  app = await startApp({ apis: 1, workers: 2 }, ends)
  caller = createCaller(app.api_urls, randomOf(1, 0))
  shops = await openShops({ app, caller, count: 2, hook: receiver.url })
}, 120_000)
afterAll(() => ends.all(), 120_000)

/** Milliseconds from `from_ms` until it is so. */
async function untilSo(from_ms: number, isSo: () => boolean | Promise<boolean>): Promise<number> {
  for (;;) {
    if (await isSo()) return Date.now() - from_ms
    if (Date.now() - from_ms > given_up_after_ms) return Number.POSITIVE_INFINITY
    await sleep(50)
  }
}

let last_no = 0

/** Begins a payment whose operator answers nothing and calls nobody back: it has to be asked. */
async function beginSilent({ secret }: Shop, name = 'silent'): Promise<string> {
  last_no += 1
  const phone = `+22901${String(900_000 + last_no)}05`
  const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
  const key = `${name}-${last_no}`
  const place = { currency: 'XOF', country: 'BJ', network: 'mtn_bj' }
  const body = { amount: '1000', ...place, customer, merchant_reference: key }
  const path = '/payments/softpay/initialize/'
  const call = { method: 'POST', path, secret, idempotency_key: key, body } as const
  const answer = await caller.callUntilAnswered(call, () => false)
  expect(answer?.status, answer?.text).toBe(201)
  return answer === undefined ? '' : paymentIn(answer)
}

async function statusOf(id: string): Promise<string | undefined> {
  const [row] = await app.db<{ status: string }[]>`select status from transactions where id = ${id}`
  return row?.status
}

/** Somebody is asking about it now. */
async function isQueried(id: string): Promise<boolean> {
  const rows = await app.db`
    select 1 from attempts
     where transaction_id = ${id} and asks > 0 and leased_until > now() limit 1`
  return rows.count > 0
}

/** So many payments have all their events numbered. */
async function areNumbered(references: string, count: number): Promise<boolean> {
  const [row] = await app.db<{ told: number; left: number }[]>`
    select count(*)::int as told, (count(*) filter (where e.seq is null))::int as left
      from events e
      join transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
     where t.merchant_reference like ${references} and e.type = 'transaction.created'`
  return row?.told === count && row.left === 0
}

const isTaken = (delivery: string): boolean =>
  receiver.heard.get(delivery)?.some(({ is_taken }) => is_taken) ?? false

describe('a worker killed in the midst of its work', () => {
  const isFollowed = 'is followed by the other within 15 s: questions, numbers and deliveries'

  wholeIt(isFollowed, { timeout: 180_000 }, async () => {
    const [shop, other] = shops
    if (shop === undefined || other === undefined) throw new Error('there are no shops')
    const [one, two] = [app.member('worker-1'), app.member('worker-2')]
    // While the other one is stopped it holds whatever can be held.
    two.sleep(120_000)
    const silent = await beginSilent(other)
    // The operator is silent while it is asked: the question dies with who put it.
    app.member('simulator').sleep(10_000)
    const asked = await untilSo(Date.now(), () => isQueried(silent))
    expect(asked).toBeLessThan(given_up_after_ms)
    receiver.hold()
    const before = new Set(receiver.heard.keys())
    const many = Array.from({ length: 8 }, () => beginSilent(shop, 'crowd'))
    const heard = await untilSo(Date.now(), () => receiver.heard.size > before.size)
    expect(heard).toBeLessThan(given_up_after_ms)
    const pending = [...receiver.heard.keys()].filter((id) => !before.has(id))

    two.wake()
    one.kill('rests')
    const from_ms = Date.now()
    receiver.behave()
    app.member('simulator').wake()
    const took = await Promise.all([
      untilSo(from_ms, () => areNumbered('crowd-%', many.length)),
      untilSo(from_ms, () => pending.every(isTaken)),
      untilSo(from_ms, async () => (await statusOf(silent)) === 'SUCCESS'),
    ])
    await Promise.all(many)
    one.rise()
    await untilUp([one], starts_within_ms)
    const [numbers, deliveries, questions] = took
    const late = Object.entries({ numbers, deliveries, questions }).filter(
      ([, ms]) => ms > taken_over_within_ms * crowd(),
    )
    expect(late).toEqual([])
  })
})

describe('a worker that slept past all its leases and goes on', () => {
  const sendsOnce = 'sends nothing twice, and every payment, event and balance is right'

  wholeIt(sendsOnce, { timeout: 180_000 }, async () => {
    const random = randomOf(2, 2)
    const strikes: Strike[] = []
    const own = await openShops({ app, caller, count: 2, hook: receiver.url })
    const load = startLoad({ caller, random, shops: own, per_s: 4, first_no: 1, name: 'sleep' })
    await sleep(2_000)
    const sleeper = app.member('worker-2')
    const at_ms = Date.now()
    sleeper.sleep(sleeps_ms)
    await untilSo(at_ms, () => sleeper.state() === 'up')
    strikes.push({ victim: sleeper.name, how: 'sleep', at_ms, until_ms: Date.now() })
    await sleep(2_000)
    await load.finish(30_000)

    const all = { sent: load.sent, heard: receiver.heard, strikes }
    const only = new Set(own.map(({ merchant_id }) => merchant_id))
    const rested = await comeToRest({ app, own: all, within_ms: 45_000, only })
    expect(rested.breaches).toEqual([])
    expect(rested.facts.sent.length).toBeGreaterThan(50)
    const [sends] = await app.db<{ most: number }[]>`
      select max(sends) as most from attempts where merchant_id = any(${[...only]}::uuid[])`
    expect(sends?.most).toBe(1)
    expect(app.members.flatMap((member) => member.unasked())).toEqual([])
  })
})
