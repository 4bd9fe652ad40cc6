// A merchant's own prices: they override the platform's for it alone, whoever of the staff sets them
// and in whichever process it pays, until it is given back the platform's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { charged, pricingActs, putTo, tier } from '../setup/price-calls.ts'

let app: TestApp
let second: Service
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  second = await app.another()
  staff = await heldToPublished(await app.staff({ role: 'FINANCE' }))
})
afterAll(() => app?.stop())

const elsewhere = ({ merchant_id, key }: Shop) => shopWith(second.public_url, merchant_id, key)
const put = (path: string, body: unknown, by: Shop = staff) => putTo(by, path, body)
const codeOf = ({ status, error }: Reply) => [status, error?.code]

const acts = () => pricingActs(app)

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
