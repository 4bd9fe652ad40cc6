// Endpoints that attack the caller (contract 6.6): nothing private is ever contacted where it is
// not allowed, whatever it is called; nothing a receiver answers holds up the endpoints of others.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assertNoTransaction } from '../../src/platform/db.ts'
import { createGuardedOutbound } from '../../src/platform/outbound/guard.ts'
import { asJson } from '../bad-input/world.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { makeCertificate } from '../setup/certificate.ts'
import { createEnds } from '../setup/ends.ts'
import {
  freePort,
  type LoopbackServer,
  serveHttp,
  serveHttps,
  serveTcp,
} from '../setup/loopback.ts'
import '../setup/by-the-clock.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { WebhookFixture } from '../webhook-fixture.ts'

const ends = createEnds()
afterAll(() => ends.all())

const addresses = Object.values(networkInterfaces()).flatMap((rows) => rows ?? [])
const everywhere = addresses.some(({ address }) => address === '::1') ? '::' : '0.0.0.0'

/** Listens on every address of this machine; who reaches it has been let in. */
const trap = () => ends.keep(serveHttp((_request, response) => response.end('let in'), everywhere))

/** All of them are this machine, to one resolver or another. */
const loopbacks = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.1'],
  ...['0x7F.0.0.1', '017700000001', '0177.0.0.1', '0177.1', '127.0.0.1.', '127.000.000.001'],
  ...['%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1', '①②⑦.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:7f00:1]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '0'],
  ...['0.0.0.0', '[::]', 'localhost', 'LOCALHOST', 'localhost.', 'shop.localhost', 'ｌocalhost'],
]

/** Networks behind us, and the addresses that hand out a cloud machine's credentials. */
const inner = ['10.0.0.1', '192.168.1.1', '172.31.0.1', '[fd12::1]', '100.64.0.1', '198.18.0.1']
const metadata = [
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '[::ffff:a9fe:a9fe]', '169.254.170.2'],
  ...['[fd00:ec2::254]', '[fd20:ce::254]', '168.63.129.16', '[fe80::1]', '100.100.100.200'],
]

/** The host is not where a hurried reader looks for it, or the scheme is not ours. */
const tricks = (port: number) => [
  `http://shop.example@127.0.0.1:${port}/`,
  `http://shop.example:pw@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}\\@shop.example/`,
  `http://shop.example\\@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}#@shop.example/`,
  `http://127.0.0.1:${port}?@shop.example/`,
  `http://127.0.0\t.1:${port}/`,
  `http:127.0.0.1:${port}`,
  `//127.0.0.1:${port}/`,
  ...['ftp', 'file', 'gopher', 'ws', 'unix', 'javascript'].map(
    (is) => `${is}://127.0.0.1:${port}/`,
  ),
]

const hook = '/merchant-webhooks/'

/** Refused on `url`, both at creation and at change. */
async function isRefused(shop: Shop, known: Json, url: string): Promise<void> {
  const made = await shop.post(hook, { url })
  expect([url, made.status, Object.keys(made.error ?? {})]).toEqual([url, 400, ['url']])
  const changed = await shop.call('PATCH', `${hook}${known.id}/`, asJson({ url }))
  expect([url, changed.status, Object.keys(changed.error ?? {})]).toEqual([url, 400, ['url']])
}

describe('where private networks are not allowed', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } })
  })
  afterAll(() => app?.stop())

  it('no spelling of a private address can be registered', async () => {
    const shop = await app.shop()
    const { port, connections } = await trap()
    const { data: known } = await shop.post(hook, { url: 'https://shop.invalid/hook' })
    for (const host of [...loopbacks, ...inner, ...metadata]) {
      await isRefused(shop, known, `http://${host}:${port}/`)
      await isRefused(shop, known, `https://${host}/`)
    }
    for (const url of tricks(port)) await isRefused(shop, known, url)
    const { data } = await shop.get(`${hook}${known.id}/`)
    expect(data.url).toBe('https://shop.invalid/hook')
    expect((await shop.get(hook)).data.count).toBe(1)
    expect(connections()).toBe(0)
  })

  it('one that was registered while they were fails its deliveries without any contact', async () => {
    // Another process of the same installation, under a laxer setting, which sends nothing itself.
    const lax = await app.another({ WEBHOOK_ALLOW_PRIVATE: 'true', ROLE: 'api' })
    const shop = await app.shop()
    const { port, connections } = await trap()
    let registered = 0
    for (const host of loopbacks) {
      const reply = await fetch(`${lax.public_url}/api/v1${hook}`, {
        ...asJson({ url: `http://${host}:${port}/` }),
        method: 'POST',
        headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
      })
      if (reply.status === 201) registered += 1
    }
    expect(registered).toBeGreaterThan(10)
    await shop.pay({ customer: newPayer() })
    const rows = await eventually(async () => {
      const delivered = await app.owner`
        select status, attempt, http_status, response_body from deliveries
         where merchant_id = ${shop.merchant_id} and attempt > 0`
      expect(delivered.length).toBeGreaterThanOrEqual(2 * registered)
      return delivered
    }, 30_000)
    for (const row of rows) {
      const refused = {
        status: 'FAILED',
        http_status: null,
        response_body: '(address not allowed)',
      }
      expect(row).toMatchObject(refused)
    }
    expect(connections()).toBe(0)
  })
})

