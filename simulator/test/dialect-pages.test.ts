// The pages of imitations lie at the operator's own address, which payers' browsers reach. Their
// wires do not: no path, no header and no form of a request leads from there to one.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Simulator, startSimulator } from '../src/start.ts'
import { callback_secret, startReceiver, token, until } from './harness.ts'

let dir: string
let operator: Simulator
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pirogue-pages-'))
})
afterEach(async () => {
  await operator?.stop()
  await rm(dir, { recursive: true })
})

const start = async (public_url?: string, speed = 20) => {
  const journal = path.join(dir, 'simulator.jsonl')
  const at = public_url === undefined ? {} : { public_url }
  operator = await startSimulator({ port: 0, token, callback_secret, journal, speed, ...at })
  return operator
}

type Json = ReturnType<typeof JSON.parse>
type Opened = Readonly<{ wire: string; secrets: Readonly<Record<string, string>> }>

async function opened(name: string, callback_url = operator.url): Promise<Opened> {
  const reply = await fetch(`${operator.url}/dialects/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ callback_url }),
  })
  expect(reply.status).toBe(200)
  const { port, secrets }: Json = await reply.json()
  return { wire: `http://127.0.0.1:${port}`, secrets }
}

const back = 'https://shop.example/back?order=1'

/** A payment on each wire: its page, and how it stands there. */
type Made = Readonly<{ page: string; credential: string; status(): Promise<string> }>

async function madeAtOrange(notif_url = 'http://127.0.0.1:9/'): Promise<Made> {
  const { wire, secrets } = await opened('orange')
  const basic = Buffer.from(`${secrets['client_id']}:${secrets['client_secret']}`)
  const issued = await fetch(`${wire}/oauth/v3/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic.toString('base64')}`, accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token }: Json = await issued.json()
  const credential = `Bearer ${access_token}`
  const order = { order_id: 'ORDER1', amount: 500 }
  const call = async (what: string, body: object): Promise<Json> => {
    const reply = await fetch(`${wire}/orange-money-webpay/dev/v1/${what}`, {
      method: 'POST',
      headers: { authorization: credential, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return reply.json()
  }
  const { payment_url, pay_token } = await call('webpayment', {
    ...{ ...order, merchant_key: secrets['merchant_key'], currency: 'OUV', lang: 'fr' },
    ...{ return_url: back, cancel_url: back, notif_url, reference: 'Shop' },
  })
  const status = async () => (await call('transactionstatus', { ...order, pay_token })).status
  return { page: payment_url, credential, status }
}

async function madeAtStripe(events_to?: string): Promise<Made> {
  const { wire, secrets } = await opened('stripe', events_to)
  const credential = `Bearer ${secrets['secret_key']}`
  const headers = { authorization: credential }
  const reply = await fetch(`${wire}/v1/checkout/sessions`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({
      ...{ mode: 'payment', 'payment_method_types[0]': 'card', client_reference_id: 'one' },
      ...{ 'metadata[attempt]': 'one', 'line_items[0][quantity]': '1' },
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '5163',
      'line_items[0][price_data][product_data][name]': '<img src=x> "Basket"',
      ...{ success_url: back, cancel_url: back },
      expires_at: String(Math.floor(Date.now() / 1000) + 2_000),
    }),
  })
  const { id, url }: Json = await reply.json()
  const status = async () => {
    const shown = await fetch(`${wire}/v1/checkout/sessions/${id}`, { headers })
    return ((await shown.json()) as Json).status
  }
  return { page: url, credential, status }
}

const press = (page: string, what: Record<string, string>) =>
  fetch(page, { method: 'POST', body: new URLSearchParams(what), redirect: 'manual' })

/** A request as it is written, because a client would tidy its address. */
async function raw(at: string, head: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(at)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  socket.end([...head, ...length, 'connection: close', '', body].join('\r\n'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * What reached the wire meanwhile, by its own word: what it refuses looks like a refusal of the
 * operator's own.
 */
async function reachedBy(wire: string, tricks: () => Promise<unknown>): Promise<string[]> {
  const reached: string[] = []
  const { port } = new URL(wire)
  const note = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    if (String(request.socket.localPort) === port) reached.push(`${request.method} ${request.url}`)
  }
  subscribe('http.server.request.start', note)
  try {
    await tricks()
  } finally {
    unsubscribe('http.server.request.start', note)
  }
  return reached
}

const wires = {
  orange: {
    make: madeAtOrange,
    paths: [
      '/oauth/v3/token',
      '/orange-money-webpay/dev/v1/webpayment',
      '/orange-money-webpay/dev/v1/transactionstatus',
    ],
    own_page: (id: string) => `/payment/pay_token/${id}`,
    pays: { act: 'pay' },
    ends: 'SUCCESS',
  },
  stripe: {
    make: madeAtStripe,
    paths: [
      '/v1/checkout/sessions',
      '/v1/refunds',
      '/v1/balance',
      '/v1/disputes',
      '/v1/webhook_endpoints',
    ],
    own_page: (id: string) => `/c/pay/${id}`,
    pays: { card: '4242424242424242' },
    ends: 'checkout.session.completed',
  },
} as const
const names = ['orange', 'stripe'] as const

describe.each(names)('a page of %s', (name) => {
  const { make, paths, own_page, pays, ends } = wires[name]

  it('lies at the operator’s address alone, shut, and escaped', async () => {
    await start()
    const { page } = await make()
    expect(page.startsWith(`${operator.url}/pay/${name}/`)).toBe(true)
    const shown = await fetch(page, { headers: { 'accept-language': 'en' } })
    const html = await shown.text()
    expect(html).not.toMatch(/<script|<img|\son\w+=|http-equiv/)
    expect(html).toContain('imitation')
    const policy = shown.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self' https://shop.example;")
    expect(policy).not.toContain('unsafe')
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer')
    const { wire } = await opened(name)
    const id = page.split('/').at(-1) ?? ''
    for (const method of ['GET', 'POST']) {
      const there = await fetch(wire + own_page(id), { method, redirect: 'manual' })
      expect([401, 404]).toContain(there.status)
      expect(await there.text()).not.toContain('<form')
    }
  })

  it('is reached at the address that is said to be public', async () => {
    await start('https://pay.example.com/sandbox/')
    expect((await make()).page).toMatch(
      new RegExp(`^https://pay\\.example\\.com/sandbox/pay/${name}/`),
    )
  })

  it('leads to no wire, whatever is written in its address', async () => {
    await start()
    const { page, credential, status } = await make()
    const { wire } = await opened(name)
    const [before, own] = [await status(), new URL(page).pathname]
    const there = new URL(wire)
    const tricks = paths.flatMap((wanted) => [
      wanted,
      `/pay/${name}${wanted}`,
      `/pay/${name}/..${wanted}`,
      `/pay/${name}/%2e%2e${wanted}`,
      `/pay/${name}/${encodeURIComponent(wanted)}`,
      `/pay/${name}/${encodeURIComponent(encodeURIComponent(wanted))}`,
      `${own}${wanted}`,
      `${own}/..${wanted}`,
      `${own};${wanted}`,
      `${own}?${wanted}`,
      `${own}#${wanted}`,
      `/pay//${name}/${wanted.slice(1)}`,
      `/pay/${name}\\..${wanted.replaceAll('/', '\\')}`,
      `//${there.host}${wanted}`,
      `${wire}${wanted}`,
      `http://x@${there.host}${wanted}`,
      `/dialects/${name}${wanted}`,
    ])
    const pageAlone = /^HTTP\/1\.1 200 [\s\S]*content-type: text\/html/i
    expect(await reachedBy(wire, () => fetch(wire))).toEqual(['GET /'])
    const reached = await reachedBy(wire, async () => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT']) {
        const answers = await Promise.all(
          tricks.map((target) =>
            raw(
              operator.url,
              [`${method} ${target} HTTP/1.1`, 'host: pay.example', `authorization: ${credential}`],
              method === 'POST' ? '{"grant_type":"client_credentials"}' : '',
            ),
          ),
        )
        for (const [at, answer] of answers.entries()) {
          const refused = answer === '' || /^HTTP\/1\.1 (400|401|404) /.test(answer)
          expect(refused || pageAlone.test(answer), `${method} ${tricks[at]}\n${answer}`).toBe(true)
        }
      }
    })
    expect(reached).toEqual([])
    expect(await status()).toBe(before === 'INITIATED' ? 'PENDING' : before)
  }, 60_000)

  it('and no header of a request leads there either', async () => {
    await start()
    const { page, credential, status } = await make()
    const { wire } = await opened(name)
    const own = new URL(page).pathname
    const { host } = new URL(wire)
    await fetch(page)
    const before = await status()
    const reached = await reachedBy(wire, async () => {
      for (const wanted of paths) {
        for (const header of [
          `host: ${host}`,
          `x-forwarded-host: ${host}`,
          `forwarded: host=${host};proto=http`,
          `x-original-url: ${wanted}`,
          `x-rewrite-url: ${wanted}`,
          `x-forwarded-path: ${wanted}`,
          `x-forwarded-prefix: ${wanted}`,
          'x-http-method-override: POST',
          `:path: ${wanted}`,
          `upgrade: h2c\r\nconnection: upgrade`,
        ]) {
          const hosted = header.startsWith('host:') ? [header] : ['host: pay.example', header]
          for (const target of [own, wanted]) {
            const line = `GET ${target} HTTP/1.1`
            const answer = await raw(operator.url, [
              line,
              ...hosted,
              `authorization: ${credential}`,
            ])
            const isPage = /content-type: text\/html/i.test(answer)
            const refused = answer === '' || /^HTTP\/1\.1 (400|401|404) /.test(answer)
            expect(target === own ? isPage || refused : refused, `${target} ${header}`).toBe(true)
          }
        }
      }
    })
    expect(reached).toEqual([])
    expect(await status()).toBe(before)
  }, 60_000)

  it('is known by its address only, and by its own operator’s', async () => {
    await start()
    const { page } = await make()
    const id = page.split('/').at(-1) ?? ''
    const other = name === 'orange' ? 'stripe' : 'orange'
    await opened(other)
    await opened('mtn')
    for (const wrong of [
      ...[`/pay/${other}/${id}`, `/pay/mtn/${id}`, `/pay/pirogue/${id}`, `/pay/nobody/${id}`],
      ...[`/pay/${name}/x`, `/pay/${name}/${id.slice(0, -1)}`, `/pay/${name}/${id}/x`],
      ...[`/pay/__proto__/${id}`, `/pay/constructor/${id}`, `/pay/${name}/__proto__`],
      ...[`/pay/${id}`, `/pay/${name}`, `/pay/${name.toUpperCase()}/${id}`],
    ]) {
      const reply = await fetch(operator.url + wrong)
      expect([wrong, reply.status]).toEqual([wrong, 404])
    }
    const longer = await press(page, { act: 'x'.repeat(70_000) })
    expect(longer.status).toBe(413)
  })

  it('is where it was after a restart, and is paid', async () => {
    await start()
    const { page } = await make()
    await operator.stop()
    await start()
    expect((await fetch(page)).status).toBe(200)
    const paid = await press(page, pays)
    expect([paid.status, paid.headers.get('location')]).toEqual([303, back])
  })

  it('whose end is to be reported later is reported after a restart', async () => {
    // Slow enough for the restart to come before the report.
    await start(undefined, 4)
    const receiver = await startReceiver()
    const { page } = await make(receiver.url)
    await press(page, { ...pays, notice: 'late' })
    expect(receiver.received).toEqual([])
    await operator.stop()
    await start(undefined, 4)
    await until(() => receiver.received.length > 0)
    expect(receiver.received.map(({ raw: sent }) => sent)).toEqual([expect.stringContaining(ends)])
  })
})
