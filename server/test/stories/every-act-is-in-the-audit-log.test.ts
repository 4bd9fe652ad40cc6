// Who did what, from where, what before and what after: each act leaves one line, which nobody can
// change, which holds no secret, and which only those may read whom it concerns.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountsOwnId, systemActor } from '../../src/audit/audit.ts'
import { recordAct } from '../../src/audit/audit-log.ts'
import { idFromHash, newId } from '../../src/platform/ids.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await heldToPublished(await app.staff())
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const patch = (by: Shop, path: string, body: unknown) =>
  by.call('PATCH', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const put = (by: Shop, path: string, body: unknown) =>
  by.call('PUT', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const linesOf = async (by: Shop, query = ''): Promise<Json[]> => {
  const reply = await by.get(`/audit-logs/?${query}`)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.data.results
}
const address = 'https://hooks.shop.example/pirogue'

describe('a merchant’s webhooks', () => {
  it('registered, changed and deleted by a person: one line each, from whom and where', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const sent = { headers: { 'x-request-id': 'req-of-the-story' } }
    const made = await owner.post(
      '/merchant-webhooks/',
      { url: `${address}?token=s3cret-of-mine`, description: 'Orders', events: [] },
      sent.headers,
    )
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { id } = made.data
    await patch(owner, `/merchant-webhooks/${id}/`, {
      is_active: false,
      events: ['transaction.success'],
    })
    await patch(owner, `/merchant-webhooks/${id}/`, { is_active: false, description: 'Orders' })
    await patch(owner, `/merchant-webhooks/${id}/`, { url: `${address}?token=another-s3cret` })
    expect((await owner.call('DELETE', `/merchant-webhooks/${id}/`)).status).toBe(204)
    expect((await owner.call('DELETE', `/merchant-webhooks/${id}/`)).status).toBe(404)

    const lines = await linesOf(owner)
    expect(lines.map(({ action }) => action)).toEqual([
      'webhook.deleted',
      'webhook.changed',
      'webhook.changed',
      'webhook.registered',
    ])
    expect(lines[3]).toEqual({
      id: expect.any(String),
      merchant: owner.merchant_id,
      environment: 'SANDBOX',
      actor: { kind: 'MEMBER', id: owner.person_id, role: 'OWNER', name: owner.email },
      action: 'webhook.registered',
      target: { kind: 'webhook', id },
      ip: '127.0.0.1',
      request_id: 'req-of-the-story',
      before: null,
      after: {
        url: `${address}?…`,
        description: 'Orders',
        is_active: true,
        payment_link: null,
        events: [],
      },
      created_at: expect.any(String),
    })
    expect(lines[2]).toMatchObject({
      before: { is_active: true, events: [] },
      after: { is_active: false, events: ['transaction.success'] },
    })
    expect(Object.keys(lines[2]?.after).sort()).toEqual(['events', 'is_active'])
    expect(lines[1]).toMatchObject({
      before: { url: `${address}?…` },
      after: { url: `${address}?…` },
    })
    expect(lines[0]).toMatchObject({ before: { description: 'Orders' }, after: null })
    const [row] = await app.owner`
      select string_agg(l::text, ' ') as log from audit_logs l where merchant_id = ${owner.merchant_id}`
    for (const secret of ['s3cret', made.data.signing_secret, 'whsec_', owner.email]) {
      expect(row?.['log']).not.toContain(secret)
    }
  })

  it('by a key: the key is named, and by its name of now', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const shop = await app.shop({ merchant_id: owner.merchant_id })
    const made = await shop.post('/merchant-webhooks/', { url: address })
    const [key] = await app.owner`
      update api_keys set name = 'Shop server'
       where merchant_id = ${owner.merchant_id} and last4 = ${shop.key.slice(-4)}
      returning id`
    const [line] = await linesOf(owner, `target_id=${made.data.id}`)
    expect(line.actor).toEqual({ kind: 'KEY', id: key?.['id'], role: '', name: 'Shop server' })
  })

  it('refused or rolled back: no line', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const stranger = await app.member({ second_factor: 'FRESH' })
    const { data } = await stranger.post('/merchant-webhooks/', { url: address })
    expect((await owner.post('/merchant-webhooks/', { url: 'x' })).status).toBe(400)
    expect(
      (await patch(owner, `/merchant-webhooks/${data.id}/`, { is_active: false })).status,
    ).toBe(403)
    expect((await owner.call('DELETE', `/merchant-webhooks/${newId()}/`)).status).toBe(404)
    const viewer = await app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
    expect((await viewer.post('/merchant-webhooks/', { url: address })).status).toBe(403)
    for (let at = 0; at < 21; at += 1) await owner.post('/merchant-webhooks/', { url: address })
    const made = await linesOf(owner, 'page_size=200')
    expect(made).toHaveLength(20)
  })
})

