// A key is worth no more than who makes it: payouts in LIVE need the right to them. Bound to
// addresses or to reading it opens nothing else, and is widened only by whoever might hold it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/platform/ids.ts'
import { type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
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

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api', TRUST_PROXY: '1' } })
})
afterAll(() => app?.stop())

describe('what a role may hand itself', () => {
  const live = { 'x-environment': 'LIVE' }
  const fresh = { live: true, second_factor: 'FRESH' } as const

  it('in LIVE is no key for payouts without the right to them, new or in place of another', async () => {
    const developer = await newMember(app, { ...fresh, role: 'DEVELOPER' })
    const { merchant_id } = developer
    const admin = await newMember(app, { merchant_id, role: 'ADMIN', second_factor: 'FRESH' })
    for (const scope of ['PAYOUT', 'BOTH']) {
      const refused = await developer.post(path, { environment: 'LIVE', scope })
      expect(codeOf(refused)).toEqual([403, 'permission_denied'])
      expect(refused.error.message).toContain('payouts')
      const { id, secret } = await make(admin, { environment: 'LIVE', scope })
      const rotated = await developer.post(`${path}${id}/rotate/`, {}, live)
      expect(codeOf(rotated)).toEqual([403, 'permission_denied'])
      expect((await admin.get(`${path}${id}/`, live)).data.rotated_to).toBeNull()
      expect(await knock(app, secret)).toBe(200)
      // To end it is anybody's who looks after keys.
      expect((await developer.post(`${path}${id}/revoke/`, {}, live)).status).toBe(200)
    }
    const own = await make(developer, liveKey)
    expect((await developer.post(`${path}${own.id}/rotate/`, {}, live)).status).toBe(201)
    // Play money is the developer's to move.
    const { id } = await make(developer, { scope: 'BOTH' })
    expect((await developer.post(`${path}${id}/rotate/`)).status).toBe(201)
  })

  it('in LIVE is said: a key has no scope by default', async () => {
    const owner = await newMember(app, fresh)
    for (const scope of [undefined, null]) {
      const reply = await owner.post(path, { environment: 'LIVE', scope })
      expect(fieldsOf(reply)).toEqual([400, ['scope']])
      expect(reply.error.scope[0]).toContain('PAYIN')
    }
    expect((await owner.get(path, live)).data.count).toBe(0)
    expect(await make(owner)).toMatchObject({ scope: 'BOTH' })
  })
})

