// A price that is none is refused by each route that sets one, with every field that is wrong named:
// nothing is written, and nobody is charged by it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/platform/ids.ts'
import { type Reply, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { pricingActs, putTo, ruleOf, tier } from '../setup/price-calls.ts'

let app: TestApp
let staff: SignedInCaller
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  staff = await heldToPublished(await app.staff({ role: 'FINANCE' }))
  shop = await app.shop()
})
afterAll(() => app?.stop())

const put = (path: string, body: unknown, by: Shop = staff) => putTo(by, path, body)
const codeOf = ({ status, error }: Reply) => [status, error?.code]

const acts = () => pricingActs(app)
const version = async () => (await app.owner`select version from catalogue_version`)[0]?.['version']

describe('a price that is none', () => {
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
    const rule = await ruleOf(staff, 'orange_ci')
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
