// The server on a real socket: what never becomes a request, and how it ends.

import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { as, boat_id, buildFixture } from '../../../test/setup/boat-routes.ts'
import type { HttpServer } from './server.ts'

let server: HttpServer
let port: number
let release: () => void
let arrived: Promise<void>
beforeEach(async () => {
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let arrive = () => {}
  arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  server = await buildFixture({
    extra: (app) => {
      app.get('/slow', async () => {
        arrive()
        await released
        return 'done'
      })
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, body: string) => body)
      app.post('/callback', async (request) => `got ${String(request.body)}`)
      app.get('/broken', async () => {
        throw new Error('secret detail')
      })
    },
  })
  port = (await server.listen(0, '127.0.0.1')).port
})
afterEach(async () => {
  release()
  await server.close()
})

/** Writes bytes and reads until the server closes, or only its first words. */
function talk(bytes: string, is_brief = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      if (is_brief) socket.destroy()
    })
    socket.on('close', () => resolve(received))
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
}

describe('a body that is too large', () => {
  // Closed while its sender still writes, a connection is reset, and the answer is lost with it.
  it('is read to its end, so that its sender reads the 413, and another call may follow', async () => {
    const size = 12 * 1_048_576
    const head = (path: string, more: readonly string[]) =>
      `${[`POST ${path} HTTP/1.1`, 'Host: x', ...more].join('\r\n')}\r\n\r\n`
    const big = head('/api/v1/boats/', [
      `Authorization: Bearer both`,
      'Content-Type: application/json',
      `Content-Length: ${size}`,
    ])
    const next = head('/nope/', ['Content-Length: 0', 'Connection: close'])
    const received = await talk(`${big}${' '.repeat(size)}${next}`)
    expect(received).toMatch(/^HTTP\/1\.1 413 /)
    expect(received).toContain('"code":"payload_too_large"')
    expect(received).toContain('HTTP/1.1 404 ')
  })
})

describe('a body that comes slowly', () => {
  /** Sends the beginning of one, and answers what has come back by the end. */
  function begin(path: string, type: string, credential = 'Authorization: Bearer both') {
    const lines = [`POST /api/v1${path} HTTP/1.1`, 'Host: x', credential, 'Content-Length: 20']
    const head = [...lines, `Content-Type: ${type}`].join('\r\n')
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n{`))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
    return { socket, ended, received: () => received }
  }

  const until = async (is: () => boolean) => {
    const ends = performance.now() + 30_000
    while (!is() && performance.now() < ends) await new Promise((next) => setImmediate(next))
    expect(is()).toBe(true)
  }

  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => vi.useRealTimers())

  it('is waited for a minute, read or not; a file of whoever may send it longer', async () => {
    const file = begin(`/boats/${boat_id}/photo/`, 'image/png')
    const form = begin('/boats/', 'application/json')
    const refused = begin(`/boats/${boat_id}/photo/`, 'image/png', 'X-Nobody: 1')
    await until(() => vi.getTimerCount() === 2 && refused.received().includes('401'))
    vi.advanceTimersByTime(59_000)
    expect(form.received()).toBe('')
    vi.advanceTimersByTime(1_000)
    expect(await form.ended).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
    expect(await refused.ended).not.toContain('408')
    file.socket.write('x'.repeat(19))
    await until(() => file.received().includes('"bytes":20'))
    expect(server.app.server).toMatchObject({ requestTimeout: 300_000, headersTimeout: 60_000 })
    file.socket.destroy()
  })
})

describe('bytes that are no request', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n', 400, 'bad_request'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 400, 'bad_request'],
    [
      'endless headers',
      `GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'bad_request',
    ],
  ])('are answered in the envelope: %s', async (_, bytes, status, code) => {
    const [head = '', body = ''] = (await talk(bytes)).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(head).toMatch(/X-Request-Id: [0-9a-f-]{36}/)
    expect(head).toContain('X-Content-Type-Options: nosniff')
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code }, code: status })
  })
})

describe('a method that no address takes', () => {
  it.each(['PRI *8HTTP/2.0\r\n\r\n', 'SOURCE / HTTP/1.1\r\nHost: x\r\n\r\n'])(
    'is answered like an unknown address, or as no HTTP: %j',
    async (bytes) => {
      const [head = '', body = ''] = (await talk(bytes, true)).split('\r\n\r\n')
      expect(head).toMatch(/^HTTP\/1\.1 (400|404) /)
      expect(head).toMatch(/X-Request-Id: [0-9a-f-]{36}/i)
      expect(head).toMatch(/X-Content-Type-Options: nosniff/i)
      const code = expect.stringMatching(/^(bad_request|not_found)$/)
      expect(JSON.parse(body)).toMatchObject({ success: false, error: { code } })
    },
  )
})

describe('the files of the documentation', () => {
  it.each([
    ...[
      '%5c..%5c',
      '/etc/passwd',
      '%2e%2e/%2e%2e/package.json',
      '../../package.json',
      '..%2f..%2f',
    ],
    ...['%00', '%', '.git', 'nothing.css', '%C0%AF', 'a%0d%0ab'],
  ])('are not left by /docs/static/%s', async (path) => {
    const bytes = `GET /docs/static/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const [head = '', body = ''] = (await talk(bytes)).split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 404 ')
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'not_found' } })
  })
})

describe('the extra routes', () => {
  it('stand outside the API, read bodies their own way, and have our headers', async () => {
    const at = `http://127.0.0.1:${port}`
    const reply = await fetch(`${at}/callback`, { method: 'POST', body: 'raw=1' })
    expect(await reply.text()).toBe('got raw=1')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    const broken = await fetch(`${at}/broken`)
    expect(broken.status).toBe(500)
    expect(await broken.json()).toMatchObject({ error: { code: 'internal_error' } })
  })

  it('leave the parsers of the API alone', async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/boats/`, {
      method: 'POST',
      headers: as('both'),
      body: 'name=x',
    })
    expect(reply.status).toBe(415)
  })
})

describe('closing', () => {
  it('ends what is in flight and takes nothing more', async () => {
    const slow = fetch(`http://127.0.0.1:${port}/slow`)
    await arrived
    const closed = server.close()
    release()
    expect(await (await slow).text()).toBe('done')
    await closed
    await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow()
  })

  it('does not wait for a connection that nobody has used', async () => {
    const unused = connect(port, '127.0.0.1')
    const gone = new Promise((resolve) => unused.once('close', resolve))
    await new Promise((resolve) => unused.once('connect', resolve))
    const began = performance.now()
    await server.close()
    await gone
    expect(performance.now() - began).toBeLessThan(4_000)
  })
})
