// A list that may grow to millions goes by cursor where it is asked for so: each row once, there and
// back, by filters too; a page reads as much of a long one as of a short one. By number it is as it
// was, counted exactly.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listSessions } from '../../src/orders/order-statements.ts'
import type { Db, Sql } from '../../src/platform/db.ts'
import { listOwn, madeBy } from '../../src/platform/http/own-list-store.ts'
import type { Cursor } from '../../src/platform/http/pages.ts'
import type { Environment } from '../../src/platform/http/route.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { pagesRead } from '../setup/pages-read.ts'

let app: TestApp
let owner: SignedInCaller
let db: Db

beforeAll(async () => {
  app = await startApp()
  owner = await app.member()
  db = app.service.db
})
afterAll(() => app?.stop())

const lists = [
  ...['/checkout-sessions/', '/payment-links/', '/customers/', '/refunds/', '/settlements/'],
  '/wallet-transfers/',
]

/** From the first page to the last by `next`, and back by `previous`. */
async function walked(path: string): Promise<Readonly<{ there: string[]; back: string[] }>> {
  const idsOf = ({ results }: Json): string[] => results.map(({ id }: Json) => id)
  let page: Json = (await owner.get(path)).data
  const there = idsOf(page)
  while (page.next !== null) {
    page = (await owner.get(page.next.split('/api/v1')[1])).data
    there.push(...idsOf(page))
  }
  const back = idsOf(page)
  while (page.previous !== null) {
    page = (await owner.get(page.previous.split('/api/v1')[1])).data
    back.unshift(...idsOf(page))
  }
  return { there, back }
}

describe('by cursor', () => {
  it('has each row once, there and back, in the order of the numbered pages, and counts few', async () => {
    for (let nth = 1; nth <= 7; nth += 1) {
      const customer = { customer_email: `awa${nth}@example.com`, customer_name: `Awa ${nth}` }
      await owner.post('/checkout-sessions/', { amount: '500', currency: 'XOF', ...customer })
      await owner.post('/customers/', { email: `kofi${nth}@example.com`, full_name: 'Kofi Ly' })
      const link = { name: `Link ${nth}`, amount_type: 'FIXED', amount: '500', currency: 'XOF' }
      expect((await owner.post('/payment-links/', link)).status).toBe(201)
    }
    for (const path of lists) {
      const { data } = await owner.get(`${path}?page_size=100`)
      const ids = data.results.map(({ id }: Json) => id)
      const asked = `${path}?pagination=cursor&page_size=3`
      expect(await walked(asked), path).toEqual({ there: ids, back: ids })
      expect((await owner.get(asked)).data.count, path).toBe(data.count)
    }
    const ended = `/checkout-sessions/?pagination=cursor&page_size=3&status=CANCELLED`
    const [, second] = (await owner.get('/checkout-sessions/')).data.results
    expect((await owner.post(`/checkout-sessions/${second.id}/cancel/`)).status).toBe(200)
    expect((await owner.get(ended)).data).toMatchObject({ count: 1, results: [{ id: second.id }] })
    const found = '/customers/?pagination=cursor&page_size=3&search=kofi3'
    expect((await owner.get(found)).data).toMatchObject({ count: 1, next: null })
  })

  it('400: another order, a page number, a cursor that is not asked for or was changed', async () => {
    for (const path of lists) {
      for (const [query, field] of [
        ['pagination=cursor&ordering=created_at', 'ordering'],
        ['pagination=cursor&page=2', 'page'],
        ['pagination=cursor&cursor=x', 'cursor'],
        ['cursor=x', 'cursor'],
        ['pagination=all', 'pagination'],
      ] as const) {
        const { status, error } = await owner.get(`${path}?${query}`)
        expect([status, Object.keys(error)], `${path}?${query}`).toEqual([400, [field]])
      }
    }
  })
})

type Wanted = Readonly<{ is: 'cursor'; cursor: Cursor | undefined; limit: number }>

/** Sessions of a merchant of its own, one a second, every tenth of them cancelled. */
async function sessionsOf(count: number) {
  const merchant_id = newId()
  await app.owner`insert into merchants (id, name) values (${merchant_id}, 'Long')`
  await app.owner`
    insert into checkout_sessions (merchant_id, id, environment, slug, amount, currency,
      description, customer_email, customer_name, status, created_at, updated_at, expires_at)
    select ${merchant_id}, gen_random_uuid(), 'SANDBOX', gen_random_uuid()::text, 100, 'XOF', '',
           '', '', case when nth % 10 = 0 then 'CANCELLED' else 'EXPIRED' end,
           now() - nth * interval '1 second', now(), now()
      from generate_series(1, ${count}) nth`
  await app.owner`analyze checkout_sessions`
  return { merchant_id, environment: 'SANDBOX' as Environment }
}

describe('a page of a long list', () => {
  it('looks at so many rows, says where it ended, and goes on from there', async () => {
    const owned = await sessionsOf(100)
    const at: Sql = db
    const page = (wanted: Wanted) =>
      listOwn<{ id: string }>(
        { sql: db, at },
        {
          ...{ table: 'checkout_sessions', as: 's', columns: db`s.id` },
          owned: madeBy(db, owned, 's'),
          where: db`${madeBy(db, owned, 's')} and s.status = 'CANCELLED'`,
        },
        wanted,
        { look: 25, count: 50 },
      )
    const ids: string[] = []
    let cursor: Cursor | undefined
    let pages = 0
    do {
      const { count, rows, stopped_at } = await page({ is: 'cursor', cursor, limit: 5 })
      expect(count).toBe(null)
      ids.push(...rows.map(({ id }) => id))
      cursor = stopped_at && { dir: 'next', ...stopped_at }
      pages += 1
    } while (cursor !== undefined)
    const all = await app.owner<{ id: string }[]>`
      select id from checkout_sessions
       where merchant_id = ${owned.merchant_id} and status = 'CANCELLED' order by created_at desc`
    expect(ids).toEqual(all.map(({ id }) => id))
    expect(pages).toBe(5)
  })

  it('costs as much as one of a shorter list', async () => {
    const [short, long] = [await sessionsOf(6_000), await sessionsOf(40_000)]
    const filters = { search: undefined, status: undefined, payment_link: undefined }
    const times = { created_at__gte: undefined, created_at__lte: undefined }
    const cost = (owned: typeof short) =>
      pagesRead(db, 'checkout_sessions', (tx) =>
        listSessions(
          tx,
          { ...owned, ...filters, ...times },
          { is: 'cursor', cursor: undefined, limit: 51 },
        ),
      )
    expect(await cost(long)).toBeLessThan(2 * (await cost(short)))
  })
})
