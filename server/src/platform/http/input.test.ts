// What a handler gets, and what is refused before it is called (contract 1.3, 4.2).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { as, boat_id, buildFixture, config, seen } from '../../../test/setup/boat-routes.ts'
import type { HttpServer } from './server.ts'

let server: HttpServer
beforeAll(async () => {
  server = await buildFixture()
})
afterAll(() => server.close())
beforeEach(() => {
  seen.input = undefined
})

const send = (method: 'POST' | 'PATCH', path: string, payload?: string | object) =>
  server.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      ...as(method === 'PATCH' ? 'session' : 'both'),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { payload }),
  })

const errorOf = async (payload: string | object) => {
  const reply = await send('POST', '/boats/', payload)
  expect(reply.statusCode).toBe(400)
  return reply.json().error
}

describe('a body', () => {
  it('that is wrong is reported field by field, all at once, nested ones dotted', async () => {
    const wrong = { wood: 'OAK', seats: 1.5, price: 'x', owner: { email: '@' }, ports: ['a', 'b'] }
    expect(await errorOf(wrong)).toEqual({
      name: ['This field is required.'],
      wood: ['Must be one of: ROSEWOOD, KAPOK.'],
      seats: ['Must be a whole number.'],
      price: ['Must be an amount.'],
      'owner.phone': ['This field is required.'],
      'owner.email': ['Must be an e-mail address.'],
      ports: ['Must have at least 2 characters.'],
    })
  })

  it('is reported together with what the schema cannot say', async () => {
    expect(await errorOf({ name: '', seats: 13 })).toEqual({
      name: ['Must not be empty.'],
      seats: ['Thirteen brings bad luck.'],
    })
  })

  it('is reported together with the query', async () => {
    const reply = await server.inject({
      url: '/api/v1/boats/?page=0&wood=OAK&page_size=x',
      headers: { ...as('both'), 'accept-language': 'fr' },
    })
    expect(reply.json().error).toEqual({
      page: ['Doit être supérieur ou égal à 1.'],
      page_size: ['Doit être un nombre entier.'],
      wood: ['Doit être l’une des valeurs : ROSEWOOD, KAPOK.'],
    })
  })

  it.each(['[1]', '"x"', '3', 'true', 'null', '[]'])('that is %s is no object', async (payload) => {
    const error = await errorOf(payload)
    const expected = { body: ['Must be an object.'] }
    // `null` is an absent body and `[]` an empty one, in which the required field is missing.
    expect(error).toEqual(
      ['null', '[]'].includes(payload) ? { name: ['This field is required.'] } : expected,
    )
  })

  it('may have fields that we do not know', async () => {
    const reply = await send('POST', '/boats/', { name: 'x', sails: { count: 3 } })
    expect(reply.statusCode).toBe(201)
  })

  it('is not coerced', async () => {
    expect(Object.keys(await errorOf({ name: 5, seats: '4' }))).toEqual(['name', 'seats'])
  })

  it('loses its nulls where the schema names the fields, and nowhere else', async () => {
    const metadata = { a: null, b: { c: null } }
    const owner = { phone: '770000000', email: null, extra: null }
    await send('POST', '/boats/', { name: 'x', wood: null, price: null, owner, metadata })
    expect(seen.input?.body).toEqual({ name: 'x', owner: { phone: '770000000' }, metadata })
  })

  it('that holds null for a required field lacks it', async () => {
    expect(await errorOf({ name: null })).toEqual({ name: ['This field is required.'] })
  })

  it('keeps the null of a field that takes it, and no other', async () => {
    await send('PATCH', `/boats/${boat_id}/`, { note: null, wood: null })
    expect(seen.input?.body).toEqual({ note: null })
  })

  it.each([
    ['nothing at all', undefined, {}],
    ['length 0', '', { 'content-length': '0' }],
    ['JSON of length 0', '', { 'content-type': 'application/json' }],
    ['a form of length 0', '', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('may be %s where no field is required', async (_, payload, headers) => {
    const reply = await server.inject({
      method: 'POST',
      url: `/api/v1/boats/${boat_id}/verify/`,
      headers: { ...as('both'), ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    expect(reply.statusCode).toBe(200)
    expect(seen.input?.body).toEqual({})
  })

  it('that is absent lacks the required fields', async () => {
    const reply = await send('POST', '/boats/')
    expect(reply.json().error).toEqual({ name: ['This field is required.'] })
  })

  it.each([
    ['NUL', '{"name":"a\\u0000"}', 'name'],
    ['a lone surrogate', '{"name":"x","owner":{"phone":"\\ud800"}}', 'owner.phone'],
    ['NUL in a list', '{"name":"x","metadata":{"a":[[{"b":"\\u0000"}]]}}', 'metadata.a.b'],
    [
      'NUL below an endless key',
      `{"name":"x","metadata":{"${'k'.repeat(900)}":"\\u0000"}}`,
      'metadata',
    ],
    ['NUL in a key', '{"name":"x","metadata":{"\\u0000":1}}', 'metadata'],
    ['a whole number beyond 2^53', '{"name":"x","metadata":{"a":9007199254740993}}', 'metadata.a'],
    ['one below -2^53, in a list', '{"name":"x","metadata":{"a":[[-1e16]]}}', 'metadata.a'],
    ['a number too large for any', '{"name":"x","metadata":{"a":{"b":1e400}}}', 'metadata.a.b'],
    ['deep nesting', `{"name":"x","metadata":${'['.repeat(4e3)}${']'.repeat(4e3)}}`, 'metadata'],
    ['endless nesting', `{"name":"x","metadata":${'['.repeat(9e4)}${']'.repeat(9e4)}}`, 'body'],
    ['endless nesting of a list', `${'['.repeat(9e4)}${']'.repeat(9e4)}`, 'body'],
  ])('with %s is refused by field', async (_, payload, field) => {
    expect(Object.keys(await errorOf(payload))).toEqual([field])
  })

  it('whose number could not be kept exactly is told how to send it, in either language', async () => {
    const payload = '{"name":"x","metadata":{"order_id":123456789012345678}}'
    expect((await errorOf(payload))['metadata.order_id']).toEqual([
      'Contains a number that is too large to be kept exactly. Send it as a string.',
    ])
    const headers = {
      ...as('both'),
      'content-type': 'application/json',
      'accept-language': 'fr',
    }
    const french = await server.inject({ method: 'POST', url: '/api/v1/boats/', headers, payload })
    expect(french.json().error['metadata.order_id']).toEqual([
      'Contient un nombre trop grand pour être conservé exactement. ' +
        'Envoyez-le sous forme de chaîne de caractères.',
    ])
  })

  it('keeps the numbers that JSON keeps, and may have any in fields that we do not know', async () => {
    const payload =
      '{"name":"x","metadata":{"a":[9007199254740991,-9007199254740991,0.1],"b":1e15},' +
      '"sails":123456789012345678,"owner":{"phone":"770000000","shoe":1e400}}'
    expect((await send('POST', '/boats/', payload)).statusCode).toBe(201)
    const metadata = { a: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0.1], b: 1e15 }
    expect(seen.input?.body).toMatchObject({ metadata })
  })

  it('with a huge number in a field of its own form is told of that form', async () => {
    expect(await errorOf('{"name":1e20,"seats":123456789012345678,"price":1e400}')).toEqual({
      name: ['Must be a string.'],
      seats: ['Must be at most 90.'],
      price: ['Must be an amount.'],
    })
  })

  it('with NUL in one field and another wrong is told of both', async () => {
    const error = await errorOf('{"name":"a\\u0000","seats":"x"}')
    expect(Object.keys(error).sort()).toEqual(['name', 'seats'])
  })

  it('with more NULs than anyone could mend is answered shortly', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, '\0']))
    expect(Object.keys(await errorOf({ name: 'x', metadata })).length).toBeLessThan(110)
  })

  it('cannot reach a prototype', async () => {
    await send('POST', '/boats/', '{"name":"x","__proto__":{"polluted":1},"metadata":{"a":1}}')
    expect(Object.getPrototypeOf(seen.input?.body)).toBe(Object.prototype)
    expect(seen.input?.body).not.toHaveProperty('polluted')
  })

  it('is bytes on an upload route, of the types that it takes', async () => {
    const upload = (type: string, payload: Buffer) =>
      server.inject({
        method: 'POST',
        url: `/api/v1/boats/${boat_id}/photo/`,
        headers: { ...as('both'), 'content-type': type },
        payload,
      })
    const png = await upload('image/png', Buffer.alloc(1_500_000))
    expect(png.json().data).toEqual({ bytes: 1_500_000 })
    expect((await upload('image/gif', Buffer.alloc(3))).statusCode).toBe(415)
    expect((await upload('image/png', Buffer.alloc(2_000_001))).statusCode).toBe(413)
  })
})

describe('a query', () => {
  it('gives the last of each value, and an empty one is absent', async () => {
    const url = '/api/v1/boats/?wood=&a=1&a=2&page=1&__proto__=x'
    await server.inject({ url, headers: as('both') })
    expect(Object.entries(seen.input?.query ?? {})).toEqual([
      ['a', '2'],
      ['page', '1'],
      ['__proto__', 'x'],
    ])
  })

  it('with NUL is refused', async () => {
    const reply = await server.inject({ url: '/api/v1/boats/?a=%00', headers: as('both') })
    expect(reply.json()).toMatchObject({ error: { a: [expect.any(String)] }, code: 400 })
  })

  it('is on the URL of our own origin, whatever host was called', async () => {
    const headers = { ...as('both'), host: 'evil.example' }
    const reply = await server.inject({ url: '/api/v1/canoes?wood=KAPOK&x=%20', headers })
    const next = 'https://pay.example.org/api/v1/canoes/?wood=KAPOK&x=+&page=2'
    expect(reply.json().data).toMatchObject({ next, previous: null })
    expect(seen.input?.url.pathname).toBe('/api/v1/canoes/')
  })

  it('is on a URL below a path where the server stands below one', async () => {
    const public_url = 'https://example.org/pay/'
    const below = await buildFixture({ config: { ...config, public_url } })
    await below.inject({ url: '/api/v1/boats', headers: as('both') })
    expect(seen.input?.url.href).toBe('https://example.org/pay/api/v1/boats/')
    await below.close()
  })
})

describe('an id in the path', () => {
  it.each(['x', '1', `${boat_id}0`, 'null', '%27%20or%201=1'])(
    'that is "%s" is 404',
    async (id) => {
      const reply = await server.inject({ url: `/api/v1/boats/${id}/`, headers: as('both') })
      expect(reply.json()).toMatchObject({ error: { code: 'not_found' }, code: 404 })
    },
  )

  it('may be in capitals', async () => {
    const url = `/api/v1/boats/${boat_id.toUpperCase()}/`
    const reply = await server.inject({ url, headers: as('both') })
    expect(reply.json().data.id).toBe(boat_id)
  })
})

describe('the client address', () => {
  it('is the peer, and a forged X-Forwarded-For is not believed', async () => {
    const headers = { ...as('both'), 'x-forwarded-for': '198.51.100.1' }
    const remoteAddress = '::ffff:203.0.113.7'
    await server.inject({ url: '/api/v1/boats/', headers, remoteAddress })
    expect(seen.input).toMatchObject({ ip: '203.0.113.7', caller: { ip: '203.0.113.7' } })
  })

  it('is what a trusted proxy says', async () => {
    const trust_proxy = { is: 'hops', count: 1 } as const
    const behind = await buildFixture({ config: { ...config, trust_proxy } })
    const headers = { ...as('both'), 'x-forwarded-for': '198.51.100.9, 198.51.100.1' }
    await behind.inject({ url: '/api/v1/boats/', headers })
    expect(seen.input?.ip).toBe('198.51.100.1')
    await behind.close()
  })
})
