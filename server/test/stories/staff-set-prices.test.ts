// Staff set prices: the platform's and a merchant's own. Every process charges them from its next
// call on, and what was charged before stays explained: the rule that a transaction names is there
// for ever, as it was.

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

let app: TestApp
let second: Service
let staff: SignedInCaller
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  second = await app.another()
  staff = await heldToPublished(await app.staff({ role: 'FINANCE' }))
  shop = await app.shop()
})
afterAll(() => app?.stop())

const elsewhere = ({ merchant_id, key }: Shop) => shopWith(second.public_url, merchant_id, key)
const json = (body: unknown) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})
const put = (path: string, body: unknown, by: Shop = staff) => by.call('PUT', path, json(body))
const codeOf = ({ status, error }: Reply) => [status, error?.code]

const tier = (changes: object = {}) => ({
  min_amount: '200',
  max_amount: '1000000',
  percent: '3.25',
  fee_charge_mode: 'ADD_ON',
  ...changes,
})

async function ruleOf(network: string, direction = 'COLLECT'): Promise<Json> {
  const { data } = await staff.get(
    `/admin/pricing-rules/?network=${network}&direction=${direction}`,
  )
  expect(data.count).toBe(1)
  return data.results[0]
}

/** What this process charges the shop for 10 000 francs, and by which rule. */
async function charged(at: Shop, network = 'mtn_bj') {
  const paid = await at.pay({ amount: '10000', network, customer: newPayer('10') })
  expect(paid.status, JSON.stringify(paid.body)).toBe(201)
  const { data } = await at.get(`/transactions/${paid.data.id}/`)
  const { id, client_fee, pricing_rule, merchant_pricing_rule } = data
  return { id, client_fee, pricing_rule, merchant_pricing_rule }
}

const acts = () => app.owner<Json[]>`
  select action, merchant_id, environment, actor_id, target_kind, target_id, before, after
    from audit_logs where target_kind like '%pricing_rule' order by id`
const version = async () => (await app.owner`select version from catalogue_version`)[0]?.['version']

