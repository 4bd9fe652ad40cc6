// The client against real servers on loopback: each network condition is the right answer.

import { connect } from 'node:net'
import { Dispatcher } from 'undici'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeCertificate } from '../../../test/setup/certificate.ts'
import { createEnds } from '../../../test/setup/ends.ts'
import { freePort, serveHttp, serveHttps, serveTcp } from '../../../test/setup/loopback.ts'
import { createOutbound, exchange, type SendRequest } from './outbound.ts'
import type { OwnTls } from './own-certificate.ts'

const ends = createEnds()

afterEach(async () => {
  vi.unstubAllEnvs()
  await ends.all()
})

function open(tls: OwnTls = {}) {
  const outbound = createOutbound({ assertNoTransaction: () => undefined, ...tls })
  ends.add(outbound.close)
  const send = (url: string, more: Partial<SendRequest> = {}) =>
    outbound.send({ method: 'POST', url, body: '{}', timeout_ms: 20_000, ...more })
  return { ...outbound, send }
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** undici takes a connection back one turn of the event loop after its answer. */
const idle = () => after(20)

const at = (receiver: { port: number }, path = '/') => `http://127.0.0.1:${receiver.port}${path}`

describe('answered', () => {
  it('carries status, headers and body, and sends ours unchanged', async () => {
    const receiver = await ends.keep(
      serveHttp((req, res) => {
        const chunks: Buffer[] = []
        req.on('data', (chunk: Buffer) => chunks.push(chunk))
        req.on('end', () => {
          res.writeHead(202, { 'X-Twice': ['a', 'b'] })
          const body = Buffer.concat(chunks).toString()
          res.end(`${req.method} ${req.url} ${req.headers['x-key']} ${body}`)
        })
      }),
    )
    const result = await open().send(at(receiver, '/a/?b=c'), {
      headers: { 'X-Key': 'k1' },
      body: Buffer.from('{"é":1}'),
    })
    expect(result).toMatchObject({
      is: 'answered',
      status: 202,
      body: 'POST /a/?b=c k1 {"é":1}',
      headers: { 'x-twice': 'a, b' },
    })
    expect(result.is === 'answered' && result.took_ms >= 0).toBe(true)
  })

  it('is what a redirect gets: it is not followed', async () => {
    const paths: (string | undefined)[] = []
    const receiver = await ends.keep(
      serveHttp((req, res) => {
        paths.push(req.url)
        res.writeHead(307, { location: '/elsewhere' }).end()
      }),
    )
    const result = await open().send(at(receiver, '/here'))
    expect(result).toMatchObject({ is: 'answered', status: 307 })
    expect(paths).toEqual(['/here'])
  })

  it('is what every status gets, 500 as well as 404', async () => {
    const receiver = await ends.keep(
      serveHttp((req, res) => res.writeHead(Number(req.url?.slice(1))).end()),
    )
    const outbound = open()
    for (const status of [200, 204, 404, 409, 500, 503]) {
      expect(await outbound.send(at(receiver, `/${status}`))).toMatchObject({ status })
    }
  })

  it('is the final status, not an early hint before it', async () => {
    const receiver = await ends.keep(
      serveTcp((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 103 Early Hints\r\nx-hint: 1\r\n\r\n')
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
        })
      }),
    )
    const result = await open().send(at(receiver))
    expect(result).toMatchObject({ is: 'answered', status: 200, body: 'ok' })
    expect(result.is === 'answered' && result.headers['x-hint']).toBe(undefined)
  })

  it('reuses a connection, one call at a time on each', async () => {
    let open_calls = 0
    let together = 0
    let held_ms = 20
    const receiver = await ends.keep(
      serveHttp((_req, res) => {
        open_calls += 1
        together = Math.max(together, open_calls)
        setTimeout(() => {
          open_calls -= 1
          res.end('ok')
        }, held_ms)
      }),
    )
    const outbound = open()
    await outbound.send(at(receiver))
    await idle()
    await outbound.send(at(receiver))
    expect(receiver.connections()).toBe(1)
    await idle()
    held_ms = 500
    await Promise.all([1, 2, 3].map(() => outbound.send(at(receiver))))
    expect(receiver.connections()).toBe(3)
    expect(together).toBe(3)
  })

  it('comes from the server itself, whatever proxy the environment names', async () => {
    const proxy = await ends.keep(serveHttp((_req, res) => res.end('proxy')))
    const receiver = await ends.keep(serveHttp((_req, res) => res.end('server')))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, at(proxy))
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    expect(await open().send(at(receiver))).toMatchObject({ body: 'server' })
    expect(proxy.connections()).toBe(0)
  })
})

