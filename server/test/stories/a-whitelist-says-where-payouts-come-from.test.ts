// The IP whitelist of a merchant: who keeps it, in which form addresses stand in it, and that what
// it says counts at once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { isWhitelisted } from '../../src/merchants/whitelist/is-whitelisted.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Json, type Reply, type Shop, startApp, type TestApp } from '../harness.ts'
import { readPublished } from '../published.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const path = '/merchant-ip-whitelist/'
const alias = '/merchant-ip-whitelist-entries/'
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {})]

async function add(member: Shop, ip_address: string, more: object = {}): Promise<Json> {
  const reply = await member.post(path, { ip_address, ...more })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

const patch = (member: Shop, id: string, body: object, headers: Record<string, string> = {}) =>
  member.call('PATCH', `${path}${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

const mayPayFrom = ({ merchant_id }: Shop, ip: string) =>
  isWhitelisted(app.service.db, merchant_id, ip)

const addresses = async (member: Shop, query = '') =>
  (await member.get(path + query)).data.results.map(({ ip_address }: Json) => ip_address)

const actsOn = (id: string) => app.owner`
  select actor_id, environment, action, before, after from audit_logs
   where target_kind = 'ip_whitelist_entry' and target_id = ${id} order by id`

describe('keeping the list', () => {
  it('adds, reads, changes and removes, at both addresses, and writes each act down', async () => {
    const member = await app.member({ role: 'ADMIN' })
    const entry = await add(member, '203.0.113.9/24', { label: 'Dakar' })
    expect(entry).toEqual({
      id: expect.any(String),
      merchant: member.merchant_id,
      ip_address: '203.0.113.0/24',
      label: 'Dakar',
      status: 'ACTIVE',
      created_by_member: member.person_id,
      created_at: expect.any(String),
      updated_at: entry.created_at,
    })
    for (const at of [path, alias]) {
      expect((await member.get(`${at}${entry.id}/`)).data).toEqual(entry)
      expect((await member.get(at)).data.results).toEqual([entry])
    }
    const { data } = await patch(member, entry.id, { status: 'INACTIVE' })
    expect(data).toMatchObject({ ...entry, status: 'INACTIVE', updated_at: expect.any(String) })
    const moved = await patch(member, entry.id, { ip_address: '::ffff:192.0.2.1', label: '' })
    expect(moved.data).toMatchObject({ ip_address: '192.0.2.1', label: '', status: 'INACTIVE' })
    const same = await patch(member, entry.id, { ip_address: '192.0.2.1/32', status: null })
    expect([same.status, same.data]).toEqual([200, moved.data])
    const gone = await member.call('DELETE', `${alias}${entry.id}/`)
    expect([gone.status, gone.body]).toEqual([204, undefined])
    expect(codeOf(await member.get(`${path}${entry.id}/`))).toEqual([404, 'not_found'])
    const [one, two] = [
      { ip_address: '203.0.113.0/24', label: 'Dakar' },
      { ip_address: '192.0.2.1', label: '', status: 'INACTIVE' },
    ]
    const by = { actor_id: member.person_id, environment: null }
    expect(await actsOn(entry.id)).toMatchObject([
      { ...by, action: 'ip_whitelist.added', before: null, after: { ...one, status: 'ACTIVE' } },
      {
        action: 'ip_whitelist.changed',
        before: { ...one, status: 'ACTIVE' },
        after: { ...one, status: 'INACTIVE' },
      },
      { action: 'ip_whitelist.changed', before: { ...one, status: 'INACTIVE' }, after: two },
      { ...by, action: 'ip_whitelist.removed', before: two, after: null },
    ])
    // Removed, the address may be added again.
    await add(member, '192.0.2.1')
  })

  it.each([
    [{ ip_address: '10.0.0.0/7' }, 'ip_address'],
    [{ ip_address: '2001:db8::/31' }, 'ip_address'],
    [{ ip_address: '0.0.0.0' }, 'ip_address'],
    [{ ip_address: '0.0.0.0/8' }, 'ip_address'],
    [{ ip_address: '::' }, 'ip_address'],
    [{ ip_address: '::ffff:0:0/95' }, 'ip_address'],
    [{ ip_address: 'example.com' }, 'ip_address'],
    [{ ip_address: '' }, 'ip_address'],
    [{ ip_address: 7 }, 'ip_address'],
    [{ ip_address: '1'.repeat(65) }, 'ip_address'],
    [{ label: 'x'.repeat(101) }, 'label'],
    [{ label: 7 }, 'label'],
    [{ status: 'OPEN' }, 'status'],
  ])('refuses %j, new or changed', async (wrong, field) => {
    const member = await app.member()
    const { id } = await add(member, '192.0.2.1')
    const whole = { ip_address: '192.0.2.2', ...wrong }
    expect(fieldsOf(await member.post(path, whole))).toEqual([400, [field]])
    expect(fieldsOf(await patch(member, id, wrong))).toEqual([400, [field]])
    expect(await addresses(member)).toEqual(['192.0.2.1'])
  })

  it('refuses a new one without an address, and names all that is wrong', async () => {
    const member = await app.member()
    expect(fieldsOf(await member.post(path, {}))).toEqual([400, ['ip_address']])
    const { status, error } = await member.post(path, { status: 'x', label: 1 })
    const fields = new Set(Object.keys(error))
    expect([status, fields]).toEqual([400, new Set(['ip_address', 'label', 'status'])])
  })

  it('holds an address once, in whatever form it comes', async () => {
    const member = await app.member()
    const first = await add(member, '10.1.2.3/16')
    const second = await add(member, '2001:DB8::1')
    for (const again of ['10.1.0.0/16', '::ffff:10.1.9.9/112', '2001:db8:0::1/128']) {
      expect(fieldsOf(await member.post(path, { ip_address: again }))).toEqual([
        400,
        ['ip_address'],
      ])
    }
    expect(fieldsOf(await patch(member, second.id, { ip_address: '10.1.7.7/16' }))).toEqual([
      400,
      ['ip_address'],
    ])
    // Its own address is no other's.
    expect((await patch(member, first.id, { ip_address: '10.1.0.0/16' })).status).toBe(200)
    // Another merchant's list is its own.
    await add(await app.member(), '10.1.0.0/16')
  })

  it('holds an address once and a hundred in all, however many come at once', async () => {
    const member = await app.member()
    const same = await Promise.all(
      Array.from({ length: 20 }, () =>
        untilServed(() => member.post(path, { ip_address: '192.0.2.1' })),
      ),
    )
    expect(same.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(same.filter(({ status }) => status === 400)).toHaveLength(19)
    const replies = await Promise.all(
      Array.from({ length: 110 }, (_, n) =>
        untilServed(() => member.post(path, { ip_address: `10.0.0.${n}` })),
      ),
    )
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused.map((one) => codeOf(one).join())).toEqual(
      Array(11).fill('409,whitelist_limit_reached'),
    )
    const list = await member.get(`${path}?page_size=100`)
    expect(list.data).toMatchObject({ count: 100, next: null })
    await member.call('DELETE', `${path}${list.data.results[0].id}/`)
    await add(member, '172.16.0.1')
  }, 120_000)

  it('filters, searches, sorts and pages', async () => {
    const member = await app.member()
    await add(member, '192.0.2.1', { label: 'Thiès' })
    await add(member, '10.0.0.0/8', { label: 'Abidjan', status: 'INACTIVE' })
    await add(member, '2001:db8::1', { label: 'dakar' })
    expect(await addresses(member)).toEqual(['2001:db8::1', '10.0.0.0/8', '192.0.2.1'])
    expect(await addresses(member, '?status=INACTIVE')).toEqual(['10.0.0.0/8'])
    expect(await addresses(member, '?search=DAKAR')).toEqual(['2001:db8::1'])
    expect(await addresses(member, '?search=192.0')).toEqual(['192.0.2.1'])
    expect(await addresses(member, '?ordering=label')).toEqual([
      '10.0.0.0/8',
      '192.0.2.1',
      '2001:db8::1',
    ])
    expect(await addresses(member, '?ordering=-created_at&page=2&page_size=2')).toEqual([
      '192.0.2.1',
    ])
    expect(fieldsOf(await member.get(`${path}?status=x&ordering=x`))).toEqual([
      400,
      ['status', 'ordering'],
    ])
    expect(codeOf(await member.get(`${path}?page=2`))).toEqual([404, 'not_found'])
  })
})

describe('where payouts may come from', () => {
  it('is what the list says, from the next call on', async () => {
    const [member, stranger] = [await app.member(), await app.member()]
    expect(await mayPayFrom(member, '203.0.113.7')).toBe(false)
    const { id } = await add(member, '203.0.113.0/24')
    expect(await mayPayFrom(member, '203.0.113.7')).toBe(true)
    expect(await mayPayFrom(member, '::ffff:203.0.113.7')).toBe(true)
    expect(await mayPayFrom(member, '203.0.114.0')).toBe(false)
    expect(await mayPayFrom(stranger, '203.0.113.7')).toBe(false)
    await patch(member, id, { status: 'INACTIVE' })
    expect(await mayPayFrom(member, '203.0.113.7')).toBe(false)
    await patch(member, id, { status: 'ACTIVE', ip_address: '2001:db8::/64' })
    expect(await mayPayFrom(member, '203.0.113.7')).toBe(false)
    expect(await mayPayFrom(member, '2001:db8::5')).toBe(true)
    expect(await mayPayFrom(member, '2001:db8:0:1::5')).toBe(false)
    await member.call('DELETE', `${path}${id}/`)
    expect(await mayPayFrom(member, '2001:db8::5')).toBe(false)
    expect(await mayPayFrom(member, 'nonsense')).toBe(false)
  })
})

const writes = (id: string): (readonly [string, string, object?])[] => [
  ['POST', path, { ip_address: '198.51.100.9' }],
  ['PATCH', `${path}${id}/`, { label: 'x' }],
  ['DELETE', `${path}${id}/`],
]
const send = (by: Shop, [method, at, body]: readonly [string, string, object?], headers = {}) =>
  by.call(method, at, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })

describe('the interface', () => {
  it('answers as published, refusals too', async () => {
    const published = await readPublished()
    const member = await app.member()
    const statusOf = async (method: string, at: string, body?: object) => {
      const operation = published.operationAt(method, at)
      if (operation === undefined) throw new Error(`${method} ${at} is not published`)
      const reply = await send(member, body === undefined ? [method, at] : [method, at, body])
      expect(published.faultsOf(operation, reply), `${method} ${at}`).toEqual([])
      return reply
    }
    for (const at of [path, alias]) {
      const { data } = await statusOf('POST', at, { ip_address: '192.0.2.1' })
      const one = `${at}${data.id}/`
      const statuses = [
        await statusOf('POST', at, { ip_address: '192.0.2.1' }),
        await statusOf('GET', at),
        await statusOf('GET', `${at}?status=x`),
        await statusOf('GET', one),
        await statusOf('PATCH', one, { status: 'INACTIVE' }),
        await statusOf('PATCH', one, { status: 'x' }),
        await statusOf('DELETE', one),
        await statusOf('DELETE', one),
      ].map(({ status }) => status)
      expect(statuses).toEqual([400, 200, 400, 200, 200, 400, 204, 404])
    }
  })
})

describe('who may', () => {
  it('read: a key of any scope; change: no key', async () => {
    const member = await app.member()
    const { merchant_id } = member
    const entry = await add(member, '192.0.2.1')
    for (const scope of ['PAYIN', 'PAYOUT', 'BOTH'] as const) {
      const key = await app.shop({ merchant_id, scope })
      expect((await key.get(path)).data.results).toEqual([entry])
      expect((await key.get(`${alias}${entry.id}/`)).data).toEqual(entry)
      for (const call of writes(entry.id)) {
        expect(codeOf(await send(key, call))).toEqual([403, 'dashboard_only'])
      }
    }
    expect(await addresses(member)).toEqual(['192.0.2.1'])
  })

  it.each(['DEVELOPER', 'FINANCE', 'VIEWER'] as const)('%s: reads only', async (role) => {
    const owner = await app.member()
    const { id } = await add(owner, '192.0.2.1')
    const member = await app.member({ merchant_id: owner.merchant_id, role })
    expect((await member.get(`${path}${id}/`)).status).toBe(200)
    for (const call of writes(id)) {
      expect(codeOf(await send(member, call))).toEqual([403, 'permission_denied'])
    }
  })

  it.each(['NONE', 'STALE'] as const)(
    'change, once LIVE is open: with a code just given, in either environment (%s)',
    async (second_factor) => {
      const { merchant_id } = await app.shop({ live: true })
      const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
      const { id } = await add(owner, '192.0.2.1')
      const member = await app.member({ merchant_id, second_factor })
      for (const environment of ['SANDBOX', 'LIVE']) {
        for (const call of writes(id)) {
          const reply = await send(member, call, { 'x-environment': environment })
          expect(codeOf(reply)).toEqual([403, 'totp_required'])
        }
        expect((await member.get(path, { 'x-environment': environment })).data.count).toBe(1)
      }
    },
  )

  it('is nobody of another merchant, and an id that nobody has is not found', async () => {
    const [member, stranger] = [await app.member(), await app.member()]
    const { id } = await add(member, '192.0.2.1')
    const answers = async (named: string) => {
      const calls = [['GET', `${path}${named}/`] as const, ...writes(named).slice(1)]
      const replies = await Promise.all(calls.map((call) => send(stranger, call)))
      return [...new Set(replies.map((reply) => codeOf(reply).join()))]
    }
    expect(await answers(id)).toEqual(['403,permission_denied'])
    expect(await answers(newId())).toEqual(['404,not_found'])
    expect(await answers('nonsense')).toEqual(['404,not_found'])
    expect((await stranger.get(path)).data.count).toBe(0)
    expect(await addresses(member)).toEqual(['192.0.2.1'])
  })

  it('is nobody without a credential, and of a suspended merchant reads only', async () => {
    expect((await fetch(`${app.url}/api/v1${path}`)).status).toBe(401)
    const member = await app.member()
    const { id } = await add(member, '192.0.2.1')
    await suspendMerchant(app.owner, member.merchant_id, 'papers missing')
    expect((await member.get(path)).data.count).toBe(1)
    for (const call of writes(id)) {
      expect(codeOf(await send(member, call))).toEqual([403, 'merchant_suspended'])
    }
  })
})

describe('the owners', () => {
  it('hear of each address that real money may leave by', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const owner = await app.member({ merchant_id })
    const admin = await app.member({ merchant_id, role: 'ADMIN', second_factor: 'FRESH' })
    const reported = async () =>
      (await emailsWaiting(app)).filter(({ to }) => to === owner.email).map(({ text }) => text)
    const { id } = await add(admin, '203.0.113.0/24')
    expect(await reported()).toEqual([expect.stringContaining('203.0.113.0/24')])
    await patch(admin, id, { label: 'x' })
    await patch(admin, id, { status: 'INACTIVE' })
    await patch(admin, id, { ip_address: '198.51.100.0/24' })
    await add(admin, '192.0.2.0/24', { status: 'INACTIVE' })
    expect(await reported()).toHaveLength(1)
    await patch(admin, id, { status: 'ACTIVE' })
    await patch(admin, id, { ip_address: '198.51.101.0/24' })
    expect((await reported()).slice(1)).toEqual([
      expect.stringContaining('198.51.100.0/24'),
      expect.stringContaining('198.51.101.0/24'),
    ])
    const sandbox = await app.member()
    await add(sandbox, '203.0.113.0/24')
    const emails = await emailsWaiting(app)
    expect(emails.filter(({ to }) => to === sandbox.email)).toEqual([])
  })
})
