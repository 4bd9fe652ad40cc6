// A call says what it means, and we say what we did not read: a misspelt field, a filter of another
// list, a page number where there are none. Without these, a client believes that it was heard.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, softpay, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app?.stop())

const ignoredBy = ({ headers }: { headers: Headers }) => headers.get('ignored-fields')

describe('Ignored-Fields', () => {
  it('names what a body and a query hold that nothing reads, and nothing else', async () => {
    const right = await shop.pay({ customer: newPayer(), metadata: { anything: { goes: 1 } } })
    expect([right.status, ignoredBy(right)]).toEqual([201, null])
    const customer = { ...newPayer(), nick_name: 'A' }
    const wrong = await shop.pay({ customer, amout: '5', refernce: null })
    expect([wrong.status, ignoredBy(wrong)]).toEqual([201, 'customer.nick_name, amout, refernce'])
    const list = await shop.get('/transactions/?stauts=FAILED&status=FAILED&stauts=PENDING')
    expect([list.status, ignoredBy(list)]).toEqual([200, 'stauts'])
    const none = await shop.get('/transactions/?status=FAILED&page_size=5')
    expect([none.status, ignoredBy(none)]).toEqual([200, null])
  })

  it('is said with errors too, and with what was answered before', async () => {
    const refused = await shop.pay({ amount: 'x', amout: '5' })
    expect([refused.status, ignoredBy(refused)]).toEqual([400, 'amout'])
    const nowhere = await shop.get('/transactions/01981f3a-0000-7000-8000-00000000d001/?full=1')
    expect([nowhere.status, ignoredBy(nowhere)]).toEqual([404, 'full'])
    // Of a call that is refused before its body is read, the query is known all the same.
    const locked = await shop.get('/merchant-members/?full=1')
    expect([locked.status, ignoredBy(locked)]).toEqual([403, 'full'])
    const nobody = await shop.get('/transactions/?stauts=FAILED', { authorization: '' })
    expect([nobody.status, ignoredBy(nobody)]).toEqual([401, 'stauts'])
    const torn = await shop.call('POST', '/customers/?dry_run=1', {
      body: '{"amout":',
      headers: { 'content-type': 'application/json' },
    })
    expect([torn.status, ignoredBy(torn)]).toEqual([400, 'dry_run'])
    const key = { 'idempotency-key': 'ignored-1' }
    const body = { customer: newPayer(), amout: '5' }
    expect(ignoredBy(await shop.pay(body, key))).toBe('amout')
    const again = await shop.pay(body, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(ignoredBy(again)).toBe('amout')
    const bare = await shop.post('/payments/softpay/initialize/?', softpay({ amout: '5' }), {
      prefer: 'envelope=off',
    })
    expect(ignoredBy(bare)).toBe('amout')
  })

  it('looks into lists that may be null, where null still means absent', async () => {
    const field = { name: 'team', required: null, options: null, colour: 'red' }
    const made = await shop.post('/payment-links/', {
      name: 'Cup',
      currency: 'XOF',
      amount: '500',
      custom_fields: [field],
    })
    expect([made.status, ignoredBy(made)]).toEqual([201, 'custom_fields.0.colour'])
    expect(made.data.custom_fields).toMatchObject([{ name: 'team', required: false, options: [] }])
  })

  it('of a route that takes no body names all of it', async () => {
    const { data } = await shop.post('/checkout-sessions/', {
      amount: '1000',
      currency: 'XOF',
      customer_email: 'kofi@example.com',
      customer_name: 'Kofi Mensah',
    })
    const cancelled = await shop.post(`/checkout-sessions/${data.id}/cancel/`, { reason: 'x' })
    expect([cancelled.status, ignoredBy(cancelled)]).toEqual([200, 'reason'])
  })

  it('stays a header that every program can read, whatever the names are', async () => {
    const odd = await shop.pay({
      'a b,c': 1,
      "it's(é)*~!": 1,
      'line\r\nSet-Cookie: x=1': 1,
      __proto__2: 1,
    })
    expect(ignoredBy(odd)).toBe(
      'a%20b%2Cc, it%27s%28%C3%A9%29%2A%7E%21, line%0D%0ASet-Cookie%3A%20x%3D1, __proto__2',
    )
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, 1]))
    const first = ignoredBy(await shop.pay(many))?.split(', ')
    expect(first).toHaveLength(20)
    expect(first?.[0]).toBe('f0')
    const long = Object.fromEntries(Array.from({ length: 9 }, (_, n) => ['é'.repeat(40 + n), 1]))
    const line = ignoredBy(await shop.pay(long)) ?? ''
    expect(line.length).toBeGreaterThan(0)
    expect(line.length).toBeLessThanOrEqual(512)
    const endless = ignoredBy(await shop.pay({ ['é'.repeat(100_000)]: 1 })) ?? ''
    expect(endless.length).toBeLessThanOrEqual(512)
    // Cut between two characters: a program that decodes it must not fall over.
    expect(decodeURIComponent(endless)).toMatch(/^é{80,}$/)
  })

  it('is published as a header of every answer', async () => {
    const { body } = await shop.get('/openapi.json')
    const { responses } = body.paths['/payments/softpay/initialize/'].post
    expect(responses['201'].headers).toHaveProperty('Ignored-Fields')
    expect(body.components.headers['Ignored-Fields'].schema.maxLength).toBe(512)
  })
})

