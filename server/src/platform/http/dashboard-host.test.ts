// The dashboard at a host of its own, on the server alone: which host answers what. Sessions by
// cookie are the story of `the-dashboard-has-its-own-host.test.ts`.

import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { as, buildFixture, config } from '../../../test/setup/boat-routes.ts'
import { html } from '../html.ts'
import type { HttpServer, ServerOptions } from './server.ts'

const page = `<!doctype html><html><head><meta charset="utf-8">
<script type="module" src="./assets/main-x1.js"></script>
</head><body></body></html>
`
const dashboard = { page, files: new Map([['main-x1.js', Buffer.from('console.log(1)')]]) }
const shown = {
  is: 'page',
  status: 200,
  page: html`<p>Pay</p>`,
  policy: "default-src 'none'",
} as const
const pages: ServerOptions['pages'] = {
  routes: [{ method: 'GET', path: '/checkout/:slug', handler: async () => shown }],
  failed: () => shown,
}
const extra: ServerOptions['extra'] = (app) => {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/metrics', async () => 'pirogue_up 1')
  app.post('/callbacks/:gateway', async () => ({ status: 'received' }))
}

const own = 'https://board.example.org'
const at_own = { ...config, public_url: 'https://pay.example.org/money', dashboard_url: own }
const parts = { dashboard, pages, extra }
let server: HttpServer
let without: HttpServer
beforeAll(async () => {
  server = await buildFixture({ ...parts, config: at_own })
  without = await buildFixture(parts)
})
afterAll(() => Promise.all([server?.close(), without?.close()]))

type Way = { method?: 'GET' | 'HEAD' | 'POST'; by?: HttpServer; headers?: Record<string, string> }

async function ask(host: string, url: string, { method = 'GET', by = server, headers }: Way = {}) {
  const reply = await by.inject({ method, url, headers: { host, ...headers } })
  return { ...reply, status: reply.statusCode, to: reply.headers['location'] }
}
const statusAt = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status

const board = 'board.example.org'
const pay = 'pay.example.org'

