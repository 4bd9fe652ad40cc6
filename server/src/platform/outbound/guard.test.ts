// The guard in front of webhook calls, against real receivers on loopback: what may not be reached
// gets no connection at all, and what was checked is what is dialled.

import type { TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { makeCertificate } from '../../../test/setup/certificate.ts'
import { createEnds } from '../../../test/setup/ends.ts'
import { freePort, serveHttp, serveHttps } from '../../../test/setup/loopback.ts'
import { checkUrl, createGuardedOutbound, type GuardedDeps } from './guard.ts'
import type { SendRequest } from './outbound.ts'

const ends = createEnds()

afterEach(() => ends.all())

function open(deps: Partial<GuardedDeps> = {}) {
  const guarded = createGuardedOutbound({
    assertNoTransaction: () => undefined,
    allow_private: false,
    own_ports: () => [],
    ...deps,
  })
  ends.add(guarded.close)
  return (url: string, more: Partial<SendRequest> = {}) =>
    guarded.send({ method: 'POST', url, body: '{}', timeout_ms: 20_000, ...more })
}

const names = (answers: Record<string, string[]>) => async (host: string) => answers[host] ?? []

/** All of these are 127.0.0.1 to someone. */
const spellings = [
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001'],
  ...['0177.0.0.1', '127.0.0.1.', '%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['[::7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
  ...['[2001:0:7f00:1::]', '[::ffff:0:7f00:1]', '0', '0.0.0.0', '[::]', 'localhost'],
  ...['LOCALHOST', 'localhost.', 'shop.localhost'],
]

const live = { environment: 'LIVE', allow_private: false, own_ports: () => [] } as const
const sandbox = { ...live, environment: 'SANDBOX' } as const

describe('checkUrl', () => {
  it.each([
    'https://shop.example/hook?a=1',
    'https://shop.example:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:443/',
    'HTTPS://Shop.Example',
  ])('finds %s fine in both environments', (url) => {
    expect(checkUrl(url, live)).toEqual({ is: 'fine' })
    expect(checkUrl(url, sandbox)).toEqual({ is: 'fine' })
  })

  it('takes http in the sandbox only', () => {
    expect(checkUrl('http://shop.example/', sandbox)).toEqual({ is: 'fine' })
    expect(checkUrl('http://shop.example/', live)).toMatchObject({ is: 'refused' })
    const dev = { ...live, allow_private: true }
    expect(checkUrl('http://127.0.0.1:9000/', dev)).toMatchObject({ is: 'refused' })
  })

  it.each([
    ['', 'absolute'],
    ['/hook', 'absolute'],
    ['shop.example/hook', 'absolute'],
    ['//shop.example/hook', 'absolute'],
    ['https:shop.example', 'absolute'],
    ['https://', 'absolute'],
    ['ftp://shop.example/', 'absolute'],
    ['file:///etc/passwd', 'absolute'],
    [' https://shop.example/', 'absolute'],
    ['https://shop.example/a b', 'absolute'],
    ['https://shop.example\\@127.0.0.1/', 'absolute'],
    ['https://shop.example:99999/', 'absolute'],
    ['https://256.256.256.256/', 'absolute'],
    ['https://me@shop.example/', 'user name'],
    ['https://me:pw@shop.example/', 'user name'],
    ['https://:pw@shop.example/', 'user name'],
    ['https://shop.example:0/', 'port'],
    ['https://shop.example:22/', 'port'],
    ['https://shop.example:1023/', 'port'],
  ])('refuses "%s"', (url, word) => {
    const check = checkUrl(url, sandbox)
    expect(check.is === 'refused' && check.why.en).toContain(word)
    expect(check.is === 'refused' && check.why.fr.length > 10).toBe(true)
  })

  it.each(spellings)('refuses https://%s/', (host) => {
    const why = { en: expect.stringContaining('cannot be sent to this address') }
    expect(checkUrl(`https://${host}/`, live)).toMatchObject({ is: 'refused', why })
  })

  it('with private networks takes loopback, but not our own ports nor metadata', () => {
    const dev = { ...sandbox, allow_private: true, own_ports: () => [8080] }
    expect(checkUrl('http://127.0.0.1:9000/', dev)).toEqual({ is: 'fine' })
    expect(checkUrl('http://localhost:9000/', dev)).toEqual({ is: 'fine' })
    for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::ffff:7f00:1]:8080', '0:8080']) {
      expect(checkUrl(`http://${host}/`, dev)).toMatchObject({ is: 'refused' })
    }
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '0xa9fea9fe', '[fe80::1]']) {
      expect(checkUrl(`http://${host}/`, dev)).toMatchObject({ is: 'refused' })
    }
  })
})

