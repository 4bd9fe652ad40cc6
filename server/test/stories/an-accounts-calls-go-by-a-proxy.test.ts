// Calls of an account with an operator go through the proxy that staff name: its payments, its
// checks and the questions about both. What the proxy refuses was never sent and goes elsewhere;
// what it loses is unknown and is asked about. Its login comes out nowhere.

import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWave, type Wave } from '../../../simulator/src/dialects/wave/start.ts'
import { addAccount } from '../../src/gateways/accounts.ts'
import { findAdapter } from '../../src/gateways/adapters.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { type ConnectProxy, serveProxy } from '../setup/connect-proxy.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { refundingShop } from '../setup/refunds.ts'
import { encodingsOf } from '../setup/secrets-in-sight.ts'
import { webhookSecret, withWave } from '../setup/wave-account.ts'
import { wholeDump } from '../setup/whole-dump.ts'

const code = 'wave_by_proxy'
const login = 'pirogue:a-word-of-the-proxy'

let app: TestApp
let wave: Wave
let proxy: ConnectProxy
let shop: Shop
let staff: SignedInCaller
let id: string
/** Each line that the service logged, of any weight; each answer that staff had. */
const logged: string[] = []
const answers: string[] = []

beforeAll(async () => {
  app = await startApp({ log: pino({ level: 'trace' }, { write: (line) => logged.push(line) }) })
  wave = await startWave({ port: 0, speed: 4 })
  proxy = await serveProxy({ login })
  shop = await refundingShop(app)
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  const { settings, secrets } = withWave(wave)
  const added = await noted(
    staff.post('/admin/gateways/', {
      ...{ adapter: 'wave', code, country: 'SN' },
      settings: { ...settings, egress_proxy: proxy.url },
      secrets: { ...secrets, egress_proxy_login: login },
    }),
  )
  expect(added.status, JSON.stringify(added.body)).toBe(201)
  id = added.data.id
  wave.register({
    ...{ url: `${app.url}/callbacks/${code}`, secrets: [webhookSecret] },
    strategy: 'SIGNING_SECRET',
  })
  expect((await patch({ is_active: true })).status).toBe(200)
  const route = { network: 'wave_sn', gateway: code, direction: 'COLLECT', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await wave?.stop()
  await proxy?.close()
})

async function noted(call: Promise<Reply>): Promise<Reply> {
  const reply = await call
  answers.push(JSON.stringify([reply.body, [...reply.headers]]))
  return reply
}

const patch = (body: object, by: Shop = staff, at = id, headers: object = {}) =>
  noted(
    by.call('PATCH', `/admin/gateways/${at}/`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    }),
  )
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const placeOf = (url: string) => new URL(url).host

let numbers = 0
async function begun(last = '10'): Promise<Json> {
  numbers += 1
  const phone = `+22177${String(numbers).padStart(5, '0')}${last}`
  const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
  const body = { country: 'SN', network: 'wave_sn', customer, preferred_gateway: code }
  const { status, data } = await shop.pay(body)
  expect(status, JSON.stringify(data)).toBe(201)
  return data
}

const attemptsOf = async ({ id: of }: Json): Promise<Json[]> =>
  (await shop.get(`/transactions/${of}/`)).data.attempts
const gatewaysOf = async (payment: Json) =>
  (await attemptsOf(payment)).map(({ gateway_code }) => gateway_code)

/** A connection that is open is used again, whatever becomes of the next. */
async function withoutTunnels(): Promise<void> {
  proxy.cut()
  await new Promise((resolve) => setTimeout(resolve, 100))
}

async function checked(): Promise<Record<string, Json>> {
  const { data } = await noted(staff.post(`/admin/gateways/${id}/check/`))
  return Object.fromEntries(data.findings.map((one: Json) => [one.what, one]))
}