describe('the platform’s prices', () => {
  it('are listed by network, country and direction', async () => {
    const all = await staff.get('/admin/pricing-rules/?page_size=100')
    expect(all.data.count).toBeGreaterThan(60)
    expect(all.data.results[0]).toMatchObject({
      country_code: 'BF',
      direction: 'COLLECT',
      is_in_force: true,
      replaced_at: null,
    })
    const { data } = await staff.get('/admin/pricing-rules/?country=bj&direction=DISBURSE')
    const codes = data.results.map((rule: Json) => rule.network_code)
    expect(codes).toEqual(['celtiis_bj', 'moov_bj', 'mtn_bj'])
    expect(data.results[2].tiers).toEqual([
      {
        min_amount: '1.00',
        max_amount: '100000000.00',
        percent: '1.50',
        fixed: '100.00',
        floor_amount: null,
        cap_amount: null,
        fee_charge_mode: 'DEDUCTED',
      },
    ])
    const sorted = await staff.get('/admin/pricing-rules/?country=BJ&ordering=-network_code')
    expect(sorted.data.results[0].network_code).toBe('mtn_bj')
  })

  it('are charged in every process from its next call on, by a rule with a new id', async () => {
    const was = await ruleOf('mtn_bj')
    const before = await charged(elsewhere(shop))
    expect(before).toMatchObject({ client_fee: '325.00', pricing_rule: was.id })
    const tiers = [
      tier({ min_amount: '5000.00', percent: '2.5', fixed: '10', cap_amount: '5000' }),
      tier({ max_amount: '4999', percent: '0', fixed: '50', fee_charge_mode: 'DEDUCTED' }),
    ]
    const reply = await put(`/admin/pricing-rules/${was.id}/`, { tiers })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    expect(reply.data.id).not.toBe(was.id)
    expect(reply.data).toMatchObject({ network_code: 'mtn_bj', is_in_force: true })
    expect(reply.data.tiers.map((one: Json) => one.percent)).toEqual(['0.00', '2.50'])
    const after = await charged(elsewhere(shop))
    expect(after).toMatchObject({ client_fee: '260.00', pricing_rule: reply.data.id })
    expect((await charged(shop)).client_fee).toBe('260.00')
    const mine = await elsewhere(shop).get('/pricing/my-rates/')
    const rates = mine.data.find((row: Json) => row.network_code === 'mtn_bj')
    expect(rates.payin.tiers).toEqual(reply.data.tiers)

    // The one before is out of force and says what it said.
    const old = await staff.get(`/admin/pricing-rules/${before.pricing_rule}/`)
    expect(old.data).toEqual({ ...was, is_in_force: false, replaced_at: expect.any(String) })
    expect(Date.parse(old.data.replaced_at)).toBe(Date.parse(reply.data.created_at))
    const kept = await shop.get(`/transactions/${before.id}/`)
    expect(kept.data).toMatchObject({ client_fee: '325.00', pricing_rule: was.id })
    expect((await ruleOf('mtn_bj')).id).toBe(reply.data.id)
    expect((await acts()).at(-1)).toMatchObject({
      action: 'pricing_rule.replaced',
      environment: null,
      actor_id: staff.person_id,
      target_id: reply.data.id,
      before: { id: was.id, network_code: 'mtn_bj', tiers: was.tiers },
      after: { id: reply.data.id, tiers: reply.data.tiers },
    })
  })

  it('says whether its fee is given back; left out, that stays as it was', async () => {
    const was = await ruleOf('celtiis_bj')
    expect(was.is_fee_returned).toBe(false)
    const path = ({ id }: Json) => `/admin/pricing-rules/${id}/`
    const tiers = [tier()]
    const given = await put(path(was), { tiers, is_fee_returned: true })
    expect([given.status, given.data.is_fee_returned]).toEqual([200, true])
    const kept = await put(path(given.data), { tiers: [tier({ percent: '3' })] })
    expect([kept.data.id === given.data.id, kept.data.is_fee_returned]).toEqual([false, true])
    const same = await put(path(kept.data), { tiers: [tier({ percent: '3' })] })
    expect(same.data.id).toBe(kept.data.id)
    const none = await put(path(same.data), { tiers, is_fee_returned: false })
    expect(none.data.is_fee_returned).toBe(false)
    const old = await staff.get(path(given.data))
    expect(old.data).toMatchObject({ is_in_force: false, is_fee_returned: true })
  })

  it('of twenty who replace the same rule at once, one does; nobody undoes another', async () => {
    const was = await ruleOf('moov_bj')
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        put(`/admin/pricing-rules/${was.id}/`, { tiers: [tier({ fixed: String(at) })] }),
      ),
    )
    const done = replies.filter(({ status }) => status === 200)
    expect(done).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      expect(codeOf(reply)).toEqual([409, 'pricing_rule_replaced'])
    }
    expect((await ruleOf('moov_bj')).id).toBe(done[0]?.data.id)
    expect((await staff.get(`/admin/pricing-rules/${was.id}/`)).data.tiers).toEqual(was.tiers)
  })

  it('that are sent again as they are change nothing', async () => {
    const { id, tiers } = await ruleOf('celtiis_bj')
    const [then, written] = [await version(), (await acts()).length]
    const same = tiers.map(({ floor_amount: _floor, ...one }: Json) => one)
    const reply = await put(`/admin/pricing-rules/${id}/`, { tiers: same })
    expect([reply.status, reply.data.id]).toEqual([200, id])
    expect([await version(), (await acts()).length]).toEqual([then, written])
  })

  it('are given to a network and direction that has none, once', async () => {
    const request = { network: 'coris_bj', direction: 'DISBURSE', tiers: [tier()] }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => staff.post('/admin/pricing-rules/', request)),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    const others = replies.filter(({ status }) => status !== 201)
    for (const reply of others) expect(codeOf(reply)).toEqual([409, 'pricing_rule_exists'])
    const made = (await acts()).filter(({ action }) => action === 'pricing_rule.created')
    expect(made).toHaveLength(1)
    expect(made[0]?.after).toMatchObject({ network_code: 'coris_bj', direction: 'DISBURSE' })
  })
})

