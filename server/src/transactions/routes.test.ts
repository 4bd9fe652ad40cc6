// The reading side of transactions over a real database: what a merchant finds, and what is
// refused. Without these, one merchant reads another's payments, or a list skips a row.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedCursorSecret } from '../../test/setup/cursor-secret.ts'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Got, type ServedCallers, serveCallers } from '../../test/setup/serve-callers.ts'
import {
  type Key,
  momentsBack,
  plantAttempt,
  plantCustomer,
  plantIncident,
  plantMark,
  plantStatusLog,
  plantTransaction,
  type Row,
} from '../../test/setup/transaction-rows.ts'
import { catalogueIn } from '../catalogue/read-catalogue.ts'
import { type Db, openDb } from '../platform/db.ts'
import { compileBody } from '../platform/http/validation.ts'
import { newId } from '../platform/ids.ts'
import { transactionRoutes } from './routes.ts'
import { EvidenceSchema, TransactionDetailSchema } from './schema.ts'

// Fixed, since some stand in the names of tests; each file has a database of its own.
const ours = '01981f3a-0000-7000-8000-00000000aa01'
const theirs = '01981f3a-0000-7000-8000-00000000aa02'
const busy = '01981f3a-0000-7000-8000-00000000aa03'

let database: TestDatabase
let db: Db
let served: ServedCallers

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb({
    ...database.options,
    connections_max: 3,
    durable: false,
    application_name: 'test',
    role: 'pirogue_app',
  })
  served = await serveCallers(
    transactionRoutes({
      ...{ db, catalogue: catalogueIn(db), cursor_secret: fixedCursorSecret },
      approvalOf,
      mayRetry,
    }),
    {
      ours: { merchant_id: ours },
      'ours-live': { merchant_id: ours, environment: 'LIVE' },
      'ours-suspended': { merchant_id: ours, suspended: true },
      theirs: { merchant_id: theirs },
      busy: { merchant_id: busy },
    },
  )
})

afterAll(async () => {
  await served?.close()
  await db?.end({ timeout: 5 })
  await database?.drop()
})

const mayRetry = async () => false
const approvalOf = async () => ({ may_approve: false, may_not: null, ends_at: null, after: null })

type Page = { next: string | null; previous: string | null; results: { id: string }[] }

const pageIn = (got: Got): Page => {
  expect(got.status, got.text).toBe(200)
  return got.body as Page
}
const idsIn = (got: Got): string[] => pageIn(got).results.map(({ id }) => id)
const codeIn = (got: Got): unknown => (got.body as { code?: unknown }).code