describe('the dashboard’s host', () => {
  it('answers the dashboard, the API and whether we live', async () => {
    for (const url of ['/dashboard', '/dashboard/', '/dashboard/a/test/payments?x=1', '/healthz']) {
      expect(await statusAt(board, url), url).toBe(200)
    }
    expect(await statusAt(board, '/dashboard/assets/main-x1.js')).toBe(200)
    expect(await statusAt(board, '/api/v1/boats/', { headers: as('both') })).toBe(200)
    expect(await statusAt(board, '/api/v1/openapi.json')).toBe(200)
    expect(await statusAt(board, '/dashboard', { method: 'POST' })).toBe(405)
  })

  it.each([
    ...['/checkout/abc', '/%63heckout/abc', '/metrics', '/openapi.json', '/docs/json', '/nope'],
    ...['/dashboards', '//dashboard', '/api', '/api/v2/boats/'],
  ])('knows no %s', async (url) => {
    const reply = await ask(board, url)
    expect([reply.status, reply.json().error.code]).toEqual([404, 'not_found'])
    expect(reply.json().error.message).not.toContain('/docs')
    expect(reply.body).not.toContain('Pay')
  })

  it('has nothing for operators, whatever the method', async () => {
    for (const method of ['GET', 'POST'] as const) {
      const reply = await ask(board, '/callbacks/mtn', { method })
      expect([reply.status, reply.headers['allow']], method).toEqual([404, undefined])
    }
    expect(await statusAt(pay, '/callbacks/mtn', { method: 'POST' })).toBe(200)
    expect(await statusAt(pay, '/callbacks/mtn')).toBe(405)
  })

  it('leads from / to the dashboard', async () => {
    for (const url of ['/', '/?x=1']) {
      const reply = await ask(board, url)
      expect([reply.status, reply.to], url).toEqual([302, `${own}/dashboard`])
      expect(reply.headers['cache-control']).toBe('no-store')
    }
    expect(await statusAt(board, '/', { method: 'POST' })).toBe(404)
    expect(await statusAt(pay, '/')).toBe(404)
  })

  it('is known by its name in any letters, and by its port', async () => {
    for (const host of ['BOARD.example.org', 'board.Example.ORG:443']) {
      expect(await statusAt(host, '/dashboard'), host).toBe(200)
    }
    for (const host of [
      ...['board.example.org:8443', 'board.example.org.', 'board.example.org.evil.example'],
      ...[
        'evil.example',
        'board.example.org@evil.example',
        'board.example.org:80',
        '127.0.0.1',
        '',
      ],
    ]) {
      expect(await statusAt(host, '/dashboard'), host).toBe(302)
      expect(await statusAt(host, '/checkout/abc'), host).toBe(200)
    }
    const dashboard_url = 'http://localhost:8080'
    const near = await buildFixture({ ...parts, config: { ...config, dashboard_url } })
    expect(await statusAt('localhost:8080', '/dashboard', { by: near })).toBe(200)
    expect(await statusAt('localhost', '/dashboard', { by: near })).toBe(302)
    await near.close()
  })

  it('stands at no path, names its files so, and says which address programs call', async () => {
    const { body } = await ask(board, '/dashboard')
    expect(body).toContain('src="/dashboard/assets/main-x1.js"')
    expect(body).toContain(
      '<meta name="api" content="https://pay.example.org/money/api/v1">\n</head>',
    )
    const { results, next } = (
      await ask(board, '/api/v1/boats/?page_size=1', { headers: as('both') })
    ).json().data
    expect(results).toBeDefined()
    if (next !== null) expect(next).toMatch(/^https:\/\/board\.example\.org\/api\/v1\//)
  })
})

describe('any other host', () => {
  it('leads from the dashboard to its own, with path and query', async () => {
    for (const url of [
      ...[
        '/dashboard',
        '/dashboard/',
        '/dashboard/verify-email?a=b&c=%2F',
        '/dashboard/assets/x.js',
      ],
      ...['/dashboard//evil.example/', '/%64ashboard/x', '/dashboard/%0d%0aSet-Cookie:x'],
    ]) {
      for (const method of ['GET', 'HEAD'] as const) {
        const reply = await ask(pay, url, { method })
        expect([reply.status, reply.to], url).toEqual([302, own + url])
        expect(new URL(String(reply.to)).origin).toBe(own)
        expect(reply.headers['cache-control']).toBe('no-store')
      }
    }
    expect(await statusAt(pay, '/dashboard', { method: 'POST' })).toBe(405)
    expect(await statusAt(pay, '/dashboards')).toBe(404)
  })

  it('answers everything else, the API too', async () => {
    expect(await statusAt(pay, '/checkout/abc')).toBe(200)
    expect(await statusAt(pay, '/healthz')).toBe(200)
    expect(await statusAt(pay, '/api/v1/boats/', { headers: as('both') })).toBe(200)
  })

  it('is led by the host that it names where it asks by a whole address', async () => {
    const { port } = await server.listen(0, '127.0.0.1')
    const talk = (target: string, host: string) =>
      new Promise<string>((resolve, reject) => {
        const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close', '', '']
        const socket = connect(port, '127.0.0.1', () => socket.write(lines.join('\r\n')))
        let heard = ''
        socket.on('data', (chunk) => {
          heard += chunk
        })
        socket.on('close', () => resolve(heard))
        socket.on('error', reject)
      })
    expect(await talk('http://board.example.org/dashboard/x', pay)).toMatch(
      /^HTTP\/1\.1 302 [\s\S]*\nlocation: https:\/\/board\.example\.org\/dashboard\/x\r/i,
    )
    expect(await talk('http://evil.example/', board)).toMatch(
      /\nlocation: https:\/\/board\.example\.org\/dashboard\r/i,
    )
  })
})

describe('without a host of its own', () => {
  it('the dashboard is at every host, and its page as it was built', async () => {
    for (const host of [board, pay]) {
      const reply = await ask(host, '/dashboard', { by: without })
      expect([reply.status, reply.to]).toEqual([200, undefined])
      expect(reply.body).not.toContain('name="api"')
      expect(await statusAt(host, '/checkout/abc', { by: without })).toBe(200)
      expect(await statusAt(host, '/', { by: without })).toBe(404)
    }
  })
})