describe('a merchant’s own prices', () => {
  const own = (merchant_id: string) => `/admin/merchants/${merchant_id}/pricing-rules/`

  it('override the platform’s for it alone, until it is given back the platform’s', async () => {
    const [mine, other] = [await app.shop(), await app.shop()]
    const request = { network: 'celtiis_bj', direction: 'COLLECT', tiers: [tier({ percent: '1' })] }
    expect((await charged(elsewhere(mine), 'celtiis_bj')).client_fee).toBe('325.00')
    const made = await staff.post(own(mine.merchant_id), request)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.data).toMatchObject({ merchant: mine.merchant_id, network_code: 'celtiis_bj' })
    const first = await charged(elsewhere(mine), 'celtiis_bj')
    expect(first).toMatchObject({
      client_fee: '100.00',
      pricing_rule: null,
      merchant_pricing_rule: made.data.id,
    })
    expect((await charged(elsewhere(other), 'celtiis_bj')).client_fee).toBe('325.00')

    const changed = await put(own(mine.merchant_id), {
      ...request,
      tiers: [tier({ percent: '2' })],
    })
    expect(changed.status).toBe(200)
    expect((await charged(elsewhere(mine), 'celtiis_bj')).client_fee).toBe('200.00')
    const again = await put(own(mine.merchant_id), {
      ...request,
      tiers: [tier({ percent: '2.0' })],
    })
    expect(again.data.id).toBe(changed.data.id)
    const listed = await staff.get(own(mine.merchant_id))
    expect(listed.data.results).toEqual([changed.data])
    expect((await staff.get(own(other.merchant_id))).data.count).toBe(0)

    const gone = await staff.call('DELETE', `${own(mine.merchant_id)}${changed.data.id}/`)
    expect(gone.status).toBe(204)
    expect(await charged(elsewhere(mine), 'celtiis_bj')).toMatchObject({
      client_fee: '325.00',
      merchant_pricing_rule: null,
    })
    expect((await staff.get(own(mine.merchant_id))).data.count).toBe(0)
    for (const [rule, percent] of [
      [made.data.id, '1.00'],
      [changed.data.id, '2.00'],
    ]) {
      const { data } = await staff.get(`${own(mine.merchant_id)}${rule}/`)
      expect([data.is_in_force, data.tiers[0].percent]).toEqual([false, percent])
    }
    // Their place is free again.
    const hisAgain = await staff.post(own(mine.merchant_id), request)
    expect(hisAgain.status).toBe(201)
    await staff.call('DELETE', `${own(mine.merchant_id)}${hisAgain.data.id}/`)
    const recorded = (await acts()).filter((act) => act.merchant_id === mine.merchant_id)
    expect(recorded.map(({ action }) => action.replace('merchant_pricing_rule.', ''))).toEqual([
      'created',
      'replaced',
      'removed',
      'created',
      'removed',
    ])
    expect(recorded[1]).toMatchObject({
      before: { tiers: [{ percent: '1.00' }] },
      after: { tiers: [{ percent: '2.00' }] },
    })
  })

  it('set by twenty at once are one rule, and each of the others is kept', async () => {
    const { merchant_id } = await app.shop()
    const request = (at: number) => ({
      network: 'mtn_ci',
      direction: 'COLLECT',
      tiers: [tier({ fixed: String(at) })],
    })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put(own(merchant_id), request(at))),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await staff.get(own(merchant_id))).data.count).toBe(1)
    expect(new Set(replies.map(({ data }) => data.id)).size).toBe(20)
    const [kept] = await app.owner`
      select count(*)::int as rules from past_merchant_pricing_rules
       where merchant_id = ${merchant_id}`
    expect(kept).toEqual({ rules: 19 })
    const [tiers] = await app.owner`
      select count(*)::int as tiers from merchant_pricing_tiers where merchant_id = ${merchant_id}`
    expect(tiers).toEqual({ tiers: 1 })
  })

  it('are made once by POST, and removed once', async () => {
    const { merchant_id } = await app.shop()
    const request = { network: 'mtn_ci', direction: 'COLLECT', tiers: [tier()] }
    const made = await Promise.all(
      Array.from({ length: 20 }, () => staff.post(own(merchant_id), request)),
    )
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const reply of made.filter(({ status }) => status !== 201)) {
      expect(codeOf(reply)).toEqual([409, 'pricing_rule_exists'])
    }
    const id = made.find(({ status }) => status === 201)?.data.id
    const gone = await Promise.all(
      Array.from({ length: 5 }, () => staff.call('DELETE', `${own(merchant_id)}${id}/`)),
    )
    expect(gone.filter(({ status }) => status === 204)).toHaveLength(1)
    for (const reply of gone.filter(({ status }) => status !== 204)) {
      expect(codeOf(reply)).toEqual([409, 'pricing_rule_replaced'])
    }
  })

  it('404: nobody’s merchant, the platform, an unknown rule, another merchant’s', async () => {
    const request = { network: 'mtn_ci', direction: 'COLLECT', tiers: [tier()] }
    const [mine, other] = [await app.shop(), await app.shop()]
    const { data } = await staff.post(own(mine.merchant_id), request)
    for (const id of [newId(), 'x', '00000000-0000-7000-8000-000000000001']) {
      expect(codeOf(await staff.get(own(id)))).toEqual([404, 'not_found'])
      expect(codeOf(await staff.post(own(id), request))).toEqual([404, 'not_found'])
      expect(codeOf(await put(own(id), request))).toEqual([404, 'not_found'])
    }
    for (const path of [
      `${own(mine.merchant_id)}${newId()}/`,
      `${own(mine.merchant_id)}x/`,
      `${own(other.merchant_id)}${data.id}/`,
      `${own(newId())}${data.id}/`,
    ]) {
      expect(codeOf(await staff.get(path))).toEqual([404, 'not_found'])
      expect(codeOf(await staff.call('DELETE', path))).toEqual([404, 'not_found'])
    }
  })
})

