// Balances and their movements over HTTP: a merchant sees its own, of its environment, and pages
// through them without losing or repeating a row.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ledgerRoutes } from '../../src/ledger/routes.ts'
import type { Caller } from '../../src/platform/http/route.ts'
import { newId } from '../../src/platform/ids.ts'
import { fixedCursorSecret } from '../setup/cursor-secret.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type Served, serveRoutes } from '../setup/serve-routes.ts'
import { fund, payin, payout, senegal } from './books.ts'

let database: TestDatabase
let served: Served
let caller: Partial<Caller>

beforeAll(async () => {
  database = await createTestDatabase()
  const deps = { db: database.owner, cursor_secret: fixedCursorSecret }
  served = await serveRoutes(ledgerRoutes(deps), () => caller)
})

beforeEach(() => {
  caller = { merchant_id: newId(), environment: 'SANDBOX' }
})

afterAll(async () => {
  await served.close()
  await database.drop()
})

type Row = Record<string, string | boolean | null>
type Page = { count?: number; next: string | null; previous: string | null; results: Row[] }
const pageOf = async (path: string) => (await served.get(path)).body as Page
const follow = (link: string | null) => pageOf((link ?? '').replace(/^.*\/api\/v1/, ''))
const place = (changes = {}) => ({ ...senegal(caller.merchant_id ?? ''), ...changes })

