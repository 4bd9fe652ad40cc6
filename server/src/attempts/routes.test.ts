// The attempts as merchants read them, over a real database. Without these, a gateway's own text
// leaves the platform, or one merchant reads another's attempts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedCursorSecret } from '../../test/setup/cursor-secret.ts'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Got, type ServedCallers, serveCallers } from '../../test/setup/serve-callers.ts'
import {
  type Key,
  momentsBack,
  plantAttempt,
  plantSettlementAttempt,
  plantTransaction,
  type Row,
} from '../../test/setup/transaction-rows.ts'
import { type Db, openDb } from '../platform/db.ts'
import { compileBody } from '../platform/http/validation.ts'
import { newId } from '../platform/ids.ts'
import { attemptRoutes } from './routes.ts'
import { AttemptSchema } from './schema.ts'

const [ours, theirs] = [newId(), newId()]
const gateway_id = '01981f3a-0000-7000-8000-00000000bb01'
const attempts: Key[] = []

let database: TestDatabase
let db: Db
let served: ServedCallers
let transaction: Key
let settling: Key

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb({
    ...database.options,
    connections_max: 3,
    durable: false,
    application_name: 'test',
    role: 'pirogue_app',
  })
  const sql = database.owner
  settling = await plantSettlementAttempt(sql)
  transaction = await plantTransaction(sql, ours)
  const another = await plantTransaction(sql, ours)
  const rows: [Key, Row][] = [
    [transaction, { status: 'UNKNOWN', priority: 2 }],
    [transaction, { status: 'FAILED', failure_code: 'GATEWAY_REFUSED', gateway_id }],
    [another, { status: 'SUCCESS', external_reference: 'OP-1', gateway_id }],
  ]
  const moments = momentsBack(rows.length)
  for (const [index, [of, row]] of rows.entries()) {
    attempts.push(await plantAttempt(sql, of, { ...row, created_at: moments[index] }))
  }
  await plantAttempt(sql, another, { environment: 'LIVE' })
  const failureText = (code: string, locale: string) => (code === '' ? '' : `${code} in ${locale}`)
  served = await serveCallers(
    attemptRoutes({ db, cursor_secret: fixedCursorSecret, failureText }),
    {
      ours: { merchant_id: ours },
      'ours-live': { merchant_id: ours, environment: 'LIVE' },
      theirs: { merchant_id: theirs },
      settled: { merchant_id: settling.merchant_id },
    },
  )
})

afterAll(async () => {
  await served?.close()
  await db?.end({ timeout: 5 })
  await database?.drop()
})

type Page = { next: string | null; previous: string | null; results: { id: string }[] }

const pageIn = (got: Got): Page => {
  expect(got.status, got.text).toBe(200)
  return got.body as Page
}
const idsIn = (got: Got): string[] => pageIn(got).results.map(({ id }) => id)
const codeIn = (got: Got): unknown => (got.body as { code?: unknown }).code
const one = (at: number): string => attempts[at]?.id ?? ''