describe('what staff do to a merchant', () => {
  it('they read, without learning who of the staff it was or where they sit', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const request = {
      network: 'mtn_bj',
      direction: 'COLLECT',
      tiers: [{ min_amount: '1', max_amount: '1000', percent: '1', fee_charge_mode: 'ADD_ON' }],
    }
    const path = `/admin/merchants/${owner.merchant_id}/pricing-rules/`
    expect((await put(staff, path, request)).status).toBe(200)
    const [line] = await linesOf(owner)
    expect(line).toMatchObject({
      environment: null,
      action: 'merchant_pricing_rule.created',
      actor: { kind: 'STAFF', id: null, role: '', name: '' },
      ip: '',
    })
    const all = await staff.get(`/admin/audit-logs/?merchant=${owner.merchant_id}`)
    expect(all.data.results[0]).toMatchObject({
      id: line.id,
      merchant: owner.merchant_id,
      actor: {
        kind: 'STAFF',
        id: staff.person_id,
        role: 'SUPERADMIN',
        name: staff.email,
      },
      ip: '127.0.0.1',
    })
  })

  it('for everybody stands under no merchant, and only staff read it', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    await staff.post('/admin/exchange-rates/', { base: 'EUR', quote: 'GHS', rate: '12.5' })
    expect(await linesOf(owner)).toEqual([])
    const reply = await staff.get('/admin/audit-logs/?action=exchange_rate.added')
    expect(reply.data.results).toMatchObject([
      { merchant: null, environment: null, actor: { id: staff.person_id } },
    ])
  })

  it('and what people do to their own accounts', async () => {
    await recordAct(app.owner, {
      ...{ environment: null, actor: systemActor, target_kind: 'person', target_id: 'x' },
      ...{ merchant_id: accountsOwnId, action: 'person.lapsed' },
    })
    const reply = await staff.get('/admin/audit-logs/?action=person.lapsed')
    expect(reply.data.results).toMatchObject([
      { merchant: null, actor: { kind: 'SYSTEM', id: null, name: '' } },
    ])
  })
})