describe('a name that turns out to be private', () => {
  let fixture: WebhookFixture
  beforeEach(async () => {
    fixture = await WebhookFixture.open()
  })
  afterEach(() => fixture.close())

  const outboundOf = (resolve: (host: string) => Promise<readonly string[]>) =>
    createGuardedOutbound({ assertNoTransaction, ...fixture.rules, resolve })

  it('is never dialled, even when another of its addresses is public', async () => {
    const { port, connections } = await trap()
    const names: Record<string, readonly string[]> = {
      'loop.example': ['127.0.0.1'],
      'loop-six.example': ['::1'],
      'mapped.example': ['::ffff:127.0.0.1'],
      'mixed.example': ['8.8.8.8', '127.0.0.1'],
      'inner.example': ['10.0.0.1'],
      'metadata.example': ['169.254.169.254'],
      'nothing.example': ['0.0.0.0'],
      'nonsense.example': ['127.1'],
    }
    fixture.rules.allow_private = false
    const outbound = outboundOf(async (host) => names[host] ?? [])
    const feed = fixture.newFeed()
    for (const host of Object.keys(names)) {
      await fixture.register(feed, { url: `http://${host}:${port}/` })
    }
    fixture.start({ outbound })
    await fixture.announce(feed)
    await eventually(async () => {
      const rows = await fixture.deliveries(feed)
      expect(rows.map(({ response_body }) => response_body)).toEqual(
        Object.keys(names).map(() => '(address not allowed)'),
      )
    })
    expect(connections()).toBe(0)
    await outbound.close()
  })

  it('and changes between two tries is judged anew', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => response.writeHead(500, { connection: 'close' }).end())
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['0.0.0.0']]
    const outbound = outboundOf(async () => answers.shift() ?? [])
    const feed = fixture.newFeed()
    await fixture.register(feed, { url: receiver.url.replace('127.0.0.1', 'turning.example') })
    fixture.start({ outbound })
    await fixture.announce(feed)
    for (const [nth, refusal] of ['', '(address not allowed)', '(address not allowed)'].entries()) {
      await eventually(async () => {
        const [row] = await fixture.deliveries(feed)
        expect(row).toMatchObject({ attempt: nth + 1, response_body: refusal })
      })
      await fixture.db`update deliveries set due_at = now() - interval '1 s' where due_at is not null`
      await fixture.db`update webhook_lanes set due_at = now() - interval '1 second'`
      fixture.waker.wake('deliver-webhooks')
    }
    expect(receiver.connections()).toBe(1)
    await outbound.close()
  })

  wholeIt('or never turns out at all, delays nobody', { timeout: 40_000 }, async () => {
    const outbound = outboundOf(() => new Promise(() => undefined))
    const receiver = await fixture.receiver()
    const [feed, others] = [fixture.newFeed(), fixture.newFeed()]
    for (let n = 0; n < 20; n += 1) {
      await fixture.register(feed, { url: `http://endless-${n}.example/` })
    }
    await fixture.register(others, { url: receiver.url })
    fixture.start({ outbound, clockwork: { try_timeout_ms: 60_000, lease_ms: 70_000 } })
    await fixture.announce(feed, 20)
    await sleep(300)
    await fixture.announce(others, 50)
    await eventually(async () => expect(receiver.received).toHaveLength(50), 30_000)
    await outbound.close()
  })
})

