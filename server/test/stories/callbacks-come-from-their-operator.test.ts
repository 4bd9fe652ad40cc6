// Where an operator's callbacks come from. An account counts what comes from elsewhere, refuses it
// where staff say so, or does not look. Only the address that a trusted proxy names counts, an
// address that fits proves nothing, and what is refused is neither kept nor makes anybody ask.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWave, type Wave } from '../../../simulator/src/dialects/wave/start.ts'
import { probeToken } from '../../src/attempts/callback-probe.ts'
import { addAccount } from '../../src/gateways/accounts.ts'
import { findAdapter } from '../../src/gateways/adapters.ts'
import { keyringWithMacKeys } from '../../src/platform/crypto/mac-keys.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { refundingShop } from '../setup/refunds.ts'
import { webhookSecret, withWave } from '../setup/wave-account.ts'

const code = 'wave_listed'
const [theirs, elsewhere] = ['203.0.113.7', '198.51.100.1']

let app: TestApp
let wave: Wave
let shop: Shop
let staff: SignedInCaller
let id: string
const logged: Json[] = []

/** A proxy of ours between the operator and the service: it says who called it. */
let caller: string = theirs
type Sent = Readonly<{ body: Buffer; headers: Record<string, string>; status: number }>
const sent: Sent[] = []
const proxy = createServer(async (request, response) => {
  const body = await buffer(request)
  const signature = String(request.headers['wave-signature'] ?? '')
  const headers = { 'content-type': 'application/json', 'wave-signature': signature }
  const status = await call({ body, headers })
  sent.push({ body, headers, status })
  response.writeHead(status).end()
})

/** As the proxy passes it on; `via`: what callers wrote before. */
async function call(
  { body, headers }: Pick<Sent, 'body' | 'headers'>,
  via = caller,
): Promise<number> {
  const forwarded = via === '' ? {} : { 'x-forwarded-for': via }
  const reply = await fetch(`${app.url}/callbacks/${code}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { ...headers, ...forwarded },
  })
  await reply.arrayBuffer()
  return reply.status
}

beforeAll(async () => {
  const stream = { write: (line: string) => void logged.push(JSON.parse(line)) }
  app = await startApp({ env: { TRUST_PROXY: '127.0.0.1' }, log: pino({ level: 'warn' }, stream) })
  wave = await startWave({ port: 0, speed: 4 })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  shop = await refundingShop(app)
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  const { settings, secrets } = withWave(wave)
  const added = await staff.post('/admin/gateways/', {
    ...{ adapter: 'wave', code, country: 'SN', settings, secrets },
  })
  expect(added.status, JSON.stringify(added.body)).toBe(201)
  id = added.data.id
  wave.register({
    ...{ url: `http://127.0.0.1:${port}/`, secrets: [webhookSecret], strategy: 'SIGNING_SECRET' },
  })
  expect((await patch({ is_active: true })).status).toBe(200)
  const route = { network: 'wave_sn', gateway: code, direction: 'COLLECT', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await wave?.stop()
  proxy.close()
})

