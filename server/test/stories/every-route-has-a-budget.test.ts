// Whoever comes without a credential finds a budget at each door, and the sandbox takes nothing
// from LIVE. Without these, a stranger fills the disk, hides what matters under a thousand
// incidents, or keeps every payer of the platform out.

import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { applyCallback } from '../../src/attempts/apply-callback.ts'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { matchCallbacks } from '../../src/attempts/match-callbacks.ts'
import type { CallbackDeps } from '../../src/attempts/receive-callback.ts'
import { openUnmatchedCallback } from '../../src/incidents/open-unmatched.ts'
import { listOpenIncidents } from '../../src/incidents/store.ts'
import { platformMerchant } from '../../src/ledger/account.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { idFromHash, newId } from '../../src/platform/ids.ts'
import { newTally } from '../../src/platform/throttle/throttle.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { openPaymentFixture, type PaymentFixture, softpayOf } from '../setup/scripted-operator.ts'
import { type CallbackServer, serveCallbacks } from '../setup/serve-callbacks.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app?.stop())

const noise = () => randomBytes(40).toString('base64')

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

const storedOf = async (attempt_id: string | null) => {
  const [row] = await app.owner<{ n: number }[]>`
    select count(*)::int as n from gateway_callbacks
     where attempt_id is not distinct from ${attempt_id}`
  return row?.n
}

describe('a gateway that calls each payment’s own address', () => {
  it('has no address without a token: nothing is kept, whatever is sent', async () => {
    for (const body of [noise(), '{}', 'x'.repeat(1_000_000)]) {
      const reply = await post(`${app.url}/callbacks/simulator_a`, body).catch(() => undefined)
      // Of a megabyte not a byte is read: the connection may end before all of it is sent.
      expect([404, undefined]).toContain(reply?.status)
    }
    expect(await storedOf(null)).toBe(0)
  })

  it('reads no body at an address whose seal is wrong, and no long one at a right one', async () => {
    const { data } = await shop.pay({ customer: newPayer('04') })
    const [attempt] = await app.owner<{ id: string }[]>`
      select id from attempts where transaction_id = ${data.id}`
    const id = attempt?.id ?? ''
    const macs = openKeyring(app.config.secret_key ?? '')
    const token = callbackToken(macs, { merchant_id: shop.merchant_id, id })
    const wrong = `${token.slice(0, -4)}AAAA`
    expect((await post(`${app.url}/callbacks/simulator_a/${wrong}`, '{}')).status).toBe(404)
    const long = await post(`${app.url}/callbacks/simulator_a/${token}`, 'x'.repeat(70_000))
    expect(long.status).toBe(413)
    expect(await storedOf(id)).toBe(0)
  })

  it('has what nobody signed kept twenty times at most, and every signed word heard', async () => {
    const { data } = await shop.pay({ customer: newPayer('04') })
    const [attempt] = await app.owner<Json[]>`
      select id, our_key, external_reference, gateway_code from attempts
       where transaction_id = ${data.id}`
    const keyring = openKeyring(app.config.secret_key ?? '')
    const token = callbackToken(keyring, { merchant_id: shop.merchant_id, id: attempt.id })
    const url = `${app.url}/callbacks/${attempt.gateway_code}/${token}`
    for (let i = 0; i < 30; i += 1) expect((await post(url, noise())).status).toBe(200)
    expect(await storedOf(attempt.id)).toBe(20)
    const body = JSON.stringify({
      event_id: 'EV-1',
      id: attempt.external_reference,
      reference: attempt.our_key,
      amount: '5163',
      currency: 'XOF',
      status: 'SUCCESSFUL',
    })
    const at = String(Math.floor(Date.now() / 1000))
    const { callback_secret } = simulatorSecrets(keyring)
    const signature = createHmac('sha256', callback_secret).update(`${at}.${body}`).digest('hex')
    const signed = await post(url, body, { 'x-sim-timestamp': at, 'x-sim-signature': signature })
    expect(signed.status).toBe(200)
    await shop.becomes(data.id, 'SUCCESS')
    expect(await storedOf(attempt.id)).toBe(21)
  })

  it('cannot be made to keep more by another door: the table refuses long bodies', async () => {
    const long = app.owner`
      insert into gateway_callbacks (merchant_id, id, environment, gateway_id, proof, raw,
        body_hash, outcome)
      select ${platformMerchant.SANDBOX}, ${newId()}, 'SANDBOX', id, 'SIGNED',
             ${Buffer.alloc(65_537)}, '\\x00', 'WAITING' from gateways where code = 'simulator_a'`
    await expect(long).rejects.toThrow('gateway_callbacks_raw_bounded')
  })
})

