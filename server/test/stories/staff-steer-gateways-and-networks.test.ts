// Staff steer who serves what. A gateway that is switched off gets nothing new from any process,
// and is still asked about what it has; nobody ever sees what it is opened with.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { addGateways } from '../../src/gateways/gateways.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  type Json,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let second: Service
let staff: SignedInCaller
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  second = await app.another()
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  shop = await app.shop()
})
afterAll(() => app?.stop())

const elsewhere = ({ merchant_id, key }: Shop) => shopWith(second.public_url, merchant_id, key)

const patch = (path: string, body: unknown, by: Shop = staff, headers = {}) =>
  by.call('PATCH', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

const codeOf = ({ status, error }: Reply) => [status, error?.code]

const live = { 'x-environment': 'LIVE' }

async function gateway(code: string): Promise<Json> {
  const { data } = await staff.get('/admin/gateways/')
  return data.results.find((one: Json) => one.code === code)
}

async function pay(at: Shop, changes: object = {}) {
  const paid = await at.pay({ amount: '10000', customer: newPayer('10'), ...changes })
  if (paid.status !== 201) return { ...paid, gateways: [], transaction: undefined }
  const { data } = await at.get(`/transactions/${paid.data.id}/`)
  const gateways: string[] = data.attempts.map((attempt: Json) => attempt.gateway_code)
  return { ...paid, gateways, transaction: data }
}

const acts = (target_kind: string) => app.owner<Json[]>`
  select action, merchant_id, environment, actor_id, target_id, before, after
    from audit_logs where target_kind = ${target_kind} order by id`

const version = async () => (await app.owner`select version from catalogue_version`)[0]?.['version']

describe('a gateway', () => {
  it('is shown as it stands, without anything that it is opened with', async () => {
    const secret = 'operator-secret-9f2'
    await app.owner`update gateways set sealed_settings = ${Buffer.from(secret)}`
    const list = await staff.get('/admin/gateways/')
    const codes = list.data.results.map((one: Json) => one.code)
    expect(codes).toEqual(['simulator_a', 'simulator_b'])
    expect(list.data.results[0]).toEqual({
      id: expect.any(String),
      settings: {},
      code: 'simulator_a',
      name: 'Sandbox operator A',
      adapter: 'simulator',
      environment: 'SANDBOX',
      is_active: true,
      exposure_limit_collect: null,
      exposure_limit_disburse: null,
      payment_limit_collect: null,
      payment_limit_disburse: null,
      asks_per_s: null,
      creates_per_s: null,
      open_calls: null,
      callback_senders: null,
      checked_at: null,
      verified: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const one = await staff.get(`/admin/gateways/${list.data.results[0].id}/`)
    expect(one.data).toEqual(list.data.results[0])
    const changed = await patch(`/admin/gateways/${one.data.id}/`, { name: 'Desk A' })
    const seen = JSON.stringify([list.body, one.body, changed.body, await acts('gateway')])
    for (const form of [secret, 'sealed', Buffer.from(secret).toString('hex')]) {
      expect(seen).not.toContain(form)
    }
    await app.owner`update gateways set sealed_settings = null`
  })

  it('that is switched off gets nothing new, in no process, and is asked about what it has', async () => {
    const waiting = await pay(shop, { customer: newPayer('04') })
    expect(waiting.gateways).toEqual(['simulator_a'])
    const { id } = await gateway('simulator_a')
    const off = await patch(`/admin/gateways/${id}/`, { is_active: false })
    expect([off.status, off.data.is_active]).toEqual([200, false])

    expect((await pay(elsewhere(shop))).gateways).toEqual(['simulator_b'])
    expect((await pay(shop)).gateways).toEqual(['simulator_b'])
    const list = await staff.get('/admin/routes/?network=mtn_bj&direction=COLLECT')
    expect(list.data.results[0]).toMatchObject({
      gateway_code: 'simulator_a',
      is_active: true,
      gateway_is_active: false,
    })

    // The old question is still put, by either process, and what it answers counts.
    const [before] = await app.owner`
      select asks from attempts where transaction_id = ${waiting.data.id}`
    const verified = await elsewhere(shop).get(`/payments/${waiting.data.id}/verify/`)
    expect([verified.status, verified.data.status]).toEqual([200, 'PENDING'])
    const [after] = await app.owner`
      select asks from attempts where transaction_id = ${waiting.data.id}`
    expect(after?.['asks']).toBeGreaterThan(before?.['asks'])
    const paid = await elsewhere(shop).post(`/sandbox/transactions/${waiting.data.id}/resolve/`, {
      outcome: 'SUCCESS',
    })
    expect(paid.data.status).toBe('SUCCESS')

    const other = await gateway('simulator_b')
    await patch(`/admin/gateways/${other.id}/`, { is_active: false })
    const none = await pay(elsewhere(shop))
    expect(codeOf(none)).toEqual([422, 'no_route_available'])
    await patch(`/admin/gateways/${other.id}/`, { is_active: true })
    await patch(`/admin/gateways/${id}/`, { is_active: true })
    expect((await pay(elsewhere(shop))).gateways).toEqual(['simulator_a'])
    const recorded = (await acts('gateway')).filter((act) => act.after.is_active !== undefined)
    expect(recorded).toHaveLength(4)
    expect(recorded[0]).toMatchObject({
      action: 'gateway.changed',
      environment: 'SANDBOX',
      actor_id: staff.person_id,
      target_id: id,
      before: { is_active: true },
      after: { is_active: false },
    })
  })

  it('that is changed to what it is writes nothing', async () => {
    const { id, name } = await gateway('simulator_b')
    const [then, written] = [await version(), (await acts('gateway')).length]
    expect((await patch(`/admin/gateways/${id}/`, { name, is_active: true })).status).toBe(200)
    expect((await patch(`/admin/gateways/${id}/`, {})).status).toBe(200)
    expect([await version(), (await acts('gateway')).length]).toEqual([then, written])
  })

  it('switched off by twenty at once is switched off once', async () => {
    const { id } = await gateway('simulator_b')
    const written = (await acts('gateway')).length
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        untilServed(() => patch(`/admin/gateways/${id}/`, { is_active: false })),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await acts('gateway')).length).toBe(written + 1)
    await patch(`/admin/gateways/${id}/`, { is_active: true })
  })

  it('400, 404: a wrong field, an unknown id, one of the other environment', async () => {
    const { id } = await gateway('simulator_a')
    const wrong = await patch(`/admin/gateways/${id}/`, { name: '', is_active: 'yes' })
    expect([wrong.status, Object.keys(wrong.error).sort()]).toEqual([400, ['is_active', 'name']])
    for (const unknown of [newId(), 'x']) {
      expect(codeOf(await staff.get(`/admin/gateways/${unknown}/`))).toEqual([404, 'not_found'])
      const reply = await patch(`/admin/gateways/${unknown}/`, { name: 'X' })
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
    expect((await staff.get('/admin/gateways/', live)).data.count).toBe(0)
    expect(codeOf(await staff.get(`/admin/gateways/${id}/`, live))).toEqual([404, 'not_found'])
    const reply = await patch(`/admin/gateways/${id}/`, { is_active: false }, staff, live)
    expect(codeOf(reply)).toEqual([404, 'not_found'])
    expect((await staff.get('/admin/gateways/?ordering=adapter')).status).toBe(400)
    expect((await staff.get('/admin/gateways/?page=2')).status).toBe(404)
  })
})

describe('what holds in one country', () => {
  it('a float, opening hours and a closing are refused where we serve nobody', async () => {
    const of = { gateway: 'simulator_a', country: 'qq' }
    const put = (path: string, body: object) =>
      staff.call('PUT', path, {
        body: JSON.stringify({ ...of, ...body }),
        headers: { 'content-type': 'application/json' },
      })
    const then = await version()
    const replies = [
      await put('/admin/gateway-floats/', { is_empty: true }),
      await put('/admin/gateway-hours/', {
        direction: 'COLLECT',
        windows: [{ weekday: 1, opens: '06:00', closes: '22:00' }],
      }),
      await staff.post('/admin/gateway-closings/', of),
    ]
    for (const { status, error } of replies) {
      expect([status, Object.keys(error)]).toEqual([400, ['country']])
    }
    expect(await version()).toBe(then)
    // What was set of any can be taken away.
    const taken = [
      await put('/admin/gateway-floats/', { is_empty: false }),
      await put('/admin/gateway-hours/', { direction: 'COLLECT', windows: [] }),
    ]
    expect(taken.map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('a network', () => {
  const network = async (code: string): Promise<Json> => {
    const { data } = await staff.get('/admin/networks/?page_size=100')
    return data.results.find((one: Json) => one.code === code)
  }

  it('is changed for every process at once', async () => {
    const was = await network('mtn_bj')
    expect(was).toMatchObject({ takes_payins: true, is_active: true, otp_kind: 'NONE' })
    const changed = await patch(`/admin/networks/${was.id}/`, { is_active: false, name: 'MTN' })
    expect(changed.data).toMatchObject({ is_active: false, name: 'MTN', country_code: 'BJ' })
    expect(codeOf(await pay(elsewhere(shop)))).toEqual([422, 'invalid_method'])
    const shown = await elsewhere(shop).get(`/networks/${was.id}/`)
    expect(shown.data).toMatchObject({ is_active: false, name: 'MTN' })
    await patch(`/admin/networks/${was.id}/`, { is_active: true, takes_payins: false })
    expect(codeOf(await pay(elsewhere(shop)))).toEqual([422, 'invalid_method'])
    await patch(`/admin/networks/${was.id}/`, { takes_payins: true })
    expect((await pay(elsewhere(shop))).status).toBe(201)
    const recorded = await acts('network')
    expect(recorded).toHaveLength(3)
    expect(recorded[0]).toMatchObject({
      action: 'network.changed',
      environment: null,
      before: { is_active: true, name: 'MTN MoMo Bénin' },
      after: { is_active: false, name: 'MTN' },
    })
    const then = await version()
    await patch(`/admin/networks/${was.id}/`, { takes_payins: true })
    expect(await version()).toBe(then)
  })

  it('tells a payer how to get a code that they must bring', async () => {
    const { id } = await network('orange_ci')
    const empty = await patch(`/admin/networks/${id}/`, { otp_instructions: '  ' })
    expect([empty.status, Object.keys(empty.error)]).toEqual([400, ['otp_instructions']])
    const changed = await patch(`/admin/networks/${id}/`, { otp_instructions: 'Dial #1#.' })
    expect(changed.data.otp_instructions).toBe('Dial #1#.')
    const none = await patch(`/admin/networks/${(await network('wave_sn')).id}/`, {
      otp_instructions: '',
    })
    expect(none.status).toBe(200)
  })

  it('is listed by country; 400, 404: wrong fields and unknown ids', async () => {
    const { data } = await staff.get('/admin/networks/?country=bj&ordering=-code')
    const codes = data.results.map((one: Json) => one.code)
    expect(codes).toEqual(['mtn_bj', 'moov_bj', 'coris_bj', 'celtiis_bj'])
    for (const query of ['country=Benin', 'ordering=flow', 'page_size=0']) {
      expect([query, (await staff.get(`/admin/networks/?${query}`)).status]).toEqual([query, 400])
    }
    expect((await staff.get('/admin/networks/?page=9')).status).toBe(404)
    const { id } = await network('wave_sn')
    const wrong = await patch(`/admin/networks/${id}/`, { name: '', takes_payins: 1 })
    expect([wrong.status, Object.keys(wrong.error).sort()]).toEqual([400, ['name', 'takes_payins']])
    for (const unknown of [newId(), 'x']) {
      const reply = await patch(`/admin/networks/${unknown}/`, { name: 'X' })
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
  })

  it('is not the demo administrator’s once there is LIVE', async () => {
    const demo = await app.staff({ demo: true })
    const { id } = await network('wave_sn')
    const change = () => patch(`/admin/networks/${id}/`, { name: 'X' }, demo)
    expect((await change()).status).toBe(200)
    const operator = { code: 'operator_live', adapter: 'not_here', name: 'Operator' } as const
    await addGateways(app.owner, [
      { id: newId(), ...operator, environment: 'LIVE', is_active: true },
    ])
    expect(codeOf(await change())).toEqual([403, 'totp_required'])
  })
})

describe('who may', () => {
  it.each([
    ['SUPPORT', false],
    ['OPERATIONS', true],
    ['FINANCE', false],
    ['SUPERADMIN', true],
  ] as const)('%s steers: %s; every one looks', async (role, may) => {
    const one = await app.staff({ role })
    for (const path of ['/admin/gateways/', '/admin/routes/', '/admin/networks/']) {
      const { data, status } = await one.get(path)
      expect(status).toBe(200)
      const reply = await patch(`${path}${data.results[0].id}/`, {}, one)
      expect([path, reply.status]).toEqual([path, may ? 200 : 403])
    }
    const reply = await one.post('/admin/routes/', {})
    expect(reply.status).toBe(may ? 400 : 403)
  })

  it('no member, no key, nobody', async () => {
    const member = await app.member({ second_factor: 'FRESH' })
    for (const path of ['/admin/gateways/', '/admin/routes/', '/admin/networks/']) {
      expect(codeOf(await member.get(path))).toEqual([403, 'permission_denied'])
      expect(codeOf(await shop.get(path))).toEqual([403, 'permission_denied'])
      expect((await fetch(`${app.url}/api/v1${path}`)).status).toBe(401)
    }
  })
})
