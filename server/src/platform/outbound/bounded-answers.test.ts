// Receivers that never stop, in every part of an answer: each is left within the bound and at once,
// not at the time-out. What breaks without it: one of them takes the processor from all calls.

import type { Socket } from 'node:net'
import { createServer } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { makeCertificate } from '../../../test/setup/certificate.ts'
import { createEnds } from '../../../test/setup/ends.ts'
import { listen, serveHttp, serveTcp } from '../../../test/setup/loopback.ts'
import { answer_bytes_max, long_body_bytes_max } from './bounded-answers.ts'
import { createOutbound } from './outbound.ts'

const ends = createEnds()
afterEach(() => ends.all())

function open(ca?: string) {
  const outbound = createOutbound({
    assertNoTransaction: () => undefined,
    ...(ca === undefined ? {} : { ca }),
  })
  ends.add(outbound.close)
  return (url: string) => outbound.send({ method: 'POST', url, body: 'x', timeout_ms: 20_000 })
}

/** Says the head, then the same again for as long as it is read. */
function pour(socket: Socket, head: string, piece: string): void {
  const pieces = Buffer.from(piece.repeat(Math.ceil(20_000 / piece.length)))
  const more = () => {
    while (socket.writable && socket.write(pieces));
  }
  socket.write(head)
  socket.on('drain', more)
  more()
}

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`

const endless = [
  ['announcements', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['headers', ok, 'X-Bomb: 0123456789\r\n'],
  ['one header', `${ok}X-Bomb: `, 'a'],
  ['empty lines', '', '\r\n'],
  ['a body', `${ok}\r\n`, 'x'],
  ['chunks of one byte', chunked, '1\r\nx\r\n'],
  ['the note of a chunk', `${chunked}1;`, 'a'],
  ['trailers', `${chunked}0\r\n`, 'X-Bomb: 0123456789\r\n'],
] as const

describe('an answer with no end of', () => {
  it.each(endless)('%s is left unreadable at once', async (_, head, piece) => {
    const left: Promise<void>[] = []
    const receiver = await ends.keep(
      serveTcp((socket) => {
        left.push(new Promise((resolve) => socket.once('close', () => resolve())))
        socket.once('data', () => pour(socket, head, piece))
      }),
    )
    const began = performance.now()
    const results = await Promise.all(
      Array.from({ length: 4 }, () => open()(`http://127.0.0.1:${receiver.port}/`)),
    )
    for (const result of results) {
      expect(result).toEqual({ is: 'unknown', because: 'unreadable' })
    }
    expect(performance.now() - began).toBeLessThan(8_000)
    await Promise.all(left)
  })

  it('headers is left as soon when it comes over TLS', async () => {
    const { key, cert } = makeCertificate('localhost')
    const server = createServer({ key, cert }, (socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => pour(socket, ok, 'X-Bomb: 0123456789\r\n'))
    })
    const { port } = await ends.keep(listen(server))
    const began = performance.now()
    const result = await open(cert)(`https://localhost:${port}/`)
    expect(result).toEqual({ is: 'unknown', because: 'unreadable' })
    expect(performance.now() - began).toBeLessThan(8_000)
  })
})

describe('the bound', () => {
  it('holds for each answer, not for the connection that carries many', async () => {
    const body = 'x'.repeat(40_000)
    const receiver = await ends.keep(serveHttp((_request, response) => response.end(body)))
    const send = open()
    for (let sent = 0; sent < 6 * answer_bytes_max; sent += body.length) {
      const result = await send(`http://127.0.0.1:${receiver.port}/`)
      expect(result).toMatchObject({ is: 'answered', status: 200, body })
    }
    // So one of them carried more than the bound.
    expect(receiver.connections()).toBeLessThanOrEqual(2)
  })

  it('is as wide as what is asked for, and no wider', async () => {
    const long = 'x'.repeat(4 * answer_bytes_max)
    const receiver = await ends.keep(
      serveHttp((request, response) => {
        if (request.url === '/long') return response.end(long)
        return pour(response.socket as Socket, `${ok}\r\n`, 'x')
      }),
    )
    const outbound = createOutbound({ assertNoTransaction: () => undefined })
    ends.add(outbound.close)
    const ask = (path: string, max_bytes?: number) =>
      outbound.send({
        ...{ method: 'GET', url: `${receiver.url}/${path}`, timeout_ms: 20_000 },
        ...(max_bytes === undefined ? {} : { max_bytes }),
      })
    const unreadable = { is: 'unknown', because: 'unreadable' }
    expect(await ask('long', long.length)).toMatchObject({ is: 'answered', body: long })
    expect(await ask('long', long.length - 1)).toEqual(unreadable)
    expect(await ask('long')).toEqual(unreadable)
    expect(await ask('endless', long_body_bytes_max)).toEqual(unreadable)
    await expect(ask('long', long_body_bytes_max + 1)).rejects.toThrow('no connection brings')
  })

  it('of headers is 16 kB', async () => {
    const receiver = await ends.keep(
      serveHttp((request, response) => {
        response.setHeader('X-Long', 'a'.repeat(Number(request.url?.slice(1)))).end()
      }),
    )
    const send = open()
    const url = `http://127.0.0.1:${receiver.port}/`
    expect(await send(`${url}15000`)).toMatchObject({ is: 'answered' })
    expect(await send(`${url}17000`)).toEqual({ is: 'unknown', because: 'unreadable' })
    expect(await send(`${url}1`)).toMatchObject({ is: 'answered' })
  })
})