describe('a guarded call', () => {
  it('reaches no loopback by any spelling, and opens no connection', async () => {
    const receiver = await ends.keep(serveHttp((_req, res) => res.end()))
    const send = open()
    for (const host of spellings) {
      const result = await send(`http://${host}:${receiver.port}/`)
      expect([host, result.is]).toEqual([host, 'refused_address'])
    }
    expect(receiver.connections()).toBe(0)
  })

  it('refuses a name of which any one address is private, whatever the others are', async () => {
    const receiver = await ends.keep(serveHttp((_req, res) => res.end()))
    const resolve = names({
      'one.example': ['127.0.0.1'],
      'two.example': ['8.8.8.8', '::ffff:7f00:1'],
      'meta.example': ['169.254.169.254'],
      'junk.example': ['not an address'],
    })
    const send = open({ resolve })
    for (const host of ['one', 'two', 'meta', 'junk']) {
      const result = await send(`http://${host}.example:${receiver.port}/`)
      expect(result).toMatchObject({ is: 'refused_address', note: expect.stringContaining(host) })
    }
    expect(receiver.connections()).toBe(0)
  })

  it('asks for a name once and dials what was checked, with Host and path kept', async () => {
    const receiver = await ends.keep(
      serveHttp((req, res) => res.end(`${req.headers.host}${req.url}`)),
    )
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return asked.length === 1 ? ['127.0.0.1'] : ['169.254.169.254']
    }
    const send = open({ allow_private: true, resolve })
    const result = await send(`http://shop.example:${receiver.port}/hook`)
    const body = `shop.example:${receiver.port}/hook`
    expect(result).toMatchObject({ is: 'answered', status: 200, body })
    expect(asked).toEqual(['shop.example'])
  })

  it('checks again at each new connection', async () => {
    const receiver = await ends.keep(
      serveHttp((_req, res) => res.writeHead(200, { connection: 'close' }).end()),
    )
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const send = open({ allow_private: true, resolve: async () => answers.shift() ?? [] })
    const url = `http://shop.example:${receiver.port}/`
    expect(await send(url)).toMatchObject({ is: 'answered' })
    expect(await send(url)).toMatchObject({ is: 'refused_address' })
    expect(receiver.connections()).toBe(1)
  })

  it('keeps the name for TLS: SNI is sent and the certificate must be of that name', async () => {
    const certificate = makeCertificate('shop.example')
    const receiver = await ends.keep(
      serveHttps(certificate, (req, res) => res.end(String((req.socket as TLSSocket).servername))),
    )
    const resolve = names({ 'shop.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] })
    const send = open({ allow_private: true, resolve, ca: certificate.cert })
    const result = await send(`https://shop.example:${receiver.port}/`)
    expect(result).toMatchObject({ is: 'answered', body: 'shop.example' })
    const wrong = await send(`https://other.example:${receiver.port}/`)
    expect(wrong).toEqual({ is: 'never_sent', because: 'tls' })
  })

  it('does not follow a redirect to an inner address', async () => {
    const inner = await ends.keep(serveHttp((_req, res) => res.end('secret')))
    const receiver = await ends.keep(
      serveHttp((_req, res) => {
        res.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end()
      }),
    )
    const result = await open({ allow_private: true })(`http://127.0.0.1:${receiver.port}/`)
    expect(result).toMatchObject({ is: 'answered', status: 302 })
    expect(inner.connections()).toBe(0)
  })

  it('refuses our own ports by address and by name, even with private networks', async () => {
    const ours = await ends.keep(serveHttp((_req, res) => res.end('ours')))
    const own_ports = () => [ours.port]
    const resolve = names({ 'me.example': ['127.0.0.1'] })
    const send = open({ allow_private: true, own_ports, resolve })
    for (const host of ['127.0.0.1', '[::ffff:7f00:1]', 'localhost', 'me.example']) {
      const result = await send(`http://${host}:${ours.port}/`)
      expect([host, result.is]).toEqual([host, 'refused_address'])
    }
    expect(ours.connections()).toBe(0)
  })

  it('answers network conditions as the unguarded client does', async () => {
    const silent = await ends.keep(serveHttp(() => undefined))
    const send = open({ allow_private: true, resolve: names({ 'shop.example': ['127.0.0.1'] }) })
    const url = (port: number) => `http://shop.example:${port}/`
    const refused = await send(url(await freePort()))
    expect(refused).toEqual({ is: 'never_sent', because: 'refused' })
    const timeout = await send(url(silent.port), { timeout_ms: 1_500 })
    expect(timeout).toEqual({ is: 'unknown', because: 'timeout' })
    const nowhere = await send('http://nowhere.example/')
    expect(nowhere).toEqual({ is: 'never_sent', because: 'dns' })
  })

  it('gives a slow name server its time to connect only, and close does not wait', async () => {
    const send = open({ resolve: () => new Promise(() => undefined) })
    const started_at = Date.now()
    const result = await send('http://slow.example/', { connect_timeout_ms: 100 })
    expect(result).toEqual({ is: 'never_sent', because: 'connect_timeout' })
    // Else it would have the usual ten seconds.
    expect(Date.now() - started_at).toBeLessThan(8_000)
  })

  it.each([true, false])(
    'finds no address for a reserved name (private: %s)',
    async (allow_private) => {
      const result = await open({ allow_private })('http://no-such-host.invalid/', {
        timeout_ms: 15_000,
        connect_timeout_ms: 15_000,
      })
      expect(result).toEqual({ is: 'never_sent', because: 'dns' })
    },
    20_000,
  )

  it('reaches localhost by the system resolver when private networks are allowed', async () => {
    const receiver = await ends.keep(serveHttp((_req, res) => res.end('here')))
    const result = await open({ allow_private: true })(`http://localhost:${receiver.port}/`)
    expect(result).toMatchObject({ is: 'answered', body: 'here' })
  })
})