describe('the list', () => {
  const merchant = newId()
  const planted: string[] = []
  let owner: SignedInCaller
  let staff: SignedInCaller

  beforeAll(async () => {
    owner = await heldToPublished(await app.member({ second_factor: 'FRESH' }))
    staff = await app.staff({ role: 'SUPPORT' })
    const other = await app.member()
    const lines = [
      ['SANDBOX', 'KEY', newId(), 'api_key.changed', 'api_key', 'k1', '2026-01-01T00:00:00Z'],
      ['LIVE', 'MEMBER', owner.person_id, 'member.removed', 'member', 'm1', '2026-02-01T00:00:00Z'],
      [null, 'SYSTEM', null, 'merchant.name_lapsed', 'merchant', 'm1', '2026-03-01T00:00:00Z'],
      [
        'SANDBOX',
        'STAFF',
        staff.person_id,
        'member.removed',
        'member',
        'm2',
        '2026-04-01T00:00:00Z',
      ],
    ] as const
    for (const [environment, actor_kind, actor_id, action, target_kind, target_id, at] of lines) {
      for (const merchant_id of [owner.merchant_id, other.merchant_id]) {
        const id = idFromHash(Date.parse(at), createHash('sha256').update(merchant_id).digest())
        if (merchant_id === owner.merchant_id) planted.push(id)
        await app.owner`insert into audit_logs ${app.owner({
          merchant_id,
          id,
          environment,
          actor_kind,
          actor_id,
          action,
          target_kind,
          target_id,
          ip: actor_kind === 'STAFF' ? '198.51.100.77' : '203.0.113.5',
          request_id: `req-${target_id}`,
          created_at: new Date(at),
        })}`
      }
    }
  })

  const found = async (query: string) =>
    (await linesOf(owner, query)).map(({ id }) => planted.indexOf(id))

  it('has a merchant’s own lines, of both environments and of none, the newest first', async () => {
    expect(await found('')).toEqual([3, 2, 1, 0])
    const live = await owner.get('/audit-logs/', { 'x-environment': 'LIVE' })
    expect(live.status).toBe(403) // not approved; the log itself is one for both
  })

  it.each([
    ['action=member.removed', [3, 1]],
    ['action=member', []],
    ['actor_kind=SYSTEM', [2]],
    ['actor=ME', [1]],
    ['actor=OF_STAFF', []],
    ['actor_kind=STAFF', [3]],
    ['target_kind=member', [3, 1]],
    ['target_id=m1', [2, 1]],
    ['target_kind=member&target_id=m1', [1]],
    ['created_at__gte=2026-02-01', [3, 2, 1]],
    ['created_at__gte=2026-02-01T00:00:00.001Z', [3, 2]],
    ['created_at__lte=2026-02-01', [1, 0]],
    ['created_at__gte=2026-02-01&created_at__lte=2026-03-01', [2, 1]],
    ['created_at__gte=0001-01-01&created_at__lte=9999-12-31', [3, 2, 1, 0]],
    ['search=REMOVED', [3, 1]],
    ['search=req-m1', [2, 1]],
    ['search=203.0.113', [2, 1, 0]],
    ['search=198.51.100.77', []],
    ['search=MEMBERS_EMAIL', [1]],
    ['search=STAFFS_EMAIL', []],
    ['search=100%25', []],
    ['search=REMOVED&actor_kind=STAFF', [3]],
    ['search=', [3, 2, 1, 0]],
    ['merchant=SOMEBODY', [3, 2, 1, 0]],
    ['nonsense=1', [3, 2, 1, 0]],
  ])('finds by %s', async (query, expected) => {
    const text = query
      .replace('MEMBERS_EMAIL', owner.email.toUpperCase())
      .replace('STAFFS_EMAIL', staff.email)
      .replace(/ME$/, owner.person_id)
      .replace('OF_STAFF', staff.person_id)
      .replace('SOMEBODY', newId())
    expect(await found(text)).toEqual(expected)
  })

  it('finds nobody of the staff by their id, in the file neither; staff do', async () => {
    const file = async (query: string) => {
      const { key, merchant_id } = owner
      const reply = await fetch(`${app.url}/api/v1/audit-logs/export/?${query}`, {
        headers: { authorization: `Bearer ${key}`, 'x-merchant': merchant_id },
      })
      return (await reply.text()).trimEnd().split('\n').length - 1
    }
    expect(await file(`actor=${owner.person_id}`)).toBe(1)
    expect(await file(`actor=${staff.person_id}`)).toBe(0)
    const query = `actor=${staff.person_id}&merchant=${owner.merchant_id}`
    const seen = await staff.get(`/admin/audit-logs/?${query}`)
    expect(seen.data.results.map(({ id }: Json) => id)).toEqual([planted[3]])
  })

  it('is paged by a cursor, there and back, while lines are written', async () => {
    const ids: string[] = []
    let path = '/audit-logs/?page_size=1'
    for (let page = 0; page < 4; page += 1) {
      const { data } = await owner.get(path)
      ids.push(...data.results.map(({ id }: Json) => id))
      await recordAct(app.owner, {
        merchant_id: owner.merchant_id,
        environment: null,
        actor: systemActor,
        action: 'merchant.changed',
        target_kind: 'merchant',
        target_id: 'x',
      })
      path = data.next?.replace(/^.*\/api\/v1/, '') ?? ''
      if (page === 3) expect(data.next).toBeNull()
    }
    expect(ids.map((id) => planted.indexOf(id))).toEqual([3, 2, 1, 0])
    const { data } = await owner.get('/audit-logs/?page_size=2&action=member.removed')
    expect(data).toMatchObject({ next: null, previous: null })
    const last = await owner.get('/audit-logs/?page_size=6')
    const next = await owner.get(last.data.next.replace(/^.*\/api\/v1/, ''))
    const back = await owner.get(next.data.previous.replace(/^.*\/api\/v1/, ''))
    expect(back.data.results).toEqual(last.data.results)
  })

  it('400: a filter that is none, a changed cursor', async () => {
    for (const [query, fields] of [
      ['actor=me', ['actor']],
      ['actor_kind=ROBOT&created_at__gte=soon', ['actor_kind', 'created_at__gte']],
      ['created_at__lte=2026-02-30', ['created_at__lte']],
      ['cursor=abc', ['cursor']],
      ['page_size=0', ['page_size']],
    ] as const) {
      for (const reply of [
        await owner.get(`/audit-logs/?${query}`),
        await staff.get(`/admin/audit-logs/?${query}`),
      ]) {
        expect([query, reply.status]).toEqual([query, 400])
        expect(Object.keys(reply.error).sort()).toEqual(fields)
      }
    }
    const { data } = await owner.get('/audit-logs/?page_size=1')
    const cursor = new URL(data.next).searchParams.get('cursor') ?? ''
    const turned = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1)
    expect((await owner.get(`/audit-logs/?cursor=${turned}`)).status).toBe(400)
    expect((await staff.get('/admin/audit-logs/?merchant=x')).status).toBe(400)
  })

  it('is over all merchants for staff, of the environment that they look at', async () => {
    const query = 'action=member.removed'
    const sandbox = await staff.get(`/admin/audit-logs/?${query}`)
    expect(sandbox.data.results).toHaveLength(2)
    const live = await staff.get(`/admin/audit-logs/?${query}`, { 'x-environment': 'LIVE' })
    expect(live.data.results).toHaveLength(2)
    expect(live.data.results[0].environment).toBe('LIVE')
    const both = await staff.get('/admin/audit-logs/?action=merchant.name_lapsed')
    expect(both.data.results).toHaveLength(2)
    const mine = await staff.get(`/admin/audit-logs/?${query}&merchant=${owner.merchant_id}`)
    expect(mine.data.results.map(({ id }: Json) => id)).toEqual([planted[3]])
    const nobodys = await staff.get(`/admin/audit-logs/?merchant=${merchant}`)
    expect(nobodys.data.results).toEqual([])
    const page = await staff.get('/admin/audit-logs/?page_size=3')
    const ids = page.data.results.map(({ id }: Json) => id)
    expect(ids).toEqual([...ids].sort().reverse())
    const next = await staff.get(page.data.next.replace(/^.*\/api\/v1/, ''))
    expect(next.data.results[0].id < ids[2]).toBe(true)
  })
})

