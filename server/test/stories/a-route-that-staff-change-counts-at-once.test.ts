// Staff steer the order in which gateways are tried, and at what cost: a route that is added or
// changed counts in every process from its next call on, and for no other environment.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import { keepCheck } from '../../src/gateways/accounts.ts'
import { addGateways } from '../../src/gateways/gateways.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  newPayer,
  payer,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, openSession } from '../setup/payer-calls.ts'
import { confirmedByAnother } from '../setup/second-person.ts'

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

const routes = async (query: string): Promise<Json[]> =>
  (await staff.get(`/admin/routes/?${query}`)).data.results

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

describe('a route', () => {
  // A minute has its limit for staff too.
  beforeAll(async () => {
    staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  })

  it('is refused where its operator does not move money that way', async () => {
    const [gateway] = await app.owner<{ id: string }[]>`
      insert into gateways (id, code, name, adapter, environment, country, is_active, settings)
      values (${newId()}, 'cards_only', 'Cards', 'stripe', 'SANDBOX', 'XX', false, '{}')
      returning id`
    expect(gateway).toBeDefined()
    const route = { network: 'card', gateway: 'cards_only', priority: 9 }
    const refused = await staff.post('/admin/routes/', { ...route, direction: 'DISBURSE' })
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.error)).toContain('Stripe does not move money this way.')
    await app.owner`delete from gateways where id = ${gateway?.id ?? ''}`
  })

  it('is listed in the order of its trying, with how it fares', async () => {
    const list = await routes('network=moov_bj')
    expect(
      list.map(({ direction, gateway_code, priority }) => [direction, gateway_code, priority]),
    ).toEqual([
      ['COLLECT', 'simulator_a', 1],
      ['COLLECT', 'simulator_b', 2],
      ['DISBURSE', 'simulator_a', 1],
      ['DISBURSE', 'simulator_b', 2],
    ])
    expect(list[0]).toMatchObject({
      amount_step: '1.00',
      currency: 'XOF',
      cost: { percent: '1.50', fixed: '0.00', floor: null, cap: null },
      breaker: false,
    })
    expect((await routes('gateway=simulator_b&direction=COLLECT&network=moov_bj')).length).toBe(1)
    expect((await routes('gateway=nobody')).length).toBe(0)
    await pay(shop, { network: 'moov_bj' })
    const measured = await eventually(async () => {
      const [first] = await routes('network=moov_bj&direction=COLLECT')
      if (first.health.calls === 0) throw new Error('nothing measured yet')
      return first.health
    })
    expect(measured).toMatchObject({ calls: 1, failures: 0, skip_until: null, skip_reason: '' })
    expect(measured.average_ms).toBeGreaterThanOrEqual(0)
    expect((await staff.get(`/admin/routes/${list[0].id}/`)).data.health).toEqual(measured)
    await app.owner`
      update route_health set skip_until = now() + interval '1 minute', skip_reason = 'no answer'
       where route_id = ${list[0].id}`
    const [skipped] = await routes('network=moov_bj&direction=COLLECT')
    expect(skipped.health).toMatchObject({
      skip_until: expect.any(String),
      skip_reason: 'no answer',
    })
    await app.owner`update route_health set skip_until = now() - interval '1 second'`
    const [over] = await routes('network=moov_bj&direction=COLLECT')
    expect(over.health).toMatchObject({ skip_until: null, skip_reason: '' })
  })

  it('that is changed counts in every process from its next call on', async () => {
    const [first, next] = await routes('network=mtn_bj&direction=COLLECT')
    const changed = await patch(`/admin/routes/${first.id}/`, {
      priority: 3,
      cost: { percent: '0.5', fixed: '10', cap: '40' },
    })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect(changed.data).toMatchObject({
      priority: 3,
      cost: { percent: '0.50', fixed: '10.00', floor: null, cap: '40.00' },
    })
    expect((await pay(elsewhere(shop))).gateways).toEqual(['simulator_b'])
    await patch(`/admin/routes/${next.id}/`, { is_active: false })
    const paid = await pay(elsewhere(shop))
    expect(paid.gateways).toEqual(['simulator_a'])
    expect(paid.transaction).toMatchObject({ gateway_fee: '40.00' })
    await patch(`/admin/routes/${first.id}/`, { amount_step: '500' })
    const stepped = await pay(elsewhere(shop))
    expect(stepped.transaction).toMatchObject({ client_fee: '500.00', debited_amount: '10500.00' })
    await patch(`/admin/routes/${first.id}/`, { is_active: false })
    expect(codeOf(await pay(elsewhere(shop)))).toEqual([422, 'no_route_available'])
    await patch(`/admin/routes/${next.id}/`, { is_active: true })
    expect((await pay(elsewhere(shop))).gateways).toEqual(['simulator_b'])
    const recorded = (await acts('route')).filter((act) => act.target_id === first.id)
    expect(recorded[0]).toMatchObject({
      action: 'route.changed',
      environment: 'SANDBOX',
      before: { priority: 1, cost: { percent: '1.50', fixed: '0.00', floor: null, cap: null } },
      after: { priority: 3, cost: { percent: '0.50', cap: '40.00' } },
    })
    expect(Object.keys(recorded[0]?.after).sort()).toEqual(['cost', 'priority'])
    const breaker = await patch(`/admin/routes/${first.id}/`, { breaker: true })
    expect(breaker.data.breaker).toBe(true)
  })

  it('is not taken after another where it would ask the payer for another sum', async () => {
    const [, next] = await routes('network=moov_bj&direction=COLLECT')
    await patch(`/admin/routes/${next.id}/`, { amount_step: '500' })
    // The first route refuses whoever has this number; the second would take 10 500 for 10 325.
    const by = { network: 'moov_bj', customer: payer('+2290194000006') }
    const refused = await elsewhere(shop).pay({ amount: '10000', ...by })
    expect(codeOf(refused)).toEqual([422, 'no_route_available'])
    const { data } = await shop.get(`/transactions/${refused.error.transaction}/`)
    expect(data).toMatchObject({ status: 'FAILED', debited_amount: '10325.00' })
    expect(data.net_amount).toBe('10000.00')
    expect(data.attempts.map((one: Json) => one.gateway_code)).toEqual(['simulator_a'])
    // On the page too: the payment that was made is named, and sending it again is a retry.
    const session = await openSession(shop, { amount: '10000' })
    const page = { ...by, country: 'BJ' }
    const paying = await callPublic(app, 'POST', `/checkout/${session.slug}/pay/`, page)
    expect([paying.status, paying.error.code]).toEqual([422, 'no_route_available'])
    expect([paying.error.retryable, paying.headers.get('retry-after')]).toEqual([undefined, null])
    const status = await callPublic(app, 'GET', `/checkout/${session.slug}/status/`)
    expect(status.data).toMatchObject({ transaction_id: paying.error.transaction })
    // Where its step changes nothing, it is taken.
    const locked = { amount: '10000', fee_charge_mode: 'DEDUCTED' }
    const taken = await pay(elsewhere(shop), { ...locked, ...by })
    expect(taken.gateways).toEqual(['simulator_a', 'simulator_b'])
    expect(taken.transaction).toMatchObject({ debited_amount: '10000.00', net_amount: '9675.00' })
    await patch(`/admin/routes/${next.id}/`, { amount_step: '1' })
  })

  it('refuses what is no multiple of its step, before there is an attempt', async () => {
    const ways = await routes('network=moov_bj&direction=COLLECT')
    for (const { id } of ways) await patch(`/admin/routes/${id}/`, { amount_step: '500' })
    const attempts = () => app.owner<{ n: number }[]>`select count(*)::int as n from attempts`
    const before = await attempts()
    const by = { network: 'moov_bj', fee_charge_mode: 'DEDUCTED' }
    const refused = await elsewhere(shop).pay({ amount: '10250', ...by })
    expect([refused.status, refused.error]).toEqual([
      400,
      { amount: ['The amount must be a multiple of 500 XOF on this network.'] },
    ])
    expect(await attempts()).toEqual(before)
    for (const { id } of ways) await patch(`/admin/routes/${id}/`, { amount_step: '1' })
  })

  it('of a network in another currency is no retry of a payment', async () => {
    const made = await shop.pay({ amount: '10000', customer: newPayer('01') })
    await shop.becomes(made.data.id, 'FAILED')
    const inCurrency = async (currency: string) => {
      await app.owner`update networks set currency = ${currency} where code = 'celtiis_bj'`
      await app.owner`update catalogue_version set version = version + 1`
    }
    await inCurrency('USD')
    const retry = () =>
      elsewhere(shop).post(`/payments/${made.data.id}/retry/`, { methods: ['celtiis_bj'] })
    await eventually(async () => {
      const refused = await retry()
      expect(codeOf(refused)).toEqual([422, 'invalid_method'])
      expect(refused.error.message).toContain('celtiis_bj takes USD and this payment is in XOF')
    })
    await inCurrency('XOF')
    expect((await shop.get(`/transactions/${made.data.id}/`)).data.attempts).toHaveLength(1)
  })

  it('is added where there was none, once, and taken at once', async () => {
    // A network of Bénin that only had its routes to collect.
    const request = {
      network: 'coris_bj',
      gateway: 'simulator_b',
      direction: 'DISBURSE',
      priority: 7,
      amount_step: '5',
      cost: { percent: '1', floor: '20', cap: '900' },
    }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => staff.post('/admin/routes/', request)),
    )
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(codeOf(reply)).toEqual([409, 'route_exists'])
    }
    expect(made[0]?.data).toMatchObject({
      network_code: 'coris_bj',
      gateway_code: 'simulator_b',
      environment: 'SANDBOX',
      is_active: true,
      breaker: true,
      amount_step: '5.00',
      cost: { percent: '1.00', fixed: '0.00', floor: '20.00', cap: '900.00' },
      health: { calls: 0, failures: 0, average_ms: null, measured_since: null },
    })
    const recorded = (await acts('route')).filter(({ action }) => action === 'route.created')
    expect(recorded).toHaveLength(1)

    await app.owner`
      delete from route_health where route_id in (select id from routes where direction = 'COLLECT'
        and network_id = (select id from networks where code = 'celtiis_bj'))`
    await app.owner`
      delete from routes where direction = 'COLLECT'
        and network_id = (select id from networks where code = 'celtiis_bj')`
    const bare = {
      network: 'celtiis_bj',
      gateway: 'simulator_b',
      direction: 'COLLECT',
      priority: 1,
    }
    const plain = await staff.post('/admin/routes/', bare)
    expect(plain.data).toMatchObject({ amount_step: '1.00', cost: { percent: '0.00' } })
    const paid = await pay(elsewhere(shop), { network: 'celtiis_bj' })
    expect(paid.gateways).toEqual(['simulator_b'])
  })

  const wrong: readonly (readonly [string, object, Record<string, RegExp>])[] = [
    ['a priority of zero', { priority: 0 }, { priority: /at least 1/ }],
    ['half a priority', { priority: 1.5 }, { priority: /whole number/ }],
    ['a step of nothing', { amount_step: '0' }, { amount_step: /above zero/ }],
    ['a step of half a franc', { amount_step: '2.50' }, { amount_step: /no minor unit/ }],
    ['a cost without percent', { cost: {} }, { 'cost.percent': /required/ }],
    [
      'costs that are none',
      { cost: { percent: '101', fixed: '-1', floor: '0.5', cap: 'x' } },
      {
        'cost.percent': /100/,
        'cost.fixed': /decimal/,
        'cost.floor': /no minor unit/,
        'cost.cap': /decimal/,
      },
    ],
    [
      'a floor above the cap',
      { cost: { percent: '1', floor: '2', cap: '1' } },
      { 'cost.floor': /cap/ },
    ],
    ['no switch', { is_active: 'on' }, { is_active: /true or false/ }],
  ]

  it.each(wrong)('400: %s', async (_, changes, fields) => {
    const [{ id }] = (await routes('network=mtn_ci&direction=COLLECT')) as [Json]
    const whole = { network: 'mtn_ci', gateway: 'simulator_a', direction: 'COLLECT', priority: 1 }
    const written = (await acts('route')).length
    for (const reply of [
      await patch(`/admin/routes/${id}/`, changes),
      await staff.post('/admin/routes/', { ...whole, ...changes }),
    ]) {
      expect(reply.status, JSON.stringify(reply.body)).toBe(400)
      for (const [name, text] of Object.entries(fields)) {
        expect(reply.error[name]?.join(' '), name).toMatch(text)
      }
    }
    expect((await acts('route')).length).toBe(written)
  })

  it('400: a network, a gateway or a direction that there is not', async () => {
    const whole = { network: 'mtn_ci', gateway: 'simulator_a', direction: 'COLLECT', priority: 1 }
    const report = async (changes: object, headers = {}) => {
      const reply = await staff.post('/admin/routes/', { ...whole, ...changes }, headers)
      return [reply.status, Object.keys(reply.error)]
    }
    expect(await report({ network: 'nobody' })).toEqual([400, ['network']])
    expect(await report({ gateway: 'nobody' })).toEqual([400, ['gateway']])
    expect(await report({ direction: 'IN' })).toEqual([400, ['direction']])
    // A gateway of the sandbox is nobody in LIVE.
    expect(await report({}, live)).toEqual([400, ['gateway']])
    const empty = await staff.post('/admin/routes/', {})
    const fields = ['direction', 'gateway', 'network', 'priority']
    expect(Object.keys(empty.error).sort()).toEqual(fields)
    expect((await staff.get('/admin/routes/?direction=IN')).status).toBe(400)
    expect((await staff.get('/admin/routes/?ordering=cost')).status).toBe(400)
    expect((await staff.get('/admin/routes/?page=99')).status).toBe(404)
  })

  it('404: an unknown one, and one of the other environment', async () => {
    const [{ id }] = (await routes('network=mtn_ci&direction=COLLECT')) as [Json]
    for (const [unknown, headers] of [
      [newId(), {}],
      ['x', {}],
      [id, live],
    ]) {
      const read = await staff.get(`/admin/routes/${unknown}/`, headers)
      expect(codeOf(read)).toEqual([404, 'not_found'])
      const reply = await patch(`/admin/routes/${unknown}/`, { priority: 9 }, staff, headers)
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
  })

  it('of LIVE is LIVE’s alone', async () => {
    const operator = {
      id: newId(),
      code: 'operator_live',
      adapter: 'not_here',
      name: 'Operator',
      environment: 'LIVE',
      is_active: true,
    } as const
    await addGateways(app.owner, [operator])
    const request = {
      network: 'mtn_ci',
      gateway: 'operator_live',
      direction: 'COLLECT',
      priority: 1,
    }
    expect(Object.keys((await staff.post('/admin/routes/', request)).error)).toEqual(['gateway'])
    const notChecked = [409, 'gateway_not_checked']
    const add = (more = {}) => staff.post('/admin/routes/', { ...request, ...more }, live)
    expect(codeOf(await add())).toEqual(notChecked)
    // One that is off may be written before; it is switched on after a check of the last day.
    const made = await add({ is_active: false })
    expect([made.status, made.data.environment]).toEqual([201, 'LIVE'])
    const turn = (is_active: boolean) =>
      patch(`/admin/routes/${made.data.id}/`, { is_active }, staff, live)
    expect(codeOf(await turn(true))).toEqual(notChecked)
    const account = await findFoundGateway(app.service.db, operator.code)
    if (account === undefined) throw new Error('no operator_live')
    await keepCheck({ db: app.service.db }, account, { findings: [] })
    await confirmedByAnother(app, await turn(true))
    await app.owner`
      update gateway_checks set checked_at = now() - interval '25 hours'
       where gateway_id = ${operator.id}`
    // What is on goes on, and can be changed and switched off at any hour.
    const moved = await patch(`/admin/routes/${made.data.id}/`, { priority: 2 }, staff, live)
    expect([moved.status, moved.data.is_active]).toEqual([200, true])
    expect((await turn(false)).status).toBe(200)
    expect(codeOf(await turn(true))).toEqual(notChecked)
    expect(codeOf(await add({ direction: 'DISBURSE' }))).toEqual(notChecked)
    expect((await staff.get('/admin/routes/', live)).data.count).toBe(1)
    expect((await routes('gateway=operator_live')).length).toBe(0)
    const demo = await app.staff({ demo: true })
    expect(codeOf(await demo.get('/admin/gateways/', live))).toEqual([403, 'totp_required'])
    const [{ id }] = (await routes('network=mtn_ci&direction=COLLECT')) as [Json]
    expect((await patch(`/admin/routes/${id}/`, { priority: 4 }, demo)).status).toBe(200)
    expect(codeOf(await patch(`/admin/routes/${made.data.id}/`, { priority: 4 }, demo))).toEqual([
      404,
      'not_found',
    ])
  })
})