describe('an account with a proxy', () => {
  it('pays and asks through it, and the proxy sees where to', async () => {
    const payment = await begun()
    expect(await gatewaysOf(payment)).toEqual([code])
    const page = new URLSearchParams({ act: 'pay' })
    await fetch(payment.checkout_url, { method: 'POST', body: page, redirect: 'manual' })
    await shop.becomes(payment.id, 'SUCCESS')
    expect(proxy.asked.length).toBeGreaterThan(0)
    const authorization = `Basic ${Buffer.from(login).toString('base64')}`
    for (const one of proxy.asked) expect(one).toEqual({ to: placeOf(wave.url), authorization })
    const other = await shop.pay({})
    await shop.becomes(other.data.id, 'SUCCESS')
    expect(new Set(proxy.asked.map(({ to }) => to))).toEqual(new Set([placeOf(wave.url)]))
  })

  it('is checked through it, and the check says which way its calls take', async () => {
    const asked = proxy.asked.length
    const found = await checked()
    expect(found['proxy']).toMatchObject({ is: 'PASS', found: `${proxy.url} lets us through` })
    expect(found['addresses that our calls leave from']?.found).toContain(proxy.url)
    expect(found['name']).toBeUndefined()
    expect(proxy.asked.length).toBeGreaterThan(asked)
  })

  it.each([
    [407, 'does not know who comes', 'egress_proxy_login'],
    [403, 'status 403', 'let us through to'],
    ['hangs up', 'does not answer', 'Compare egress_proxy'],
  ] as const)('has what is wrong with it named: %s', async (way, says, fix) => {
    proxy.does(way)
    const found = await checked().finally(() => proxy.does('lets through'))
    expect(found['proxy']?.is).toBe('FAIL')
    expect(found['proxy']?.found).toContain(says)
    expect(found['proxy']?.fix).toContain(fix)
    // Nothing was asked of the operator: no remedy speaks of its address.
    expect(Object.keys(found).at(-1)).toBe('proxy')
  })
})

describe('a payment', () => {
  it.each([502, 503, 504, 'hangs up'] as const)(
    'that the proxy does not let through was never sent, and goes elsewhere: %s',
    async (way) => {
      const sessions = wave.books().length
      await app.owner`
        update route_health set skip_until = null, skip_reason = '', failures = 0`
      proxy.does(way)
      await withoutTunnels()
      const payment = await begun().finally(() => proxy.does('lets through'))
      expect((await gatewaysOf(payment)).slice(0, 2)).toEqual([code, expect.any(String)])
      expect((await gatewaysOf(payment))[1]).not.toBe(code)
      expect(wave.books()).toHaveLength(sessions)
    },
  )

  it('whose answer the proxy loses is unknown, goes nowhere else, and is asked about', async () => {
    const sessions = wave.books().length
    proxy.does('dies midway')
    await withoutTunnels()
    const payment = await begun('05').finally(() => proxy.does('lets through'))
    expect([await gatewaysOf(payment), payment.status]).toEqual([[code], 'PENDING'])
    expect(wave.books()).toHaveLength(sessions + 1)
    await eventually(async () => {
      await app.owner`
        update attempts set due_at = now() - interval '1 second', asked_at = null
         where transaction_id = ${payment.id} and finished_at is null`
      expect((await shop.get(`/transactions/${payment.id}/`)).data.status).toBe('SUCCESS')
    }, 60_000)
    expect(await gatewaysOf(payment)).toEqual([code])
  }, 90_000)
})