describe('who may read', () => {
  it.each([
    ['OWNER', 200],
    ['ADMIN', 200],
    ['DEVELOPER', 403],
    ['FINANCE', 403],
    ['VIEWER', 403],
  ] as const)('%s of a merchant: %s', async (role, status) => {
    const member = await app.member({ role })
    const reply = await member.get('/audit-logs/')
    expect(reply.status).toBe(status)
    if (status === 403) expect(reply.error.code).toBe('permission_denied')
  })

  it('no key reads it, nobody, no stranger, and staff only theirs', async () => {
    const shop = await app.shop()
    expect(codeOf(await shop.get('/audit-logs/'))).toEqual([403, 'dashboard_only'])
    expect(codeOf(await shop.get('/admin/audit-logs/'))).toEqual([403, 'permission_denied'])
    const member = await app.member()
    expect(codeOf(await member.get('/admin/audit-logs/'))).toEqual([403, 'permission_denied'])
    expect(codeOf(await staff.get('/audit-logs/'))).toEqual([403, 'permission_denied'])
    for (const path of ['/audit-logs/', '/admin/audit-logs/']) {
      expect((await fetch(`${app.url}/api/v1${path}`)).status).toBe(401)
    }
    const other = { 'x-merchant': shop.merchant_id }
    expect(codeOf(await member.get('/audit-logs/', other))).toEqual([403, 'permission_denied'])
    for (const role of ['SUPPORT', 'OPERATIONS', 'FINANCE'] as const) {
      const one = await app.staff({ role })
      expect((await one.get('/admin/audit-logs/')).status).toBe(200)
    }
    const demo = await app.staff({ demo: true })
    expect((await demo.get('/admin/audit-logs/')).status).toBe(200)
    const live = await demo.get('/admin/audit-logs/', { 'x-environment': 'LIVE' })
    expect(codeOf(live)).toEqual([403, 'totp_required'])
  })

  it('429: a minute has its limit for staff and for members', async () => {
    const [one, member] = [await app.staff(), await app.member()]
    await app.owner`
      insert into rate_windows (merchant_id, minute, used)
      select id, minute, 100000
        from unnest(${[one.person_id, member.merchant_id]}::uuid[]) as id,
             unnest(array[date_trunc('minute', now()),
                          date_trunc('minute', now()) + interval '1 minute']) as minute`
    for (const path of [
      '/admin/audit-logs/',
      '/admin/transactions/',
      '/admin/incidents/',
      '/admin/pricing-rules/',
      '/admin/exchange-rates/',
      '/admin/gateways/',
      '/admin/routes/',
      '/admin/networks/',
    ]) {
      expect([path, ...codeOf(await one.get(path))]).toEqual([path, 429, 'rate_limited'])
    }
    expect(codeOf(await member.get('/audit-logs/'))).toEqual([429, 'rate_limited'])
  })
})

it('what was written stays: the process may not change or remove a line', async () => {
  const { db } = app.service
  await expect(db`update audit_logs set action = 'nothing.done'`).rejects.toThrow('denied')
  await expect(db`delete from audit_logs`).rejects.toThrow('denied')
  await expect(db`truncate audit_logs`).rejects.toThrow('denied')
  expect((await shopWith(app.url, '', '').call('DELETE', '/audit-logs/')).status).toBe(405)
})
