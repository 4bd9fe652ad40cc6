// Lists of settlements, transfers and sessions between two moments: both ends count, the count is of
// what was found, and what else is asked for still holds.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Json, startApp, type TestApp } from '../harness.ts'
import { richSettler, type Settler } from '../setup/settling.ts'

let app: TestApp
let shop: Settler
beforeAll(async () => {
  app = await startApp()
  shop = await richSettler(app)
})
afterAll(() => app?.stop())

type Listed = Readonly<{ list: string; table: string; make: () => Promise<Json> }>

const lists: readonly Listed[] = [
  {
    ...{ list: 'settlements', table: 'settlements' },
    make: async () => (await shop.settle('bank')).data,
  },
  {
    ...{ list: 'wallet-transfers', table: 'wallet_transfers' },
    make: async () => {
      const body = { from_country: 'BJ', to_country: 'CM', from_amount: '1000' }
      return (await shop.post('/wallet-transfers/', body)).data
    },
  },
  {
    ...{ list: 'checkout-sessions', table: 'checkout_sessions' },
    make: async () => {
      const body = { amount: '5000', currency: 'XOF', description: 'x', customer_email: 'a@b.co' }
      return (await shop.post('/checkout-sessions/', { ...body, customer_name: 'Awa' })).data
    },
  },
]

it.each(lists)('$list: what was made from one moment to another', async ({ list, table, make }) => {
  const days = ['2026-01-01', '2026-02-01', '2026-03-01']
  const ids: string[] = []
  for (const day of days) {
    const { id } = await make()
    ids.push(id)
    await app.owner`
      update ${app.owner(table)} set created_at = ${`${day}T00:00:00Z`}::text::timestamptz
       where merchant_id = ${shop.merchant_id} and id = ${id}`
  }
  const found = async (query: string) => {
    const { data } = await shop.get(`/${list}/?${query}`)
    expect(data.count).toBe(data.results.length)
    return data.results.map(({ id }: Json) => ids.indexOf(id))
  }
  expect(await found('')).toEqual([2, 1, 0])
  expect(await found('created_at__gte=2026-02-01')).toEqual([2, 1])
  expect(await found('created_at__gte=2026-02-01T00:00:00.001Z')).toEqual([2])
  expect(await found('created_at__lte=2026-02-01')).toEqual([1, 0])
  expect(await found('created_at__gte=2026-01-02&created_at__lte=2026-02-02')).toEqual([1])
  expect(await found('created_at__gte=2026-02-01&ordering=created_at')).toEqual([1, 2])
  expect(await found('created_at__gte=2026-02-01&status=PENDING')).toEqual([2, 1])
  expect(await found('created_at__gte=9999-12-31')).toEqual([])
})

it('sessions are found by the link that opened them', async () => {
  const body = { name: 'x', amount_type: 'FIXED', amount: '500', currency: 'XOF' }
  const { data: link } = await shop.post('/payment-links/', body)
  const opened = await app.owner`
    update checkout_sessions set payment_link = ${link.id}
     where merchant_id = ${shop.merchant_id} and created_at = '2026-02-01' returning id`
  const { data } = await shop.get(`/checkout-sessions/?payment_link=${link.id}`)
  expect(data.results.map(({ id }: Json) => id)).toEqual([opened[0]?.['id']])
  expect(data.results[0].payment_link).toBe(link.id)
  const nobodys = await shop.get(`/checkout-sessions/?payment_link=${shop.merchant_id}`)
  expect(nobodys.data.results).toEqual([])
})
