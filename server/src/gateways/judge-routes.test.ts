// Routes are judged by what was counted of them: the ill are tried last, in every process, and each
// change is written down with its figures. A broken route of payouts is tried by a question, and so
// is one whose payers make a code first.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { fedapayAccount } from '../../test/setup/fedapay-account.ts'
import { toolsWithoutTokens } from '../../test/setup/stripe-account.ts'
import { wireBetween } from '../../test/setup/wire-between.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { createOutbound } from '../platform/outbound/outbound.ts'
import { askBroken } from './ask-broken.ts'
import { fedapayGateway } from './fedapay-api/fedapay-gateway.ts'
import type { Answer, AttemptKey, Gateway } from './gateway.ts'
import { newHealth } from './health.ts'
import { dropOldStats, updateUsual } from './health-store.ts'
import { judgeRoutes } from './judge-routes.ts'

let database: TestDatabase
let db: Db
let ids: string[]
let taken = 0
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.owner
  await db`update routes set breaker = true`
  const rows = await db<{ id: string }[]>`
    select r.id from routes r join gateways g on g.id = r.gateway_id
     where r.direction = 'DISBURSE' and r.is_active and g.is_active
     order by r.id limit 20`
  ids = rows.map(({ id }) => id)
})
afterAll(() => database.drop())

function newRoute() {
  taken += 1
  return { id: ids[taken] ?? '', breaker: true }
}

/** So many minutes ago. */
const counted = (route_id: string, minutes: number, good: number, bad: number) => db`
  insert into route_stats (route_id, minute, good, bad)
  values (${route_id}, date_trunc('minute', now()) - ${minutes} * interval '1 minute',
    ${good}, ${bad})
  on conflict (route_id, minute) do update set good = excluded.good, bad = excluded.bad`

/** The looks at a route were so long ago, and so was its last change. */
const passMinutes = (minutes: number) => db`
  update route_health set looked_at = looked_at - ${minutes} * interval '1 minute',
                          changed_at = changed_at - ${minutes} * interval '1 minute'`

const judge = () => judgeRoutes(db, Date.now())

const actsOf = (id: string) => db<{ action: string; after: Record<string, unknown> }[]>`
  select action, after from audit_logs where target_id = ${id} order by id`

describe('what a route’s share is at least', () => {
  it('is known in every process for an hour after a look, and then as of one that is new', async () => {
    const route = newRoute()
    const health = newHealth()
    await counted(route.id, 20_000, 99, 1)
    await counted(route.id, 3, 90, 10)
    await judge()
    await health.exchange(db)
    // 99.45 of 110, less 0.84 times the root of 0.904 · 0.096 / 111.
    expect(health.leastShare(route)).toBeCloseTo(0.8806, 4)
    await passMinutes(61)
    await health.exchange(db)
    expect(health.leastShare(route)).toBe(newHealth().leastShare(route))
  })
})

