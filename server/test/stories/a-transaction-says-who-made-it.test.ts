// Whose program, which colleague, which link: a payment that nobody remembers says how it was made,
// and the list is narrowed to what one of them made, or to the sum on a slip.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, openSession, paymentBody } from '../setup/payer-calls.ts'
import { plantMethod } from '../setup/settling.ts'

let app: TestApp
let shop: Awaited<ReturnType<TestApp['shop']>>
let member: SignedInCaller
let key: string
const made: Record<string, Json> = {}

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
  member = await app.member({ merchant_id: shop.merchant_id })
  const keys = await member.get('/merchant-api-keys/')
  key = keys.data.results[0].id
  await app.owner`update api_keys set name = 'Shop key' where id = ${key}`
  made['KEY'] = (await shop.pay({ amount: '7300' })).data
  made['DASHBOARD'] = (await member.pay({ amount: '4100' })).data
  const session = await openSession(shop)
  const fixed = { name: 'Pagne', currency: 'XOF', amount_type: 'FIXED', amount: '2600' }
  const link = (await shop.post('/payment-links/', fixed)).data
  await payOn(session.slug)
  const { data: paid } = await shop.get(`/checkout-sessions/${session.id}/`)
  made['CHECKOUT'] = { id: paid.transaction }
  const opened = await callPublic(app, 'POST', `/payment-links/public/${link.slug}/checkout/`, {
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })
  await payOn(opened.data.slug)
  const ofLink = await shop.get(`/payment-links/${link.id}/transactions/`)
  made['LINK'] = ofLink.data.results[0]
  made['session'] = session
  made['link'] = link
})
afterAll(() => app?.stop())

async function payOn(slug: string): Promise<void> {
  const { status } = await callPublic(app, 'POST', `/checkout/${slug}/pay/`, paymentBody())
  expect(status).toBe(201)
}

const ids = async (query: string) => {
  const { status, data } = await shop.get(`/transactions/?${query}`)
  expect(status, query).toBe(200)
  return data.results.map(({ id }: Json) => id)
}

describe('a transaction', () => {
  let colleague: string

  it('says whether a key, a member or a payer on a page made it', async () => {
    const members = await member.get('/merchant-members/')
    colleague = members.data.results[0].id
    for (const [via, by] of Object.entries({
      KEY: { api_key: key, created_by_member: null },
      DASHBOARD: { api_key: null, created_by_member: colleague },
      CHECKOUT: { api_key: null, created_by_member: null },
      LINK: { api_key: null, created_by_member: null },
    })) {
      const { id } = made[via]
      const { data } = await shop.get(`/transactions/${id}/`)
      expect(data, via).toMatchObject({ via, ...by })
    }
  })

  it('names the colleague or the key to members, who may read both, and not to programs', async () => {
    for (const [via, name] of Object.entries({
      KEY: 'Shop key',
      DASHBOARD: 'Test Person',
      CHECKOUT: '',
      LINK: '',
    })) {
      const path = `/transactions/${made[via].id}/`
      expect((await member.get(path)).data.created_by_name, via).toBe(name)
      expect((await shop.get(path)).data.created_by_name, via).toBe('')
    }
  })

  it('bears the name in the list too, for members alone', async () => {
    const named = async (reader: Pick<SignedInCaller, 'get'>) => {
      const { data } = await reader.get('/transactions/')
      return Object.fromEntries(
        data.results.map((row: Json) => [row['via'], row['created_by_name']]),
      )
    }
    expect(await named(member)).toEqual({
      ...{ KEY: 'Shop key', DASHBOARD: 'Test Person', CHECKOUT: '', LINK: '' },
    })
    expect(await named(shop)).toEqual({ KEY: '', DASHBOARD: '', CHECKOUT: '', LINK: '' })
  })

  it('is found by how it was made, by whom, and by its session', async () => {
    for (const via of ['KEY', 'DASHBOARD', 'CHECKOUT', 'LINK']) {
      expect(await ids(`via=${via}`), via).toEqual([made[via].id])
    }
    expect(await ids(`api_key=${key}`)).toEqual([made['KEY'].id])
    expect(await ids(`created_by_member=${colleague}`)).toEqual([made['DASHBOARD'].id])
    expect(await ids(`checkout_session=${made['session'].id}`)).toEqual([made['CHECKOUT'].id])
    expect(await ids(`payment_link=${made['link'].id}&via=KEY`)).toEqual([])
  })

  it('is found by its amount, both bounds included', async () => {
    expect(await ids('amount__gte=4100&amount__lte=7300')).toHaveLength(3)
    expect(await ids('amount__gte=7300.00')).toEqual([made['KEY'].id])
    expect(await ids('amount__lte=4100&search=%2B229')).toHaveLength(2)
  })

  it('stands in the file that the same filters make', async () => {
    const reply = await fetch(`${app.url}/api/v1/transactions/export/?via=LINK&amount__gte=1`, {
      headers: { authorization: `Bearer ${shop.key}` },
    })
    const lines = (await reply.text()).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('2600.00')
  })

  it('of another merchant is not found by any of these', async () => {
    const stranger = await app.shop()
    for (const query of [`api_key=${key}`, 'via=KEY', 'amount__gte=1']) {
      expect((await stranger.get(`/transactions/?${query}`)).data.results, query).toEqual([])
    }
  })
})

describe('a settlement and a transfer', () => {
  it('name whoever asked for them, in the list and alone, to members only', async () => {
    await member.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
    const payout_method = await plantMethod(app, shop.merchant_id)
    const settlement = { country: 'BJ', requested_amount: '10000', payout_method }
    const transfer = { from_country: 'BJ', to_country: 'CI', from_amount: '1000' }
    for (const [path, body] of [
      ['/settlements/', settlement],
      ['/wallet-transfers/', transfer],
    ] as const) {
      const byMember = await member.post(path, body)
      const byKey = await shop.post(path, body)
      expect([byMember.status, byKey.status], path).toEqual([201, 201])
      const names = { [byMember.data.id]: 'Test Person', [byKey.data.id]: 'Shop key' }
      for (const [reader, told] of [
        [member, names],
        [shop, { [byMember.data.id]: undefined, [byKey.data.id]: undefined }],
      ] as const) {
        const { data } = await reader.get(path)
        const named = data.results.map((row: Json) => [row['id'], row['created_by_name']])
        expect(Object.fromEntries(named), path).toEqual(told)
        for (const [id, name] of Object.entries(told)) {
          expect((await reader.get(`${path}${id}/`)).data.created_by_name, path).toBe(name)
        }
      }
    }
  })
})