describe('a price that is none', () => {
  // A minute has its limit for staff too.
  beforeAll(async () => {
    staff = await heldToPublished(await app.staff({ role: 'FINANCE' }))
  })

  const wrong: readonly (readonly [string, object, Record<string, RegExp>])[] = [
    ['no tiers', { tiers: [] }, { tiers: /empty/ }],
    ['tiers missing', { tiers: undefined }, { tiers: /required/ }],
    ['tiers that are no list', { tiers: 'x' }, { tiers: /list/ }],
    [
      'a tier without its fields',
      { tiers: [{}] },
      {
        'tiers.0.min_amount': /required/,
        'tiers.0.max_amount': /required/,
        'tiers.0.percent': /required/,
        'tiers.0.fee_charge_mode': /required/,
      },
    ],
    [
      'half a franc',
      { tiers: [tier(), tier({ min_amount: '1000001.50', max_amount: '2000000' })] },
      { 'tiers.1.min_amount': /no minor unit/ },
    ],
    [
      'half a franc in every figure',
      {
        tiers: [
          tier({ max_amount: '900.5', fixed: '.5', floor_amount: '0.5', cap_amount: '7.25' }),
        ],
      },
      { 'tiers.0.fixed': /decimal/ },
    ],
    [
      'half a franc of the fee',
      { tiers: [tier({ fixed: '1.5', floor_amount: '0.50', cap_amount: '7.25' })] },
      {
        'tiers.0.fixed': /no minor unit/,
        'tiers.0.floor_amount': /no minor unit/,
        'tiers.0.cap_amount': /no minor unit/,
      },
    ],
    ['an amount of zero', { tiers: [tier({ min_amount: '0' })] }, { 'tiers.0.min_amount': /zero/ }],
    [
      'bounds the wrong way round',
      { tiers: [tier({ min_amount: '500', max_amount: '499' })] },
      { 'tiers.0.min_amount': /max_amount/ },
    ],
    [
      'two prices for one amount',
      { tiers: [tier({ min_amount: '1000000', max_amount: '2000000' }), tier()] },
      { 'tiers.0.min_amount': /Overlaps/ },
    ],
    [
      'two short tiers in a long one',
      {
        tiers: [
          tier(),
          tier({ min_amount: '300', max_amount: '400' }),
          tier({ min_amount: '500', max_amount: '600' }),
        ],
      },
      { 'tiers.1.min_amount': /Overlaps/, 'tiers.2.min_amount': /Overlaps/ },
    ],
    [
      'above a hundred percent',
      { tiers: [tier({ percent: '100.01' })] },
      { 'tiers.0.percent': /100/ },
    ],
    [
      'five decimals',
      { tiers: [tier({ percent: '1.00001' })] },
      { 'tiers.0.percent': /4 decimals/ },
    ],
    [
      'a negative percent',
      { tiers: [tier({ percent: '-1' })] },
      { 'tiers.0.percent': /0 and 100/ },
    ],
    ['a number', { tiers: [tier({ percent: 3.25 })] }, { 'tiers.0.percent': /as a string/ }],
    [
      'a floor above the cap',
      { tiers: [tier({ floor_amount: '500', cap_amount: '499' })] },
      { 'tiers.0.floor_amount': /cap/ },
    ],
    [
      'another mode',
      { tiers: [tier({ fee_charge_mode: 'FREE' })] },
      { 'tiers.0.fee_charge_mode': /ADD_ON/ },
    ],
    [
      'more than twelve digits',
      { tiers: [tier({ max_amount: '1000000000000' })] },
      { 'tiers.0.max_amount': /12 digits/ },
    ],
    ['an unknown network', { network: 'no_such' }, { network: /no network no_such/ }],
    ['another direction', { direction: 'BOTH' }, { direction: /COLLECT/ }],
  ]

  it.each(wrong)('400: %s', async (_, changes, fields) => {
    const [then, written] = [await version(), (await acts()).length]
    const request = { network: 'orange_ci', direction: 'COLLECT', tiers: [tier()], ...changes }
    const { merchant_id } = shop
    const rule = await ruleOf('orange_ci')
    const of_rule = Object.keys(fields).some((name) => name.startsWith('tiers'))
    for (const reply of [
      await staff.post('/admin/pricing-rules/', request),
      await staff.post(`/admin/merchants/${merchant_id}/pricing-rules/`, request),
      await put(`/admin/merchants/${merchant_id}/pricing-rules/`, request),
      ...(of_rule ? [await put(`/admin/pricing-rules/${rule.id}/`, request)] : []),
    ]) {
      expect(reply.status, JSON.stringify(reply.body)).toBe(400)
      for (const [name, text] of Object.entries(fields)) {
        expect(reply.error[name]?.join(' '), name).toMatch(text)
      }
    }
    expect([await version(), (await acts()).length]).toEqual([then, written])
  })

  it('400: a filter or an ordering that there is not', async () => {
    for (const query of ['direction=IN', 'country=Benin', 'ordering=tiers', 'page=0']) {
      const reply = await staff.get(`/admin/pricing-rules/?${query}`)
      expect([query, reply.status]).toEqual([query, 400])
      expect(Object.keys(reply.error)).toEqual([query.split('=')[0]])
    }
    expect(codeOf(await staff.get('/admin/pricing-rules/?page=99'))).toEqual([404, 'not_found'])
  })

  it('404: a rule that nobody knows', async () => {
    for (const id of [newId(), 'x']) {
      expect(codeOf(await staff.get(`/admin/pricing-rules/${id}/`))).toEqual([404, 'not_found'])
      const reply = await put(`/admin/pricing-rules/${id}/`, { tiers: [tier()] })
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
  })
})

describe('who may', () => {
  it('read: all staff; set: FINANCE and SUPERADMIN', async () => {
    const { id, tiers } = await ruleOf('wave_sn')
    for (const [role, may] of [
      ['SUPPORT', false],
      ['OPERATIONS', false],
      ['FINANCE', true],
      ['SUPERADMIN', true],
    ] as const) {
      const one = await app.staff({ role })
      expect((await one.get(`/admin/pricing-rules/${id}/`)).status).toBe(200)
      const reply = await put(`/admin/pricing-rules/${id}/`, { tiers }, one)
      expect([role, reply.status]).toEqual([role, may ? 200 : 403])
      if (!may) expect(reply.error.code).toBe('permission_denied')
    }
    const member = await app.member({ second_factor: 'FRESH' })
    expect(codeOf(await member.get('/admin/pricing-rules/'))).toEqual([403, 'permission_denied'])
    expect(codeOf(await shop.get('/admin/pricing-rules/'))).toEqual([403, 'permission_denied'])
    const nobody = shopWith(app.url, '', '')
    expect((await nobody.get('/admin/pricing-rules/', { authorization: '' })).status).toBe(401)
  })

  it('not the demo’s administrator, once there is a gateway of LIVE: prices are LIVE’s too', async () => {
    const demo = await app.staff({ demo: true })
    const { id } = await ruleOf('wave_sn')
    const first = await put(`/admin/pricing-rules/${id}/`, { tiers: [tier({ fixed: '7' })] }, demo)
    expect(first.status).toBe(200)
    await addGateways(app.owner, [
      {
        id: newId(),
        code: 'operator_live',
        adapter: 'not_here',
        name: 'Operator',
        environment: 'LIVE',
        is_active: false,
      },
    ])
    const refused = [403, 'totp_required']
    const request = { network: 'mtn_ci', direction: 'COLLECT', tiers: [tier()] }
    const own = `/admin/merchants/${shop.merchant_id}/pricing-rules/`
    for (const reply of [
      await put(`/admin/pricing-rules/${first.data.id}/`, { tiers: [tier()] }, demo),
      await demo.post('/admin/pricing-rules/', request),
      await demo.post(own, request),
      await put(own, request, demo),
      await demo.call('DELETE', `${own}${newId()}/`),
    ]) {
      expect(codeOf(reply)).toEqual(refused)
    }
    expect((await demo.get('/admin/pricing-rules/')).status).toBe(200)
    expect((await put(own, request)).status).toBe(200)
  })
})
