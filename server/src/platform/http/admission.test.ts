// Who may call, and in which order a caller learns it (contract 4.3); the headers of contract 1.4.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { as, boat_id, buildFixture, config, seen } from '../../../test/setup/boat-routes.ts'
import type { HttpServer } from './server.ts'

let server: HttpServer
beforeAll(async () => {
  server = await buildFixture()
})
afterAll(() => server.close())
beforeEach(() => {
  seen.handled = 0
})

type Call = Readonly<{ method?: 'GET' | 'POST' | 'PATCH'; path: string; token?: string }>

const call = ({ method = 'POST', path, token }: Call, payload?: string) =>
  server.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      ...(token === undefined ? {} : as(token)),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { payload }),
  })

const verify = `/boats/${boat_id}/verify/`

describe('admission', () => {
  it.each([
    ['no credential', 401, 'not_authenticated', { path: '/boats/' }],
    ['an unknown key', 401, 'invalid_api_key', { path: '/boats/', token: 'x' }],
    ['no allowance', 429, 'rate_limited', { path: '/boats/', token: 'slow' }],
    ['suspension', 403, 'merchant_suspended', { path: '/boats/', token: 'suspended' }],
    ['the wrong scope', 403, 'api_key_scope_forbidden', { path: '/boats/', token: 'payout' }],
    ['the wrong scope', 403, 'api_key_scope_forbidden', { path: verify, token: 'payin' }],
  ] as const)('stops at %s with %i before the body is read', async (_, status, code, request) => {
    const reply = await call(request, '{')
    expect(reply.statusCode).toBe(status)
    expect(reply.json()).toMatchObject({ error: { code }, code: status })
    expect(seen.handled).toBe(0)
  })

  it('names suspension before scope', async () => {
    // Only `suspended` differs from a key that the scope would refuse.
    const reply = await call({ path: '/boats/', token: 'suspended-payout' })
    expect(reply.json().error.code).toBe('merchant_suspended')
  })

  it('runs the guard after the scope and before the body', async () => {
    const from = { remoteAddress: '203.0.113.66' }
    const sent = { method: 'POST', url: `/api/v1${verify}`, payload: '[', ...from } as const
    const json = { 'content-type': 'application/json' }
    const scope = await server.inject({ ...sent, headers: { ...json, ...as('payin') } })
    expect(scope.json().error.code).toBe('api_key_scope_forbidden')
    const guard = await server.inject({ ...sent, headers: { ...json, ...as('payout') } })
    expect(guard.json().error.code).toBe('permission_denied')
  })

  it.each([
    ['payin', '/boats/', 201],
    ['both', '/boats/', 201],
    ['payout', verify, 200],
    ['both', verify, 200],
    ['suspended', verify, 200],
  ])('lets the scope %s call POST %s', async (token, path, status) => {
    expect((await call({ path, token }, '{"name":"x"}')).statusCode).toBe(status)
  })

  it('lets a suspended merchant read', async () => {
    const reply = await call({ method: 'GET', path: '/boats/', token: 'suspended' })
    expect(reply.statusCode).toBe(200)
  })

  it('keeps dashboard routes from API keys', async () => {
    const route = { method: 'PATCH', path: `/boats/${boat_id}/` } as const
    const key = await call({ ...route, token: 'both' }, '{}')
    expect(key.json()).toMatchObject({ error: { code: 'dashboard_only' }, code: 403 })
    expect((await call({ ...route, token: 'session' }, '{}')).statusCode).toBe(200)
  })

  it('asks no credential of a public route, and does not look at a wrong one', async () => {
    expect((await call({ method: 'GET', path: '/woods/' })).statusCode).toBe(200)
    expect((await call({ method: 'GET', path: '/woods/', token: 'x' })).statusCode).toBe(200)
  })
})

describe('headers', () => {
  it.each([
    ['an answer', 'both', { name: 'x' }, 201],
    ['a wrong body', 'both', {}, 400],
    ['a forbidden scope', 'payout', {}, 403],
    ['a bug', 'both', { name: 'bug' }, 500],
  ])('show the allowance on %s', async (_, token, payload, status) => {
    const reply = await call({ path: '/boats/', token }, JSON.stringify(payload))
    expect(reply.statusCode).toBe(status)
    expect(reply.headers).toMatchObject({
      'ratelimit-limit': '300',
      'ratelimit-remaining': '299',
      'ratelimit-reset': '42',
    })
  })

  it('of a 429 show that nothing is left, and when to come back', async () => {
    const reply = await call({ method: 'GET', path: '/boats/', token: 'slow' })
    expect(reply.json().error).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(reply.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '42' })
  })

  it('of a 401 name the scheme and no allowance', async () => {
    const reply = await call({ method: 'GET', path: '/boats/' })
    expect(reply.headers['www-authenticate']).toBe('Bearer')
    expect(reply.headers['ratelimit-limit']).toBeUndefined()
  })

  it.each(['/api/v1/woods/', '/nope', '/api/v1/boats/', '/api/v1/%zz'])(
    'secure the answer of %s',
    async (url) => {
      const { headers } = await server.inject({ url })
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'content-security-policy':
          "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      })
    },
  )

  it('promise https only where it is spoken', async () => {
    const plain = await buildFixture({ config: { ...config, public_url: 'http://localhost:8080' } })
    const { headers } = await plain.inject({ url: '/api/v1/woods/' })
    expect(headers['strict-transport-security']).toBeUndefined()
    await plain.close()
  })

  it.each(['req-1', 'a.B_c-9', 'x'.repeat(128)])('keep the sane request id %s', async (id) => {
    const reply = await server.inject({ url: '/nope', headers: { 'x-request-id': id } })
    expect(reply.headers['x-request-id']).toBe(id)
  })

  it.each(['', 'x'.repeat(129), 'a b', 'a"b', '<script>'])(
    'replace the request id "%s"',
    async (id) => {
      const reply = await server.inject({ url: '/nope', headers: { 'x-request-id': id } })
      expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
})