describe('GET /transactions/', () => {
  const country_id = '01981f3a-0000-7000-8000-00000000cc01'
  const network_id = '01981f3a-0000-7000-8000-00000000ee01'
  const planted: { key: Key; row: Row }[] = []
  let customer: Key

  beforeAll(async () => {
    customer = await plantCustomer(database.owner, ours)
    const rows: Row[] = [
      { status: 'SUCCESS', country_id, network_id },
      { status: 'FAILED', failure_code: 'NOT_APPROVED', merchant_reference: 'ORDER-1' },
      { transaction_type: 'RETRAIT', country_code: 'CM', network_code: 'mtn_cm', currency: 'XAF' },
      { transaction_type: 'RECHARGE', customer_id: customer.id, merchant_reference: 'ORDER-1' },
      { transaction_type: 'TRANSFERT', status: 'SUCCESS', network_id: null, network_code: null },
    ]
    const moments = momentsBack(rows.length)
    for (const [index, changes] of rows.entries()) {
      const row = { created_at: moments[index], ...changes }
      planted.push({ key: await plantTransaction(database.owner, ours, row), row })
    }
    await plantWaiting(2, 3)
    await plantContradicted(1, 3)
    await plantTransaction(database.owner, ours, { environment: 'LIVE' })
    await plantTransaction(database.owner, theirs, { country_id, network_id })
  })

  /** A payout that waits for a second person and for a float; a top-up nobody knows the end of. */
  async function plantWaiting(payout: number, top_up: number): Promise<void> {
    const sql = database.owner
    const [of, unknown] = [planted[payout]?.key, planted[top_up]?.key]
    if (of === undefined || unknown === undefined) throw new Error('not planted yet')
    const row = { merchant_id: ours, transaction_id: of.id, environment: 'SANDBOX' }
    await plantMark(sql, 'payout_approvals', { ...row, lapses_at: new Date() })
    await plantMark(sql, 'payout_waits', { ...row, reason: 'GATEWAY_FLOAT' })
    await plantAttempt(sql, of)
    await plantAttempt(sql, unknown, { status: 'UNKNOWN' })
  }

  /** Two with an open incident each, one of them with a resolved one before; another's resolved. */
  async function plantContradicted(...open: number[]): Promise<void> {
    const sql = database.owner
    const resolved = {
      ...{ status: 'RESOLVED', resolution: 'WRITE_OFF', resolved_at: new Date() },
      ...{ proposed_by: newId(), confirmed_by: newId() },
    }
    for (const [nth, { key }] of planted.entries()) {
      const attempt = await plantAttempt(sql, key, { status: 'FAILED' })
      const is_open = open.includes(nth)
      if (nth !== open[0]) {
        await plantIncident(sql, key, attempt, { ...resolved, type: 'AMOUNT_MISMATCH' })
      }
      if (is_open) await plantIncident(sql, key, attempt)
    }
  }

  const plantedIds = (which: readonly number[]) => which.map((at) => planted[at]?.key.id)

  describe('200', () => {
    it('lists what is the caller’s own, of their environment, the newest first', async () => {
      expect(idsIn(await served.get('/transactions/'))).toEqual(plantedIds([0, 1, 2, 3, 4]))
      expect(idsIn(await served.get('/transactions/', { as: 'ours-live' }))).toHaveLength(1)
      const page = pageIn(await served.get('/transactions/'))
      expect(page).toMatchObject({ next: null, previous: null })
    })

    it.each([
      ['status=SUCCESS', [0, 4]],
      ['status=PENDING', [2, 3]],
      ['status=CANCELLED', []],
      ['transaction_type=RETRAIT', [2]],
      ['flow_direction=OUTBOUND', [2, 4]],
      ['flow_direction=INBOUND&status=FAILED', [1]],
      ['currency=XAF', [2]],
      ['currency=xaf', [2]],
      [`country=${country_id}`, [0]],
      [`country=${country_id.toUpperCase()}`, [0]],
      ['country=CM', [2]],
      ['country=sn', [0, 1, 3, 4]],
      [`network=${network_id}`, [0]],
      ['network=mtn_cm', [2]],
      ['network=no_such_network', []],
      [`merchant=${ours}`, [0, 1, 2, 3, 4]],
      [`merchant=${theirs}`, []],
      ['merchant_reference=ORDER-1', [1, 3]],
      ['merchant_reference=ORDER', []],
      ['created_at__gte=2026-11-21T07:59:58Z', [0, 1, 2]],
      ['created_at__lte=2026-11-21T07:59:58Z', [2, 3, 4]],
      ['created_at__gte=2026-11-21T07:59:57Z&created_at__lte=2026-11-21T08:59:58%2B01:00', [2, 3]],
      ['created_at__gte=2026-11-22', []],
      // Half a millisecond later is later: the row of that very second is not in it.
      ['created_at__gte=2026-11-21T07:59:58.000500Z', [0, 1]],
      ['status=&country=&customer=', [0, 1, 2, 3, 4]],
      ['search=nothing+like+this', []],
      ['search=+&colour=blue', [0, 1, 2, 3, 4]],
      ['approval=REQUIRED', [2]],
      ['approval=REQUIRED&status=PENDING&search=TXN', [2]],
      ['approval=REQUIRED&transaction_type=RECHARGE', []],
      ['waiting=true', [2]],
      ['waiting=True', [2]],
      ['waiting=1', [2]],
      ['waiting=false', [0, 1, 2, 3, 4]],
      ['waiting=False&status=SUCCESS', [0, 4]],
      ['waiting=0&failure_code=NOT_APPROVED', [1]],
      ['outcome=UNKNOWN', [3]],
      ['outcome=UNKNOWN&waiting=true', []],
      ['incident=OPEN', [1, 3]],
      ['incident=CONTRADICTED', [1, 3]],
      ['incident=OPEN&status=PENDING', [3]],
      ['incident=OPEN&amount__gte=1', [1, 3]],
      ['incident=OPEN&currency=XAF', []],
      ['approval=&waiting=&outcome=', [0, 1, 2, 3, 4]],
      ['failure_code=NOT_APPROVED', [1]],
      ['failure_code=NOT_APPROVED&status=FAILED&merchant_reference=ORDER-1', [1]],
      ['failure_code=INSUFFICIENT_FUNDS', []],
      ['failure_code=', [0, 1, 2, 3, 4]],
    ])('?%s', async (query, which) => {
      expect(idsIn(await served.get(`/transactions/?${query}`))).toEqual(plantedIds(which))
    })

    it('?customer=, and nothing for another merchant’s customer', async () => {
      const { get } = served
      expect(idsIn(await get(`/transactions/?customer=${customer.id}`))).toEqual(plantedIds([3]))
      const path = `/transactions/?customer=${customer.id}`
      expect(idsIn(await get(path, { as: 'theirs' }))).toEqual([])
    })

    it('reads on for a suspended merchant', async () => {
      expect((await served.get('/transactions/', { as: 'ours-suspended' })).status).toBe(200)
    })

    it('stands in the envelope that every answer has', async () => {
      const got = await served.get('/transactions/', { headers: { prefer: 'envelope=on' } })
      expect(got.body).toMatchObject({ success: true, code: 200, data: { next: null } })
    })

    it('takes a page_size above the maximum as the maximum, which a link keeps', async () => {
      const page = pageIn(await served.get('/transactions/?page_size=2&flow_direction=INBOUND'))
      expect(page.results).toHaveLength(2)
      expect(page.next).toMatch(/^https:\/\/pay\.example\.org\/api\/v1\/transactions\/\?/)
      expect(page.next).toContain('flow_direction=INBOUND')
      expect(idsIn(await served.get(page.next ?? ''))).toEqual(plantedIds([3]))
      expect(pageIn(await served.get('/transactions/?page_size=5000')).results).toHaveLength(5)
    })

    it('says no more than 200 rows whatever is asked', async () => {
      const crowd = newId()
      const crowded = await serveCallers(
        transactionRoutes({
          ...{ db, catalogue: catalogueIn(db), cursor_secret: fixedCursorSecret },
          approvalOf,
          mayRetry,
        }),
        {
          crowd: { merchant_id: crowd },
        },
      )
      for (let made = 0; made < 201; made += 1) await plantTransaction(database.owner, crowd)
      const first = pageIn(await crowded.get('/transactions/?page_size=5000'))
      expect(first.results).toHaveLength(200)
      expect(pageIn(await crowded.get(first.next ?? '')).results).toHaveLength(1)
      await crowded.close()
    })
  })

  describe('400', () => {
    it.each([
      ['status=DONE', 'status'],
      ['status=success', 'status'],
      ['transaction_type=PAYMENT', 'transaction_type'],
      ['flow_direction=IN', 'flow_direction'],
      ['currency=XO', 'currency'],
      ['country=SEN', 'country'],
      ['country=1234', 'country'],
      ['network=Wave+Sn', 'network'],
      ['merchant=me', 'merchant'],
      ['customer=1', 'customer'],
      [`merchant_reference=${'x'.repeat(101)}`, 'merchant_reference'],
      [`search=${'x'.repeat(201)}`, 'search'],
      ['created_at__gte=yesterday', 'created_at__gte'],
      ['created_at__lte=2026-02-30', 'created_at__lte'],
      ['approval=APPROVED', 'approval'],
      ['waiting=no', 'waiting'],
      ['outcome=SUCCESS', 'outcome'],
      ['incident=RESOLVED', 'incident'],
      ['approval=REQUIRED&status=SUCCESS', 'status'],
      ['failure_code=NO_MONEY', 'failure_code'],
      ['failure_code=EXPIRED&status=SUCCESS', 'status'],
      ['failure_code=EXPIRED&outcome=UNKNOWN', 'failure_code'],
      ['failure_code=EXPIRED&approval=REQUIRED&status=PENDING', 'failure_code'],
      ['page_size=0', 'page_size'],
      ['page_size=-1', 'page_size'],
      ['page_size=ten', 'page_size'],
      ['page_size=1.5', 'page_size'],
      ['cursor=made-up', 'cursor'],
    ])('?%s is reported on %s', async (query, field) => {
      const got = await served.get(`/transactions/?${query}`)
      expect(got.status).toBe(400)
      expect(Object.keys(got.body as object)).toEqual([field])
    })

    it('reports every wrong parameter at once', async () => {
      const got = await served.get('/transactions/?status=x&country=123&customer=1')
      expect(Object.keys(got.body as object).sort()).toEqual(['country', 'customer', 'status'])
      const bounds = await served.get('/transactions/?created_at__gte=a&created_at__lte=b')
      const fields = Object.keys(bounds.body as object).sort()
      expect(fields).toEqual(['created_at__gte', 'created_at__lte'])
    })

    it('refuses a cursor that was changed', async () => {
      const { next } = pageIn(await served.get('/transactions/?page_size=1'))
      const link = new URL(next ?? '')
      const cursor = link.searchParams.get('cursor') ?? ''
      link.searchParams.set('cursor', `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`)
      const got = await served.get(link.href)
      expect(got.status).toBe(400)
      expect(got.body).toHaveProperty('cursor')
    })
  })

  it('401 without a credential', async () => {
    expect((await served.get('/transactions/', { as: null })).status).toBe(401)
  })
})