const patch = (body: object, by: Shop = staff, at = id, headers: object = {}) =>
  by.call('PATCH', `/admin/gateways/${at}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]

async function counted(outcome: string): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const name = `pirogue_gateway_callback_senders_total{gateway="${code}",outcome="${outcome}"}`
  const line = text.split('\n').find((one) => one.startsWith(name))
  return Number(line?.split(' ').at(-1) ?? 0)
}

/** In force in the process that runs: a callback that means nothing is answered so. */
async function ruled(settings: object, answer: number): Promise<void> {
  const changed = await patch({ settings })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  const nothing = { body: Buffer.from('{}'), headers: {} }
  await eventually(async () => expect(await call(nothing, elsewhere)).toBe(answer))
}

let numbers = 0
/** A payment whose payer has paid at the operator; its callback has come, and its attempt. */
async function paidThere(): Promise<Readonly<{ payment: Json; came: Sent }>> {
  numbers += 1
  const phone = `+22177${String(numbers).padStart(5, '0')}10`
  const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
  const body = { country: 'SN', network: 'wave_sn', customer, preferred_gateway: code }
  const { status, data } = await shop.pay(body)
  expect(status, JSON.stringify(data)).toBe(201)
  // Nobody asks by themselves meanwhile.
  await app.owner`
    update attempts set due_at = now() + interval '1 hour' where transaction_id = ${data.id}`
  const before = sent.length
  const page = new URLSearchParams({ act: 'pay' })
  await fetch(data.checkout_url, { method: 'POST', body: page, redirect: 'manual' })
  const came = await eventually(async () => {
    const [first] = sent.slice(before)
    if (first === undefined) throw new Error('no callback yet')
    return first
  })
  return { payment: data, came }
}

const statusOf = async ({ id: of }: Json) => (await shop.get(`/transactions/${of}/`)).data.status

const keptOf = ({ id: of }: Json) => app.owner<Json[]>`
  select c.proof, c.outcome from gateway_callbacks c
    join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
   where a.transaction_id = ${of}`

/** Whether anybody is to ask about it before its hour is over. */
async function isWoken({ id: of }: Json): Promise<boolean> {
  const [row] = await app.owner<{ soon: boolean }[]>`
    select due_at < now() + interval '50 minutes' as soon from attempts
     where transaction_id = ${of}`
  return row?.soon ?? false
}

describe('an account whose operator publishes no addresses', () => {
  it('compares callbacks with none, says so, and cannot be told to refuse what it does not know', async () => {
    const shown = await staff.get(`/admin/gateways/${id}/`)
    expect(shown.data.callback_senders).toEqual({ ip_list: 'LOG', addresses: [] })
    const { payment, came } = await paidThere()
    expect([came.status, await statusOf(payment)]).toEqual([200, 'SUCCESS'])
    expect([await counted('known'), await counted('unexpected')]).toEqual([0, 0])
    const refused = await patch({ settings: { ip_list: 'ENFORCE' } })
    expect(fieldsOf(refused)).toEqual([400, ['settings.ip_list']])
    expect(JSON.stringify(refused.error)).toContain('ip_list_more')
  })

  it('400: takes no rule and no address that is none', async () => {
    for (const [settings, field] of [
      [{ ip_list: 'enforce' }, 'settings.ip_list'],
      [{ ip_list_more: '203.0.113.300' }, 'settings.ip_list_more'],
      [{ ip_list_more: '203.0.113.7;198.51.100.1' }, 'settings.ip_list_more'],
      [{ ip_list_more: '0.0.0.0/0' }, 'settings.ip_list_more'],
    ] as const) {
      const reply = await patch({ settings })
      expect(fieldsOf(reply), JSON.stringify(settings)).toEqual([400, [field]])
    }
  })
})

describe('a callback from elsewhere', () => {
  it('is taken, counted and logged where the account says LOG, as it does unless told', async () => {
    await ruled({ ip_list_more: '203.0.113.0/24' }, 404)
    await eventually(async () => {
      await call({ body: Buffer.from('{}'), headers: {} }, elsewhere)
      expect(await counted('unexpected')).toBeGreaterThan(0)
    })
    const [known, unexpected] = [await counted('known'), await counted('unexpected')]
    caller = elsewhere
    const { payment, came } = await paidThere()
    expect([came.status, await statusOf(payment)]).toEqual([200, 'SUCCESS'])
    expect(await keptOf(payment)).toMatchObject([{ proof: 'SIGNED', outcome: 'APPLIED' }])
    expect(await counted('unexpected')).toBe(unexpected + 1)
    expect(logged).toContainEqual(
      expect.objectContaining({ gateway: code, outcome: 'unexpected', ip: elsewhere }),
    )
    caller = theirs
    await paidThere()
    expect([await counted('known'), await counted('unexpected')]).toEqual([
      ...[known + 1, unexpected + 1],
    ])
  })

  it('403: is refused where it says ENFORCE, is not kept, and makes nobody ask', async () => {
    await ruled({ ip_list: 'ENFORCE' }, 403)
    const refused = await counted('refused')
    caller = elsewhere
    const { payment, came } = await paidThere()
    expect([came.status, await statusOf(payment)]).toEqual([403, 'PENDING'])
    expect([await keptOf(payment), await isWoken(payment)]).toEqual([[], false])
    expect(await counted('refused')).toBe(refused + 1)
    // The address that is nearest to a proxy of ours counts, whatever is written before it.
    for (const via of [`${theirs}, ${elsewhere}`, `${theirs},nonsense`, '']) {
      expect(await call(came, via), via).toBe(403)
    }
    expect([await keptOf(payment), await statusOf(payment)]).toEqual([[], 'PENDING'])
    const reply = await fetch(`${app.url}/callbacks/${code}`, { method: 'POST', body: '{}' })
    expect(await reply.json()).toMatchObject({ error: { code: 'callback_sender_refused' } })
    // The true one counts, by way of whatever is before it.
    expect(await call(came, `${elsewhere}, ${theirs}`)).toBe(200)
    await shop.becomes(payment.id, 'SUCCESS')
    expect(await keptOf(payment)).toMatchObject([{ proof: 'SIGNED' }])
  })

  it('is judged before its body is read: of any length it is refused so', async () => {
    const long = { body: Buffer.alloc(60_000, 0x20), headers: {} }
    expect([await call(long, elsewhere), await call(long, theirs)]).toEqual([403, 404])
    const other = await fetch(`${app.url}/callbacks/nobody`, { method: 'POST', body: '{}' })
    expect(other.status).toBe(404)
  })

  it('that is our own is let through: it asks whether we are reached', async () => {
    const macs = await keyringWithMacKeys(
      ...([app.service.db, openKeyring(app.config.secret_key ?? ''), []] as const),
    )
    const nonce = randomBytes(16)
    const token = probeToken(macs, { gateway_code: code, nonce, expires_ms: Date.now() + 60_000 })
    const address = `${app.url}/callbacks/${code}`
    const probe = await fetch(`${address}/${token}`, { method: 'POST', body: '{}' })
    const other = await fetch(address, { method: 'POST', body: '{}' })
    expect([probe.status, other.status]).toEqual([200, 403])
  })

  it('is not looked at where it says OFF', async () => {
    await ruled({ ip_list: 'OFF' }, 404)
    const before = [await counted('known'), await counted('unexpected'), await counted('refused')]
    caller = elsewhere
    const { came } = await paidThere()
    expect(came.status).toBe(200)
    expect([
      ...[await counted('known'), await counted('unexpected'), await counted('refused')],
    ]).toEqual(before)
  })
})

describe('an address that fits', () => {
  it('proves nothing: without a signature it is a hint, from there as from anywhere', async () => {
    await ruled({ ip_list: 'ENFORCE' }, 403)
    caller = elsewhere
    const { payment, came } = await paidThere()
    expect(came.status).toBe(403)
    expect(await call({ body: came.body, headers: {} }, `::ffff:${theirs}`)).toBe(200)
    expect(await keptOf(payment)).toEqual([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
    const { status_logs } = await shop.becomes(payment.id, 'SUCCESS', 30_000)
    expect(status_logs).toMatchObject([{ triggered_by: 'POLLER' }])
    // What means no payment is answered as ever.
    const nothing = { body: Buffer.from('{}'), headers: {} }
    expect(await call(nothing, theirs)).toBe(404)
  })
})

describe('the rule of an account', () => {
  it('is shown, kept in the audit log, and changes while payments are with the operator', async () => {
    const shown = await staff.get(`/admin/gateways/${id}/`)
    expect(shown.data).toMatchObject({
      ...{ is_active: true, settings: { ip_list: 'ENFORCE', ip_list_more: '203.0.113.0/24' } },
      callback_senders: { ip_list: 'ENFORCE', addresses: ['203.0.113.0/24'] },
    })
    const changes = await app.owner<Json[]>`
      select actor_id, before, after from audit_logs
       where target_id = ${id} and action = 'gateway.changed' order by created_at, id`
    expect(changes).toContainEqual({
      actor_id: staff.person_id,
      before: { 'settings.ip_list': '' },
      after: { 'settings.ip_list': 'ENFORCE' },
    })
    const operators = await staff.get('/admin/operators/?page_size=50')
    for (const { settings } of operators.data.results) {
      const keys = settings.map(({ key }: Json) => key)
      expect(keys).toEqual(expect.arrayContaining(['ip_list', 'ip_list_more']))
    }
  })

  it('of LIVE takes two people, to make it looser as to make it stricter', async () => {
    const module = findAdapter('pawapay')
    if (module === undefined) throw new Error('no pawapay')
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    const made = await addAccount(deps, module, {
      ...({ code: 'pawapay_listed', name: 'pawaPay', environment: 'LIVE', country: 'BJ' } as const),
      settings: {},
    })
    const live = { 'x-environment': 'LIVE' }
    const other = await app.staff({ role: 'OPERATIONS' })
    for (const ip_list of ['ENFORCE', 'OFF']) {
      const proposed = await patch({ settings: { ip_list } }, staff, made.id, live)
      expect([proposed.status, proposed.data.kind]).toEqual([202, 'GATEWAY_ACCOUNT'])
      expect(proposed.data.content).toMatchObject({ 'settings.ip_list': ip_list })
      const done = await other.post(`/admin/proposals/${proposed.data.id}/confirm/`)
      expect(done.status).toBe(200)
      const { data } = await staff.get(`/admin/gateways/${made.id}/`, live)
      expect(data.callback_senders.ip_list).toBe(ip_list)
      expect(data.callback_senders.addresses).toHaveLength(6)
    }
  })
})
