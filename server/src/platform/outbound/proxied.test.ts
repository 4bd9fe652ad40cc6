// The client through a real proxy on loopback: TLS holds end to end, and what the proxy does before
// it lets us through has sent nothing, while what happens afterwards is as unknown as ever.

import { afterEach, describe, expect, it } from 'vitest'
import { makeCertificate } from '../../../test/setup/certificate.ts'
import { type ConnectProxy, serveProxy } from '../../../test/setup/connect-proxy.ts'
import { createEnds } from '../../../test/setup/ends.ts'
import { freePort, serveHttp, serveHttps, serveTcp } from '../../../test/setup/loopback.ts'
import type { OutboundProxy } from './agents.ts'
import { createOutbound, type SendRequest } from './outbound.ts'
import type { OwnTls } from './own-certificate.ts'

const ends = createEnds()
afterEach(() => ends.all())

function through(proxy: OutboundProxy, tls: OwnTls = {}) {
  const outbound = createOutbound({ assertNoTransaction: () => undefined, proxy, ...tls })
  ends.add(outbound.close)
  const send = (url: string, more: Partial<SendRequest> = {}) =>
    outbound.send({ method: 'POST', url, body: '{}', timeout_ms: 20_000, ...more })
  return { ...outbound, send }
}

const certificate = makeCertificate('localhost')
const neverSent = { is: 'never_sent', because: 'proxy' }

/** An operator with TLS, and how often it was asked for something. */
async function operator(more: Readonly<{ clients?: string; status?: number }> = {}) {
  const requests: (string | undefined)[] = []
  const { clients, status = 200 } = more
  const server = await ends.keep(
    serveHttps({ ...certificate, ...(clients === undefined ? {} : { clients }) }, (req, res) => {
      requests.push(req.headers['x-secret']?.toString())
      req.resume()
      req.on('end', () => res.writeHead(status).end('theirs'))
    }),
  )
  return { requests, url: `https://localhost:${server.port}/pay`, server }
}

const proxyWith = (login?: string): Promise<ConnectProxy> =>
  ends.keep(serveProxy(login === undefined ? {} : { login }))

describe('a call through a proxy', () => {
  it('reaches its receiver, and the proxy sees its name, its port and no more', async () => {
    const [{ url, requests, server }, proxy] = [await operator(), await proxyWith('us:pass:word')]
    const client = through({ url: proxy.url, login: 'us:pass:word' }, { ca: certificate.cert })
    const headers = { 'x-secret': 'only-for-them' }
    for (let call = 0; call < 2; call += 1) {
      expect(await client.send(url, { headers })).toMatchObject({ status: 200, body: 'theirs' })
    }
    expect(requests).toEqual(['only-for-them', 'only-for-them'])
    expect(proxy.asked[0]).toEqual({
      ...{ to: `localhost:${server.port}` },
      authorization: `Basic ${Buffer.from('us:pass:word').toString('base64')}`,
    })
    expect(proxy.passed()).not.toContain('only-for-them')
    expect(proxy.passed().length).toBeGreaterThan(100)
  })

  it('goes by a tunnel where its receiver has no TLS too', async () => {
    const proxy = await proxyWith()
    const receiver = await ends.keep(
      serveHttp((req, res) => res.end(`${req.url} ${req.headers['proxy-authorization'] ?? '-'}`)),
    )
    const client = through({ url: proxy.url, login: 'us:word' })
    const url = `http://127.0.0.1:${receiver.port}/a`
    proxy.does(403)
    expect(await client.send(url)).toEqual(neverSent)
    expect(receiver.connections()).toBe(0)
    proxy.does('lets through')
    expect(await through({ url: proxy.url }).send(url)).toMatchObject({ body: '/a -' })
    expect(proxy.asked.at(-1)).toEqual({
      to: `127.0.0.1:${receiver.port}`,
      authorization: undefined,
    })
  })

  it('shows our certificate to its receiver, which the proxy cannot', async () => {
    const ours = makeCertificate('pirogue.example')
    const [{ url, requests }, proxy] = [await operator({ clients: ours.cert }), await proxyWith()]
    const { cert, key } = ours
    const client = through({ url: proxy.url }, { ca: certificate.cert, cert, key })
    expect(await client.send(url)).toMatchObject({ is: 'answered', status: 200 })
    const none = through({ url: proxy.url }, { ca: certificate.cert })
    expect((await none.send(url)).is).not.toBe('answered')
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['another authority', {}, 'localhost'],
    ['another name', { ca: certificate.cert }, '127.0.0.1'],
  ])('is never sent where somebody else stands at its end: %s', async (_, tls, host) => {
    const [{ server, requests }, proxy] = [await operator(), await proxyWith()]
    const result = await through({ url: proxy.url }, tls).send(`https://${host}:${server.port}/`)
    expect(result).toEqual({ is: 'never_sent', because: 'tls' })
    expect(requests).toEqual([])
  })

  it('is bounded as any other: an endless answer is cut', async () => {
    const proxy = await proxyWith()
    const endless = await ends.keep(
      serveTcp((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\n')
          const timer = setInterval(() => socket.write(`x: ${'y'.repeat(16_000)}\r\n`), 1)
          socket.on('close', () => clearInterval(timer))
        })
      }),
    )
    const result = await through({ url: proxy.url }).send(`http://127.0.0.1:${endless.port}/`)
    expect(result).toEqual({ is: 'unknown', because: 'unreadable' })
  })
})