describe('paging through /transactions/ while payments arrive', () => {
  it('shows each row once, on the way down and on the way back', async () => {
    // Three rows share each moment, so that only the id parts them.
    for (const created_at of momentsBack(8)) {
      for (let made = 0; made < 3; made += 1) {
        await plantTransaction(database.owner, busy, { created_at })
      }
    }
    const as = 'busy'
    const before = idsIn(await served.get('/transactions/?page_size=200', { as }))
    expect(before).toHaveLength(24)

    const down: string[] = []
    let link: string | null = '/transactions/?page_size=5'
    let bottom: Page | undefined
    for (let turns = 0; link !== null && turns < 20; turns += 1) {
      const page: Page = pageIn(await served.get(link, { as }))
      down.push(...page.results.map(({ id }) => id))
      bottom = page
      link = page.next
      const created_at = new Date(Date.parse('2026-11-21T08:00:01Z') + turns)
      await plantTransaction(database.owner, busy, { created_at })
    }
    expect(down).toEqual(before)

    const up = bottom?.results.map(({ id }) => id) ?? []
    link = bottom?.previous ?? null
    for (let turns = 0; link !== null && turns < 20; turns += 1) {
      const page: Page = pageIn(await served.get(link, { as }))
      up.unshift(...page.results.map(({ id }) => id))
      link = page.previous
    }
    const after = idsIn(await served.get('/transactions/?page_size=200', { as }))
    expect(after).toHaveLength(24 + 5)
    expect(up).toEqual(after)
  })
})

