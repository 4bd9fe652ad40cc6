// The endpoints' routes over the real server, each status of the contract by its own test.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silent, WebhookFixture } from '../../test/webhook-fixture.ts'
import type { FeedKey } from '../events/event.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { buildServer, type HttpServer } from '../platform/http/server.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { webhookRoutes } from './routes.ts'

let fixture: WebhookFixture
let server: HttpServer
let feed: FeedKey
const callers = new Map<string, Caller>()
const woken: string[] = []

beforeAll(async () => {
  fixture = await WebhookFixture.open()
  const rules = { allow_private: false, own_ports: () => [] }
  const wake = (name: string) => void woken.push(name)
  server = await buildServer({
    routes: webhookRoutes({ db: fixture.db, keyring: fixture.keyring, wake, ...rules }),
    async authenticate({ authorization = '' }) {
      const caller = callers.get(authorization.replace('Bearer ', ''))
      if (caller === undefined) throw refuse(accessErrors.not_authenticated)
      return { caller, rate: { limit: 300, remaining: 299, reset_s: 42 } }
    },
    config: {
      default_locale: 'en',
      envelope: 'off',
      public_url: 'https://pay.example.org',
      trust_proxy: { is: 'nobody' },
    },
    log: silent,
  })
})
afterAll(async () => {
  await server.close()
  await fixture.close()
})

/** A caller of a fresh merchant, unless another is given; the token to call with. */
function as(changes: Partial<Caller> = {}): string {
  const token = randomUUID()
  callers.set(token, { ...fixture.caller(feed), ...changes })
  return token
}

beforeEach(() => {
  feed = fixture.newFeed()
  woken.length = 0
})

type Call = { token?: string; body?: object }

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, sent: Call = {}) {
  const headers = sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }
  const payload = sent.body === undefined ? {} : { payload: sent.body }
  const reply = await server.inject({ method, url: `/api/v1${path}`, headers, ...payload })
  return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
}

const url = 'https://shop.example.com/hooks'
const register = (token: string, body: object = {}) =>
  call('POST', '/merchant-webhooks/', { token, body: { url, ...body } })
const registered = async (token: string, body: object = {}): Promise<string> =>
  (await register(token, body)).body.id

describe('POST /merchant-webhooks/', () => {
  it('201: shows the record and, this once, the secret; the row keeps it sealed', async () => {
    const token = as({ member_id: '01981f3a-0000-7000-8000-000000000009', via: 'SESSION' })
    const { status, body } = await register(token, {
      description: 'Orders',
      events: ['transaction.failed', 'transaction.success', 'transaction.failed'],
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      merchant: feed.merchant_id,
      url,
      description: 'Orders',
      environment: 'SANDBOX',
      is_active: true,
      payment_link: null,
      events: ['transaction.success', 'transaction.failed'],
      failing_since: null,
      switched_off_reason: '',
      overlap_until: null,
      created_by_member: '01981f3a-0000-7000-8000-000000000009',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const [row] = await fixture.db<{ sealed_secret: Buffer }[]>`
      select sealed_secret from webhooks where id = ${body.id}`
    expect(row?.sealed_secret.toString('latin1')).not.toContain(body.signing_secret.slice(6))
    const { body: read } = await call('GET', `/merchant-webhooks/${body.id}/`, { token })
    expect(read).not.toHaveProperty('signing_secret')
  })

  it('400: names every wrong field at once', async () => {
    const token = as()
    const wrong = { url: 'http://10.0.0.1/', description: 'x'.repeat(256), events: ['payment'] }
    const { status, body } = await register(token, wrong)
    expect(status).toBe(400)
    expect(Object.keys(body).sort()).toEqual(['description', 'events', 'url'])
    expect(body.url).toHaveLength(1)
    const missing = await call('POST', '/merchant-webhooks/', { token, body: {} })
    expect(missing).toMatchObject({ status: 400, body: { url: [expect.any(String)] } })
    for (const bad of ['ftp://a.example', 'https://u:p@a.example/', 'https://a.example:22/']) {
      expect(await register(token, { url: bad })).toMatchObject({ status: 400 })
    }
  })

  it('400: a live webhook must have https', async () => {
    const token = as({ environment: 'LIVE' })
    const { status, body } = await register(token, { url: 'http://shop.example.com/' })
    expect({ status, fields: Object.keys(body) }).toEqual({ status: 400, fields: ['url'] })
    expect(await register(token)).toMatchObject({ status: 201, body: { environment: 'LIVE' } })
  })

  it('401: without a credential', async () => {
    expect(await call('POST', '/merchant-webhooks/', { body: { url } })).toMatchObject({
      status: 401,
      body: { code: 'not_authenticated' },
    })
  })

  it('403: for the other environment, and for a suspended merchant', async () => {
    // Http is right in the merchant's own environment, and not what is wrong here.
    for (const body of [{ url }, { url: 'http://shop.example.com/' }]) {
      expect(await register(as(), { ...body, environment: 'LIVE' })).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      })
    }
    expect(await register(as({ suspended: true }))).toMatchObject({
      status: 403,
      body: { code: 'merchant_suspended' },
    })
  })

  it('422: at most twenty, also when they are asked for at the same moment', async () => {
    const token = as()
    const replies = await Promise.all(Array.from({ length: 25 }, () => register(token)))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(5)
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 422, body: { code: 'webhook_limit_reached' } })
    }
    const { body } = await call('GET', '/merchant-webhooks/', { token })
    await call('DELETE', `/merchant-webhooks/${body.results[0].id}/`, { token })
    expect(await register(token)).toMatchObject({ status: 201 })
  })
})