describe('GET /merchant-balances/', () => {
  it('200: one a country by country, own and of this environment, from its first movement', async () => {
    expect(await pageOf('/merchant-balances/')).toEqual({
      count: 0,
      next: null,
      previous: null,
      results: [],
    })
    await fund(database.owner, place(), 1_234_500n)
    await fund(database.owner, place({ country: 'CM', currency: 'XAF' }), 100n)
    await fund(database.owner, place({ country: 'BJ', environment: 'LIVE' }), 100n)
    await fund(database.owner, senegal(newId()), 100n)
    const { count, results } = await pageOf('/merchant-balances/')
    expect([count, results.map((row) => row['country'])]).toEqual([2, ['CM', 'SN']])
    expect(results[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      merchant: caller.merchant_id,
      environment: 'SANDBOX',
      country: 'SN',
      currency: 'XOF',
      available_amount: '12345.00',
      pending_amount: '0.00',
      frozen_amount: '0.00',
      is_frozen: false,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
  })

  it('pages by number with an exact count, and has no filter', async () => {
    for (const country of ['SN', 'CI', 'BJ']) {
      await fund(database.owner, place({ country }), 100n)
    }
    const first = await pageOf('/merchant-balances/?page_size=2&country=SN&ordering=-country')
    expect(first.count).toBe(3)
    expect(first.results.map((row) => row['country'])).toEqual(['SN', 'CI'])
    const second = await follow(first.next)
    expect(second.results.map((row) => row['country'])).toEqual(['BJ'])
    expect((await served.get('/merchant-balances/?page=3&page_size=2')).status).toBe(404)
  })

  it('searches country and currency', async () => {
    await fund(database.owner, place({ country: 'SN' }), 100n)
    await fund(database.owner, place({ country: 'GH', currency: 'GHS' }), 100n)
    const found = async (search: string) => {
      const { count, results } = await pageOf(`/merchant-balances/?search=${search}`)
      return [count, results.map((row) => row['country'])]
    }
    expect(await found('sn')).toEqual([1, ['SN']])
    expect(await found('GHS')).toEqual([1, ['GH']])
    expect(await found('%25')).toEqual([0, []])
  })

  it('400 on an ordering that is not listed, 401 without a credential', async () => {
    const reply = await served.get('/merchant-balances/?ordering=available_amount')
    expect([reply.status, Object.keys(reply.body as object)]).toEqual([400, ['ordering']])
    expect((await served.get('/merchant-balances/', 'anyone')).status).toBe(401)
  })
})

describe('GET /merchant-balances/:id/', () => {
  const only = async () => (await pageOf('/merchant-balances/')).results[0]?.['id'] ?? ''

  it('200: shows what a payout in flight has reserved', async () => {
    await fund(database.owner, place(), 5_000_000n)
    await payout(database.owner, place(), 'PENDING')
    expect(await served.get(`/merchant-balances/${await only()}/`)).toMatchObject({
      status: 200,
      body: { available_amount: '40000.00', pending_amount: '10000.00' },
    })
  })

  it("403 for another merchant's, 404 for the other environment, unknown and ill-formed ids", async () => {
    await fund(database.owner, place(), 100n)
    const id = await only()
    caller = { ...caller, environment: 'LIVE' }
    expect(await served.get(`/merchant-balances/${id}/`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    caller = { merchant_id: newId(), environment: 'SANDBOX' }
    expect(await served.get(`/merchant-balances/${id}/`)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    })
    for (const wrong of [newId(), 'SN']) {
      expect((await served.get(`/merchant-balances/${wrong}/`)).status).toBe(404)
    }
    expect((await served.get(`/merchant-balances/${id}/`, 'anyone')).status).toBe(401)
  })
})

describe('GET /merchant-ledger-entries/', () => {
  it('200: names the transaction, or what else the movement was for', async () => {
    const sql = database.owner
    await fund(sql, place(), 5_000_000n)
    const paid = await payin(sql, place())
    const sent = await payout(sql, place(), 'FAILED')
    const { results } = await pageOf('/merchant-ledger-entries/')
    expect(results).toMatchObject([
      {
        direction: 'CREDIT',
        amount: '10000.00',
        balance_after: '60000.00',
        reference: sent.reference,
        transaction: sent.id,
      },
      {
        direction: 'DEBIT',
        amount: '10000.00',
        balance_after: '50000.00',
        reference: sent.reference,
        transaction: sent.id,
      },
      { direction: 'CREDIT', reference: paid.reference, transaction: paid.id },
      {
        direction: 'CREDIT',
        amount: '50000.00',
        balance_after: '50000.00',
        reference: expect.stringMatching(/^SANDBOX-[0-9A-F]{8}$/),
        transaction: null,
      },
    ])
    expect(Object.keys(results[0] ?? {})).toEqual([
      'id',
      'country',
      'currency',
      'direction',
      'amount',
      'balance_after',
      'reference',
      'transaction',
      'created_at',
      'kind',
      'settlement',
      'wallet_transfer',
    ])
    expect(results.map(({ kind }) => kind)).toEqual(['PAYOUT', 'PAYOUT', 'PAYMENT', 'SANDBOX'])
  })

  it('shows only movements of available: a spent hold moves none', async () => {
    await fund(database.owner, place(), 5_000_000n)
    await payout(database.owner, place(), 'SUCCESS')
    const { results } = await pageOf('/merchant-ledger-entries/')
    expect(results.map((row) => row['direction'])).toEqual(['DEBIT', 'CREDIT'])
  })

  it('pages forth and back without losing or repeating a row while rows are inserted', async () => {
    const sql = database.owner
    for (let amount = 1n; amount <= 7n; amount += 1n) await fund(sql, place(), amount * 100n)
    const amounts = (page: Page) => page.results.map((row) => row['amount'])
    const first = await pageOf('/merchant-ledger-entries/?page_size=3')
    expect([amounts(first), first.previous]).toEqual([['7.00', '6.00', '5.00'], null])
    await fund(sql, place(), 99_900n)
    const second = await follow(first.next)
    expect(amounts(second)).toEqual(['4.00', '3.00', '2.00'])
    const third = await follow(second.next)
    expect([amounts(third), third.next]).toEqual([['1.00'], null])
    expect(amounts(await follow(third.previous))).toEqual(['4.00', '3.00', '2.00'])
    const back = await follow(second.previous)
    expect(amounts(back)).toEqual(['7.00', '6.00', '5.00'])
    expect(amounts(await follow(back.previous))).toEqual(['999.00'])
  })

  it('filters by country, currency and direction', async () => {
    const sql = database.owner
    await fund(sql, place(), 5_000_000n)
    await fund(sql, place({ country: 'CM', currency: 'XAF' }), 100n)
    await payout(sql, place(), 'PENDING')
    const found = async (query: string) =>
      (await pageOf(`/merchant-ledger-entries/?${query}`)).results.length
    expect(await found('')).toBe(3)
    expect(await found('country=cm')).toBe(1)
    expect(await found('currency=XOF')).toBe(2)
    expect(await found('direction=DEBIT')).toBe(1)
    expect(await found('currency=XOF&direction=CREDIT')).toBe(1)
  })

  it('never shows another merchant, nor the other environment', async () => {
    await fund(database.owner, place({ environment: 'LIVE' }), 100n)
    await fund(database.owner, senegal(newId()), 100n)
    expect((await pageOf('/merchant-ledger-entries/')).results).toEqual([])
  })

  it('400 on a wrong direction, currency or cursor; 401 without a credential', async () => {
    for (const [query, field] of [
      ['direction=OUT', 'direction'],
      ['currency=12', 'currency'],
      ['cursor=abc', 'cursor'],
      ['page_size=0', 'page_size'],
    ]) {
      const reply = await served.get(`/merchant-ledger-entries/?${query}`)
      expect([reply.status, Object.keys(reply.body as object)]).toEqual([400, [field]])
    }
    expect((await served.get('/merchant-ledger-entries/', 'anyone')).status).toBe(401)
  })
})