describe('one transaction', () => {
  let mine: Key
  let live: Key
  let log: Key

  beforeAll(async () => {
    const sql = database.owner
    mine = await plantTransaction(sql, ours, {
      status: 'FAILED',
      failure_code: 'NOT_APPROVED',
      metadata: { order: 7 },
    })
    live = await plantTransaction(sql, ours, { environment: 'LIVE' })
    const [second, first] = momentsBack(2)
    const attempt = await plantAttempt(sql, mine, { status: 'FAILED', created_at: first })
    await plantAttempt(sql, mine, {
      status: 'FAILED',
      priority: 2,
      created_at: second,
      failure_code: 'GATEWAY_REFUSED',
    })
    const hash = Buffer.from('00ff10', 'hex')
    const fields = { to_status: 'FAILED', attempt_id: attempt.id, evidence_said: 'refused' }
    log = await plantStatusLog(sql, mine, { ...fields, evidence_hash: hash, created_at: first })
    await plantStatusLog(sql, mine, {
      from_status: 'FAILED',
      to_status: 'PENDING',
      triggered_by: 'API',
      evidence_kind: 'RULE',
      created_at: second,
    })
    await plantIncident(sql, mine, attempt, { created_at: first, type: 'AMOUNT_MISMATCH' })
    await plantIncident(sql, mine, attempt, { created_at: second })
    // Nobody heard in time how it ended; which is known since.
    await plantIncident(sql, mine, attempt, { type: 'OUTCOME_UNKNOWN' })
  })

  it('has its attempts, its moves and its gravest incident, as the schema says', async () => {
    const got = await served.get(`/transactions/${mine.id}/`, {
      headers: { 'accept-language': 'fr' },
    })
    expect(got.status).toBe(200)
    expect(compileBody(TransactionDetailSchema)(got.body)).toEqual({})
    expect(got.body).toMatchObject({
      id: mine.id,
      merchant: ours,
      metadata: { order: 7 },
      failure_message: 'Le paiement n’a pas été approuvé.',
      incident: { type: 'DUPLICATE_CAPTURE', status: 'OPEN', is_contradiction: true },
      attempts: [
        { priority: 1, transaction: mine.id },
        { priority: 2, failure_message: 'L’opérateur a refusé l’opération.' },
      ],
      status_logs: [{ id: log.id, to_status: 'FAILED' }, { to_status: 'PENDING' }],
    })
  })

  it('is told without a word of the gateway’s own, or of what we call it there', async () => {
    const listed = await served.get('/transactions/')
    const detailed = await served.get(`/transactions/${mine.id}/`)
    const proven = await served.get(`/transactions/${mine.id}/evidence/`)
    for (const { status, text } of [listed, detailed, proven]) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/gateway.detail|our.key/)
    }
  })

  it('shows what each move rested on', async () => {
    const got = await served.get(`/transactions/${mine.id}/evidence/`)
    expect(compileBody(EvidenceSchema)(got.body)).toEqual({})
    expect(got.body).toMatchObject({
      transaction: mine.id,
      evidence: [
        { status_log: log.id, evidence_kind: 'CALLBACK', said: 'refused', hash: '00ff10' },
        { evidence_kind: 'RULE', hash: null, callback: null, attempt: null },
      ],
    })
  })

  describe.each([
    ['/transactions/:id/', () => ({ mine, live })],
    ['/transactions/:id/evidence/', () => ({ mine, live })],
    ['/transaction-status-logs/:id/', () => ({ mine: log, live })],
  ] as const)('GET %s', (path, keys) => {
    const at = (id: string) => path.replace(':id', id)

    it('200 for the owner, also with the id in capitals', async () => {
      expect((await served.get(at(keys().mine.id))).status).toBe(200)
      expect((await served.get(at(keys().mine.id.toUpperCase()))).status).toBe(200)
    })

    it('401 without a credential', async () => {
      expect((await served.get(at(keys().mine.id), { as: null })).status).toBe(401)
    })

    it('403 permission_denied for a known id of another merchant', async () => {
      const got = await served.get(at(keys().mine.id), { as: 'theirs' })
      expect([got.status, codeIn(got)]).toEqual([403, 'permission_denied'])
    })

    it('404 for an own one of the other environment, an unknown id and no id at all', async () => {
      const other = await served.get(at(keys().mine.id), { as: 'ours-live' })
      const unknown = [at(newId()), at('17'), at(`${keys().mine.id}0`)]
      const replies = [other, ...(await Promise.all(unknown.map((one) => served.get(one))))]
      const seen = replies.map((got) => [got.status, codeIn(got)])
      expect(seen).toEqual(replies.map(() => [404, 'not_found']))
    })

    it('404 for an own LIVE one when asked with a test key', async () => {
      expect((await served.get(at(keys().live.id))).status).toBe(404)
    })
  })
})

