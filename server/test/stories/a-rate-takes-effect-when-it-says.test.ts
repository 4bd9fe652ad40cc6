// Staff add exchange rates, for now or for later. Every process goes over to one at its moment, not
// before, and no rate that counted is ever changed; what is pegged is never set.

import { setTimeout as sleep } from 'node:timers/promises'
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

const elsewhere = () => shopWith(second.public_url, shop.merchant_id, shop.key)
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const add = (body: object, by: Shop = staff) => by.post('/admin/exchange-rates/', body)

async function rateOf(base: string, quote: string, at: Shop = elsewhere()): Promise<Json> {
  const { data } = await at.get(`/exchange-rates/convert/?from=${base}&to=${quote}&amount=1`)
  return data?.rate
}
const history = async (query: string): Promise<Json[]> =>
  (await staff.get(`/admin/exchange-rates/?${query}`)).data.results
const version = async () => (await app.owner`select version from catalogue_version`)[0]?.['version']
const acts = () => app.owner<Json[]>`
  select action, environment, actor_id, target_id, before, after
    from audit_logs where target_kind = 'exchange_rate' order by id`

describe('a rate for now', () => {
  it('counts in every process from its next call on', async () => {
    expect(await rateOf('EUR', 'GHS')).toBe('12.74000000')
    expect(await rateOf('EUR', 'GHS', shop)).toBe('12.74000000')
    const added = await add({ base: 'eur', quote: 'ghs', rate: '13.12345678' })
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    expect(added.data).toMatchObject({
      base: 'EUR',
      quote: 'GHS',
      rate: '13.12345678',
      status: 'CURRENT',
      source: 'staff',
    })
    expect(await rateOf('EUR', 'GHS')).toBe('13.12345678')
    expect(await rateOf('EUR', 'GHS', shop)).toBe('13.12345678')
    const list = await history('base=EUR&quote=GHS')
    expect(list.map(({ rate, status, source }) => [rate, status, source])).toEqual([
      ['13.12345678', 'CURRENT', 'staff'],
      ['12.74000000', 'PAST', 'seed'],
    ])
    expect(await acts()).toMatchObject([
      {
        action: 'exchange_rate.added',
        environment: null,
        actor_id: staff.person_id,
        target_id: added.data.id,
        before: null,
        after: { base: 'EUR', quote: 'GHS', rate: '13.12345678' },
      },
    ])
  })

  it('prices a payment, and leaves the one before as it was', async () => {
    const pay = async () => {
      const paid = await elsewhere().pay({
        amount: '100',
        currency: 'GBP',
        customer: newPayer('10'),
      })
      expect(paid.status, JSON.stringify(paid.body)).toBe(201)
      return (await shop.get(`/transactions/${paid.data.id}/`)).data
    }
    const before = await pay()
    await add({ base: 'EUR', quote: 'GBP', rate: '0.5' })
    const after = await pay()
    expect(after).toMatchObject({ exchange_rate: '1311.91400000', requested_amount: '131191.00' })
    expect(before.exchange_rate).not.toBe(after.exchange_rate)
    expect((await shop.get(`/transactions/${before.id}/`)).data.exchange_rate).toBe(
      before.exchange_rate,
    )
  })

  it('makes a pair that there was not', async () => {
    const none = await elsewhere().get('/exchange-rates/convert/?from=EUR&to=ISK&amount=1')
    expect(codeOf(none)).toEqual([422, 'no_exchange_rate'])
    await add({ base: 'USD', quote: 'ISK', rate: '130' })
    expect(await rateOf('USD', 'ISK')).toBe('130.00000000')
    expect(await rateOf('EUR', 'ISK')).toBe('150.95600000')
  })

  it('added by twenty at once: each is a row, or told that its moment is taken', async () => {
    const request = { base: 'EUR', quote: 'SEK', rate: '11.5' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => add(request)))
    const done = replies.filter(({ status }) => status === 201)
    expect(done.length).toBeGreaterThan(0)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(codeOf(reply)).toEqual([409, 'rate_exists'])
    }
    const list = await history('quote=SEK')
    expect(list.length).toBe(done.length)
    expect(list.filter(({ status }) => status === 'CURRENT')).toHaveLength(1)
  })
})

