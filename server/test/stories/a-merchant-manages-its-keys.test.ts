// A merchant's members make, replace and end its API keys from the dashboard: a secret is shown
// once, an end counts at once in every process, and what LIVE asks for is asked for.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/suspend-merchant.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { readPublished } from '../published.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api', TRUST_PROXY: '1' } })
})
afterAll(() => app?.stop())

const path = '/merchant-api-keys/'
const sandbox = { environment: 'SANDBOX' }
const liveKey = { environment: 'LIVE', scope: 'PAYIN' }
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {})]

async function make(member: Shop, body: object = {}): Promise<Json> {
  const reply = await member.post(path, { ...sandbox, ...body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

/** What a call with this key is answered, by this process. */
async function knock(key: string, url = app.url) {
  const reply = await shopWith(url, '', key).get('/merchant-balances/')
  return reply.error?.code ?? reply.status
}

const actsOn = (id: string) => app.owner`
  select actor_kind, actor_id, actor_role, environment, action, before, after, ip from audit_logs
   where target_kind = 'api_key' and target_id = ${id} order by id`

/** A member of a merchant who has no key yet; approved when `live`. */
async function newMember({
  live = false,
  ...options
}: Parameters<TestApp['member']>[0] & { live?: boolean } = {}): Promise<SignedInCaller> {
  const merchant_id = options.merchant_id ?? (await app.shop({ live })).merchant_id
  if (options.merchant_id === undefined) {
    await app.owner`delete from api_keys where merchant_id = ${merchant_id}`
  }
  return app.member({ ...options, merchant_id })
}

describe('making a key', () => {
  it('takes the environment in any case, in the body and in the header, and answers it in one', async () => {
    const member = await newMember({ role: 'DEVELOPER', live: true, second_factor: 'FRESH' })
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
    const member = await newMember({ role: 'DEVELOPER' })
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
    expect(await knock(secret)).toBe(200)
    expect((await member.get(`${path}${key.id}/`)).data).toEqual(key)
    const list = await member.get(path)
    expect(list.data.results).toEqual([key])
    expect(JSON.stringify([list.body])).not.toContain(secret.slice(12, -4))
    const [act] = await actsOn(key.id)
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
    const member = await newMember()
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
    const member = await newMember()
    const reply = await member.post(path, { ...sandbox, ...body })
    expect(fieldsOf(reply)).toEqual([400, [field]])
    expect((await member.get(path)).data.count).toBe(0)
  })

  it('refuses all that is wrong at once', async () => {
    const member = await newMember()
    const body = { scope: 1, environment: 2, name: 3, expires_at: '2020-01-01T00:00:00Z' }
    const [status, fields] = fieldsOf(await member.post(path, body))
    expect(status).toBe(400)
    expect(fields).toHaveLength(4)
  })

  it('stops at fifty active keys of an environment, also when seventy come at once', async () => {
    const member = await newMember({ live: true, second_factor: 'FRESH' })
    const replies = await Promise.all(Array.from({ length: 70 }, () => member.post(path, sandbox)))
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
    const member = await newMember({ second_factor: 'FRESH' })
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
    const member = await newMember({ live: true, second_factor })
    const live = { 'x-environment': 'LIVE' }
    expect(codeOf(await member.post(path, liveKey))).toEqual([403, 'totp_required'])
    expect(codeOf(await member.post(path, sandbox, live))).toEqual([403, 'totp_required'])
    expect((await member.get(path, live)).status).toBe(200)
    const fresh = await newMember({ merchant_id: member.merchant_id, second_factor: 'FRESH' })
    const { id, secret } = await make(fresh, liveKey)
    for (const act of ['revoke/', 'rotate/']) {
      const reply = await member.post(`${path}${id}/${act}`, {}, live)
      expect(codeOf(reply)).toEqual([403, 'totp_required'])
    }
    const gone = await member.call('DELETE', `${path}${id}/`, { headers: live })
    expect(codeOf(gone)).toEqual([403, 'totp_required'])
    expect(await knock(secret)).toBe(200)
    // The sandbox asks for none.
    await make(member)
  })

  it('has keys of its own: a session sees those of its environment alone', async () => {
    const member = await newMember({ live: true, second_factor: 'FRESH' })
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
    expect(await knock(made.secret)).toBe(200)
  })

  it('tells the owners, and nobody else, of each new key', async () => {
    const developer = await newMember({ live: true, role: 'DEVELOPER', second_factor: 'FRESH' })
    const { merchant_id } = developer
    const [awa, binta, asleep, ...others] = await Promise.all([
      newMember({ merchant_id }),
      newMember({ merchant_id }),
      newMember({ merchant_id }),
      newMember({ merchant_id, role: 'ADMIN' }),
      newMember(),
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

describe('what a role may hand itself', () => {
  const live = { 'x-environment': 'LIVE' }
  const fresh = { live: true, second_factor: 'FRESH' } as const

  it('in LIVE is no key for payouts without the right to them, new or in place of another', async () => {
    const developer = await newMember({ ...fresh, role: 'DEVELOPER' })
    const { merchant_id } = developer
    const admin = await newMember({ merchant_id, role: 'ADMIN', second_factor: 'FRESH' })
    for (const scope of ['PAYOUT', 'BOTH']) {
      const refused = await developer.post(path, { environment: 'LIVE', scope })
      expect(codeOf(refused)).toEqual([403, 'permission_denied'])
      expect(refused.error.message).toContain('payouts')
      const { id, secret } = await make(admin, { environment: 'LIVE', scope })
      const rotated = await developer.post(`${path}${id}/rotate/`, {}, live)
      expect(codeOf(rotated)).toEqual([403, 'permission_denied'])
      expect((await admin.get(`${path}${id}/`, live)).data.rotated_to).toBeNull()
      expect(await knock(secret)).toBe(200)
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
    const owner = await newMember(fresh)
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
    const member = await newMember()
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
    expect((await actsOn(id))[0]?.['after']).toMatchObject({ ip_whitelist: made.ip_whitelist })
  })

  it.each([
    [{ ip_whitelist: ['0.0.0.0/0'] }],
    [{ ip_whitelist: ['localhost'] }],
    [{ ip_whitelist: ['203.0.113.1', ''] }],
    [{ ip_whitelist: Array.from({ length: 21 }, (_, n) => `203.0.113.${n}`) }],
    [{ ip_whitelist: '203.0.113.1' }],
  ])('is refused where it says nonsense: %j', async (body) => {
    const member = await newMember()
    const reply = await member.post(path, { ...sandbox, ...body })
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.error)[0]).toMatch(/^ip_whitelist/)
    const { id } = await make(member)
    expect((await change(member, id, body)).status).toBe(400)
  })

  it('pays out only where the merchant’s list and its own agree', async () => {
    const member = await newMember()
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
    const member = await newMember()
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
    const member = await newMember({ role: 'DEVELOPER' })
    const other = await app.another({ ROLE: 'api' })
    const { id, secret } = await make(member)
    const narrow = { ip_whitelist: ['203.0.113.1'], read_only: true, name: 'Till 2' }
    const narrowed = await change(member, id, narrow)
    expect([narrowed.status, narrowed.data]).toMatchObject([200, { id, ...narrow }])
    expect(narrowed.data.updated_at > narrowed.data.created_at).toBe(true)
    expect(await knock(secret, other.public_url)).toBe('ip_not_whitelisted')
    const next = (await member.post(`${path}${id}/rotate/`)).data
    expect(next).toMatchObject(narrow)
    expect(await knock(next.secret)).toBe('ip_not_whitelisted')
    const wide = await change(member, id, { ip_whitelist: [], read_only: false })
    expect(wide.data).toMatchObject({ ip_whitelist: [], read_only: false, name: 'Till 2' })
    expect(await knock(secret, other.public_url)).toBe(200)
    expect((await change(member, id, {})).status).toBe(200)
    expect((await actsOn(id)).map(({ action }) => action)).toEqual([
      'api_key.created',
      'api_key.changed',
      'api_key.rotated',
      'api_key.changed',
    ])
    expect((await actsOn(id))[1]).toMatchObject({
      before: { ip_whitelist: [], read_only: false, name: '' },
      after: narrow,
    })
    await member.post(`${path}${id}/revoke/`)
    expect(codeOf(await change(member, id, { name: 'x' }))).toEqual([409, 'key_not_active'])
    const stranger = await newMember()
    expect(codeOf(await change(stranger, id, {}))).toEqual([403, 'permission_denied'])
    await other.stop()
  })

  it('in LIVE is widened by whoever might hold it, with a fresh code, and the owners are told', async () => {
    const owner = await newMember({ live: true, second_factor: 'FRESH' })
    const { merchant_id } = owner
    const fresh = { merchant_id, role: 'DEVELOPER', second_factor: 'FRESH' } as const
    const developer = await newMember(fresh)
    const stale = await newMember({ merchant_id, second_factor: 'STALE' })
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

describe('an end', () => {
  it('in LIVE is told to the owners, by deletion as by revocation, and once', async () => {
    const owner = await newMember({ live: true, second_factor: 'FRESH' })
    const live = { 'x-environment': 'LIVE' }
    const news = async () =>
      (await emailsWaiting(app)).filter(({ to }) => to === owner.email).map(({ text }) => text)
    const one = await make(owner, { environment: 'LIVE', scope: 'BOTH' })
    const drop = () => owner.call('DELETE', `${path}${one.id}/`, { headers: live })
    expect((await drop()).status).toBe(204)
    expect(await news()).toHaveLength(2)
    expect((await news()).at(-1)).toContain(one.last4)
    const other = await make(owner, { environment: 'LIVE', scope: 'BOTH' })
    await owner.post(`${path}${other.id}/revoke/`, {}, live)
    await owner.call('DELETE', `${path}${other.id}/`, { headers: live })
    expect(await news()).toHaveLength(4)
  })

  it('by revocation counts at once in every process, and again is the same answer', async () => {
    const member = await newMember()
    const other = await app.another({ ROLE: 'api' })
    const { id, secret } = await make(member)
    const everywhere = () =>
      Promise.all([knock(secret), knock(secret, other.public_url), knock(secret)])
    expect(await everywhere()).toEqual([200, 200, 200])
    const reply = await member.post(`${path}${id}/revoke/`)
    expect(await everywhere()).toEqual(Array(3).fill('revoked_api_key'))
    expect(reply.status).toBe(200)
    expect(reply.data).toMatchObject({ id, status: 'REVOKED', revoked_at: expect.any(String) })
    const again = await member.post(`${path}${id}/revoke/`)
    expect([again.status, again.data]).toEqual([200, reply.data])
    const acts = (await actsOn(id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.revoked'])
    await other.stop()
  })

  it('shows what the key made, which goes on, and silences its webhooks on request', async () => {
    const member = await newMember()
    const { id, secret } = await make(member)
    const thief = shopWith(app.url, '', secret)
    const hook = (url: string) => thief.post('/merchant-webhooks/', { url })
    const [first, second] = [
      (await hook('https://thief.example.com/1')).data.id,
      (await hook('https://thief.example.com/2')).data.id,
    ]
    const own = await member.post('/merchant-webhooks/', { url: 'https://shop.example.com/a' })
    const moved = await member.post('/merchant-webhooks/', { url: 'https://shop.example.com/b' })
    const patch = (by: Shop, at: string, body: object) =>
      by.call('PATCH', at, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    const to_thief = { url: 'https://thief.example.com/3' }
    expect((await patch(thief, `/merchant-webhooks/${moved.data.id}/`, to_thief)).status).toBe(200)
    const link = await thief.post('/payment-links/', {
      name: 'Shoes',
      amount: '5000',
      currency: 'XOF',
    })
    const session = await thief.post('/checkout-sessions/', {
      amount: '5000',
      currency: 'XOF',
      description: 'Shoes',
      customer_email: 'awa@example.com',
      customer_name: 'Awa Diop',
    })
    expect([link.status, session.status]).toEqual([201, 201])
    const revoked = await member.post(`${path}${id}/revoke/`)
    expect(revoked.status).toBe(200)
    expect(revoked.data).toMatchObject({
      status: 'REVOKED',
      made: {
        webhooks: { count: 3, ids: [moved.data.id, second, first] },
        payment_links: { count: 1, ids: [link.data.id] },
        checkout_sessions: { count: 1, ids: [session.data.id] },
      },
      webhooks_deactivated: [],
    })
    const isActive = async (one: string) =>
      (await member.get(`/merchant-webhooks/${one}/`)).data.is_active
    expect(await isActive(first)).toBe(true)
    const silenced = await member.post(`${path}${id}/revoke/`, { deactivate_webhooks: true })
    const gone = [first, second, moved.data.id]
    expect(silenced.data.webhooks_deactivated.sort()).toEqual(gone.sort())
    expect(await Promise.all([...gone, own.data.id].map(isActive))).toEqual([
      false,
      false,
      false,
      true,
    ])
    const again = await member.post(`${path}${id}/revoke/`, { deactivate_webhooks: true })
    expect(again.data.webhooks_deactivated).toEqual([])
    const wrong = await member.post(`${path}${id}/revoke/`, { deactivate_webhooks: 'all' })
    expect(fieldsOf(wrong)).toEqual([400, ['deactivate_webhooks']])
  })

  it('of a LIVE key is told to the owners', async () => {
    const member = await newMember({ live: true, second_factor: 'FRESH' })
    const { id, last4 } = await make(member, liveKey)
    const revoke = () => member.post(`${path}${id}/revoke/`, {}, { 'x-environment': 'LIVE' })
    expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 200])
    const emails = (await emailsWaiting(app)).filter(
      ({ to, subject }) => to === member.email && subject.includes('was revoked'),
    )
    expect(emails).toMatchObject([{ text: expect.stringContaining(last4) }])
  })

  it('by deletion counts at once, and nothing shows the key any more', async () => {
    const member = await newMember()
    const other = await app.another({ ROLE: 'api' })
    const { id, secret } = await make(member)
    expect(await knock(secret, other.public_url)).toBe(200)
    const gone = await member.call('DELETE', `${path}${id}/`)
    expect([gone.status, gone.body]).toEqual([204, undefined])
    expect(await knock(secret)).toBe('revoked_api_key')
    expect(await knock(secret, other.public_url)).toBe('revoked_api_key')
    expect((await member.get(path)).data.count).toBe(0)
    for (const reply of [
      await member.get(`${path}${id}/`),
      await member.post(`${path}${id}/revoke/`),
      await member.post(`${path}${id}/rotate/`),
      await member.call('DELETE', `${path}${id}/`),
    ]) {
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
    const acts = (await actsOn(id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.deleted'])
    const rows = await app.owner`select name from api_keys where id = ${id}`
    expect(rows.count).toBe(1)
    await other.stop()
  })

  it('by time comes to the second, and the list says so', async () => {
    const member = await newMember()
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000)
    const { id, secret, expires_at } = await make(member, { expires_at: at.toISOString() })
    expect(expires_at).toBe(at.toISOString())
    await sleep(at.getTime() - Date.now() - 500)
    expect(await knock(secret)).toBe(200)
    await sleep(at.getTime() - Date.now() + 50)
    expect(await knock(secret)).toBe('expired_api_key')
    expect((await member.get(`${path}${id}/`)).data.status).toBe('EXPIRED')
    expect(codeOf(await member.post(`${path}${id}/rotate/`))).toEqual([409, 'key_not_active'])
    expect((await member.post(`${path}${id}/revoke/`)).data.status).toBe('REVOKED')
    expect(await knock(secret)).toBe('revoked_api_key')
  })

  it('that comes twenty times at once is written once', async () => {
    const member = await newMember()
    const { id } = await make(member)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => member.post(`${path}${id}/revoke/`)),
    )
    expect(new Set(replies.map(({ data }) => data.revoked_at)).size).toBe(1)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const acts = (await actsOn(id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.revoked'])
  })
})

describe('replacing a key', () => {
  it('makes one like it, and both work until the overlap is over', async () => {
    const member = await newMember({ role: 'ADMIN' })
    const ends = new Date(Date.now() + 3_600_000).toISOString()
    const request = { name: 'Till 1', scope: 'PAYOUT', expires_at: ends }
    const old = await make(member, request)
    const reply = await member.post(`${path}${old.id}/rotate/`, { overlap_seconds: 2 })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.data).toMatchObject({ ...request, environment: 'SANDBOX', status: 'ACTIVE' })
    expect(reply.data.id).not.toBe(old.id)
    expect(reply.data.secret).toMatch(/^sk_test_/)
    expect(reply.data.secret).not.toBe(old.secret)
    const before = (await member.get(`${path}${old.id}/`)).data
    expect(before).toMatchObject({ status: 'ACTIVE', rotated_to: reply.data.id, revoked_at: null })
    const overlap = Date.parse(before.expires_at) - Date.parse(reply.data.created_at)
    expect(Math.abs(overlap - 2000)).toBeLessThanOrEqual(1)
    expect([await knock(old.secret), await knock(reply.data.secret)]).toEqual([200, 200])
    await sleep(Date.parse(before.expires_at) - Date.now() + 50)
    expect(await knock(old.secret)).toBe('expired_api_key')
    expect(await knock(reply.data.secret)).toBe(200)
    expect((await actsOn(old.id)).at(-1)).toMatchObject({
      action: 'api_key.rotated',
      actor_role: 'ADMIN',
      before: { rotated_to: null, expires_at: ends },
      after: { rotated_to: reply.data.id, expires_at: before.expires_at },
    })
  })

  it('lasts a day unless told, at most a week, and never longer than the key itself', async () => {
    const member = await newMember()
    const lastsFor = async (body: object, expires_at?: string) => {
      const { id } = await make(member, expires_at === undefined ? {} : { expires_at })
      const { data } = await member.post(`${path}${id}/rotate/`, body)
      const old = (await member.get(`${path}${id}/`)).data
      const lasts_ms = Date.parse(old.expires_at) - Date.parse(data.created_at)
      return [Math.round(lasts_ms / 10) * 10, old.expires_at]
    }
    expect((await lastsFor({}))[0]).toBe(86_400_000)
    expect((await lastsFor({ overlap_seconds: 604_800 }))[0]).toBe(604_800_000)
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect((await lastsFor({}, soon))[1]).toBe(soon)
  })

  it('without an overlap ends the old one at once, everywhere', async () => {
    const member = await newMember()
    const other = await app.another({ ROLE: 'api' })
    const old = await make(member)
    expect(await knock(old.secret, other.public_url)).toBe(200)
    const { data } = await member.post(`${path}${old.id}/rotate/`, { overlap_seconds: 0 })
    expect(await knock(old.secret, other.public_url)).toBe('expired_api_key')
    expect(await knock(old.secret)).toBe('expired_api_key')
    expect(await knock(data.secret, other.public_url)).toBe(200)
    await other.stop()
  })

  it('that comes twenty times at once makes one key', async () => {
    const member = await newMember()
    const { id } = await make(member)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => member.post(`${path}${id}/rotate/`)),
    )
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    const refused = replies.filter(({ status }) => status !== 201).map((one) => codeOf(one).join())
    expect(refused).toEqual(Array(19).fill('409,key_not_active'))
    expect((await member.get(path)).data.count).toBe(2)
    expect((await member.get(`${path}${id}/`)).data.rotated_to).toBe(made[0]?.data.id)
    const acts = (await actsOn(id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.rotated'])
    // Its successor can be replaced in turn.
    expect((await member.post(`${path}${made[0]?.data.id}/rotate/`)).status).toBe(201)
  })

  it('is refused for one that was revoked', async () => {
    const member = await newMember()
    const { id } = await make(member)
    await member.post(`${path}${id}/revoke/`)
    expect(codeOf(await member.post(`${path}${id}/rotate/`))).toEqual([409, 'key_not_active'])
  })

  it.each([[-1], [604_801], [1.5], ['3600'], ['soon']])(
    'refuses an overlap of %j',
    async (overlap_seconds) => {
      const member = await newMember()
      const { id, secret } = await make(member)
      const reply = await member.post(`${path}${id}/rotate/`, { overlap_seconds })
      expect(fieldsOf(reply)).toEqual([400, ['overlap_seconds']])
      expect(await knock(secret)).toBe(200)
      expect((await member.get(path)).data.count).toBe(1)
    },
  )

  it('over and over leaves at most fifty old ones, however many come at once', async () => {
    const member = await newMember()
    const rotate = (ids: readonly string[], body = {}) =>
      Promise.all(ids.map((id) => member.post(`${path}${id}/rotate/`, body)))
    const madeBy = (replies: readonly Reply[]): string[] =>
      replies.flatMap(({ status, data }) => (status === 201 ? [data.id] : []))
    const first = await Promise.all(Array.from({ length: 30 }, () => member.post(path, sandbox)))
    const second = madeBy(await rotate(madeBy(first)))
    expect(second).toHaveLength(30)
    const replies = await rotate(second)
    expect(madeBy(replies)).toHaveLength(20)
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused.map((one) => codeOf(one).join())).toEqual(
      Array(10).fill('409,key_limit_reached'),
    )
    // Without an overlap there is nothing left, so there is always room.
    expect(madeBy(await rotate(madeBy(replies), { overlap_seconds: 0 }))).toHaveLength(20)
  }, 60_000)
})

describe('the list', () => {
  it('goes by pages, filters, searches and sorts, and counts exactly', async () => {
    const member = await newMember()
    const names = ['Beta', 'alpha', 'Gamma 100%']
    const made: Json[] = []
    for (const name of names) made.push(await make(member, { name }))
    await member.post(`${path}${made[0].id}/revoke/`)
    await app.owner`update api_keys set expires_at = now() where id = ${made[1].id}`
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
    const member = await newMember()
    expect(fieldsOf(await member.get(`${path}?${query}`))).toEqual([400, [field]])
  })
})

describe('what is answered', () => {
  it('is as published, refusals too', async () => {
    const published = await readPublished()
    const member = await newMember()
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
    const member = await newMember()
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
    const owner = await newMember()
    const member = await newMember({ merchant_id: owner.merchant_id, role })
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
    const [member, stranger] = [await newMember(), await newMember()]
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
    expect(await knock(secret)).toBe(200)
    expect((await stranger.get(path)).data.count).toBe(0)
    await member.call('DELETE', `${path}${id}/`)
    expect(await answers(id)).toEqual(['404,not_found'])
  })

  it('is nobody without a session, and of a suspended merchant reads only', async () => {
    const nobody = await fetch(`${app.url}/api/v1${path}`)
    expect(nobody.status).toBe(401)
    const member = await newMember()
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
    const member = await newMember()
    const { id, secret } = await make(member)
    const lastUse = async () => {
      const { data } = await member.get(`${path}${id}/`)
      return [data.last_used_at, data.last_used_ip]
    }
    const other = await app.another({ ROLE: 'api' })
    const before = Date.now()
    expect(await knock(secret, other.public_url)).toBe(200)
    expect(await lastUse()).toEqual([null, ''])
    // A process that ends writes what it knows.
    await other.stop()
    const [at, ip] = await lastUse()
    expect(ip).toBe('127.0.0.1')
    expect(Date.parse(at)).toBeGreaterThan(before - 1000)
    await sleep(20)
    expect(await knock(secret)).toBe(200)
    await eventually(async () => expect((await lastUse())[0] > at).toBe(true), 20_000)
  }, 40_000)

  it('is not that of a key that is refused', async () => {
    const member = await newMember()
    const { id, secret } = await make(member)
    await member.post(`${path}${id}/revoke/`)
    const other = await app.another({ ROLE: 'api' })
    expect(await knock(secret, other.public_url)).toBe('revoked_api_key')
    await other.stop()
    expect((await member.get(`${path}${id}/`)).data.last_used_at).toBeNull()
  })
})
