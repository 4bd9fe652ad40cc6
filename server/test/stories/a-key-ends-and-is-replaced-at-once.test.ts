// A key that is revoked, deleted, replaced or out of time: its end counts at once in every process,
// what it made goes on, and twenty that end it at once end it once.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Reply, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
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

describe('an end', () => {
  it('in LIVE is told to the owners, by deletion as by revocation, and once', async () => {
    const owner = await newMember(app, { live: true, second_factor: 'FRESH' })
    const live = { 'x-environment': 'LIVE' }
    const news = async () =>
      (await emailsWaiting(app)).filter(({ to }) => to === owner.email).map(({ text }) => text)
    const one = await make(owner, { environment: 'LIVE', scope: 'BOTH' })
    const drop = () => owner.call('DELETE', `${path}${one.id}/`, { headers: live })
    expect((await drop()).status).toBe(204)
    expect(await news()).toHaveLength(2)
    expect((await news()).at(-1)).toContain(`${one.last4} (collects and pays out)`)
    const other = await make(owner, { environment: 'LIVE', scope: 'BOTH' })
    await owner.post(`${path}${other.id}/revoke/`, {}, live)
    await owner.call('DELETE', `${path}${other.id}/`, { headers: live })
    expect(await news()).toHaveLength(4)
  })

  it('by revocation counts at once in every process, and again is the same answer', async () => {
    const member = await newMember(app)
    const other = await app.another({ ROLE: 'api' })
    const { id, secret } = await make(member)
    const everywhere = () =>
      Promise.all([knock(app, secret), knock(app, secret, other.public_url), knock(app, secret)])
    expect(await everywhere()).toEqual([200, 200, 200])
    const reply = await member.post(`${path}${id}/revoke/`)
    expect(await everywhere()).toEqual(Array(3).fill('revoked_api_key'))
    expect(reply.status).toBe(200)
    expect(reply.data).toMatchObject({ id, status: 'REVOKED', revoked_at: expect.any(String) })
    const again = await member.post(`${path}${id}/revoke/`)
    expect([again.status, again.data]).toEqual([200, reply.data])
    const acts = (await actsOn(app, id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.revoked'])
    await other.stop()
  })

  it('shows what the key made, which goes on, and silences its webhooks on request', async () => {
    const member = await newMember(app)
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
    const member = await newMember(app, { live: true, second_factor: 'FRESH' })
    const { id, last4 } = await make(member, liveKey)
    const revoke = () => member.post(`${path}${id}/revoke/`, {}, { 'x-environment': 'LIVE' })
    expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 200])
    const emails = (await emailsWaiting(app)).filter(
      ({ to, subject }) => to === member.email && subject.includes('was revoked'),
    )
    expect(emails).toMatchObject([{ text: expect.stringContaining(last4) }])
  })

  it('by deletion counts at once, and nothing shows the key any more', async () => {
    const member = await newMember(app)
    const other = await app.another({ ROLE: 'api' })
    const { id, secret } = await make(member)
    expect(await knock(app, secret, other.public_url)).toBe(200)
    const gone = await member.call('DELETE', `${path}${id}/`)
    expect([gone.status, gone.body]).toEqual([204, undefined])
    expect(await knock(app, secret)).toBe('revoked_api_key')
    expect(await knock(app, secret, other.public_url)).toBe('revoked_api_key')
    expect((await member.get(path)).data.count).toBe(0)
    for (const reply of [
      await member.get(`${path}${id}/`),
      await member.post(`${path}${id}/revoke/`),
      await member.post(`${path}${id}/rotate/`),
      await member.call('DELETE', `${path}${id}/`),
    ]) {
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
    const acts = (await actsOn(app, id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.deleted'])
    const rows = await app.owner`select name from api_keys where id = ${id}`
    expect(rows.count).toBe(1)
    await other.stop()
  })

  it('by time may be as late as a year of four digits says', async () => {
    const member = await newMember(app)
    const { expires_at } = await make(member, { expires_at: '9999-12-31T23:59:59-12:00' })
    expect(expires_at).toBe('9999-12-31T23:59:59.999Z')
  })

  it('by time comes to the second, and the list says so', async () => {
    const member = await newMember(app)
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 4000)
    const { id, secret, expires_at } = await make(member, { expires_at: at.toISOString() })
    expect(expires_at).toBe(at.toISOString())
    await sleep(at.getTime() - Date.now() - 500)
    const early = await knock(app, secret)
    // On a machine that stood still meanwhile it has come.
    if (Date.now() < at.getTime()) expect(early).toBe(200)
    await sleep(at.getTime() - Date.now() + 50)
    expect(await knock(app, secret)).toBe('expired_api_key')
    expect((await member.get(`${path}${id}/`)).data.status).toBe('EXPIRED')
    expect(codeOf(await member.post(`${path}${id}/rotate/`))).toEqual([409, 'key_not_active'])
    expect((await member.post(`${path}${id}/revoke/`)).data.status).toBe('REVOKED')
    expect(await knock(app, secret)).toBe('revoked_api_key')
  })

  it('that comes twenty times at once is written once', async () => {
    const member = await newMember(app)
    const { id } = await make(member)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => member.post(`${path}${id}/revoke/`))),
    )
    expect(new Set(replies.map(({ data }) => data.revoked_at)).size).toBe(1)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const acts = (await actsOn(app, id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.revoked'])
  })
})

describe('replacing a key', () => {
  it('makes one like it, and both work until the overlap is over', async () => {
    const member = await newMember(app, { role: 'ADMIN' })
    const ends = new Date(Date.now() + 3_600_000).toISOString()
    const request = { name: 'Till 1', scope: 'PAYOUT', expires_at: ends }
    const old = await make(member, request)
    const reply = await member.post(`${path}${old.id}/rotate/`, { overlap_seconds: 5 })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.data).toMatchObject({ ...request, environment: 'SANDBOX', status: 'ACTIVE' })
    expect(reply.data.id).not.toBe(old.id)
    expect(reply.data.secret).toMatch(/^sk_test_/)
    expect(reply.data.secret).not.toBe(old.secret)
    const before = (await member.get(`${path}${old.id}/`)).data
    expect(before).toMatchObject({ status: 'ACTIVE', rotated_to: reply.data.id, revoked_at: null })
    const overlap = Date.parse(before.expires_at) - Date.parse(reply.data.created_at)
    expect(Math.abs(overlap - 5000)).toBeLessThanOrEqual(1)
    expect([await knock(app, old.secret), await knock(app, reply.data.secret)]).toEqual([200, 200])
    await sleep(Date.parse(before.expires_at) - Date.now() + 50)
    expect(await knock(app, old.secret)).toBe('expired_api_key')
    expect(await knock(app, reply.data.secret)).toBe(200)
    expect((await actsOn(app, old.id)).at(-1)).toMatchObject({
      action: 'api_key.rotated',
      actor_role: 'ADMIN',
      before: { rotated_to: null, expires_at: ends },
      after: { rotated_to: reply.data.id, expires_at: before.expires_at },
    })
  })

  it('lasts a day unless told, at most a week, and never longer than the key itself', async () => {
    const member = await newMember(app)
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
    const member = await newMember(app)
    const other = await app.another({ ROLE: 'api' })
    const old = await make(member)
    expect(await knock(app, old.secret, other.public_url)).toBe(200)
    const { data } = await member.post(`${path}${old.id}/rotate/`, { overlap_seconds: 0 })
    expect(await knock(app, old.secret, other.public_url)).toBe('expired_api_key')
    expect(await knock(app, old.secret)).toBe('expired_api_key')
    expect(await knock(app, data.secret, other.public_url)).toBe(200)
    await other.stop()
  })

  it('that comes twenty times at once makes one key', async () => {
    const member = await newMember(app)
    const { id } = await make(member)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => member.post(`${path}${id}/rotate/`))),
    )
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    const refused = replies.filter(({ status }) => status !== 201).map((one) => codeOf(one).join())
    expect(refused).toEqual(Array(19).fill('409,key_not_active'))
    expect((await member.get(path)).data.count).toBe(2)
    expect((await member.get(`${path}${id}/`)).data.rotated_to).toBe(made[0]?.data.id)
    const acts = (await actsOn(app, id)).map(({ action }) => action)
    expect(acts).toEqual(['api_key.created', 'api_key.rotated'])
    // Its successor can be replaced in turn.
    expect((await member.post(`${path}${made[0]?.data.id}/rotate/`)).status).toBe(201)
  })

  it('is refused for one that was revoked', async () => {
    const member = await newMember(app)
    const { id } = await make(member)
    await member.post(`${path}${id}/revoke/`)
    expect(codeOf(await member.post(`${path}${id}/rotate/`))).toEqual([409, 'key_not_active'])
  })

  it.each([[-1], [604_801], [1.5], ['3600'], ['soon']])(
    'refuses an overlap of %j',
    async (overlap_seconds) => {
      const member = await newMember(app)
      const { id, secret } = await make(member)
      const reply = await member.post(`${path}${id}/rotate/`, { overlap_seconds })
      expect(fieldsOf(reply)).toEqual([400, ['overlap_seconds']])
      expect(await knock(app, secret)).toBe(200)
      expect((await member.get(path)).data.count).toBe(1)
    },
  )

  it('over and over leaves at most fifty old ones, however many come at once', async () => {
    const member = await newMember(app)
    const rotate = (ids: readonly string[], body = {}) =>
      Promise.all(ids.map((id) => untilServed(() => member.post(`${path}${id}/rotate/`, body))))
    const madeBy = (replies: readonly Reply[]): string[] =>
      replies.flatMap(({ status, data }) => (status === 201 ? [data.id] : []))
    const first = await Promise.all(
      Array.from({ length: 30 }, () => untilServed(() => member.post(path, sandbox))),
    )
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
