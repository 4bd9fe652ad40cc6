// Customers as a merchant keeps them: written down once, changed, forgotten; their payments stay.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { indexCustomers } from '../../src/customers/search/index-customers.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app.stop())

const change = (id: string, body: unknown, by = shop) =>
  by.call('PATCH', `/customers/${id}/`, {
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

it('is found by a part of their name, e-mail or phone, by an index, and wildcards are letters', async () => {
  const shop = await app.shop()
  const his = { email: 'elodie_n@example.com', first_name: 'Élodie', last_name: 'N’Diaye' }
  expect((await shop.post('/customers/', { ...his, phone: '+2290197123456' })).status).toBe(201)
  await shop.post('/customers/', { email: 'other@example.com', first_name: 'Kofi 100%' })
  const found = async (search: string) =>
    (await shop.get(`/customers/?search=${encodeURIComponent(search)}`)).data.count
  for (const search of ['elodie', 'ÉLODIE', "n'diaye", 'die_n@', '97123', 'O', '100%']) {
    expect([search, await found(search)]).toEqual([search, search === 'O' ? 2 : 1])
  }
  for (const search of ['e%die', 'elodie.n', '_lodie']) {
    expect([search, await found(search)]).toEqual([search, 0])
  }
  await app.owner`
    insert into customers (merchant_id, id, environment, email, first_name, last_name)
    select ${shop.merchant_id}, gen_random_uuid(), 'SANDBOX', md5(n::text) || '@x.example',
           md5((n + 1)::text), md5((n + 2)::text)
      from generate_series(1, 20000) n`
  await minutesPass()
  await app.owner`vacuum analyze customers, customer_search`
  const before = await readOfCustomers()
  expect(await found('elodie_n@exam')).toBe(1)
  // A backend reports what it read when it is idle, and later on a machine with much to do.
  const after = await eventually(async () => {
    const now = await readOfCustomers()
    expect(now.index_scans).toBeGreaterThan(before.index_scans)
    return now
  }, 20_000)
  expect(after.rows - before.rows).toBeLessThan(2_000)
  for (const search of ['elodie', '100%', 'e%die', 'elodie.n', '_lodie']) {
    expect([search, await found(search)]).toEqual([search, /^(elodie|100%)$/.test(search) ? 1 : 0])
  }
})

it('is found at once after their payment, and as they are called now, in their environment', async () => {
  const live = await app.shop({ live: true, environment: 'LIVE' })
  const shop = await app.shop({ merchant_id: live.merchant_id })
  const customer = { ...newPayer(), first_name: 'Sènami', last_name: 'Hounsou' }
  const { data } = await shop.pay({ customer })
  const found = async (search: string, by = shop) => {
    const reply = await by.get(`/customers/?search=${encodeURIComponent(search)}`)
    expect(reply.data.results).toHaveLength(reply.data.count)
    return reply.data.results.map(({ id }: Json) => id)
  }
  const [id] = await found('senami')
  expect((await shop.becomes(data.id, 'SUCCESS')).customer).toBe(id)
  const words = async () => {
    const rows = await app.owner`select words from customer_search where id = ${id}`
    return rows.map((row) => String(row['words']).trim())
  }
  expect(await words()).toEqual([])
  await minutesPass()
  expect(await words()).toEqual([expect.stringContaining('senami hounsou')])
  expect(await found('senami')).toEqual([id])
  expect(await found('senami', live)).toEqual([])
  expect((await change(id, { first_name: 'Pélagie' }, shop)).status).toBe(200)
  expect([await found('senami'), await found('pelagie')]).toEqual([[], [id]])
  // A later payment leaves them as their merchant knows them.
  await shop.becomes((await shop.pay({ customer })).data.id, 'SUCCESS')
  expect([await found('senami'), await found('pelagie')]).toEqual([[], [id]])
  expect((await shop.call('DELETE', `/customers/${id}/`)).status).toBe(204)
  expect([await found('pelagie'), await found('hounsou')]).toEqual([[], []])
  expect(await words()).toEqual([''])
})

/** All that was is five minutes older, and who was new then has their search row. */
async function minutesPass(): Promise<void> {
  await app.owner`update customers set created_at = created_at - interval '5 minutes'`
  await app.owner`
    update customer_search_marks set made_at = made_at - interval '5 minutes'`
  const job = indexCustomers({ quick: app.service.db })
  while ((await job.run({ signal: new AbortController().signal })) === 'more');
}

/** A backend tells what it has read when it has rested for a second. */
async function readOfCustomers(): Promise<{ rows: number; index_scans: number }> {
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const [row] = await app.owner<{ rows: number; index_scans: number }[]>`
    select (idx_tup_fetch + seq_tup_read)::int as rows,
           (select idx_scan::int from pg_stat_user_indexes
             where indexrelname = 'customer_search_found') as index_scans
      from pg_stat_user_tables where relname = 'customers'`
  return row ?? { rows: 0, index_scans: 0 }
}

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
  const stranger = await app.shop()
  for (const path of ['', 'transactions/']) {
    const reply = await stranger.get(`/customers/${data.id}/${path}`)
    expect([reply.status, reply.error.code]).toEqual([403, 'permission_denied'])
  }
  expect((await shop.get('/customers/?ordering=phone')).status).toBe(400)
})