describe('a gateway with one address for all', () => {
  let fixture: PaymentFixture
  let server: CallbackServer
  let url: string
  let gateway_id: string
  const most = 40

  beforeAll(async () => {
    fixture = await openPaymentFixture('STATIC')
    const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
    gateway_id = rows.find(({ code }) => code === 'simulator_a')?.id ?? ''
    fixture.one.readCallback = ({ body }) =>
      `${body}`.startsWith('{')
        ? JSON.parse(`${body}`)
        : { proof: 'UNSIGNED', key: '', answer: lost }
    const callbacks = {
      ...fixture.deps,
      gateway_ids: new Map(rows.map((row) => [row.code, { ...row, environment: 'SANDBOX' }])),
      apply: (signed: Parameters<typeof applyCallback>[1]) => applyCallback(fixture.deps, signed),
      wakePoller: () => undefined,
      limits: { unmatched_callbacks_per_ip_hour: 1000, unmatched_callbacks_per_gateway_hour: most },
      // A clock that stands: the minute does not change while its budget is spent.
      tally: newTally(() => 0),
    } as const
    // The codes and environments of the seeds.
    server = await serveCallbacks(callbacks as unknown as CallbackDeps)
    url = `${server.url}/callbacks/simulator_a`
  })
  afterAll(async () => {
    await server?.close()
    await fixture?.stop()
  })

  const lost = { is: 'unknown', because: 'unreadable' } as const
  const signed = (key: string) =>
    JSON.stringify({ proof: 'SIGNED', key, answer: lost, at: noise() })
  const waiting = () => fixture.owner<{ proof: string }[]>`
    select proof from gateway_callbacks where attempt_id is null and due_at is not null`

  const matching = () => ({
    db: fixture.db,
    gateways: fixture.deps.gateways,
    gateway_ids: new Map([['simulator_a', { id: gateway_id, environment: 'SANDBOX' as const }]]),
    apply: (signed: Parameters<typeof applyCallback>[1]) => applyCallback(fixture.deps, signed),
    openUnmatched: (callback: Parameters<typeof openUnmatchedCallback>[1]) =>
      openUnmatchedCallback(fixture.db, callback),
  })

  it('keeps nothing that nobody signed, and soon does not look', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 700 }, async () => (await post(url, noise())).status),
    )
    expect(statuses.filter((status) => status === 404)).toHaveLength(600)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100)
    expect(await waiting()).toEqual([])
  })

  it('keeps what is signed and means nobody up to its budget, and hears the honest ones', async () => {
    const { body: data } = await fixture.call('initialize', { body: softpayOf() })
    const [attempt] = await fixture.attemptsOf(data.id)
    const statuses: number[] = []
    for (let i = 0; i < most + 10; i += 1) statuses.push((await post(url, signed(noise()))).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(most)
    const refused = await post(url, signed(noise()))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await waiting()).toHaveLength(most)
    expect((await post(url, signed(attempt.our_key))).status).toBe(200)
    const [recorded] = await fixture.owner`
      select outcome from gateway_callbacks where attempt_id = ${attempt.id}`
    expect(recorded).toEqual({ outcome: 'WOKE' })
  })

  it('opens one incident for an hour of them, and none for what nobody signed', async () => {
    const unsigned = idFromHash(Date.now(), randomBytes(32))
    await fixture.owner`
      insert into gateway_callbacks (merchant_id, id, environment, gateway_id, proof, body,
        body_hash, outcome, due_at)
      values (${platformMerchant.SANDBOX}, ${unsigned}, 'SANDBOX', ${gateway_id}, 'UNSIGNED', 'x',
              '\\x00', 'WAITING', now())`
    await fixture.owner`
      update gateway_callbacks set due_at = now() - interval '1 s', created_at = now() - interval '16 minutes'
       where attempt_id is null`
    expect(await matchCallbacks(matching())).toBe('rest')
    expect(await waiting()).toEqual([])
    const opened = (await listOpenIncidents(fixture.owner, 1000)).filter(
      ({ type }) => type === 'UNMATCHED_CALLBACK',
    )
    // Two only where the clock's hour changed while they were looked at.
    expect(opened.length).toBeGreaterThan(0)
    expect(opened.length).toBeLessThan(3)
    expect(opened.map(({ callback_id }) => callback_id)).not.toContain(unsigned)
  })

  it('finds an honest one behind two hundred others and one that cannot be read', async () => {
    const { body: data } = await fixture.call('initialize', { body: softpayOf() })
    const [attempt] = await fixture.attemptsOf(data.id)
    const one = fixture.one.readCallback
    fixture.one.readCallback = (received) => {
      if (`${received.body}` === 'poison') throw new Error('an adapter’s bug')
      return one(received)
    }
    await fixture.owner`
      insert into gateway_callbacks (merchant_id, id, environment, gateway_id, proof, body,
        body_hash, outcome, due_at)
      select ${platformMerchant.SANDBOX}, gen_random_uuid(), 'SANDBOX', ${gateway_id}, 'SIGNED',
             case n when 1 then 'poison' when 201 then ${signed(attempt.our_key)} else 'x' end,
             '\\x00', 'WAITING', now() - (300 - n) * interval '1 second'
        from generate_series(1, 201) n`
    const seen: unknown[] = []
    for (let i = 0; i < 5; i += 1) {
      seen.push(await matchCallbacks(matching()).catch((error: Error) => error.message))
    }
    fixture.one.readCallback = one
    expect(seen).toEqual(['an adapter’s bug', 'more', 'more', 'more', 'rest'])
    const [found] = await fixture.owner`
      select outcome from gateway_callbacks where body like ${`%${attempt.our_key}%`}
         and attempt_id is null`
    expect(found).toEqual({ outcome: 'WOKE' })
  })
})