describe('GET /transaction-status-logs/', () => {
  const merchant_id = newId()
  const moves: Key[] = []
  let history: ServedCallers
  let transaction: Key

  beforeAll(async () => {
    history = await serveCallers(
      transactionRoutes({
        ...{ db, catalogue: catalogueIn(db), cursor_secret: fixedCursorSecret },
        approvalOf,
        mayRetry,
      }),
      {
        owner: { merchant_id },
        other: { merchant_id: theirs },
      },
    )
    const sql = database.owner
    transaction = await plantTransaction(sql, merchant_id)
    const another = await plantTransaction(sql, merchant_id)
    const moments = momentsBack(4)
    const rows: [Key, Row][] = [
      [transaction, { to_status: 'SUCCESS', triggered_by: 'CALLBACK' }],
      [transaction, { from_status: 'FAILED', to_status: 'PENDING', triggered_by: 'API' }],
      [transaction, { to_status: 'FAILED', triggered_by: 'POLLER' }],
      [another, { to_status: 'FAILED', triggered_by: 'CALLBACK' }],
    ]
    for (const [index, [of, row]] of rows.entries()) {
      moves.push(await plantStatusLog(sql, of, { ...row, created_at: moments[index] }))
    }
    await plantStatusLog(sql, another, { environment: 'LIVE' })
  })

  afterAll(() => history?.close())

  it.each([
    ['', [0, 1, 2, 3]],
    ['to_status=FAILED', [2, 3]],
    ['triggered_by=CALLBACK', [0, 3]],
    ['to_status=FAILED&triggered_by=POLLER', [2]],
    ['triggered_by=ADMIN', []],
  ])('200 ?%s', async (query, which) => {
    const got = await history.get(`/transaction-status-logs/?${query}`)
    expect(idsIn(got)).toEqual(which.map((at) => moves[at]?.id))
  })

  it('200 ?transaction=, and nothing for another merchant’s transaction', async () => {
    const path = `/transaction-status-logs/?transaction=${transaction.id}`
    expect(idsIn(await history.get(path))).toEqual(moves.slice(0, 3).map(({ id }) => id))
    expect(idsIn(await history.get(path, { as: 'other' }))).toEqual([])
  })

  it('pages down and back', async () => {
    const first = pageIn(await history.get('/transaction-status-logs/?page_size=3'))
    const second = pageIn(await history.get(first.next ?? ''))
    expect(second.results.map(({ id }) => id)).toEqual([moves[3]?.id])
    expect(second.next).toBeNull()
    expect(pageIn(await history.get(second.previous ?? '')).results).toEqual(first.results)
  })

  it.each([
    ['to_status=DONE', 'to_status'],
    ['triggered_by=ME', 'triggered_by'],
    ['transaction=1', 'transaction'],
    ['page_size=0', 'page_size'],
    ['cursor=x', 'cursor'],
  ])('400 ?%s is reported on %s', async (query, field) => {
    const got = await history.get(`/transaction-status-logs/?${query}`)
    expect(got.status).toBe(400)
    expect(Object.keys(got.body as object)).toEqual([field])
  })

  it('401 without a credential', async () => {
    expect((await history.get('/transaction-status-logs/', { as: null })).status).toBe(401)
  })
})