describe('GET /transaction-attempts/', () => {
  it.each([
    ['', [0, 1, 2]],
    ['status=FAILED', [1]],
    ['status=UNKNOWN', [0]],
    ['status=PENDING', []],
    [`gateway=${gateway_id}`, [1, 2]],
    [`gateway=${gateway_id.toUpperCase()}&status=SUCCESS`, [2]],
  ])('200 ?%s', async (query, which) => {
    expect(idsIn(await served.get(`/transaction-attempts/?${query}`))).toEqual(which.map(one))
  })

  it('200 ?transaction=, and nothing for another merchant’s transaction', async () => {
    const path = `/transaction-attempts/?transaction=${transaction.id}`
    expect(idsIn(await served.get(path))).toEqual([one(0), one(1)])
    expect(idsIn(await served.get(path, { as: 'theirs' }))).toEqual([])
  })

  it('200 with the rows of the caller’s environment only', async () => {
    expect(idsIn(await served.get('/transaction-attempts/', { as: 'ours-live' }))).toHaveLength(1)
  })

  it('200 without the attempts that pay out settlements', async () => {
    expect(idsIn(await served.get('/transaction-attempts/', { as: 'settled' }))).toEqual([])
  })

  it('200 in the envelope that every answer has', async () => {
    const headers = { prefer: 'envelope=on' }
    const got = await served.get('/transaction-attempts/', { headers })
    expect(got.body).toMatchObject({ success: true, code: 200, data: { previous: null } })
  })

  it('pages down and back while an attempt arrives', async () => {
    const first = pageIn(await served.get('/transaction-attempts/?page_size=2'))
    const last = pageIn(await served.get(first.next ?? ''))
    expect([...first.results, ...last.results].map(({ id }) => id)).toEqual([0, 1, 2].map(one))
    expect(last.next).toBeNull()

    const fresh = await plantTransaction(database.owner, ours)
    const created_at = new Date('2026-11-21T08:00:01Z')
    const newest = await plantAttempt(database.owner, fresh, { created_at })
    const back = pageIn(await served.get(last.previous ?? ''))
    expect(back.results).toEqual(first.results)
    expect(idsIn(await served.get(back.previous ?? ''))).toEqual([newest.id])
  })

  it.each([
    ['status=DONE', 'status'],
    ['gateway=first_gateway', 'gateway'],
    ['transaction=1', 'transaction'],
    ['page_size=0', 'page_size'],
    ['cursor=x', 'cursor'],
  ])('400 ?%s is reported on %s', async (query, field) => {
    const got = await served.get(`/transaction-attempts/?${query}`)
    expect(got.status).toBe(400)
    expect(Object.keys(got.body as object)).toEqual([field])
  })

  it('401 without a credential', async () => {
    expect((await served.get('/transaction-attempts/', { as: null })).status).toBe(401)
  })
})

describe('GET /transaction-attempts/{id}/', () => {
  const at = (id: string) => `/transaction-attempts/${id}/`

  it('200 with every field of the schema, and no other', async () => {
    const got = await served.get(at(one(1)), { headers: { 'accept-language': 'fr' } })
    expect(got.status).toBe(200)
    expect(compileBody(AttemptSchema)(got.body)).toEqual({})
    const fields = Object.keys(got.body as object)
    expect(fields.sort()).toEqual(Object.keys(AttemptSchema.properties).sort())
    expect(got.body).toMatchObject({
      transaction: transaction.id,
      gateway: gateway_id,
      gateway_code: 'first_gateway',
      network_code: 'wave_sn',
      failure_code: 'GATEWAY_REFUSED',
      failure_message: 'GATEWAY_REFUSED in fr',
      requested_amount: '10000.00',
      client_fee: '325.00',
      debited_amount: '10325.00',
      net_amount: '10000.00',
      finished_at: '2026-11-21T08:00:04.000Z',
    })
  })

  it('200 with no end while there is none', async () => {
    const got = await served.get(at(one(0)))
    expect(got.body).toMatchObject({ finished_at: null, failure_message: '' })
  })

  it('200 without what the gateway said in its own words, in the list neither', async () => {
    const texts = await Promise.all(
      ['/transaction-attempts/', at(one(0)), at(one(1))].map((path) => served.get(path)),
    )
    for (const { status, text } of texts) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/gateway.detail|our.key/)
    }
  })

  it('401 without a credential', async () => {
    expect((await served.get(at(one(0)), { as: null })).status).toBe(401)
  })

  it('403 permission_denied for a known id of another merchant', async () => {
    const got = await served.get(at(one(0)), { as: 'theirs' })
    expect([got.status, codeIn(got)]).toEqual([403, 'permission_denied'])
  })

  it('404 for an own one of the other environment, unknown and ill-formed ids', async () => {
    const replies = [
      await served.get(at(one(0)), { as: 'ours-live' }),
      await served.get(at(newId())),
      await served.get(at('17')),
    ]
    expect(replies.map((got) => [got.status, codeIn(got)])).toEqual(
      replies.map(() => [404, 'not_found']),
    )
  })

  it('404 for an attempt that pays out a settlement, to its owner and to anyone', async () => {
    for (const as of ['settled', 'theirs']) {
      expect((await served.get(at(settling.id), { as })).status).toBe(404)
    }
  })
})