describe('a route that does worse than it usually does', () => {
  it('is tried last from the second look on, in every process, and comes back', async () => {
    const route = newRoute()
    const [here, there] = [newHealth(), newHealth()]
    await counted(route.id, 20_000, 950, 50)
    await counted(route.id, 8, 50, 50)
    expect(await judge()).toBe(0)
    // Too soon: nothing is looked at.
    expect(await judge()).toBe(0)
    await passMinutes(5)
    expect(await judge()).toBe(1)
    for (const health of [here, there]) {
      expect(health.isDemoted(route)).toBe(false)
      await health.exchange(db)
      expect(health.isDemoted(route)).toBe(true)
      // 59.1 of 110, less 0.84 times the root of 0.537 · 0.463 / 111.
      expect(health.leastShare(route)).toBeCloseTo(0.4974, 4)
    }
    const [act] = await actsOf(route.id)
    expect(act).toMatchObject({ action: 'route.demoted', after: { good: 50, bad: 50, seen: 100 } })
    await db`
      delete from route_stats
       where route_id = ${route.id} and minute > now() - interval '1 hour'`
    for (let look = 1; look <= 3; look += 1) {
      await passMinutes(5)
      expect(await judge()).toBe(look === 3 ? 1 : 0)
    }
    await here.exchange(db)
    expect(here.isDemoted(route)).toBe(false)
    expect((await actsOf(route.id)).map(({ action }) => action)).toEqual([
      'route.demoted',
      'route.restored',
    ])
  })

  it('is tried last at once when half of the last minute fails, and not again for ten', async () => {
    const route = newRoute()
    await counted(route.id, 0, 10, 11)
    expect(await judge()).toBe(1)
    await db`update route_health set demoted_at = null where route_id = ${route.id}`
    expect(await judge()).toBe(0)
    await passMinutes(9)
    expect(await judge()).toBe(0)
    await passMinutes(2)
    expect(await judge()).toBe(1)
  })

  it('stays in its place in the sandbox, where it has no breaker: it fails there on purpose', async () => {
    const route = newRoute()
    await db`update routes set breaker = false where id = ${route.id}`
    await counted(route.id, 20_000, 950, 50)
    await counted(route.id, 8, 0, 40)
    await counted(route.id, 0, 0, 40)
    const acts = async () => (await actsOf(route.id)).map(({ action }) => action)
    for (let look = 1; look <= 3; look += 1) {
      await judge()
      await passMinutes(15)
    }
    expect(await acts()).toEqual([])
    // One that was tried last when that began comes back, whatever fails there meanwhile.
    await db`
      insert into route_health (route_id, demoted_at) values (${route.id}, now())
      on conflict (route_id) do update set demoted_at = now(), streak = 0`
    for (let look = 1; look <= 3; look += 1) {
      expect(await acts()).toEqual([])
      await judge()
      await passMinutes(5)
    }
    expect(await acts()).toEqual(['route.restored'])
  })

  it('is judged once, however many judge at the same time', async () => {
    const route = newRoute()
    await counted(route.id, 0, 0, 40)
    const changes = await Promise.all([judge(), judge(), judge()])
    expect(changes.reduce((sum, one) => sum + one, 0)).toBe(1)
    expect(await actsOf(route.id)).toHaveLength(1)
  })
})

describe('what is counted', () => {
  it('is written by minute and route, with three merchants at most, over all processes', async () => {
    const route = newRoute()
    const at = Date.parse('2026-11-23T08:00:30Z')
    const processes = [newHealth(() => at), newHealth(() => at)]
    const fates = ['good', 'good', 'bad', 'payer', 'expired', 'unknown'] as const
    for (const health of processes) {
      for (const fate of fates) {
        health.count({ route_id: route.id, merchant_id: newId(), fate })
      }
      await health.exchange(db)
      await health.exchange(db)
    }
    // It was sent a minute before, and is known now.
    const [first] = processes
    first?.count({ route_id: route.id, merchant_id: newId(), fate: 'known', at_ms: at })
    await first?.exchange(db)
    const rows = await db`
      select minute, good, bad, payer, expired, unknown, cardinality(merchants) as merchants
        from route_stats where route_id = ${route.id}`
    expect([...rows]).toEqual([
      {
        ...{ minute: new Date('2026-11-23T08:00:00Z'), good: 4, bad: 2, payer: 2, expired: 2 },
        ...{ unknown: 1, merchants: 3 },
      },
    ])
  })

  it('adds up where a payment was sent in one minute and its answer lost in the next', async () => {
    const route = newRoute()
    const sent = Date.parse('2026-11-23T08:00:50Z')
    const health = newHealth(() => sent + 30_000)
    const of = { route_id: route.id, merchant_id: newId(), at_ms: sent }
    health.count({ ...of, fate: 'unknown' })
    health.count({ ...of, fate: 'known' })
    await health.exchange(db)
    const rows = await db`select minute, unknown from route_stats where route_id = ${route.id}`
    expect([...rows]).toEqual([{ minute: new Date('2026-11-23T08:00:00Z'), unknown: 0 }])
  })

  it('is usual as a whole: what was taken back in another minute is no failure', async () => {
    const route = newRoute()
    const weeks_ago = Math.floor(Date.now() / 60_000) * 60_000 - 14 * 86_400_000
    const unknownAt = (minute: number, unknown: number) => db`
      insert into route_stats (route_id, minute, good, bad, unknown)
      values (${route.id}, ${new Date(weeks_ago + minute * 60_000)}, 45, 5, ${unknown})`
    await unknownAt(0, 3)
    await unknownAt(1, -2)
    await updateUsual(db)
    const [usual] = await db`
      select usual_good::int as good, usual_bad::int as bad
        from route_health where route_id = ${route.id}`
    expect(usual).toEqual({ good: 90, bad: 11 })
  })

  it('is kept for 28 days', async () => {
    const route = newRoute()
    await counted(route.id, 28 * 1440 + 2, 1, 0)
    await counted(route.id, 28 * 1440 - 2, 2, 0)
    await dropOldStats(db)
    const rows = await db`select good from route_stats where route_id = ${route.id}`
    expect([...rows]).toEqual([{ good: 2 }])
  })
})