it('takes a country by its letters or its id, and reads a phone by that country’s plan', async () => {
  const { data: countries } = await shop.get('/countries/', { prefer: 'envelope=on' })
  const { id: benin } = countries.find(({ iso_code }: Json) => iso_code === 'BJ')
  for (const [country, phone, e164, answered] of [
    ['BJ', '97 11 00 01', '+2290197110001', 'BJ'],
    ['bj', '00000021', '+2290100000021', 'BJ'],
    [benin, '0197110003', '+2290197110003', 'BJ'],
    ['CI', '07 07 11 00 04', '+2250707110004', 'CI'],
    ['BJ', '+221771100005', '+221771100005', 'BJ'],
    [undefined, '2290197110006', '+2290197110006', 'BJ'],
    [undefined, '22997110007', '+2290197110007', 'BJ'],
    [null, '+33612345678', '+33612345678', 'FR'],
  ]) {
    const made = await shop.post('/customers/', { country, phone })
    expect([made.status, made.data?.phone, made.data?.country]).toEqual([201, e164, answered])
    const { data: read } = await shop.get(`/customers/${made.data.id}/`)
    expect(read).toEqual(made.data)
  }
})

it('guesses no prefix: a national number without a country is a wrong phone', async () => {
  for (const phone of ['97110001', '0197110001', '97 00 00 10', '771100005', '0707110004']) {
    const reply = await shop.post('/customers/', { phone })
    expect([phone, reply.status, Object.keys(reply.error)]).toEqual([phone, 400, ['phone']])
  }
  for (const country of ['ZZ', 'Benin', '229', shop.merchant_id]) {
    const reply = await shop.post('/customers/', { country, phone: '97110001' })
    expect([country, reply.status, Object.keys(reply.error)]).toEqual([country, 400, ['country']])
  }
  const odd = await shop.post('/customers/', { country: 'BJ', phone: '9711' })
  expect([odd.status, odd.error.code]).toEqual([422, 'invalid_customer'])
  // What was said once is known later on.
  const { data } = await shop.post('/customers/', { email: 'ama@example.com', country: 'TG' })
  const moved = await change(data.id, { phone: '90 11 00 08' })
  expect(moved.data).toMatchObject({ phone: '+22890110008', country: 'TG' })
  const both = await change(data.id, { phone: '97110009', country: 'BJ' })
  expect(both.data).toMatchObject({ phone: '+2290197110009', country: 'BJ' })
  expect((await change(data.id, { country: null })).data.country).toBe('BJ')
  expect((await change(data.id, { phone: '97110010' })).status).toBe(400)
})

it('takes a whole name, splits it at its last space, and lists by it', async () => {
  const own = await app.shop()
  for (const [full_name, first_name, last_name] of [
    ['  Marie Claire   Adjovi ', 'Marie Claire', 'Adjovi'],
    ['Zinsou', 'Zinsou', ''],
    ['Awa Diop', 'Awa', 'Diop'],
    ['Awa Bello', 'Awa', 'Bello'],
  ] as const) {
    const email = `${last_name || first_name}@example.com`
    const { data } = await own.post('/customers/', { full_name, email })
    const whole = `${first_name} ${last_name}`.trim()
    expect(data).toMatchObject({ first_name, last_name, full_name: whole })
  }
  const listed = async (ordering: string) => {
    const { data } = await own.get(`/customers/?ordering=${ordering}`)
    return data.results.map(({ full_name }: Json) => full_name)
  }
  const rising = ['Awa Bello', 'Awa Diop', 'Marie Claire Adjovi', 'Zinsou']
  expect(await listed('full_name')).toEqual(rising)
  expect(await listed('-full_name')).toEqual(rising.toReversed())
  const { data } = await own.get('/customers/?search=awa%20bello')
  const [{ id }] = data.results
  const patch = (body: object) =>
    own.call('PATCH', `/customers/${id}/`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  expect((await patch({ full_name: 'Awa Sow' })).data.last_name).toBe('Sow')
  // A name of its own counts more than a part of the whole.
  const named = await patch({ full_name: 'Awa Sow', last_name: 'Ba' })
  expect(named.data).toMatchObject({ first_name: 'Awa', last_name: 'Ba', full_name: 'Awa Ba' })
  const long = await patch({ full_name: `Awa ${'x'.repeat(101)}` })
  expect([long.status, Object.keys(long.error)]).toEqual([400, ['full_name']])
})

it('lists what a customer paid, the newest first or the oldest', async () => {
  const customer = newPayer()
  const first = await shop.pay({ customer })
  const second = await shop.pay({ customer })
  const { customer: id } = (await shop.get(`/transactions/${first.data.id}/`)).data
  const listed = async (ordering: string) => {
    const { data } = await shop.get(`/customers/${id}/transactions/?ordering=${ordering}`)
    return data.results.map((one: { id: string }) => one.id)
  }
  const rising = [first.data.id, second.data.id]
  expect(await listed('')).toEqual(rising.toReversed())
  expect(await listed('-created_at')).toEqual(rising.toReversed())
  expect(await listed('created_at')).toEqual(rising)
  const found = async (search: string) =>
    (await shop.get(`/customers/${id}/transactions/?search=${encodeURIComponent(search)}`)).data
  expect(await found(second.data.reference)).toMatchObject({
    count: 1,
    results: [{ id: second.data.id }],
  })
  expect((await found(customer.last_name)).count).toBe(2)
  expect(await found('nobody of this name')).toMatchObject({ count: 0, results: [] })
  const odd = await shop.get(`/customers/${id}/transactions/?ordering=colour`)
  expect([odd.status, Object.keys(odd.error)]).toEqual([400, ['ordering']])
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
  const [row] = await app.owner`
    select phone, email, first_name, last_name from customers where id = ${id}`
  expect(row).toEqual({ phone: null, email: null, first_name: '', last_name: '' })
  const again = await shop.pay({ customer })
  expect((await shop.becomes(again.data.id, 'SUCCESS')).customer).not.toBe(id)
  const acts = await app.owner`select after, before from audit_logs where target_id = ${id}`
  expect(JSON.stringify(acts)).not.toContain(customer.phone)
})