describe('a rate for later', () => {
  it('counts at its moment, in every process, and not before', async () => {
    // Both processes hold their copies.
    expect(await rateOf('EUR', 'NGN')).toBe('1687.50000000')
    expect(await rateOf('EUR', 'NGN', shop)).toBe('1687.50000000')
    const moment = Date.now() + 4_000
    const effective_at = new Date(moment).toISOString()
    const added = await add({ base: 'EUR', quote: 'NGN', rate: '1700', effective_at })
    expect(added.data).toMatchObject({ status: 'UPCOMING', effective_at })
    const seen: { began: number; ended: number; rate: string }[] = []
    // A machine that stands still for a while asks less often, and after its moment all the same.
    while ((seen.at(-1)?.began ?? 0) < moment + 300) {
      for (const caller of [undefined, shop]) {
        const began = Date.now()
        const rate = await rateOf('EUR', 'NGN', caller)
        seen.push({ began, ended: Date.now(), rate })
      }
      await sleep(20)
    }
    const early = seen.filter(({ ended }) => ended < moment - 150).map(({ rate }) => rate)
    const late = seen.filter(({ began }) => began > moment + 150).map(({ rate }) => rate)
    expect(early.length).toBeGreaterThan(0)
    expect(late.length).toBeGreaterThan(1)
    expect(new Set(early)).toEqual(new Set(['1687.50000000']))
    expect(new Set(late)).toEqual(new Set(['1700.00000000']))
    expect((await history('quote=NGN')).map(({ status }) => status)).toEqual(['CURRENT', 'PAST'])
  })

  it('is listed before its moment, the latest moment first', async () => {
    const later = new Date(Date.now() + 86_400_000).toISOString()
    await add({ base: 'EUR', quote: 'GNF', rate: '10100', effective_at: later })
    await add({ base: 'EUR', quote: 'GNF', rate: '10090' })
    const list = await history('base=EUR&quote=GNF')
    expect(list.map(({ rate, status }) => [rate, status])).toEqual([
      ['10100.00000000', 'UPCOMING'],
      ['10090.00000000', 'CURRENT'],
      ['10085.00000000', 'PAST'],
    ])
    const turned = await history('base=EUR&quote=GNF&ordering=effective_at')
    expect(turned.map(({ id }) => id)).toEqual(list.map(({ id }) => id).reverse())
    expect(await rateOf('EUR', 'GNF')).toBe('10090.00000000')
  })

  it('409: the same moment twice', async () => {
    const effective_at = new Date(Date.now() + 86_400_000).toISOString()
    const request = { base: 'EUR', quote: 'KES', rate: '151', effective_at }
    const replies = await Promise.all(Array.from({ length: 20 }, () => add(request)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(codeOf(reply)).toEqual([409, 'rate_exists'])
    }
  })
})

describe('a rate that is refused', () => {
  it.each([
    ['EUR', 'XOF'],
    ['XOF', 'EUR'],
    ['EUR', 'XAF'],
    ['XAF', 'EUR'],
    ['XOF', 'XAF'],
  ])('409: %s in %s is pegged', async (base, quote) => {
    const then = await version()
    expect(codeOf(await add({ base, quote, rate: '700' }))).toEqual([409, 'rate_is_pegged'])
    expect(await version()).toBe(then)
    expect(await rateOf('EUR', 'XOF')).toBe('655.95700000')
    expect(await rateOf('XOF', 'XAF')).toBe('1.00000000')
  })

  it('409: a pair quoted the other way round, also when both come at once', async () => {
    expect(codeOf(await add({ base: 'GHS', quote: 'EUR', rate: '0.08' }))).toEqual([
      409,
      'rate_quoted_other_way',
    ])
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        add(
          at % 2 === 0
            ? { base: 'NOK', quote: 'DKK', rate: '0.65' }
            : { base: 'DKK', quote: 'NOK', rate: '1.53' },
        ),
      ),
    )
    const pairs = replies.filter(({ status }) => status === 201).map(({ data }) => data.base)
    expect(new Set(pairs).size).toBe(1)
    expect(replies.map(codeOf)).toContainEqual([409, 'rate_quoted_other_way'])
  })

  const wrong: readonly (readonly [string, object, string[]])[] = [
    ['nothing', { base: undefined, quote: undefined, rate: undefined }, ['base', 'quote', 'rate']],
    ['no currency', { base: 'EURO', quote: 'ZZZ' }, ['base', 'quote']],
    ['one currency', { quote: 'EUR' }, ['quote']],
    ['zero', { rate: '0.00' }, ['rate']],
    ['nine digits', { rate: '1.123456789' }, ['rate']],
    ['a sign', { rate: '-1' }, ['rate']],
    ['an exponent', { rate: '1e3' }, ['rate']],
    ['a number', { rate: 1.5 }, ['rate']],
    ['thirteen digits', { rate: '1234567890123' }, ['rate']],
    ['a moment gone by', { effective_at: '2026-01-01T00:00:00Z' }, ['effective_at']],
    ['a moment just gone', { effective_at: 'JUST' }, ['effective_at']],
    ['no moment', { effective_at: 'tomorrow' }, ['effective_at']],
  ]

  it.each(wrong)('400: %s', async (_, changes: { effective_at?: string }, fields) => {
    const just = new Date(Date.now() - 1_000).toISOString()
    const moment = changes.effective_at === 'JUST' ? { effective_at: just } : {}
    const written = (await acts()).length
    const reply = await add({ base: 'EUR', quote: 'MAD', rate: '10.8', ...changes, ...moment })
    expect([reply.status, Object.keys(reply.error).sort()]).toEqual([400, fields])
    expect((await acts()).length).toBe(written)
  })

  it('400, 404: filters that are none, a page beyond the end', async () => {
    for (const query of ['base=EURO', 'quote=1', 'ordering=rate', 'page=0']) {
      const reply = await staff.get(`/admin/exchange-rates/?${query}`)
      expect([query, reply.status]).toEqual([query, 400])
    }
    expect(codeOf(await staff.get('/admin/exchange-rates/?page=99'))).toEqual([404, 'not_found'])
    const paged = await staff.get('/admin/exchange-rates/?page_size=2&page=2')
    expect(paged.data.results).toHaveLength(2)
    expect(paged.data.previous).toContain('page=1')
  })
})