describe('a list by page number', () => {
  it('says every parameter that it reads, and has a search and an order', async () => {
    const { body } = await shop.get('/openapi.json')
    const lists = Object.entries<Json>(body.paths).flatMap(([path, { get }]) => {
      const names = (get?.parameters ?? []).map(({ name }: Json) => name)
      return names.includes('page') && !names.includes('cursor') ? [{ path, names }] : []
    })
    expect(lists.length).toBeGreaterThan(20)
    // Those of a link have no filter and no search: the interface says so of them alone.
    const without = lists
      .filter(({ path }) => !path.startsWith('/admin/'))
      .filter(({ names }) => !names.includes('search') || !names.includes('ordering'))
    expect(without.map(({ path }) => path)).toEqual(['/payment-links/{id}/transactions/'])
    const owner = await app.member({ role: 'OWNER' })
    for (const { path } of lists.filter(({ path }) => !/admin|\{/.test(path))) {
      const found = await owner.get(`${path}?search=zzzz&page=1`)
      expect([path, found.status, ignoredBy(found), found.data?.count]).toEqual([
        path,
        200,
        null,
        0,
      ])
      const wrong = await owner.get(`${path}?ordering=colour`)
      expect([path, wrong.status, Object.keys(wrong.error ?? {})]).toEqual([
        path,
        400,
        ['ordering'],
      ])
    }
  })

  it('finds events by type and meaning, invitations and sessions by what is shown', async () => {
    const countOf = async (by: Shop, path: string) => (await by.get(path)).data.count
    const types = (await shop.get('/merchant-webhook-events/?ordering=-event_type')).data.results
    const names: string[] = types.map(({ event_type }: Json) => event_type)
    expect(names).toEqual(names.toSorted().reverse())
    expect(await countOf(shop, '/merchant-webhook-events/?search=SETTLEMENT.')).toBe(6)
    expect(await countOf(shop, '/merchant-webhook-events/?search=recharge')).toBeGreaterThan(0)
    const owner = await app.member({ role: 'OWNER' })
    await owner.post('/merchant-invitations/', { email: 'Efua@shop.example', role: 'VIEWER' })
    await owner.post('/merchant-invitations/', { email: 'kofi@shop.example', role: 'VIEWER' })
    expect(await countOf(owner, '/merchant-invitations/?search=EFUA')).toBe(1)
    expect(await countOf(owner, '/merchant-invitations/?search=%25')).toBe(0)
    const [session] = (await owner.get('/auth/sessions/')).data.results
    expect(await countOf(owner, `/auth/sessions/?search=${session.ip}`)).toBe(1)
    await owner.post('/merchant-payout-limits/', { country: 'BJ', per_payout: '500000' })
    await owner.post('/merchant-payout-limits/', { country: 'CM', per_payout: '500000' })
    expect(await countOf(owner, '/merchant-payout-limits/?search=xaf')).toBe(1)
  })
})

describe('an empty list as a body', () => {
  it('is an empty object, as PHP writes one, on every route and under every key', async () => {
    const send = (path: string, body: string, headers: Record<string, string> = {}) =>
      shop.call('POST', path, {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
    const { data } = await shop.pay({ customer: newPayer('02') })
    await shop.becomes(data.id, 'FAILED')
    const key = { 'idempotency-key': 'php-1' }
    const retried = await send(`/payments/${data.id}/retry/`, '[]', key)
    expect(retried.status, JSON.stringify(retried.body)).toBe(200)
    const same = await send(`/payments/${data.id}/retry/`, '{}', key)
    expect(same.headers.get('idempotent-replayed')).toBe('true')
    const empty = await send('/payments/softpay/initialize/', '[]')
    const object = await send('/payments/softpay/initialize/', '{}')
    expect([empty.status, empty.error]).toEqual([400, object.error])
    // A list that holds something is still a list.
    expect((await send('/payments/softpay/initialize/', '[1]')).error).toHaveProperty('body')
  })
})

describe('a list without page numbers', () => {
  it('says from the second on that its next page is in `next`', async () => {
    for (const path of ['/transactions/', '/merchant-ledger-entries/', '/events/']) {
      expect((await shop.get(`${path}?page=1`)).status, path).toBe(200)
      const second = await shop.get(`${path}?page=2`)
      expect([second.status, Object.keys(second.error)]).toEqual([400, ['page']])
      expect(second.error.page[0]).toContain('`next`')
      const french = await shop.get(`${path}?page=3`, { 'accept-language': 'fr' })
      expect(french.error.page[0]).toContain('suivez `next`')
    }
  })

  it('has the one order of its list, and another one is refused', async () => {
    for (const [path, order] of [
      ['/transactions/', '-created_at'],
      ['/merchant-ledger-entries/', '-created_at'],
      ['/webhook-logs/', '-created_at'],
      ['/events/', 'created_at'],
    ] as const) {
      const own = await shop.get(`${path}?ordering=${order}`)
      expect([path, own.status, ignoredBy(own)]).toEqual([path, 200, null])
      for (const other of ['amount', order.startsWith('-') ? order.slice(1) : `-${order}`]) {
        const wrong = await shop.get(`${path}?ordering=${other}`)
        expect([path, wrong.status, Object.keys(wrong.error)]).toEqual([path, 400, ['ordering']])
      }
    }
  })

  it('is every list that goes by cursor', async () => {
    const { body } = await shop.get('/openapi.json')
    const operations = Object.values<Json>(body.paths).flatMap((item) => Object.values<Json>(item))
    const names = (operation: Json) => operation.parameters.map(({ name }: Json) => name)
    const byCursor = operations.filter((operation) => names(operation).includes('cursor'))
    expect(byCursor.length).toBeGreaterThan(5)
    for (const operation of byCursor) expect(names(operation)).toContain('page')
    for (const operation of byCursor) expect(names(operation)).toContain('ordering')
  })
})

describe('filters', () => {
  it('of links take yes and no as client libraries write them', async () => {
    const own = await app.shop()
    const make = (is_active: boolean) =>
      own.post('/payment-links/', {
        name: `L ${is_active}`,
        currency: 'XOF',
        amount: '5',
        is_active,
      })
    expect((await make(true)).status).toBe(201)
    expect((await make(false)).status).toBe(201)
    const found = async (word: string) => {
      const { status, data } = await own.get(`/payment-links/?is_active=${word}`)
      return status === 200 ? data.results.map((link: Json) => link.is_active) : status
    }
    for (const yes of ['true', 'True', '1']) expect(await found(yes)).toEqual([true])
    for (const no of ['false', 'False', '0']) expect(await found(no)).toEqual([false])
    expect(await found('yes')).toBe(400)
    expect(await found('')).toHaveLength(2)
  })

  it('of a customer’s transactions are those of transactions', async () => {
    const own = await app.shop()
    const customer = newPayer()
    const { data: paid } = await own.pay({ customer })
    await own.becomes(paid.id, 'SUCCESS')
    const failing = { ...newPayer('02'), email: customer.email }
    const { data: failed } = await own.pay({ customer: failing })
    await own.becomes(failed.id, 'FAILED')
    await app.owner`
      update transactions t set customer_id = p.customer_id from transactions p
       where t.id = ${failed.id} and p.id = ${paid.id}`
    const [row] = await app.owner`select customer_id from transactions where id = ${paid.id}`
    const found = async (query: string) => {
      const reply = await own.get(`/customers/${row?.['customer_id']}/transactions/${query}`)
      expect([reply.status, ignoredBy(reply)]).toEqual([200, null])
      expect(reply.data.count).toBe(reply.data.results.length)
      return reply.data.results.map(({ id }: Json) => id)
    }
    expect(await found('')).toEqual([failed.id, paid.id])
    expect(await found('?status=SUCCESS')).toEqual([paid.id])
    expect(await found('?country=BJ&status=FAILED')).toEqual([failed.id])
    expect(await found('?created_at__gte=2099-01-01')).toEqual([])
    expect(await found('?network=orange_ci')).toEqual([])
    const wrong = await own.get(`/customers/${row?.['customer_id']}/transactions/?status=DONE`)
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['status']])
  })

  it('of ledger entries have bounds in time', async () => {
    const own = await app.shop()
    const { data } = await own.pay({ customer: newPayer() })
    await own.becomes(data.id, 'SUCCESS')
    const found = async (query: string) => {
      const reply = await own.get(`/merchant-ledger-entries/${query}`)
      expect([reply.status, ignoredBy(reply)]).toEqual([200, null])
      return reply.data.results
    }
    const [entry] = await found('')
    expect(await found(`?created_at__gte=${entry.created_at}`)).toHaveLength(1)
    expect(await found('?created_at__gte=2099-01-01')).toEqual([])
    expect(await found('?created_at__lte=2020-01-01T00:00:00Z')).toEqual([])
    const wrong = await own.get('/merchant-ledger-entries/?created_at__lte=soon')
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['created_at__lte']])
  })
})
