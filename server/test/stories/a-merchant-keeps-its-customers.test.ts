// Customers as a merchant keeps them: written down once, changed, forgotten; their payments stay.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type House, newPayer, type Shop, startHouse } from '../harness.ts'

let house: House
let shop: Shop

beforeAll(async () => {
  house = await startHouse()
  shop = await house.shop()
})
afterAll(() => house.stop())

const change = (id: string, body: unknown) =>
  shop.call('PATCH', `/customers/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

it('one per phone, or per e-mail without a phone, however many write at once', async () => {
  const body = { phone: '+229 01 97 00 00 77', email: 'Awa@Example.com', first_name: 'Awa' }
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => shop.post('/customers/', body)),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const { error } of replies.filter(({ status }) => status !== 201)) {
    expect(error.code).toBe('customer_exists')
  }
  const made = replies.find(({ status }) => status === 201)?.data
  expect(made).toMatchObject({ phone: '+2290197000077', email: 'awa@example.com', last_name: '' })
  const other = await shop.post('/customers/', { email: 'kofi@example.com' })
  expect(other.status).toBe(201)
  const taken = await change(other.data.id, { phone: '+2290197000077' })
  expect([taken.status, taken.error.code]).toEqual([409, 'customer_exists'])
  const found = await shop.get('/customers/?search=KOFI')
  expect(found.data).toMatchObject({ count: 1, results: [{ id: other.data.id }] })
})

it('names what is wrong, and shows nobody to others', async () => {
  const empty = await shop.post('/customers/', { first_name: 'Awa' })
  expect([empty.status, Object.keys(empty.error)]).toEqual([400, ['phone']])
  const odd = await shop.post('/customers/', { phone: '+12' })
  expect([odd.status, odd.error.code]).toEqual([422, 'invalid_customer'])
  const { data } = await shop.post('/customers/', { email: 'one@example.com' })
  const bare = await change(data.id, { email: null })
  expect([bare.status, Object.keys(bare.error)]).toEqual([400, ['phone']])
  const same = await change(data.id, { first_name: null, last_name: null })
  expect([same.status, same.data.first_name]).toEqual([200, ''])
  const stranger = await house.shop()
  for (const path of ['', 'transactions/']) {
    const reply = await stranger.get(`/customers/${data.id}/${path}`)
    expect([reply.status, reply.error.code]).toEqual([403, 'permission_denied'])
  }
  expect((await shop.get('/customers/?ordering=phone')).status).toBe(400)
})

it('forgets the person and keeps the payments', async () => {
  const customer = newPayer()
  const { data } = await shop.pay({ customer })
  const { customer: id } = await shop.becomes(data.id, 'SUCCESS')
  const list = await shop.get(`/customers/${id}/transactions/`)
  expect(list.data).toMatchObject({ count: 1, results: [{ id: data.id }] })
  expect((await change(id, { last_name: 'Sow' })).data.last_name).toBe('Sow')
  expect((await shop.call('DELETE', `/customers/${id}/`)).status).toBe(204)
  expect((await shop.get(`/customers/${id}/`)).status).toBe(404)
  expect((await shop.get(`/transactions/${data.id}/`)).data.customer).toBe(id)
  const [row] = await house.owner`
    select phone, email, first_name, last_name from customers where id = ${id}`
  expect(row).toEqual({ phone: null, email: null, first_name: '', last_name: '' })
  const again = await shop.pay({ customer })
  expect((await shop.becomes(again.data.id, 'SUCCESS')).customer).not.toBe(id)
  const acts = await house.owner`select after, before from audit_logs where target_id = ${id}`
  expect(JSON.stringify(acts)).not.toContain(customer.phone)
})