describe('a body longer than its bound', () => {
  const endless = () =>
    ends.keep(
      serveHttp((_req, res) => {
        const more = () => {
          while (res.write('é'.repeat(10_000)));
        }
        res.on('drain', more)
        more()
      }),
    )

  it('is unreadable, and reading stops at once', async () => {
    const result = await open().send(at(await endless()))
    expect(result).toEqual({ is: 'unknown', because: 'unreadable' })
  })

  it('is cut at the bound with truncate, at a whole character', async () => {
    const result = await open().send(at(await endless()), { truncate: true, max_bytes: 101 })
    expect(result).toMatchObject({ is: 'answered', status: 200, body: 'é'.repeat(50) })
  })

  it('is whole when it is exactly as long as the bound', async () => {
    const receiver = await ends.keep(serveHttp((_req, res) => res.end('x'.repeat(100))))
    const result = await open().send(at(receiver), { max_bytes: 100 })
    expect(result).toMatchObject({ is: 'answered', body: 'x'.repeat(100) })
  })
})

describe('never_sent', () => {
  it('dns: the name has no address', async () => {
    const result = await open().send('http://no-such-host.invalid/', { timeout_ms: 20_000 })
    expect(result).toEqual({ is: 'never_sent', because: 'dns' })
  })

  it('refused: nobody listens', async () => {
    const outbound = open()
    for (const host of ['127.0.0.1', 'localhost']) {
      const result = await outbound.send(`http://${host}:${await freePort()}/`)
      expect(result).toEqual({ is: 'never_sent', because: 'refused' })
    }
  })

  it.each([
    ['a certificate that nobody vouches for', false, 'localhost', 0],
    ['a certificate of another name', true, 'other.example', 0],
    ['a certificate whose time is over', true, 'localhost', -2],
    ['a certificate whose time has not come', true, 'localhost', 2],
  ])('tls: %s', async (_what, trusted, host, days) => {
    let calls = 0
    const certificate = makeCertificate(host, Date.now() + days * 86_400_000)
    const receiver = await ends.keep(
      serveHttps(certificate, (_req, res) => {
        calls += 1
        res.end()
      }),
    )
    const outbound = trusted ? open({ ca: certificate.cert }) : open()
    const result = await outbound.send(`https://localhost:${receiver.port}/`)
    expect(result).toEqual({ is: 'never_sent', because: 'tls' })
    expect(calls).toBe(0)
  })

  it.each([
    ['whose time is over', -2, false],
    ['whose time has not come', 2, false],
    ['that is of another key', 0, true],
  ])('tls: with a certificate of ours %s nothing is dialled', async (_what, days, is_other) => {
    const [theirs, ours] = [
      makeCertificate('localhost'),
      makeCertificate('us.example', Date.now() + days * 86_400_000),
    ]
    const receiver = await ends.keep(
      serveHttps({ ...theirs, clients: ours.cert }, (_req, res) => res.end('ok')),
    )
    const { key } = is_other ? makeCertificate('us.example') : ours
    const outbound = open({ ca: theirs.cert, cert: ours.cert, key })
    const result = await outbound.send(`https://localhost:${receiver.port}/`)
    expect(result).toEqual({ is: 'never_sent', because: 'tls' })
    expect(receiver.connections()).toBe(0)
  })

  it('tls: a receiver that wants our certificate has it, and hangs up on whoever has none', async () => {
    const [theirs, ours] = [makeCertificate('localhost'), makeCertificate('us.example')]
    let calls = 0
    const receiver = await ends.keep(
      serveHttps({ ...theirs, clients: ours.cert }, (_req, res) => {
        calls += 1
        res.end('ok')
      }),
    )
    const url = `https://localhost:${receiver.port}/`
    const { cert, key } = ours
    expect(await open({ ca: theirs.cert, cert, key }).send(url)).toMatchObject({ body: 'ok' })
    // It looks only once the connection stands: what had left by then is not ours to say.
    expect((await open({ ca: theirs.cert }).send(url)).is).not.toBe('answered')
    expect(calls).toBe(1)
  })

  it('tls: the other side does not speak it, or hangs up during the handshake', async () => {
    const plain = await ends.keep(serveHttp((_req, res) => res.end()))
    const rude = await ends.keep(
      serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
    )
    const short = await ends.keep(serveTcp((socket) => socket.end()))
    for (const { port } of [plain, rude, short]) {
      const result = await open().send(`https://127.0.0.1:${port}/`)
      expect(result).toEqual({ is: 'never_sent', because: 'tls' })
    }
  })

  it.each([{ connect_timeout_ms: 100, timeout_ms: 5_000 }, { timeout_ms: 100 }])(
    'connect_timeout: the handshake never ends (%o)',
    async (times) => {
      const silent = await ends.keep(serveTcp(() => undefined))
      const started_at = Date.now()
      const result = await open().send(`https://127.0.0.1:${silent.port}/`, times)
      expect(result).toEqual({ is: 'never_sent', because: 'connect_timeout' })
      expect(Date.now() - started_at).toBeLessThan(4_500)
    },
  )

  it('stays true: a request given up is not sent when the connection opens later', async () => {
    let calls = 0
    const certificate = makeCertificate('localhost')
    const real = await ends.keep(
      serveHttps(certificate, (_req, res) => {
        calls += 1
        res.end('ok')
      }),
    )
    // A slow road to the real server: the handshake's bytes are let through after 300 ms.
    const slow = await ends.keep(
      serveTcp((socket) => {
        socket.pause()
        const onward = connect(real.port, '127.0.0.1')
        onward.on('error', () => socket.destroy())
        setTimeout(() => socket.pipe(onward).pipe(socket), 300)
      }),
    )
    const outbound = open({ ca: certificate.cert })
    const url = `https://localhost:${slow.port}/`
    const result = await outbound.send(url, { connect_timeout_ms: 100 })
    expect(result).toEqual({ is: 'never_sent', because: 'connect_timeout' })
    await after(600)
    expect(real.connections()).toBe(1)
    expect(calls).toBe(0)
    expect(await outbound.send(url)).toMatchObject({ is: 'answered', body: 'ok' })
    expect(calls).toBe(1)
  })
})

