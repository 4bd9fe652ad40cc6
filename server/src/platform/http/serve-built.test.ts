// The page and the files that were built for browsers, as a browser asks for them.

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refuse } from '../errors.ts'
import { buildServer, type HttpServer } from './server.ts'
import { accessErrors } from './transport-errors.ts'

const page = `<!doctype html><script type="module" src="./assets/main-x1.js"></script>
<link rel="modulepreload" href="./assets/dashboard-x1.js" data-for="member">
`
const files = new Map([
  ['main-x1.js', Buffer.from('console.log(1)'.repeat(100))],
  ['main-x1.css', Buffer.from('a{b:c}')],
])

let server: HttpServer
beforeAll(async () => {
  server = await buildServer({
    routes: [],
    dashboard: { page, files },
    authenticate: async () => {
      throw refuse(accessErrors.not_authenticated)
    },
    log: pino({ level: 'silent' }),
    config: {
      default_locale: 'en',
      envelope: 'on',
      public_url: 'https://pay.example.org/money',
      trust_proxy: { is: 'nobody' },
    },
  })
})
afterAll(() => server.close())

const get = (url: string, headers: Record<string, string> = {}) =>
  server.inject({ method: 'GET', url, headers })

describe('the page', () => {
  it.each(['/dashboard', '/dashboard/', '/dashboard/some/where?x=1'])('is at %s', async (url) => {
    const reply = await get(url)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(reply.headers['cache-control']).toBe('no-cache')
    // Below the path that the service is served at.
    expect(reply.body).toContain('src="/money/dashboard/assets/main-x1.js"')
  })

  it('lets in nothing but its own files, and makes no text a script', async () => {
    const { headers } = await get('/dashboard')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    expect(headers['x-frame-options']).toBe('DENY')
  })

  it('names what is inside only to a browser that has a session, whatever it is worth', async () => {
    const ahead = 'href="/money/dashboard/assets/dashboard-x1.js"'
    const stranger = await get('/dashboard')
    const member = await get('/dashboard', { cookie: 'a=b; __Host-pirogue_member=x' })
    expect(stranger.body).not.toContain(ahead)
    expect(member.body).toContain(ahead)
    expect(member.headers['etag']).not.toBe(stranger.headers['etag'])
    expect(member.headers['vary']).toContain('Cookie')
  })

  it('is not sent again to whoever has it', async () => {
    const { headers } = await get('/dashboard')
    const again = await get('/dashboard/x', { 'if-none-match': String(headers['etag']) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('is read only: any other method is refused', async () => {
    const reply = await server.inject({ method: 'POST', url: '/dashboard' })
    expect(reply.statusCode).toBe(405)
  })
})

describe('a file', () => {
  it('is kept for ever, and compressed by what the browser reads', async () => {
    const reply = await get('/dashboard/assets/main-x1.js')
    expect(reply.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
    const br = await get('/dashboard/assets/main-x1.js', { 'accept-encoding': 'gzip, br' })
    expect(br.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(reply.body)
    const zip = await get('/dashboard/assets/main-x1.js', { 'accept-encoding': 'gzip, br;q=0' })
    expect(zip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zip.rawPayload).toString()).toBe(reply.body)
    expect((await get('/dashboard/assets/main-x1.css')).headers['content-type']).toContain('css')
  })

  it.each(['nothing.js', '..%2findex.html', '__proto__'])(
    'that is not there is 404: %s',
    async (name) => {
      expect((await get(`/dashboard/assets/${name}`)).statusCode).toBe(404)
    },
  )
})