describe('a key that is bound', () => {
  const from = (ip: string) => ({ 'x-forwarded-for': ip })
  const codeFrom = async (key: string, ip: string) => {
    const reply = await shopWith(app.url, '', key).get('/merchant-balances/', from(ip))
    return reply.error?.code ?? reply.status
  }
  const change = (member: Shop, id: string, body: object, headers: Record<string, string> = {}) =>
    member.call('PATCH', `${path}${id}/`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  const live = { 'x-environment': 'LIVE' }

  it('to addresses is refused everywhere else, for every call, and its list is kept short', async () => {
    const member = await newMember(app)
    const request = { ip_whitelist: ['203.0.113.9/24', '2001:db8::1', '203.0.113.0/24'] }
    const { id, secret, ...made } = await make(member, request)
    expect(made.ip_whitelist).toEqual(['2001:db8::1', '203.0.113.0/24'])
    expect(await codeFrom(secret, '203.0.113.77')).toBe(200)
    expect(await codeFrom(secret, '2001:db8::1')).toBe(200)
    expect(await codeFrom(secret, '203.0.114.1')).toBe('ip_not_whitelisted')
    const elsewhere = shopWith(app.url, '', secret, from('198.51.100.1'))
    for (const reply of [
      await elsewhere.pay(),
      await elsewhere.get(path),
      await elsewhere.get('/auth/me/'),
      await elsewhere.get('/admin/merchants/'),
    ]) {
      expect(codeOf(reply)).toEqual([403, 'ip_not_whitelisted'])
      expect(reply.headers.get('ratelimit-remaining')).not.toBeNull()
    }
    expect((await member.get(`${path}${id}/`)).data.ip_whitelist).toEqual(made.ip_whitelist)
    expect((await actsOn(app, id))[0]?.['after']).toMatchObject({ ip_whitelist: made.ip_whitelist })
  })

  it.each([
    [{ ip_whitelist: ['0.0.0.0/0'] }],
    [{ ip_whitelist: ['localhost'] }],
    [{ ip_whitelist: ['203.0.113.1', ''] }],
    [{ ip_whitelist: Array.from({ length: 21 }, (_, n) => `203.0.113.${n}`) }],
    [{ ip_whitelist: '203.0.113.1' }],
  ])('is refused where it says nonsense: %j', async (body) => {
    const member = await newMember(app)
    const reply = await member.post(path, { ...sandbox, ...body })
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.error)[0]).toMatch(/^ip_whitelist/)
    const { id } = await make(member)
    expect((await change(member, id, body)).status).toBe(400)
  })

  it('pays out only where the merchant’s list and its own agree', async () => {
    const member = await newMember(app)
    for (const ip_address of ['203.0.113.5', '203.0.113.6']) {
      expect((await member.post('/merchant-ip-whitelist/', { ip_address })).status).toBe(201)
    }
    const { secret } = await make(member, { ip_whitelist: ['203.0.113.6', '203.0.113.7'] })
    const payFrom = async (ip: string) =>
      codeOf(await shopWith(app.url, '', secret).post('/payouts/initialize/', {}, from(ip)))
    expect(await payFrom('203.0.113.5')).toEqual([403, 'ip_not_whitelisted'])
    expect(await payFrom('203.0.113.7')).toEqual([403, 'ip_not_whitelisted'])
    expect((await payFrom('203.0.113.6'))[0]).toBe(400)
  })

  it('to reading may GET and no more', async () => {
    const member = await newMember(app)
    const { secret } = await make(member, { read_only: true })
    const reader = shopWith(app.url, '', secret)
    expect((await reader.get('/transactions/')).status).toBe(200)
    for (const reply of [
      await reader.pay(),
      await reader.post('/merchant-webhooks/', { url: 'https://hooks.example.com/x' }),
      await reader.post('/customers/', {}),
      await reader.call('DELETE', `/customers/${newId()}/`),
      await reader.call('PATCH', `/merchant-webhooks/${newId()}/`, {
        body: JSON.stringify({ signing_secret: 'x'.repeat(40) }),
        headers: { 'content-type': 'application/json' },
      }),
    ]) {
      expect(codeOf(reply)).toEqual([403, 'api_key_scope_forbidden'])
      expect(reply.error.message).toContain('read_only')
    }
  })

  it('is narrowed and widened by PATCH at once, in every process, and its successor is bound too', async () => {
    const member = await newMember(app, { role: 'DEVELOPER' })
    const other = await app.another({ ROLE: 'api' })
    const { id, secret } = await make(member)
    const narrow = { ip_whitelist: ['203.0.113.1'], read_only: true, name: 'Till 2' }
    const narrowed = await change(member, id, narrow)
    expect([narrowed.status, narrowed.data]).toMatchObject([200, { id, ...narrow }])
    expect(narrowed.data.updated_at > narrowed.data.created_at).toBe(true)
    expect(await knock(app, secret, other.public_url)).toBe('ip_not_whitelisted')
    const next = (await member.post(`${path}${id}/rotate/`)).data
    expect(next).toMatchObject(narrow)
    expect(await knock(app, next.secret)).toBe('ip_not_whitelisted')
    const wide = await change(member, id, { ip_whitelist: [], read_only: false })
    expect(wide.data).toMatchObject({ ip_whitelist: [], read_only: false, name: 'Till 2' })
    expect(await knock(app, secret, other.public_url)).toBe(200)
    expect((await change(member, id, {})).status).toBe(200)
    expect((await actsOn(app, id)).map(({ action }) => action)).toEqual([
      'api_key.created',
      'api_key.changed',
      'api_key.rotated',
      'api_key.changed',
    ])
    expect((await actsOn(app, id))[1]).toMatchObject({
      before: { ip_whitelist: [], read_only: false, name: '' },
      after: narrow,
    })
    await member.post(`${path}${id}/revoke/`)
    expect(codeOf(await change(member, id, { name: 'x' }))).toEqual([409, 'key_not_active'])
    const stranger = await newMember(app)
    expect(codeOf(await change(stranger, id, {}))).toEqual([403, 'permission_denied'])
    await other.stop()
  })

  it('in LIVE is widened by whoever might hold it, with a fresh code, and the owners are told', async () => {
    const owner = await newMember(app, { live: true, second_factor: 'FRESH' })
    const { merchant_id } = owner
    const fresh = { merchant_id, role: 'DEVELOPER', second_factor: 'FRESH' } as const
    const developer = await newMember(app, fresh)
    const stale = await newMember(app, { merchant_id, second_factor: 'STALE' })
    const bound = { ip_whitelist: ['203.0.113.1', '203.0.113.2'], read_only: true }
    const { id } = await make(owner, { environment: 'LIVE', scope: 'BOTH', ...bound })
    for (const wider of [
      { read_only: false },
      { ip_whitelist: [] },
      { ip_whitelist: ['203.0.113.3'] },
    ]) {
      expect(codeOf(await change(stale, id, wider, live))).toEqual([403, 'totp_required'])
      const refused = await change(developer, id, wider, live)
      expect(codeOf(refused)).toEqual([403, 'permission_denied'])
    }
    const narrow = { ip_whitelist: ['203.0.113.2'] }
    expect((await change(developer, id, narrow, live)).status).toBe(200)
    expect((await change(owner, id, { read_only: false }, live)).status).toBe(200)
    const emails = (await emailsWaiting(app)).filter(({ to }) => to === owner.email)
    expect(emails.map(({ subject }) => subject.replace(/^.*: /, ''))).toEqual([
      'A new live API key',
      'A live API key was changed',
      'A live API key was changed',
    ])
    expect(emails.at(-1)?.text).toContain('from 203.0.113.2 only.')
  })
})