describe('a route over an account with a real operator', () => {
  it('has its payers confirm as its operator can, and as it does where nobody says', async () => {
    for (const [code, adapter] of [
      ['pages_only', 'orange'],
      ['phones_only', 'mtn'],
    ] as const) {
      await app.owner`
        insert into gateways (id, code, name, adapter, environment, country, is_active, settings)
        values (${newId()}, ${code}, ${code}, ${adapter}, 'SANDBOX', 'XX', false, '{}')`
    }
    const body = { direction: 'COLLECT', priority: 900 }
    const own = await staff.post('/admin/routes/', {
      ...{ ...body, network: 'orange_ci', gateway: 'pages_only' },
    })
    expect([own.status, own.data]).toMatchObject([201, { flow: 'redirect', otp_kind: 'NONE' }])
    const usual = await staff.post('/admin/routes/', {
      ...{ ...body, network: 'mtn_ci', gateway: 'phones_only' },
    })
    expect([usual.status, usual.data]).toMatchObject([201, { flow: null, otp_kind: null }])
    const wrong: readonly [string, object, string, RegExp][] = [
      [own.data.id, { flow: null }, 'otp_kind', /Orange Money Web Payment does not do this/],
      [own.data.id, { flow: 'push' }, 'flow', /may be: redirect \/ NONE/],
      [own.data.id, { prompt_lifetime_s: 300 }, 'prompt_lifetime_s', /cannot end/],
      [usual.data.id, { flow: 'redirect' }, 'flow', /MTN MoMo does not do this/],
    ]
    for (const [id, change, field, text] of wrong) {
      const refused = await patch(`/admin/routes/${id}/`, change)
      expect([refused.status, Object.keys(refused.error)]).toEqual([400, [field]])
      expect(refused.error[field].join(' ')).toMatch(text)
    }
    const asked = { ...body, network: 'moov_ci', gateway: 'phones_only', flow: 'redirect' }
    const refused = await staff.post('/admin/routes/', asked)
    expect([refused.status, Object.keys(refused.error)]).toEqual([400, ['flow']])
    await app.owner`
      with gone as (select id from gateways where code in ('pages_only', 'phones_only')),
           routes_gone as (delete from routes where gateway_id in (select id from gone))
      select 1`
    await app.owner`delete from gateways where code in ('pages_only', 'phones_only')`
  })
})