describe('GET /merchant-webhooks/', () => {
  it('200: the own ones of this environment, newest first, by pages, without secrets', async () => {
    const token = as()
    for (const name of ['a', 'b', 'c']) await register(token, { description: name })
    await register(as({ environment: 'LIVE' }))
    await register(as(fixture.caller(fixture.newFeed())))
    const { status, body } = await call('GET', '/merchant-webhooks/?page_size=2', { token })
    expect(status).toBe(200)
    expect(body).toMatchObject({ count: 3, previous: null })
    expect(body.next).toContain('page=2')
    expect(body.results.map((one: { description: string }) => one.description)).toEqual(['c', 'b'])
    expect(JSON.stringify(body)).not.toContain('whsec_')
    const found = await call('GET', '/merchant-webhooks/?search=B', { token })
    expect(found.body).toMatchObject({ count: 1, results: [{ description: 'b' }] })
    const sorted = await call('GET', '/merchant-webhooks/?ordering=created_at', { token })
    expect(sorted.body.results[0].description).toBe('a')
  })

  it('400 and 404: an unknown ordering, a page beyond the end', async () => {
    const token = as()
    expect(await call('GET', '/merchant-webhooks/?ordering=secret', { token })).toMatchObject({
      status: 400,
    })
    expect(await call('GET', '/merchant-webhooks/?page=2', { token })).toMatchObject({
      status: 404,
    })
  })
})

