// Staff set the platform's prices. Every process charges them from its next call on, and what was
// charged before stays explained: the rule that a transaction names is there for ever, as it was.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { addGateways } from '../../src/gateways/gateways.ts'
import { newId } from '../../src/platform/ids.ts'
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
import { charged, pricingActs, putTo, ruleOf, tier } from '../setup/price-calls.ts'
import { untilServed } from '../setup/until-served.ts'

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
const put = (path: string, body: unknown, by: Shop = staff) => putTo(by, path, body)
const codeOf = ({ status, error }: Reply) => [status, error?.code]

const acts = () => pricingActs(app)
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
    const was = await ruleOf(staff, 'mtn_bj')
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
    expect((await ruleOf(staff, 'mtn_bj')).id).toBe(reply.data.id)
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
    const was = await ruleOf(staff, 'celtiis_bj')
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
    const was = await ruleOf(staff, 'moov_bj')
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        untilServed(() =>
          put(`/admin/pricing-rules/${was.id}/`, { tiers: [tier({ fixed: String(at) })] }),
        ),
      ),
    )
    const done = replies.filter(({ status }) => status === 200)
    expect(done).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      expect(codeOf(reply)).toEqual([409, 'pricing_rule_replaced'])
    }
    expect((await ruleOf(staff, 'moov_bj')).id).toBe(done[0]?.data.id)
    expect((await staff.get(`/admin/pricing-rules/${was.id}/`)).data.tiers).toEqual(was.tiers)
  })

  it('that are sent again as they are change nothing', async () => {
    const { id, tiers } = await ruleOf(staff, 'celtiis_bj')
    const [then, written] = [await version(), (await acts()).length]
    const same = tiers.map(({ floor_amount: _floor, ...one }: Json) => one)
    const reply = await put(`/admin/pricing-rules/${id}/`, { tiers: same })
    expect([reply.status, reply.data.id]).toEqual([200, id])
    expect([await version(), (await acts()).length]).toEqual([then, written])
  })

  it('are given to a network and direction that has none, once', async () => {
    const request = { network: 'coris_bj', direction: 'DISBURSE', tiers: [tier()] }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        untilServed(() => staff.post('/admin/pricing-rules/', request)),
      ),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    const others = replies.filter(({ status }) => status !== 201)
    for (const reply of others) expect(codeOf(reply)).toEqual([409, 'pricing_rule_exists'])
    const made = (await acts()).filter(({ action }) => action === 'pricing_rule.created')
    expect(made).toHaveLength(1)
    expect(made[0]?.after).toMatchObject({ network_code: 'coris_bj', direction: 'DISBURSE' })
  })
})

describe('who may', () => {
  it('read: all staff; set: FINANCE and SUPERADMIN', async () => {
    const { id, tiers } = await ruleOf(staff, 'wave_sn')
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
    const { id } = await ruleOf(staff, 'wave_sn')
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
