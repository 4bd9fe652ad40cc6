// In the sandbox a merchant says what stands behind a network: the plain sandbox operator, or the
// imitated wire of MTN MoMo or pawaPay. Payments then go over the real adapter; what was sent before
// stays where it is, other merchants notice nothing, and LIVE has no such thing.

import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../../simulator/src/start.ts'
import { startService } from '../../src/app/start.ts'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { saveServiceUrl } from '../../src/platform/server-addresses.ts'
import {
  connectionTo,
  eventually,
  type Json,
  newPayer,
  type Reply,
  type Shop,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const answerOf = ({ status, error }: Reply) => [status, error?.code]

const choose = (shop: Shop, dialect: string, direction = 'COLLECT', network_code = 'mtn_bj') =>
  shop.call('PUT', '/sandbox/dialects/', {
    body: JSON.stringify({ network_code, direction, dialect }),
    headers: { 'content-type': 'application/json' },
  })

async function chosen(shop: Shop, dialect: string, direction?: string): Promise<void> {
  const reply = await choose(shop, dialect, direction)
  expect([reply.status, reply.data?.dialect], JSON.stringify(reply.body)).toEqual([200, dialect])
}

const spoken = async (shop: Shop, direction = 'COLLECT'): Promise<Json> => {
  const { data } = await shop.get('/sandbox/dialects/?search=mtn_bj')
  return data.results.find((row: Json) => row.direction === direction)
}

const pay = async (shop: Shop, last: string): Promise<string> => {
  const reply = await shop.pay({ customer: newPayer(last) })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data.id
}

const gatewaysOf = async (shop: Shop, id: string): Promise<string[]> =>
  (await shop.get(`/transactions/${id}/`)).data.attempts.map((one: Json) => one.gateway_code)

/** The same last digits end as they do at the plain operator, wherever they are sent. */
const ends = [
  ['10', 'SUCCESS', ''],
  ['01', 'FAILED', 'INSUFFICIENT_FUNDS'],
  ['02', 'FAILED', 'NOT_APPROVED'],
  ['03', 'FAILED', 'PAYER_NOT_FOUND'],
  ['05', 'SUCCESS', ''],
  ['06', 'SUCCESS', ''],
  ['07', 'SUCCESS', ''],
  ['08', 'SUCCESS', ''],
] as const

/** This operator has taken it before it says that it is down: nobody else is asked. */
const late = { '06': ['FAILED', 'GATEWAY_UNAVAILABLE'] } as const

async function playAll(
  shop: Shop,
  first_gateway: string,
  otherwise: Readonly<Record<string, readonly [string, string]>> = {},
): Promise<void> {
  const begun = await Promise.all(ends.map(async (end) => [end, await pay(shop, end[0])] as const))
  for (const [[last, ...usual], id] of begun) {
    const [status, failure_code] = otherwise[last] ?? usual
    expect(await shop.becomes(id, status, 60_000), last).toMatchObject({ failure_code })
    expect((await gatewaysOf(shop, id))[0], last).toBe(first_gateway)
  }
}

describe('a choice', () => {
  it('is shown for each network and way, with what else there is', async () => {
    const shop = await app.shop()
    expect(await spoken(shop)).toEqual({
      ...{ network_code: 'mtn_bj', direction: 'COLLECT', dialect: 'pirogue' },
      available: ['pirogue', 'mtn', 'pawapay', 'fedapay'],
    })
    await chosen(shop, 'mtn')
    expect(await spoken(shop)).toMatchObject({ dialect: 'mtn' })
    expect(await spoken(shop, 'DISBURSE')).toMatchObject({ dialect: 'pirogue' })
    await chosen(shop, 'pirogue')
    expect(await spoken(shop)).toMatchObject({ dialect: 'pirogue' })
    const acts = await app.owner<Json[]>`
      select before, after from audit_logs
       where merchant_id = ${shop.merchant_id} and action = 'sandbox.dialect_chosen'
       order by created_at, id`
    expect(acts.map(({ before, after }) => [before.dialect, after.dialect])).toEqual([
      ['pirogue', 'mtn'],
      ['mtn', 'pirogue'],
    ])
  })

  it('is refused for what does not exist, and in LIVE', async () => {
    const shop = await app.shop()
    const wrong = [
      [await choose(shop, 'mtn', 'COLLECT', 'mtn_zz'), 'network_code'],
      [await choose(shop, 'mtn', 'COLLECT', 'moov_bj'), 'dialect'],
      [await choose(shop, 'nobody'), 'dialect'],
      [await choose(shop, 'mtn', 'SIDEWAYS'), 'direction'],
    ] as const
    for (const [reply, field] of wrong) {
      expect(reply.status, field).toBe(400)
      expect(JSON.stringify(reply.body)).toContain(field)
    }
    const live = await app.shop({ environment: 'LIVE', live: true })
    expect(answerOf(await choose(live, 'mtn'))).toEqual([404, 'not_found'])
    expect(answerOf(await live.get('/sandbox/dialects/'))).toEqual([404, 'not_found'])
  })

  it('made by several at once makes one account', async () => {
    const shops = await Promise.all([1, 2, 3, 4].map(() => app.shop()))
    await Promise.all(
      shops.flatMap((shop) => [chosen(shop, 'mtn'), chosen(shop, 'mtn', 'DISBURSE')]),
    )
    for (const shop of shops) {
      expect([await spoken(shop), await spoken(shop, 'DISBURSE')]).toMatchObject([
        { dialect: 'mtn' },
        { dialect: 'mtn' },
      ])
    }
    const accounts = await app.owner<Json[]>`
      select code, environment, is_active from gateways where dialect = 'mtn'`
    expect(accounts).toEqual([{ code: 'simulator_mtn', environment: 'SANDBOX', is_active: true }])
  })
})

describe('two merchants at once', () => {
  it('pay each over its own, and every number ends as at the plain operator', async () => {
    const [mtn, pawapay, plain] = await Promise.all([app.shop(), app.shop(), app.shop()])
    await Promise.all([chosen(mtn, 'mtn'), chosen(pawapay, 'pawapay')])
    await Promise.all([
      playAll(mtn, 'simulator_mtn', late),
      playAll(pawapay, 'simulator_pawapay'),
      playAll(plain, 'simulator_a'),
    ])
  }, 120_000)

  it('pay out over it too', async () => {
    const shop = await app.shop()
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    await chosen(shop, 'mtn', 'DISBURSE')
    const { status, data } = await shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    })
    expect(status).toBe(201)
    await shop.becomes(data.id, 'SUCCESS', 60_000)
    expect(await gatewaysOf(shop, data.id)).toEqual(['simulator_mtn'])
  }, 90_000)

  it('of whom one asks for an imitation that it has not chosen: it is not routed there', async () => {
    const [mtn, plain] = [await app.shop(), await app.shop()]
    await chosen(mtn, 'mtn')
    const { data } = await plain.pay({ preferred_gateway: 'simulator_mtn' })
    expect((await gatewaysOf(plain, data.id))[0]).toBe('simulator_a')
  })
})