describe.each([
  ['GET', '', undefined],
  ['PATCH', '', {}],
  ['DELETE', '', undefined],
  ['POST', 'test/', undefined],
] as const)('%s /merchant-webhooks/{id}/%s', (method, tail, body) => {
  const register = (token: string, id: string) =>
    call(method, `/merchant-webhooks/${id}/${tail}`, { token, ...(body ? { body } : {}) })

  it('403: of another merchant', async () => {
    const id = await registered(as(fixture.caller(fixture.newFeed())))
    expect(await register(as(), id)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    })
  })

  it('404: unknown, ill-formed, deleted, or of the own other environment', async () => {
    const token = as()
    const deleted = await registered(token)
    await call('DELETE', `/merchant-webhooks/${deleted}/`, { token })
    const live = await registered(as({ environment: 'LIVE' }))
    for (const id of [randomUUID(), 'nonsense', deleted, live]) {
      expect(await register(token, id)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })
})

describe('PATCH /merchant-webhooks/{id}/', () => {
  it('200: changes what was sent and nothing else; a list of events replaces the old one', async () => {
    const token = as()
    const id = await registered(token, { events: ['transaction.success', 'transaction.failed'] })
    const change = (body: object) => call('PATCH', `/merchant-webhooks/${id}/`, { token, body })
    const first = await change({
      description: 'new',
      events: ['transaction.failed', 'webhook.test'],
    })
    expect(first).toMatchObject({
      status: 200,
      body: { url, description: 'new', events: ['transaction.failed', 'webhook.test'] },
    })
    const second = await change({ url: 'https://other.example.com/', events: [], is_active: false })
    expect(second.body).toMatchObject({ description: 'new', events: [], is_active: false })
    expect(second.body.url).toBe('https://other.example.com/')
    expect(await change({ description: null })).toMatchObject({ body: { description: 'new' } })
  })

  it('200: switched on again, its failures are forgotten and its queue is woken', async () => {
    const token = as()
    const id = await registered(token)
    await fixture.db`
      update webhooks
         set is_active = false, failing_since = now(), switched_off_reason = 'FAILING'
       where id = ${id}`
    const path = `/merchant-webhooks/${id}/`
    const { body } = await call('PATCH', path, { token, body: { is_active: true } })
    expect(body).toMatchObject({ is_active: true, failing_since: null, switched_off_reason: '' })
    expect(woken).toEqual(['deliver-webhooks'])
    const [queue] = await fixture.db`
      select 1 from webhook_lanes where webhook_id = ${id} and due_at <= now()`
    expect(queue).toBeDefined()
  })

  it('400: an address that may not be called, a wrong type', async () => {
    const token = as()
    const id = await registered(token)
    const body = { url: 'http://127.0.0.1/', is_active: 'yes' }
    const { status, body: wrong } = await call('PATCH', `/merchant-webhooks/${id}/`, {
      token,
      body,
    })
    expect(status).toBe(400)
    expect(Object.keys(wrong).sort()).toEqual(['is_active', 'url'])
  })
})

describe('DELETE /merchant-webhooks/{id}/', () => {
  it('204: it is gone from the list, and its row stays for the history', async () => {
    const token = as()
    const id = await registered(token)
    expect(await call('DELETE', `/merchant-webhooks/${id}/`, { token })).toEqual({
      status: 204,
      body: undefined,
    })
    expect((await call('GET', '/merchant-webhooks/', { token })).body.count).toBe(0)
    const [row] = await fixture.db`
      select 1 from webhooks where id = ${id} and deleted_at is not null`
    expect(row).toBeDefined()
  })
})

describe('POST /merchant-webhooks/{id}/test/', () => {
  it('201: a test is on its way', async () => {
    const token = as()
    const id = await registered(token)
    const reply = await call('POST', `/merchant-webhooks/${id}/test/`, { token })
    expect(reply).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        webhook_log: expect.any(String),
        webhook: id,
        event_type: 'webhook.test',
        example_of: null,
        status: 'PENDING',
      },
    })
    expect(woken).toEqual(['sequence-events'])
  })

  it.each(['transaction.paid', 'TRANSACTION.SUCCESS', '', 5])('400: the event %j', async (type) => {
    const token = as()
    const id = await registered(token)
    const body = { event_type: type }
    const reply = await call('POST', `/merchant-webhooks/${id}/test/`, { token, body })
    expect(reply.status).toBe(400)
    expect(Object.keys(Object(reply.body))).toEqual(['event_type'])
  })

  it('409: a webhook that is switched off', async () => {
    const token = as()
    const id = await registered(token)
    await call('PATCH', `/merchant-webhooks/${id}/`, { token, body: { is_active: false } })
    const reply = await call('POST', `/merchant-webhooks/${id}/test/`, { token })
    expect(reply).toMatchObject({ status: 409, body: { code: 'webhook_inactive' } })
  })
})
