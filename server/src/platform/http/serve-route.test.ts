// The idempotency key as the transport sees it (contract 4.1, 4.2): when it is read, when it is
// refused, and what a call is known by. The promise itself is kept and tested elsewhere.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { as, boat_id, buildFixture, routes, seen } from '../../../test/setup/boat-routes.ts'
import { notOnce, type Reply } from './route.ts'
import type { RunOnce } from './serve-route.ts'
import type { HttpServer } from './server.ts'

const calls: { key: string; canonical: string }[] = []
let answer: Reply | undefined

/** Notes each call; answers `answer` in place of the handler when there is one. */
const once: RunOnce = {
  async run({ key, canonical }, handler) {
    calls.push({ key, canonical })
    return answer ?? handler(notOnce)
  },
}

let server: HttpServer
beforeAll(async () => {
  server = await buildFixture({ once })
})
afterAll(() => server.close())
beforeEach(() => {
  calls.length = 0
  seen.handled = 0
  answer = undefined
})

const build = (key: string | undefined, payload: string, path = '/boats/') =>
  server.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: {
      ...as('both'),
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    payload,
  })

describe('an idempotency key', () => {
  it('is optional', async () => {
    expect((await build(undefined, '{"name":"x"}')).statusCode).toBe(201)
    expect(calls).toEqual([])
  })

  it.each(['k', 'k'.repeat(255), 'order 1042 / try 1'])('may be "%s"', async (key) => {
    expect((await build(key, '{"name":"x"}')).statusCode).toBe(201)
    expect(calls.map((call) => call.key)).toEqual([key])
    expect(seen.handled).toBe(1)
  })

  it.each(['', 'k'.repeat(256)])('is refused by its name when it is "%s"', async (key) => {
    const reply = await build(key, '{"name":"x"}')
    expect(reply.json()).toEqual({
      success: false,
      error: { 'Idempotency-Key': ['Must have 1 to 255 characters.'] },
      code: 400,
    })
    expect(seen.handled).toBe(0)
  })

  it('is refused together with a wrong body, and used for none', async () => {
    expect((await build('', '{}')).json().error).toEqual({
      name: ['This field is required.'],
      'Idempotency-Key': ['Must have 1 to 255 characters.'],
    })
    await build('k', '{}')
    expect(calls).toEqual([])
  })

  it('is ignored, even a wrong one, where no money moves', async () => {
    expect((await build('', '{}', `/boats/${boat_id}/verify/`)).statusCode).toBe(200)
    expect(calls).toEqual([])
  })

  it('stands for one call, however its address and its JSON are spelled', async () => {
    await build('k', '{"name":"x","owner":{"phone":"770000000","email":null}}')
    await build(
      'k',
      ' { "owner" : {"email":null,"phone":"770000000"}, "name":"\\u0078" }',
      '/canoes',
    )
    expect(calls[1]).toEqual(calls[0])
    expect(calls[0]?.canonical).toBe(
      'POST /boats/\n{"name":"x","owner":{"email":null,"phone":"770000000"}}',
    )
  })

  it('stands for another call when the body differs', async () => {
    await build('k', '{"name":"x","ports":["ab","cd"]}')
    await build('k', '{"name":"x","ports":["cd","ab"]}')
    expect(calls[1]?.canonical).not.toBe(calls[0]?.canonical)
  })
})

describe('a stored answer', () => {
  it('is sent byte for byte, and says that it is a replay', async () => {
    answer = { status: 201, json: '{"id": "1",  "n":1.0}', stored: true, replayed: true }
    const reply = await build('k', '{"name":"x"}')
    expect(reply.body).toBe('{"success":true,"data":{"id": "1",  "n":1.0},"code":201}')
    expect(reply.headers['idempotent-replayed']).toBe('true')
    expect(seen.handled).toBe(0)
  })

  it('that refuses is sent as an error', async () => {
    answer = { status: 422, json: '{"message":"m","code":"c"}', stored: true }
    const reply = await build('k', '{"name":"x"}')
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toBe('{"success":false,"error":{"message":"m","code":"c"},"code":422}')
    expect(reply.headers['idempotent-replayed']).toBeUndefined()
  })
})

describe('a route', () => {
  it('that shares its address with another does not start', async () => {
    await expect(buildFixture({ routes: [...routes, ...routes.slice(0, 1)] })).rejects.toThrow(
      /already declared/,
    )
  })

  it.each([
    ['/boats', []],
    ['/boats/:id/', ['/canoes/:canoe_id/']],
  ])('at %s with aliases %j does not start', async (path, aliases) => {
    const [route] = routes
    if (route === undefined) throw new Error('no route')
    await expect(buildFixture({ routes: [{ ...route, path, aliases }] })).rejects.toThrow(/bug:/)
  })

  it('that is public and reads its caller is a bug', async () => {
    const [route] = routes.filter(({ path }) => path === '/woods/')
    if (route === undefined) throw new Error('no route')
    const handler: typeof route.handler = async ({ caller }) => ({ status: 200, data: caller })
    const wrong = await buildFixture({ routes: [{ ...route, handler }] })
    expect((await wrong.inject({ url: '/api/v1/woods/' })).statusCode).toBe(500)
    await wrong.close()
  })
})