describe('before the proxy has let us through', () => {
  it.each([
    ['502', 502],
    ['503', 503],
    ['504', 504],
    ['403', 403],
    ['407', 407],
    ['200 without a login that it wants', 'lets through'],
    ['204', 204],
    ['an answer that is none', 'talks nonsense'],
    ['an end', 'hangs up'],
  ] as const)('nothing is sent: %s', async (_, way) => {
    const [{ url, requests, server }, proxy] = [await operator(), await proxyWith('somebody:else')]
    proxy.does(way)
    const client = through({ url: proxy.url, login: 'us:word' }, { ca: certificate.cert })
    expect(await client.send(url)).toEqual(neverSent)
    expect(proxy.asked).toHaveLength(1)
    expect([requests, server.connections()]).toEqual([[], 0])
  })

  it('nothing is sent where it hangs, not even once it goes on', async () => {
    const [{ url, requests }, proxy] = [await operator(), await proxyWith()]
    proxy.does('hangs')
    const client = through({ url: proxy.url }, { ca: certificate.cert })
    const call = client.send(url, { connect_timeout_ms: 200 })
    expect(await call).toEqual({ is: 'never_sent', because: 'connect_timeout' })
    proxy.does('lets through')
    expect(await client.send(url)).toMatchObject({ status: 200 })
    expect(requests).toHaveLength(1)
    await client.close()
  })

  it('nothing is sent where it hangs up on whoever comes, and it is left alone then', async () => {
    const { url, requests } = await operator()
    for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const gone = await ends.keep(serveTcp((socket) => void socket[end]()))
      const client = through({ url: gone.url }, { ca: certificate.cert })
      const result = await client.send(url, { connect_timeout_ms: 500 })
      expect(result, end).toMatchObject({ is: 'never_sent' })
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(gone.connections(), end).toBeLessThan(3)
    }
    expect(requests).toEqual([])
  })

  it('nothing is sent where there is no proxy, or nobody by its name', async () => {
    const { url, requests } = await operator()
    const gone = through({ url: `http://127.0.0.1:${await freePort()}` })
    expect(await gone.send(url)).toEqual({ is: 'never_sent', because: 'refused' })
    const nameless = through({ url: 'http://proxy.invalid:3128' })
    expect(await nameless.send(url)).toEqual({ is: 'never_sent', because: 'dns' })
    expect(requests).toEqual([])
  })
})

describe('once it has let us through', () => {
  it.each([502, 503, 504])('a status of the answer is an answer: %i', async (status) => {
    const [{ url, requests }, proxy] = [await operator({ status }), await proxyWith()]
    const client = through({ url: proxy.url }, { ca: certificate.cert })
    expect(await client.send(url)).toMatchObject({ is: 'answered', status })
    expect(requests).toHaveLength(1)
  })

  it('the outcome is unknown where it dies midway, and nothing is sent twice', async () => {
    const proxy = await proxyWith()
    let requests = 0
    const server = await ends.keep(
      serveHttps(certificate, () => {
        requests += 1
        proxy.cut()
      }),
    )
    const client = through({ url: proxy.url }, { ca: certificate.cert })
    const result = await client.send(`https://localhost:${server.port}/`)
    expect(result).toEqual({ is: 'unknown', because: 'reset' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(requests).toBe(1)
  })

  it('nothing is sent where it answers in the place of TLS', async () => {
    const proxy = await proxyWith()
    const plain = await ends.keep(
      serveTcp((socket) => void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')),
    )
    const result = await through({ url: proxy.url }).send(`https://localhost:${plain.port}/`)
    expect(result).toEqual({ is: 'never_sent', because: 'tls' })
  })
})
