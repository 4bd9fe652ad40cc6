// Exchange rates over HTTP: what is in force, and conversions that say every mistake at once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Served, serveRoutes } from '../../test/setup/serve-routes.ts'
import { newId } from '../platform/ids.ts'
import { addRates } from './add-rate.ts'
import { currentRatesIn } from './current-rates.ts'
import { ratesRoutes } from './routes.ts'

let database: TestDatabase
let served: Served
let catalogue_version = 1n

beforeAll(async () => {
  database = await createTestDatabase()
  const routes = ratesRoutes({ rates: currentRatesIn(database.owner) })
  served = await serveRoutes(routes, () => ({ catalogue_version }))
})

afterAll(async () => {
  await served.close()
  await database.drop()
})

const convert = (query: string) => served.get(`/exchange-rates/convert/?${query}`)

describe('GET /exchange-rates/', () => {
  it('200: pages through the rates in force, eight digits each', async () => {
    const { status, body } = await served.get(
      '/exchange-rates/?page_size=100&ordering=-to_currency',
    )
    expect(status).toBe(200)
    const { count, results } = body as { count: number; results: Record<string, string>[] }
    expect(results).toHaveLength(count)
    expect(results.map((row) => row['to_currency']).slice(0, 2)).toEqual(['ZMW', 'ZAR'])
    expect(results.find((row) => row['to_currency'] === 'XOF')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      from_currency: 'EUR',
      to_currency: 'XOF',
      rate: '655.95700000',
      effective_at: '2026-01-01T00:00:00.000Z',
    })
  })

  it('400 on an ordering that is not listed, 401 without a credential', async () => {
    const { body: found } = await served.get('/exchange-rates/?search=xof')
    expect(found).toMatchObject({ count: 1, results: [{ to_currency: 'XOF' }] })
    expect((await served.get('/exchange-rates/?ordering=rate')).status).toBe(400)
    expect((await served.get('/exchange-rates/', 'anyone')).status).toBe(401)
  })
})

describe('GET /exchange-rates/convert/', () => {
  it('200: converts at the peg and rounds to whole francs once', async () => {
    expect(await convert('from=EUR&to=XOF&amount=10.01')).toEqual({
      status: 200,
      body: {
        from: 'EUR',
        to: 'XOF',
        rate: '655.95700000',
        amount: '10.01',
        converted_amount: '6566.00',
        effective_at: '2026-01-01T00:00:00.000Z',
      },
    })
  })

  it('converts the other way round, across EUR, and in lower case', async () => {
    expect((await convert('from=XOF&to=XAF&amount=1500')).body).toMatchObject({
      rate: '1.00000000',
      converted_amount: '1500.00',
    })
    expect((await convert('from=xof&to=eur&amount=655957')).body).toMatchObject({
      from: 'XOF',
      converted_amount: '1000.00',
    })
    expect((await convert('from=USD&to=USD&amount=2.5')).body).toMatchObject({
      rate: '1.00000000',
      converted_amount: '2.50',
      effective_at: expect.stringMatching(/Z$/),
    })
  })

  it('dates a cross by the older of its rates, and takes the newest rate of a pair', async () => {
    await addRates(database.owner, [
      {
        id: newId(),
        from_currency: 'EUR',
        to_currency: 'USD',
        rate: '1.25',
        source: 'test',
        effective_at: new Date('2026-06-01T00:00:00Z'),
      },
    ])
    catalogue_version += 1n
    expect((await convert('from=EUR&to=USD&amount=100')).body).toMatchObject({
      converted_amount: '125.00',
      effective_at: '2026-06-01T00:00:00.000Z',
    })
    expect((await convert('from=USD&to=XOF&amount=100')).body).toMatchObject({
      converted_amount: '52477.00',
      effective_at: '2026-01-01T00:00:00.000Z',
    })
  })

  it('400: names every wrong parameter at once', async () => {
    const missing = await convert('')
    expect(missing.status).toBe(400)
    expect(Object.keys(missing.body as object).sort()).toEqual(['amount', 'from', 'to'])
    const wrong = await convert('from=ZZZ&to=QQQ&amount=1.234')
    expect(wrong.status).toBe(400)
    expect(Object.keys(wrong.body as object).sort()).toEqual(['amount', 'from', 'to'])
    expect((await convert('from=XOF&to=EUR&amount=100.50')).body).toEqual({
      amount: [expect.stringMatching(/whole amount/)],
    })
  })

  it('422: a real currency without a rate, to be tried again later', async () => {
    expect(await convert('from=XOF&to=SEK&amount=100')).toMatchObject({
      status: 422,
      body: { code: 'no_exchange_rate', retryable: true },
    })
  })

  it('401 without a credential', async () => {
    const reply = await served.get('/exchange-rates/convert/?from=EUR&to=XOF&amount=1', 'anyone')
    expect(reply.status).toBe(401)
  })
})