/** LIVE on the sandbox operator, so that the same phone can be asked in both environments. */
async function openLive() {
  const id = newId()
  await app.owner`
    insert into gateways (id, code, name, adapter, environment)
    values (${id}, 'live_a', 'Live', 'simulator', 'LIVE')`
  await app.owner`
    insert into routes (id, network_id, direction, gateway_id, environment, priority)
    select gen_random_uuid(), network_id, direction, ${id}, 'LIVE', priority from routes
     where direction = 'COLLECT' and environment = 'SANDBOX' and priority = 1`
  await app.owner`update catalogue_version set version = version + 1`
}

describe('the limit on prompts', () => {
  it('of the sandbox takes nothing from LIVE, and is counted where it refuses', async () => {
    await openLive()
    const few = await app.another({ LIMIT_PHONE_PROMPTS_10MIN: '2' })
    try {
      const sandbox = await app.shop()
      const live = await app.shop({ environment: 'LIVE', live: true })
      const pay = async ({ key }: Shop, customer: Json) => {
        const body = { amount: '5000', currency: 'XOF', country: 'BJ', network: 'mtn_bj', customer }
        const reply = await post(
          `${few.public_url}/api/v1/payments/softpay/initialize/`,
          JSON.stringify(body),
          { authorization: `Bearer ${key}` },
        )
        return reply.status
      }
      const customer = newPayer('04')
      for (const status of [201, 201, 429, 429]) {
        expect(await pay(sandbox, customer)).toBe(status)
      }
      for (const status of [201, 201, 429]) expect(await pay(live, customer)).toBe(status)
      const text = await (await fetch(`${few.public_url}/metrics`)).text()
      const dropped = (environment: string) =>
        Number(
          new RegExp(
            `^pirogue_prompts_refused_total\\{environment="${environment}"\\} (\\d+)$`,
            'm',
          )
            .exec(text)
            ?.at(1),
        )
      expect([dropped('SANDBOX'), dropped('LIVE')]).toEqual([2, 1])
    } finally {
      await few.stop()
    }
  })
})

describe('who watches', () => {
  it.each([{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://pay.example.com' }])(
    'is nobody without a token where others can call, embedded or not: %o',
    async (env) => {
      const far = await app.another({ ...env, ROLE: 'api' })
      try {
        const at = `http://127.0.0.1:${far.port}`
        expect((await fetch(`${at}/metrics`)).status).toBe(404)
        const stranger = await fetch(`${at}/readyz`, {
          headers: { 'x-forwarded-for': '192.0.2.7' },
        })
        expect(Object.keys(Object(await stranger.json()))).toEqual(['status'])
      } finally {
        await far.stop()
      }
    },
  )

  it('brings a token where the database is our own to guard; nobody else learns anything', async () => {
    const token = randomBytes(24).toString('base64url')
    const shut = await app.another({ METRICS_TOKEN: token })
    try {
      const ask = (path: string, headers: Record<string, string> = {}) =>
        fetch(`${shut.public_url}${path}`, { headers })
      const bearer = { authorization: `Bearer ${token}` }
      expect((await ask('/metrics')).status).toBe(404)
      expect((await ask('/metrics', { authorization: `Bearer ${token}x` })).status).toBe(404)
      expect((await ask('/metrics', { authorization: 'Bearer ' })).status).toBe(404)
      const metrics = await ask('/metrics', bearer)
      expect(metrics.status).toBe(200)
      // A second scrape within five seconds asks the database nothing.
      const clock = async () =>
        /^pirogue_clock_ahead_seconds .*$/m.exec(await (await ask('/metrics', bearer)).text())?.[0]
      expect(await clock()).toBe(await clock())
      await eventually(async () => expect((await ask('/readyz')).status).toBe(200))
      const stranger = await ask('/readyz', { 'x-forwarded-for': '192.0.2.7' })
      expect(await stranger.json()).toEqual({ status: 'ready' })
      const parts = { database: 'ok', migrations: 'ok', worker: 'ok', clock: 'ok' }
      const details = { status: 'ready', ...parts }
      const ready = await ask('/readyz', { 'x-forwarded-for': '192.0.2.7', ...bearer })
      expect(await ready.json()).toEqual(details)
      // A health check on the same machine, as the runbooks write it.
      expect(await (await ask('/readyz')).json()).toEqual(details)
    } finally {
      await shut.stop()
    }
  })
})