describe('a broken route of payouts', () => {
  it('is tried by a question about nobody’s key, one at a time, until it is answered', async () => {
    const route = newRoute()
    let now = Date.now()
    const health = newHealth(() => now)
    const asked: AttemptKey[] = []
    let answer: Answer = { is: 'unknown', because: 'timeout' }
    const gateway: Pick<Gateway, 'query'> = {
      query: async (key) => {
        asked.push(key)
        return { answer, hash: Buffer.alloc(32) }
      },
    }
    const gateways = { get: () => gateway as Gateway, all: () => [] }
    const ask = () => askBroken({ db, gateways, health })
    for (let i = 0; i < 5; i += 1) health.record(route, 10, 'timeout')
    await ask()
    expect(asked).toHaveLength(0)
    now += 30_000
    await Promise.all([ask(), ask()])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ direction: 'DISBURSE', external_reference: '' })
    expect(health.skipped(route)).toBe('6 failures in a row, the last: unknown to a question')
    now += 60_000
    answer = { is: 'not_found' }
    await ask()
    expect([asked.length, health.skipped(route)]).toEqual([2, undefined])
    await ask()
    expect(asked).toHaveLength(2)
  })

  it('is well only by what its operator answers, where no key of ours can be asked about', async () => {
    const route = newRoute()
    const fedapay = await startFedapay({ port: 0 })
    onTestFinished(() => fedapay.stop())
    const wire = await wireBetween(fedapay.url)
    onTestFinished(() => wire.close())
    const outbound = createOutbound({ assertNoTransaction: () => undefined })
    onTestFinished(() => outbound.close())
    const account = fedapayAccount(fedapay, 'http://127.0.0.1:9/none')
    const tools = { ...toolsWithoutTokens, outbound, clock: Date.now }
    const gateway = fedapayGateway({ ...account, settings: { base_url: wire.url } }, tools)
    let now = Date.now()
    const health = newHealth(() => now)
    const ask = (one: Gateway) =>
      askBroken({ db, gateways: { get: () => one, all: () => [] }, health })
    for (let i = 0; i < 5; i += 1) health.record(route, 10, 'timeout')
    // It tells nothing of ours: then nobody asks, and it stays as it is.
    const { balances: _, ...untold } = gateway
    now += 30_000
    await ask(untold)
    expect([wire.passed, health.skipped(route)]).toEqual([
      ...[[], '5 failures in a row, the last: timeout'],
    ])
    wire.spoils(() => ({ reaches: false, answer: { status: 503, body: '' } }))
    now += 30_000
    await ask(gateway)
    expect(wire.passed).toEqual([{ method: 'GET', path: '/v1/balances' }])
    expect(health.skipped(route)).toBe('6 failures in a row, the last: no balance to a question')
    wire.spoils(undefined)
    now += 60_000
    await ask(gateway)
    expect(health.skipped(route)).toBeUndefined()
  })

  it('so is one of payments that wants a code, and no other of payments', async () => {
    const collecting = await db<{ id: string; breaker: boolean }[]>`
      select r.id, r.breaker from routes r join gateways g on g.id = r.gateway_id
       where r.direction = 'COLLECT' and r.otp_kind is null and r.is_active and g.is_active
         and exists (select from networks n where n.id = r.network_id and n.otp_kind = 'NONE')
       order by r.id limit 2`
    const [by_code, by_phone] = collecting
    assert(by_code !== undefined && by_phone !== undefined, 'routes of payments')
    await db`update routes set otp_kind = 'PRE' where id = ${by_code.id}`
    let now = Date.now()
    const health = newHealth(() => now)
    const gateway: Pick<Gateway, 'query'> = {
      query: async () => ({ answer: { is: 'not_found' }, hash: Buffer.alloc(32) }),
    }
    const gateways = { get: () => gateway as Gateway, all: () => [] }
    for (const route of collecting) {
      for (let i = 0; i < 5; i += 1) health.record(route, 10, 'timeout')
    }
    now += 30_000
    await askBroken({ db, gateways, health })
    expect([health.skipped(by_code), health.isToTry(by_phone)]).toEqual([undefined, true])
  })
})
