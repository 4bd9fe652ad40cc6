// A merchant's members make its API keys from the dashboard and look at them: a secret is shown
// once, what LIVE asks for is asked for, and a key makes no keys.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually, type Json, startApp, type TestApp } from '../harness.ts'
import { readPublished } from '../published.ts'
import {
  actsOn,
  codeOf,
  fieldsOf,
  knock,
  liveKey,
  make,
  newMember,
  path,
  sandbox,
} from '../setup/api-keys.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api', TRUST_PROXY: '1' } })
})
afterAll(() => app?.stop())

describe('making a key', () => {
  it('takes the environment in any case, in the body and in the header, and answers it in one', async () => {
    const member = await newMember(app, { role: 'DEVELOPER', live: true, second_factor: 'FRESH' })
    for (const [stated, environment, prefix] of [
      ['sandbox', 'SANDBOX', 'sk_test_'],
      ['Live', 'LIVE', 'sk_live_'],
    ]) {
      const scope = 'PAYIN'
      const headers = { 'x-environment': `${stated}` }
      const made = await member.post(path, { environment: stated, scope }, headers)
      expect(made).toMatchObject({ status: 201, data: { environment, is_active: true } })
      expect(made.data.secret).toMatch(new RegExp(`^${prefix}`))
      const read = await member.get(`${path}${made.data.id}/`, headers)
      expect(read.data).toMatchObject({ environment, is_active: true })
      expect(read.data.updated_at).toBe(read.data.created_at)
      const ended = await member.post(`${path}${made.data.id}/revoke/`, {}, headers)
      expect(ended.data).toMatchObject({ is_active: false, status: 'REVOKED' })
      expect(ended.data.updated_at).toBe(ended.data.revoked_at)
      const url = 'https://hooks.example.com/x'
      const hook = await member.post('/merchant-webhooks/', { url, environment: stated }, headers)
      expect(hook).toMatchObject({ status: 201, data: { environment } })
    }
    for (const environment of ['', 'TEST', 'livee', 5, ['LIVE']]) {
      expect(fieldsOf(await member.post(path, { environment }))).toEqual([400, ['environment']])
    }
    const elsewhere = await member.get(path, { 'x-environment': 'prod' })
    expect(fieldsOf(elsewhere)).toEqual([400, ['X-Environment']])
  })

  it('shows the secret once, and the key works', async () => {
    const member = await newMember(app, { role: 'DEVELOPER' })
    const reply = await member.post(path, { ...sandbox, name: 'Till 1', scope: 'PAYIN' })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const { secret, ...key } = reply.data
    expect(secret).toMatch(/^sk_test_[A-Za-z0-9_-]{43}$/)
    expect(key).toEqual({
      id: expect.any(String),
      merchant: member.merchant_id,
      name: 'Till 1',
      environment: 'SANDBOX',
      scope: 'PAYIN',
      key_prefix: secret.slice(0, 12),
      last4: secret.slice(-4),
      status: 'ACTIVE',
      is_active: true,
      ip_whitelist: [],
      read_only: false,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      last_used_ip: '',
      rotated_to: null,
      created_by_member: member.person_id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(await knock(app, secret)).toBe(200)
    expect((await member.get(`${path}${key.id}/`)).data).toEqual(key)
    const list = await member.get(path)
    expect(list.data.results).toEqual([key])
    expect(JSON.stringify([list.body])).not.toContain(secret.slice(12, -4))
    const [act] = await actsOn(app, key.id)
    expect(act).toMatchObject({
      actor_kind: 'MEMBER',
      actor_id: member.person_id,
      actor_role: 'DEVELOPER',
      environment: 'SANDBOX',
      action: 'api_key.created',
      after: { name: 'Till 1', environment: 'SANDBOX', scope: 'PAYIN', expires_at: null },
    })
    expect(JSON.stringify(act)).not.toContain(secret.slice(12, -4))
    const [row] = await app.owner`
      select count(*)::int as found from api_keys k
       where k::text like ${`%${secret.slice(12, -4)}%`}`
    expect(row).toEqual({ found: 0 })
  })

  it('needs its environment said and no more: a key for both, without an end', async () => {
    const member = await newMember(app)
    expect(await make(member)).toMatchObject({ name: '', scope: 'BOTH', environment: 'SANDBOX' })
    const problems = { name: null, scope: null, expires_at: null, colour: 'red' }
    expect(await make(member, problems)).toMatchObject({
      name: '',
      scope: 'BOTH',
      expires_at: null,
    })
  })

  it.each([
    ['scope', { scope: 'ALL' }],
    ['environment', { environment: 'prod', scope: 'PAYIN' }],
    ['environment', { environment: undefined }],
    ['environment', { environment: null }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 7 }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['expires_at', { expires_at: '2099-01-01' }],
    ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { expires_at: new Date(Date.now() - 1000).toISOString() }],
    ['expires_at', { expires_at: '0001-01-01t00:00:00z' }],
  ])('refuses a wrong %s: %j', async (field, body) => {
    const member = await newMember(app)
    const reply = await member.post(path, { ...sandbox, ...body })
    expect(fieldsOf(reply)).toEqual([400, [field]])
    expect((await member.get(path)).data.count).toBe(0)
  })

  it('refuses all that is wrong at once', async () => {
    const member = await newMember(app)
    const body = { scope: 1, environment: 2, name: 3, expires_at: '2020-01-01T00:00:00Z' }
    const [status, fields] = fieldsOf(await member.post(path, body))
    expect(status).toBe(400)
    expect(fields).toHaveLength(4)
  })

  it('stops at fifty active keys of an environment, also when seventy come at once', async () => {
    const member = await newMember(app, { live: true, second_factor: 'FRESH' })
    const replies = await Promise.all(
      Array.from({ length: 70 }, () => untilServed(() => member.post(path, sandbox))),
    )
    const made = replies.filter(({ status }) => status === 201)
    const refused = replies.filter(({ status }) => status !== 201)
    expect(made).toHaveLength(50)
    expect(new Set(refused.map((reply) => codeOf(reply).join()))).toEqual(
      new Set(['409,key_limit_reached']),
    )
    await make(member, liveKey)
    const [first] = made
    // A full account can replace a key, and that frees no place.
    expect((await member.post(`${path}${first?.data.id}/rotate/`)).status).toBe(201)
    expect(codeOf(await member.post(path, sandbox))).toEqual([409, 'key_limit_reached'])
    await member.post(`${path}${made[1]?.data.id}/revoke/`)
    await make(member)
    expect(codeOf(await member.post(path, sandbox))).toEqual([409, 'key_limit_reached'])
  }, 60_000)
})

describe('LIVE', () => {
  it('needs an approved merchant, whatever the header says', async () => {
    const member = await newMember(app, { second_factor: 'FRESH' })
    const refused = await member.post(path, liveKey)
    expect(codeOf(refused)).toEqual([403, 'live_mode_not_enabled'])
    const header = { 'x-environment': 'LIVE' }
    expect(codeOf(await member.post(path, sandbox, header))).toEqual([403, 'live_mode_not_enabled'])
    const [row] = await app.owner`
      select count(*)::int as live from api_keys
       where merchant_id = ${member.merchant_id} and environment = 'LIVE'`
    expect(row).toEqual({ live: 0 })
  })

  it.each(['NONE', 'STALE'] as const)('needs a code just given: not %s', async (second_factor) => {
    const member = await newMember(app, { live: true, second_factor })
    const live = { 'x-environment': 'LIVE' }
    expect(codeOf(await member.post(path, liveKey))).toEqual([403, 'totp_required'])
    expect(codeOf(await member.post(path, sandbox, live))).toEqual([403, 'totp_required'])
    expect((await member.get(path, live)).status).toBe(200)
    const fresh = await newMember(app, { merchant_id: member.merchant_id, second_factor: 'FRESH' })
    const { id, secret } = await make(fresh, liveKey)
    for (const act of ['revoke/', 'rotate/']) {
      const reply = await member.post(`${path}${id}/${act}`, {}, live)
      expect(codeOf(reply)).toEqual([403, 'totp_required'])
    }
    const gone = await member.call('DELETE', `${path}${id}/`, { headers: live })
    expect(codeOf(gone)).toEqual([403, 'totp_required'])
    expect(await knock(app, secret)).toBe(200)
    // The sandbox asks for none.
    await make(member)
  })

  it('has keys of its own: a session sees those of its environment alone', async () => {
    const member = await newMember(app, { live: true, second_factor: 'FRESH' })
    const live = { 'x-environment': 'LIVE' }
    const made = await make(member, { ...liveKey, name: 'Till' })
    expect(made.secret).toMatch(/^sk_live_/)
    expect(made.environment).toBe('LIVE')
    const listed = async (headers: Record<string, string> = {}) =>
      (await member.get(`${path}?search=till`, headers)).data.results.map((one: Json) => one.id)
    expect(await listed()).toEqual([])
    expect(await listed(live)).toEqual([made.id])
    expect(codeOf(await member.get(`${path}${made.id}/`))).toEqual([404, 'not_found'])
    expect(codeOf(await member.post(`${path}${made.id}/revoke/`))).toEqual([404, 'not_found'])
    expect(codeOf(await member.post(`${path}${made.id}/rotate/`))).toEqual([404, 'not_found'])
    const gone = await member.call('DELETE', `${path}${made.id}/`)
    expect(codeOf(gone)).toEqual([404, 'not_found'])
    expect((await member.post(`${path}${made.id}/rotate/`, {}, live)).status).toBe(201)
    expect(await knock(app, made.secret)).toBe(200)
  })

  it('tells the owners, and nobody else, of each new key', async () => {
    const developer = await newMember(app, {
      live: true,
      role: 'DEVELOPER',
      second_factor: 'FRESH',
    })
    const { merchant_id } = developer
    const [awa, binta, asleep, ...others] = await Promise.all([
      newMember(app, { merchant_id }),
      newMember(app, { merchant_id }),
      newMember(app, { merchant_id }),
      newMember(app, { merchant_id, role: 'ADMIN' }),
      newMember(app),
    ])
    await app.owner`update people set disabled_at = now() where id = ${asleep.person_id}`
    await app.owner`update people set locale = 'fr' where id = ${binta.person_id}`
    const live = { 'x-environment': 'LIVE' }
    const emails = [developer, awa, binta, asleep, ...others].map(({ email }) => email)
    const theirs = async () => (await emailsWaiting(app)).filter(({ to }) => emails.includes(to))
    await make(developer)
    expect(await theirs()).toEqual([])
    const { id, secret, last4 } = await make(developer, liveKey)
    const arrived = await theirs()
    const read = (email: string) => arrived.find(({ to }) => to === email)
    expect(arrived.map(({ to }) => to).sort()).toEqual([awa.email, binta.email].sort())
    expect(read(awa.email)).toMatchObject({
      locale: 'en',
      subject: expect.stringContaining('A new live API key'),
      text: expect.stringContaining(last4),
    })
    expect(read(binta.email)?.subject).toContain('Une nouvelle clé API')
    expect(JSON.stringify(arrived)).not.toContain(secret.slice(12, -4))
    expect((await developer.post(`${path}${id}/rotate/`, {}, live)).status).toBe(201)
    expect(await theirs()).toHaveLength(4)
    expect((await developer.post(`${path}${id}/rotate/`, {}, live)).status).toBe(409)
    expect(await theirs()).toHaveLength(4)
  })
})

describe('the list', () => {
  it('goes by pages, filters, searches and sorts, and counts exactly', async () => {
    const member = await newMember(app)
    const names = ['Beta', 'alpha', 'Gamma 100%']
    const made: Json[] = []
    for (const name of names) made.push(await make(member, { name }))
    await member.post(`${path}${made[0].id}/revoke/`)
    await app.owner`update api_keys set expires_at = now() - interval '1 s' where id = ${made[1].id}`
    const named = async (query: string) => {
      const { data } = await member.get(`${path}?${query}`)
      expect(data.count).toBe(data.results.length)
      return data.results.map(({ name }: Json) => name)
    }
    expect(await named('')).toEqual([...names].reverse())
    expect(await named('ordering=created_at')).toEqual(names)
    // As the database's language sorts.
    expect((await named('ordering=name')).toReversed()).toEqual(await named('ordering=-name'))
    expect(await named('status=REVOKED')).toEqual(['Beta'])
    expect(await named('status=EXPIRED')).toEqual(['alpha'])
    expect(await named('status=ACTIVE')).toEqual(['Gamma 100%'])
    expect(await named('search=ALPHA')).toEqual(['alpha'])
    expect(await named('search=0%25')).toEqual(['Gamma 100%'])
    expect(await named('search=%25')).toEqual(['Gamma 100%'])
    expect(await named('search=a_pha')).toEqual([])
    expect(await named(`search=${made[2].last4}`)).toContain('Gamma 100%')
    const page = await member.get(`${path}?page=2&page_size=2`)
    expect(page.data).toMatchObject({ count: 3, next: null, results: [{ name: 'Beta' }] })
    expect(page.data.previous).toContain('page=1')
    expect(codeOf(await member.get(`${path}?page=3&page_size=2`))).toEqual([404, 'not_found'])
  })

  it.each([
    ['status', 'status=OPEN'],
    ['ordering', 'ordering=last4'],
    ['page', 'page=0'],
    ['page_size', 'page_size=x'],
  ])('refuses a wrong %s', async (field, query) => {
    const member = await newMember(app)
    expect(fieldsOf(await member.get(`${path}?${query}`))).toEqual([400, [field]])
  })
})

describe('what is answered', () => {
  it('is as published, refusals too', async () => {
    const published = await readPublished()
    const member = await newMember(app)
    const statusOf = async (method: string, at: string, body?: object) => {
      const operation = published.operationAt(method, at)
      if (operation === undefined) throw new Error(`${method} ${at} is not published`)
      const reply = await member.call(method, at, {
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
      })
      expect(published.faultsOf(operation, reply), `${method} ${at}`).toEqual([])
      return reply
    }
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const { data } = await statusOf('POST', path, { ...sandbox, expires_at })
    const one = `${path}${data.id}/`
    const statuses = [
      await statusOf('POST', `${one}rotate/`, {}),
      await statusOf('POST', `${one}rotate/`, {}),
      await statusOf('POST', `${one}rotate/`, { overlap_seconds: -1 }),
      await statusOf('POST', `${one}revoke/`),
      await statusOf('GET', one),
      await statusOf('GET', path),
      await statusOf('GET', `${path}?page=9`),
      await statusOf('GET', `${path}?status=x`),
      await statusOf('POST', path, liveKey),
      await statusOf('POST', path, { scope: 'x' }),
      await statusOf('DELETE', one),
      await statusOf('GET', one),
    ].map(({ status }) => status)
    expect(statuses).toEqual([201, 409, 400, 200, 200, 200, 404, 400, 403, 400, 204, 404])
  })
})

describe('who may', () => {
  const acts = (id: string): (readonly [string, string])[] => [
    ['POST', path],
    ['POST', `${path}${id}/revoke/`],
    ['POST', `${path}${id}/rotate/`],
    ['DELETE', `${path}${id}/`],
  ]

  it('never is an API key: it must not widen itself', async () => {
    const member = await newMember(app)
    const { id } = await make(member)
    const shop = await app.shop({ merchant_id: member.merchant_id })
    const reads = [
      ['GET', path],
      ['GET', `${path}${id}/`],
    ] as const
    for (const [method, at] of [...acts(id), ...reads]) {
      expect(codeOf(await shop.call(method, at))).toEqual([403, 'dashboard_only'])
    }
  })

  it.each([
    ['OWNER', true],
    ['ADMIN', true],
    ['DEVELOPER', true],
    ['FINANCE', false],
    ['VIEWER', false],
  ] as const)('%s: writes %s, reads', async (role, writes) => {
    const owner = await newMember(app)
    const member = await newMember(app, { merchant_id: owner.merchant_id, role })
    expect((await member.get(path)).status).toBe(200)
    for (const [n] of acts('').entries()) {
      const { id } = await make(owner)
      const [method = '', at = ''] = acts(id)[n] ?? []
      // Who makes one says where; the other acts pass over it.
      const headers = { 'content-type': 'application/json' }
      const reply = await member.call(method, at, { headers, body: JSON.stringify(sandbox) })
      if (writes) expect(reply.status, `${method} ${at}`).toBeLessThan(300)
      else expect(codeOf(reply)).toEqual([403, 'permission_denied'])
    }
  })

  it('is nobody of another merchant, and an id that nobody has is not found', async () => {
    const [member, stranger] = [await newMember(app), await newMember(app)]
    const { id, secret } = await make(member)
    const answers = async (named: string) => {
      const replies = await Promise.all(
        [['GET', `${path}${named}/`] as const, ...acts(named).slice(1)].map(([method, at]) =>
          stranger.call(method, at),
        ),
      )
      return [...new Set(replies.map((reply) => codeOf(reply).join()))]
    }
    expect(await answers(id)).toEqual(['403,permission_denied'])
    expect(await answers(id.toUpperCase())).toEqual(['403,permission_denied'])
    expect(await answers(newId())).toEqual(['404,not_found'])
    expect(await answers('nonsense')).toEqual(['404,not_found'])
    expect(await knock(app, secret)).toBe(200)
    expect((await stranger.get(path)).data.count).toBe(0)
    await member.call('DELETE', `${path}${id}/`)
    expect(await answers(id)).toEqual(['404,not_found'])
  })

  it('is nobody without a session, and of a suspended merchant reads only', async () => {
    const nobody = await fetch(`${app.url}/api/v1${path}`)
    expect(nobody.status).toBe(401)
    const member = await newMember(app)
    const { id } = await make(member)
    await suspendMerchant(app.owner, member.merchant_id, 'papers missing')
    expect((await member.get(path)).data.count).toBe(1)
    for (const [method, at] of acts(id)) {
      expect(codeOf(await member.call(method, at))).toEqual([403, 'merchant_suspended'])
    }
  })
})

describe('the last use', () => {
  it('is shown, from any process, and costs the call nothing', async () => {
    const member = await newMember(app)
    const { id, secret } = await make(member)
    const lastUse = async () => {
      const { data } = await member.get(`${path}${id}/`)
      return [data.last_used_at, data.last_used_ip]
    }
    const other = await app.another({ ROLE: 'api' })
    const before = Date.now()
    expect(await knock(app, secret, other.public_url)).toBe(200)
    expect(await lastUse()).toEqual([null, ''])
    // A process that ends writes what it knows.
    await other.stop()
    const [at, ip] = await lastUse()
    expect(ip).toBe('127.0.0.1')
    expect(Date.parse(at)).toBeGreaterThan(before - 1000)
    await sleep(20)
    expect(await knock(app, secret)).toBe(200)
    await eventually(async () => expect((await lastUse())[0] > at).toBe(true), 20_000)
  }, 40_000)

  it('is not that of a key that is refused', async () => {
    const member = await newMember(app)
    const { id, secret } = await make(member)
    await member.post(`${path}${id}/revoke/`)
    const other = await app.another({ ROLE: 'api' })
    expect(await knock(app, secret, other.public_url)).toBe('revoked_api_key')
    await other.stop()
    expect((await member.get(`${path}${id}/`)).data.last_used_at).toBeNull()
  })
})