it('a change while payments are under way: each ends where it was sent', async () => {
  const shop = await app.shop()
  await chosen(shop, 'mtn')
  const before = await Promise.all(['10', '07', '05'].map((last) => pay(shop, last)))
  await chosen(shop, 'pawapay')
  const between = await Promise.all(['10', '07'].map((last) => pay(shop, last)))
  await chosen(shop, 'pirogue')
  const after = await pay(shop, '10')
  const all = [...before, ...between, after]
  await Promise.all(all.map((id) => shop.becomes(id, 'SUCCESS', 60_000)))
  expect(await Promise.all(all.map((id) => gatewaysOf(shop, id)))).toEqual([
    ...[['simulator_mtn'], ['simulator_mtn'], ['simulator_mtn']],
    ...[['simulator_pawapay'], ['simulator_pawapay'], ['simulator_a']],
  ])
}, 120_000)

it('it outlives its process: another has it, and its payments end', async () => {
  const shop = await app.shop()
  await chosen(shop, 'mtn')
  const open = await pay(shop, '04')
  // As if all had been started anew, and the imitation had another port now.
  const away = JSON.stringify({ base_url: 'http://127.0.0.1:9' })
  await app.owner`
    update gateways set settings = settings || ${away}::text::jsonb where dialect = 'mtn'`
  const second = await app.another()
  await eventually(async () => {
    const [row] = await app.owner<Json[]>`
      select settings->>'base_url' as url from gateways where dialect = 'mtn'`
    expect(row?.url).not.toBe('http://127.0.0.1:9')
  })
  const there = `${second.public_url}/api/v1`
  const listed = await fetch(`${there}/sandbox/dialects/?search=mtn_bj`, {
    headers: { authorization: `Bearer ${shop.key}` },
  })
  const { data }: Json = await listed.json()
  expect(data.results[0]).toMatchObject({ direction: 'COLLECT', dialect: 'mtn' })
  await second.stop()
  const next = await pay(shop, '10')
  await shop.becomes(next, 'SUCCESS', 60_000)
  expect(await gatewaysOf(shop, next)).toEqual(['simulator_mtn'])
  await eventually(async () => {
    expect((await shop.get(`/payments/${open}/verify/`)).data.status).toBe('PENDING')
  })
}, 90_000)

it('it goes with an operator that moves, whenever it was chosen', async () => {
  const { database, config, owner } = app
  const { db } = app.service
  await saveServiceUrl(db, 'simulator', app.simulator.url)
  const log = pino({ level: 'silent' })
  const second = await startService({ ...config, simulator_url: null }, log, {
    connection: connectionTo(database),
    operator: { url: app.simulator.url, own: false },
  })
  onTestFinished(() => second.stop())
  const { merchant_id, key } = await app.shop()
  const shop = shopWith(second.public_url, merchant_id, key)
  await chosen(shop, 'fedapay')
  const where = async () => {
    const [row] = await owner<Json[]>`
      select settings->>'base_url' as url from gateways where dialect = 'fedapay'`
    return row?.url
  }
  const before = await where()
  const secrets = simulatorSecrets(openKeyring(config.secret_key ?? ''))
  const moved = await startSimulator({ port: 0, ...secrets, speed: 10 })
  onTestFinished(() => moved.stop())
  await saveServiceUrl(db, 'simulator', moved.url)
  await eventually(async () => expect(await where()).not.toBe(before), 20_000)
  await shop.becomes(await pay(shop, '10'), 'SUCCESS', 60_000)
}, 120_000)

it('nothing of LIVE is touched: neither an account nor a route of it', async () => {
  const [row] = await app.owner<Json[]>`
    select count(*) filter (where g.environment = 'LIVE')::int as accounts,
           (select count(*)::int from routes r join gateways d on d.id = r.gateway_id
             where d.dialect is not null and r.environment = 'LIVE') as routes
      from gateways g where g.dialect is not null`
  expect(row).toEqual({ accounts: 0, routes: 0 })
})

it('is 503 while the sandbox operator is away, and what was chosen stays', async () => {
  const shop = await app.shop()
  await chosen(shop, 'mtn')
  await app.simulator.stop()
  const reply = await choose(shop, 'pawapay')
  expect(answerOf(reply)).toEqual([503, 'service_unavailable'])
  expect(await spoken(shop)).toMatchObject({ dialect: 'mtn' })
  // The way back needs nobody.
  await chosen(shop, 'pirogue')
})