/** What a receiver does to whoever calls it; `bytes` counts what it could send. */
type Attack = Readonly<{
  open(target: number, bytes: { sent: number }): Promise<LoopbackServer>
  /** Of the stored try; undefined = no HTTP answer was had. */
  http_status?: number
  scheme?: 'https'
}>

/** Writes for as long as anybody reads. */
function pour(out: Socket | ServerResponse, chunk: Buffer, bytes: { sent: number }): void {
  const more = () => {
    while (!out.destroyed && out.writable) {
      bytes.sent += chunk.length
      if (!out.write(chunk)) return
      if (bytes.sent > 1e9) return
    }
  }
  out.on('drain', more)
  more()
}

/** One piece, then one more after each interval. */
function drip(out: Socket | ServerResponse, piece: string): void {
  const timer = setInterval(() => out.write(piece), 200)
  out.on('close', () => clearInterval(timer))
  out.write(piece)
}

const chunk = Buffer.alloc(65_536, 'x')
const redirects = (status: number): Attack => ({
  http_status: status,
  open: (target) =>
    serveHttp((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${target}/` }).end()
    }),
})
const answering = (head: string): Attack => ({
  open: () => serveTcp((socket) => socket.end(head)),
})

const attacks: Readonly<Record<string, Attack>> = {
  'redirects 301': redirects(301),
  'redirects 307': redirects(307),
  'redirects 308': redirects(308),
  'never ends its body': {
    http_status: 500,
    open: (_target, bytes) =>
      serveHttp((_request, response) => pour(response.writeHead(500), chunk, bytes)),
  },
  'never ends its headers': {
    open: (_target, bytes) =>
      serveTcp((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        pour(socket, Buffer.from('X-Bomb: 0123456789\r\n'.repeat(2_000)), bytes)
      }),
  },
  'sends one huge header': answering(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(200_000)}\r\n\r\n`),
  'drips its body': {
    open: () => serveHttp((_request, response) => drip(response.writeHead(500), 'x')),
  },
  'drips its headers': {
    open: () =>
      serveTcp((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        drip(socket, 'X: y\r\n')
      }),
  },
  'announces for ever': {
    open: () => serveTcp((socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n')),
  },
  'never answers': { open: () => serveHttp(() => undefined) },
  resets: { open: () => serveTcp((socket) => void socket.on('data', () => socket.destroy())) },
  'is no HTTP': answering('SSH-2.0-OpenSSH_9.6\r\n'),
  'has a certificate of its own': {
    scheme: 'https',
    open: () => serveHttps(makeCertificate('localhost'), (_request, response) => response.end()),
  },
  'speaks no TLS': { scheme: 'https', open: () => serveHttp((_request, res) => res.end()) },
  'answers 503': {
    http_status: 503,
    open: () => serveHttp((_request, response) => response.writeHead(503).end('later')),
  },
  'claims an endless length': {
    http_status: 500,
    open: () =>
      serveTcp((socket) => {
        const length = 'Content-Length: 999999999999999999'
        socket.end(`HTTP/1.1 500 X\r\n${length}\r\n\r\n${'x'.repeat(9_000)}`)
      }),
  },
}

describe('where they are allowed, a receiver', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(async () => {
    // First the receivers: one that never answers would be waited for.
    await ends.all()
    await app?.stop()
  })

  it('can be neither ourselves nor the keeper of a cloud machine’s credentials', async () => {
    const shop = await app.shop()
    const { data: known } = await shop.post(hook, { url: 'http://127.0.0.1:9999/hook' })
    const operator = Number(new URL(app.service.simulator_url).port)
    for (const port of [app.service.port, operator]) {
      for (const host of loopbacks) await isRefused(shop, known, `http://${host}:${port}/`)
      for (const { address, family } of addresses.filter((row) => !row.address.includes('%'))) {
        const host = family === 'IPv6' ? `[${address}]` : address
        await isRefused(shop, known, `http://${host}:${port}/`)
      }
    }
    for (const host of metadata) await isRefused(shop, known, `http://${host}:9999/`)
  })

  const writtenDown =
    'that attacks has its try written down, and the endpoints of others feel nothing'

  wholeIt(writtenDown, { timeout: 90_000 }, async () => {
    const [shop, neighbour] = [await app.shop(), await app.shop()]
    const target = await trap()
    const arrivals = new Map<string, number>()
    const healthy = await ends.keep(
      serveHttp((request, response) => {
        arrivals.set(String(request.headers['x-webhook-id']), performance.now())
        request.resume().on('end', () => response.end())
      }),
    )
    const url = `http://127.0.0.1:${healthy.port}/`
    const own = (await shop.post(hook, { url })).data
    const theirs = (await neighbour.post(hook, { url })).data
    /** Milliseconds from the order of a test event to its arrival, the worst of some. */
    const worst = async () => {
      let worst_ms = 0
      for (let n = 0; n < 6; n += 1) {
        const [who, webhook] = n % 2 === 0 ? [shop, own] : [neighbour, theirs]
        const began = performance.now()
        const { data } = await who.post(`${hook}${webhook.id}/test/`)
        const at = await eventually(async () => {
          const arrived = arrivals.get(data.id)
          if (arrived === undefined) throw new Error('not yet')
          return arrived
        })
        worst_ms = Math.max(worst_ms, at - began)
      }
      return worst_ms
    }
    const before_ms = await worst()

    const bytes = { sent: 0 }
    const names = new Map<string, string>()
    for (const [name, { open, scheme = 'http' }] of Object.entries(attacks)) {
      const { port } = await ends.keep(open(target.port, bytes))
      const made = await shop.post(hook, { url: `${scheme}://127.0.0.1:${port}/` })
      expect([name, made.status]).toEqual([name, 201])
      names.set(made.data.id, name)
    }
    // The port of `nobody_listens` is none that a webhook may have.
    const nobody = await shop.post(hook, { url: `http://127.0.0.1:${await freePort()}/` })
    names.set(nobody.data.id, 'is not there')
    await Promise.all(Array.from({ length: 10 }, () => shop.pay({ customer: newPayer() })))
    const meanwhile_ms = await worst()
    // A time-out is 15 s: whoever waited for one would be far beyond this.
    const bearable_ms = Math.max(3_000, 6 * before_ms)
    expect(meanwhile_ms).toBeLessThan(bearable_ms)
    // Every event of the ten payments reaches the healthy endpoint, and two tests each way.
    await eventually(async () => expect(arrivals.size).toBe(20 + 12))

    const tries = await firstTries(app, names)
    for (const [name, row] of tries) {
      const { http_status = null } = attacks[name] ?? {}
      expect([name, row.status, row.http_status]).toEqual([name, 'FAILED', http_status])
      expect(row.response_body.length).toBeLessThanOrEqual(8_192)
    }
    expect(target.connections()).toBe(0)
    // What was poured at us was not drunk: what the sockets' buffers hold, for each try.
    expect(bytes.sent).toBeLessThan(200_000_000)
    expect(await worst()).toBeLessThan(bearable_ms)
  })

  it('that says 410 is asked no more', async () => {
    const shop = await app.shop()
    const gone = await ends.keep(serveHttp((_request, response) => response.writeHead(410).end()))
    const { data } = await shop.post(hook, { url: `http://127.0.0.1:${gone.port}/` })
    await shop.post(`${hook}${data.id}/test/`)
    await eventually(async () => {
      const { data: now } = await shop.get(`${hook}${data.id}/`)
      expect(now).toMatchObject({ is_active: false, switched_off_reason: 'GONE' })
    })
    const connections = gone.connections()
    const events = new Set<unknown>()
    const healthy = await ends.keep(
      serveHttp((request, response) => {
        events.add(request.headers['x-webhook-id'])
        response.end()
      }),
    )
    await shop.post(hook, { url: `http://127.0.0.1:${healthy.port}/` })
    await shop.pay({ customer: newPayer() })
    await eventually(async () => expect(events.size).toBe(2))
    await sleep(500)
    expect(gone.connections()).toBe(connections)
    const rows = await app.owner`select 1 from deliveries where webhook_id = ${data.id}`
    expect(rows.count).toBe(1)
  })
})

type Row = { status: string; http_status: number | null; response_body: string }

/** By name, one try that has ended at each of these endpoints. */
async function firstTries(app: TestApp, names: ReadonlyMap<string, string>) {
  return eventually(async () => {
    const rows = await app.owner<(Row & { webhook_id: string })[]>`
      select distinct on (webhook_id) webhook_id, status, http_status, response_body
        from deliveries
       where webhook_id in ${app.owner([...names.keys()])} and attempt > 0
       order by webhook_id, attempt`
    const delivered = new Map(rows.map((row) => [names.get(row.webhook_id) ?? '', row]))
    expect([...names.values()].filter((name) => !delivered.has(name))).toEqual([])
    return delivered
  }, 45_000)
}
