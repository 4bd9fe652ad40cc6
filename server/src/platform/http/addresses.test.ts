// Addresses: both spellings, aliases, and the two ways of being nowhere (contract 1.1, 1.2).

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { as, boat_id, buildFixture } from '../../../test/setup/boat-routes.ts'
import type { HttpServer } from './server.ts'

let server: HttpServer
beforeAll(async () => {
  server = await buildFixture({
    extra: (app) => {
      app.get('/healthz', async (_, reply) => reply.send('ok'))
    },
  })
})
afterAll(() => server.close())

describe('an address', () => {
  it.each(['/boats/', '/boats', '/canoes/', '/canoes', '/boats?page=2'])(
    'is served at %s without a redirect',
    async (path) => {
      const reply = await server.inject({ url: `/api/v1${path}`, headers: as('both') })
      expect(reply.statusCode).toBe(200)
      expect(reply.json().data.count).toBe(120)
    },
  )

  it.each([
    '/',
    '/api/v1',
    '/api/v1/nope/',
    '/boats/',
    '/API/V1/boats/',
    '/api/v1/Boats/',
    '/api/v1/boats//',
    '/api/v1/%zz/',
    '/api/v1/boats/%00/',
    `/api/v1/boats/${'a'.repeat(300)}/`,
  ])('that is not there is 404 in the envelope: %s', async (url) => {
    const reply = await server.inject({ url, headers: as('both') })
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({
      success: false,
      error: { code: 'not_found' },
      code: 404,
    })
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    expect(reply.headers['x-request-id']).toBeTruthy()
  })

  it.each([
    ['PUT', '/api/v1/boats/', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/canoes', 'GET, HEAD, POST'],
    ['POST', `/api/v1/boats/${boat_id}/`, 'DELETE, GET, HEAD, PATCH'],
    ['GET', `/api/v1/boats/${boat_id}/verify/?a=b`, 'POST'],
    ['OPTIONS', '/api/v1/woods/', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/api/v1/openapi.json', 'GET, HEAD'],
  ] as const)('refuses %s %s with 405 and says what it takes', async (method, url, allow) => {
    const reply = await server.inject({ method, url })
    expect(reply.statusCode).toBe(405)
    expect(reply.headers.allow).toBe(allow)
    expect(reply.json()).toMatchObject({ error: { code: 'method_not_allowed' }, code: 405 })
  })

  it('is judged before any credential or body', async () => {
    const sent = { payload: '<x>', headers: { 'content-type': 'text/xml' } } as const
    const unknown = await server.inject({ method: 'POST', url: '/api/v1/nope/', ...sent })
    const wrong = await server.inject({ method: 'PUT', url: '/api/v1/boats/', ...sent })
    expect([unknown.statusCode, wrong.statusCode]).toEqual([404, 405])
  })

  it('never sends a CORS header', async () => {
    const headers = { ...as('both'), origin: 'https://shop.example' }
    const reply = await server.inject({ url: '/api/v1/boats/', headers })
    const cors = Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))
    expect(cors).toEqual([])
  })
})
