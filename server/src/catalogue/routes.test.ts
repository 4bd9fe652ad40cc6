// The catalogue over HTTP: what is public, what is not, pages, and copies that are never too old.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Served, serveRoutes } from '../../test/setup/serve-routes.ts'
import { shipped } from '../../test/setup/shipped-rows.ts'
import { publishCatalogue } from './extend-catalogue.ts'
import { catalogueIn } from './read-catalogue.ts'
import { catalogueRoutes } from './routes.ts'
import { getCatalogueVersion } from './store.ts'

let database: TestDatabase
let served: Served
let catalogue_version: bigint

beforeAll(async () => {
  database = await createTestDatabase()
  const db = database.owner
  catalogue_version = await getCatalogueVersion(db)
  const routes = catalogueRoutes({ db, catalogue: catalogueIn(db) })
  served = await serveRoutes(routes, () => ({ catalogue_version }))
})

afterAll(async () => {
  await served.close()
  await database.drop()
})

type Row = { id: string; code: string; iso_code: string; name: string }
type Page = { count: number; next: string | null; previous: string | null; results: Row[] }
const rowsOf = (body: unknown) => body as Row[]
const pageOf = (body: unknown) => body as Page

describe('GET /countries/', () => {
  it('200: answers everybody a bare array of countries', async () => {
    const { status, body } = await served.get('/countries/', 'anyone')
    expect(status).toBe(200)
    expect(rowsOf(body)).toHaveLength(shipped.countries)
    expect(rowsOf(body).find((country) => country.iso_code === 'SN')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iso_code: 'SN',
      name: 'Sénégal',
      default_currency: 'XOF',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
  })

  it('shows a published change at the next call', async () => {
    await database.owner`update countries set name = 'Le Faso' where iso_code = 'BF'`
    await publishCatalogue(database.owner)
    const { body } = await served.get('/countries/', 'anyone')
    expect(rowsOf(body)[0]).toMatchObject({ iso_code: 'BF', name: 'Le Faso' })
  })
})

describe('GET /countries/:id/', () => {
  it('200: reads one that the list names', async () => {
    const { body } = await served.get('/countries/')
    const [first] = rowsOf(body)
    const reply = await served.get(`/countries/${first?.id}/`)
    expect(reply).toEqual({ status: 200, body: first })
  })

  it('401: not without a credential', async () => {
    const { body } = await served.get('/countries/')
    const reply = await served.get(`/countries/${rowsOf(body)[0]?.id}/`, 'anyone')
    expect(reply).toMatchObject({ status: 401, body: { code: 'not_authenticated' } })
  })

  it('404: unknown and ill-formed ids', async () => {
    for (const id of ['01981f3a-0000-7000-8000-000000000001', 'SN']) {
      const reply = await served.get(`/countries/${id}/`)
      expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })
})

describe('GET /networks/', () => {
  it('200: pages by country and code, inactive ones too, with an exact count', async () => {
    const { status, body } = await served.get('/networks/?page=2&page_size=20')
    expect(status).toBe(200)
    expect(pageOf(body)).toMatchObject({
      count: shipped.networks,
      next: 'https://pay.example.org/api/v1/networks/?page=3&page_size=20',
      previous: 'https://pay.example.org/api/v1/networks/?page=1&page_size=20',
    })
    expect(pageOf(body).results).toHaveLength(20)
    const all = pageOf((await served.get('/networks/')).body).results
    expect(all.find((network) => network.code === 'coris_bj')).toMatchObject({
      country_code: 'BJ',
      name: 'Coris Money Bénin',
      is_active: false,
    })
    expect(all.slice(0, 3).map((network) => network.code)).toEqual([
      'moov_bf',
      'orange_bf',
      'touchcash_bf',
    ])
  })

  it('orders by an allowed field, either way', async () => {
    const { body } = await served.get('/networks/?ordering=-code&page_size=2')
    const codes = pageOf(body).results.map((network) => network.code)
    expect(codes).toEqual(['wizall_sn', 'wave_sn'])
  })

  it('has no filter: other parameters are ignored', async () => {
    const { body } = await served.get('/networks/?country=SN')
    expect(pageOf(body).count).toBe(shipped.networks)
  })

  it('searches code and name, and its links go on searching', async () => {
    const found = async (query: string) => pageOf((await served.get(`/networks/?${query}`)).body)
    const { count, next } = await found('search=WAVE&page_size=2')
    expect([count, next]).toEqual([3, expect.stringContaining('search=WAVE')])
    expect((await found('search=sénégal')).results.map(({ code }) => code)).toEqual([
      'orange_sn',
      'wave_sn',
    ])
    expect((await found('search=nobody')).count).toBe(0)
  })

  it('400: an ordering that is not listed', async () => {
    const reply = await served.get('/networks/?ordering=currency')
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.body as object)).toEqual(['ordering'])
  })

  it('401 without a credential, 404 beyond the last page', async () => {
    expect((await served.get('/networks/', 'anyone')).status).toBe(401)
    expect((await served.get('/networks/?page=2')).status).toBe(404)
  })
})

describe('GET /networks/:id/', () => {
  it('200: reads one; 404: unknown and ill-formed ids; 401 without a credential', async () => {
    const [first] = pageOf((await served.get('/networks/')).body).results
    expect(await served.get(`/networks/${first?.id}/`)).toEqual({ status: 200, body: first })
    expect((await served.get('/networks/wave_sn/')).status).toBe(404)
    expect((await served.get('/networks/01981f3a-0000-7000-8000-000000000001/')).status).toBe(404)
    expect((await served.get(`/networks/${first?.id}/`, 'anyone')).status).toBe(401)
  })

  it('shows a change from the version on that the caller came with', async () => {
    const [first] = pageOf((await served.get('/networks/')).body).results
    await database.owner`update networks set is_active = false where id = ${first?.id ?? ''}`
    await publishCatalogue(database.owner)
    const before = await served.get(`/networks/${first?.id}/`)
    catalogue_version = await getCatalogueVersion(database.owner)
    const after = await served.get(`/networks/${first?.id}/`)
    expect([before.body, after.body]).toMatchObject([{ is_active: true }, { is_active: false }])
  })
})