describe('unknown', () => {
  it('timeout: no answer', async () => {
    const receiver = await ends.keep(serveHttp(() => undefined))
    const result = await open().send(at(receiver), { timeout_ms: 1_500 })
    expect(result).toEqual({ is: 'unknown', because: 'timeout' })
  })

  it('timeout: an answer in drips ends with the whole call, headers or body', async () => {
    const drip = (head: string) =>
      ends.keep(
        serveTcp((socket) => {
          socket.once('data', () => {
            socket.write(head)
            const timer = setInterval(() => socket.write('x'), 20)
            socket.on('close', () => clearInterval(timer))
          })
        }),
      )
    const heads = ['HTTP/1.1 200 OK\r\ncontent-length: 50000\r\n\r\n', 'HTTP/1.1 200 OK\r\nx-']
    for (const head of heads) {
      const started_at = Date.now()
      const result = await open().send(at(await drip(head)), { timeout_ms: 1_500 })
      expect(result).toEqual({ is: 'unknown', because: 'timeout' })
      // All of it would take a quarter of an hour.
      expect(Date.now() - started_at).toBeLessThan(30_000)
    }
  })

  it.each([
    ['before the answer', ''],
    ['in the middle of it', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
  ])('reset: %s', async (_when, first) => {
    const receiver = await ends.keep(
      serveTcp((socket) => {
        socket.once('data', () => {
          socket.write(first)
          setTimeout(() => socket.resetAndDestroy(), 50)
        })
      }),
    )
    const result = await open().send(at(receiver))
    expect(result).toEqual({ is: 'unknown', because: 'reset' })
    expect(receiver.connections()).toBe(1)
  })

  it('reset: a kept connection is lost under the next call, which is not sent again', async () => {
    let calls = 0
    const receiver = await ends.keep(
      serveTcp((socket) => {
        let first = true
        socket.on('data', () => {
          calls += 1
          if (first) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
          else socket.resetAndDestroy()
          first = false
        })
      }),
    )
    const outbound = open()
    expect(await outbound.send(at(receiver))).toMatchObject({ body: 'ok' })
    await idle()
    expect(await outbound.send(at(receiver))).toEqual({ is: 'unknown', because: 'reset' })
    await after(100)
    expect(calls).toBe(2)
  })

  it('reset: were undici to start a request again, the second start is stopped', async () => {
    const aborted: number[] = []
    class StartsAgain extends Dispatcher {
      override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        for (const start of [1, 2]) {
          const abort = () => aborted.push(start)
          handler.onRequestStart?.({ abort } as unknown as Dispatcher.DispatchController, {})
        }
        return true
      }
    }
    const request = { method: 'POST', url: 'http://127.0.0.1/', timeout_ms: 1_000 }
    const result = await exchange(new StartsAgain(), request)
    expect(result).toEqual({ is: 'unknown', because: 'reset' })
    expect(aborted).toEqual([2])
  })

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}\r\n`],
  ])('unreadable: %s', async (_what, bytes) => {
    const receiver = await ends.keep(
      serveTcp((socket) => socket.once('data', () => socket.write(bytes))),
    )
    const result = await open().send(at(receiver))
    expect(result).toEqual({ is: 'unknown', because: 'unreadable' })
  })
})

describe('bugs', () => {
  it('throw: a call inside a transaction leaves nothing on the wire', async () => {
    const receiver = await ends.keep(serveHttp((_req, res) => res.end()))
    const outbound = createOutbound({
      assertNoTransaction: () => {
        throw new Error('bug: a network call inside a transaction')
      },
    })
    ends.add(outbound.close)
    const call = outbound.send({ method: 'GET', url: at(receiver), timeout_ms: 500 })
    await expect(call).rejects.toThrow('inside a transaction')
    expect(receiver.connections()).toBe(0)
  })

  it('throw: a bad URL, a password in it, a header of two lines', async () => {
    const { send } = open()
    await expect(send('nowhere')).rejects.toThrow()
    await expect(send('ftp://127.0.0.1/')).rejects.toThrow('bug')
    await expect(send('http://me:pw@127.0.0.1/')).rejects.toThrow('bug')
    const headers = { 'x-a': 'b\r\nx-c: d' }
    await expect(send('http://127.0.0.1:9/', { headers })).rejects.toThrow('header')
  })

  it('throw: a call after close, while one in flight may end', async () => {
    const receiver = await ends.keep(
      serveHttp((_req, res) => {
        setTimeout(() => res.end('late'), 150)
      }),
    )
    const outbound = open()
    const call = outbound.send(at(receiver))
    await expect.poll(() => receiver.connections()).toBe(1)
    const closing = outbound.close()
    expect(await call).toMatchObject({ is: 'answered', body: 'late' })
    await closing
    await expect(outbound.send(at(receiver))).rejects.toThrow('after close')
  })
})