describe('who may', () => {
  it.each([
    ['SUPPORT', 403],
    ['OPERATIONS', 403],
    ['FINANCE', 400],
    ['SUPERADMIN', 400],
  ] as const)('%s adds: %s; every one looks', async (role, status) => {
    const one = await app.staff({ role })
    expect((await one.get('/admin/exchange-rates/')).status).toBe(200)
    expect((await add({}, one)).status).toBe(status)
  })

  it('no member, no key, nobody; and not the demo’s administrator once there is LIVE', async () => {
    const member = await app.member({ second_factor: 'FRESH' })
    for (const one of [member, shop]) {
      const refused = [403, 'permission_denied']
      expect(codeOf(await one.get('/admin/exchange-rates/'))).toEqual(refused)
      expect(codeOf(await add({}, one))).toEqual(refused)
    }
    expect((await fetch(`${app.url}/api/v1/admin/exchange-rates/`)).status).toBe(401)
    const demo = await app.staff({ demo: true })
    const request = { base: 'EUR', quote: 'ZMW', rate: '26.5' }
    expect((await add(request, demo)).status).toBe(201)
    const operator = { id: newId(), code: 'live', adapter: 'not_here', name: 'Operator' }
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
    expect(codeOf(await add(request, demo))).toEqual([403, 'totp_required'])
    expect((await add(request)).status).toBe(201)
  })
})

it('what was written stays: the process may not change a rate', async () => {
  const { db } = app.service
  await expect(db`update exchange_rates set rate = 1`).rejects.toThrow('permission denied')
  await expect(db`delete from exchange_rates`).rejects.toThrow('permission denied')
})