describe('the proxy of an account', () => {
  it('400: is an address without a login, and a login is of its own form', async () => {
    const { secrets } = withWave(wave)
    for (const egress_proxy of [
      ...['10.0.0.5:3128', 'https://10.0.0.5:3128', 'http://10.0.0.5', 'http://10.0.0.5:99999'],
      ...[`http://${login}@10.0.0.5:3128`, 'http://10.0.0.5:3128/path', 'socks5://10.0.0.5:1080'],
    ]) {
      const reply = await patch({ settings: { egress_proxy } })
      expect(fieldsOf(reply), egress_proxy).toEqual([400, ['settings.egress_proxy']])
    }
    const set = { secrets: { ...secrets, egress_proxy_login: 'without-a-colon' } }
    const reply = await noted(staff.post(`/admin/gateways/${id}/secrets/`, set))
    expect(fieldsOf(reply)).toEqual([400, ['secrets.egress_proxy_login']])
    expect(JSON.stringify(reply.body)).not.toContain('without-a-colon')
  })

  it('is one that the service names where no address is free to choose', async () => {
    const named = 'http://10.0.0.5:3128'
    const strict = await app.another({
      ...{ WEBHOOK_ALLOW_PRIVATE: 'false', EGRESS_PROXIES: named, ROLE: 'api' },
    })
    const module = findAdapter('pawapay')
    if (module === undefined) throw new Error('no pawapay')
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    const made = await addAccount(deps, module, {
      ...({ code: 'pawapay_out', name: 'pawaPay', environment: 'LIVE', country: 'BJ' } as const),
      settings: {},
    })
    const there = shopWith(strict.public_url, '', staff.key)
    const change = (egress_proxy: string) =>
      patch({ settings: { egress_proxy } }, there, made.id, { 'x-environment': 'LIVE' })
    for (const inside of ['http://169.254.169.254:80', 'http://127.0.0.1:5432', proxy.url]) {
      expect(fieldsOf(await change(inside)), inside).toEqual([400, ['settings.egress_proxy']])
    }
    const body = { adapter: 'pawapay', code: 'pawapay_in', country: 'BJ' }
    const settings = { egress_proxy: 'http://127.0.0.1:5432' }
    const added = await noted(there.post('/admin/gateways/', { ...body, settings }))
    expect(fieldsOf(added)).toEqual([400, ['settings.egress_proxy']])
    const proposed = await change(named)
    expect([proposed.status, proposed.data.content['settings.egress_proxy']]).toEqual([202, named])
    // One that the command line has set stays, and keeps nothing else from being changed.
    const set = await addAccount(deps, module, {
      ...({ code: 'pawapay_set', name: 'pawaPay', environment: 'LIVE', country: 'BJ' } as const),
      settings: { egress_proxy: 'http://10.9.9.9:3128' },
    })
    const live = { 'x-environment': 'LIVE' }
    const other = await patch({ settings: { ip_list: 'ENFORCE' } }, there, set.id, live)
    expect([other.status, other.data?.content?.['settings.ip_list']]).toEqual([202, 'ENFORCE'])
    const moved = { settings: { egress_proxy: 'http://10.9.9.8:3128' } }
    expect(fieldsOf(await patch(moved, there, set.id, live))).toEqual([
      ...[400, ['settings.egress_proxy']],
    ])
    await strict.stop()
  }, 30_000)

  it('changes while payments are with the operator, shown to all, its login to nobody', async () => {
    const shown = await noted(staff.get(`/admin/gateways/${id}/`))
    expect(shown.data).toMatchObject({ is_active: true, settings: { egress_proxy: proxy.url } })
    const straight = await patch({ settings: { egress_proxy: '' } })
    expect([straight.status, straight.data.settings.egress_proxy]).toEqual([200, undefined])
    // What the proxy did in the stories before has made the route rest.
    await app.owner`
      update route_health
         set turned_at = now(), broken_since = null, skip_until = null, skip_reason = ''`
    await eventually(async () => {
      const before = proxy.asked.length
      await withoutTunnels()
      expect((await gatewaysOf(await begun()))[0]).toBe(code)
      expect(proxy.asked.length).toBe(before)
    })
    const everything = [...answers, ...logged, await wholeDump(app.database)].join('\n')
    for (const secret of [login, 'a-word-of-the-proxy']) {
      for (const form of encodingsOf(secret)) expect(everything).not.toContain(form)
    }
  }, 60_000)
})
