// A merchant takes its refunds away as a file: each as `GET /refunds/` shows it, beside the payment
// that it gives back, in the form of the other files. Without it the books of what was given back
// are copied by hand, or somebody else's refunds stand in them.

import { randomUUID } from 'node:crypto'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { paidPayment, refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'

const path = '/refunds/export/'
const names = [
  ...['id', 'payment_id', 'merchant_reference', 'reference', 'status', 'amount', 'currency'],
  ...['fee', 'fees_returned', 'method', 'msisdn_masked', 'failure_code', 'reason', 'created_at'],
  ...['ended_at', 'external_reference', 'environment', 'returned_at'],
]

let app: TestApp
/** Has one refund that succeeded, which others are copies of. */
let shop: Shop
let done: Json

beforeAll(async () => {
  app = await startApp()
  shop = await refundingShop(app)
  const payment = await paidPayment(shop, {
    customer: newPayer(),
    merchant_reference: 'ORDER-1042',
  })
  const body = { amount: '4000', reason: 'Cassé, "trop tard"', reference: 'RETURN-17' }
  const made = await refund(shop, payment, body)
  expect(made.status).toBe(201)
  done = await refundEnds(shop, made.data.id, 'SUCCESS')
})
afterAll(() => app?.stop())

async function download(query = '', of = shop) {
  const reply = await fetch(`${app.url}/api/v1${path}${query}`, {
    headers: { authorization: `Bearer ${of.key}` },
  })
  const text = Buffer.from(await reply.arrayBuffer()).toString()
  return { status: reply.status, headers: reply.headers, text }
}

/** The rows' cells, without the names; no text of these has the separator in it. */
async function rowsOf(query = '', of = shop): Promise<string[][]> {
  const { text } = await download(query, of)
  const lines = text.trimEnd().split('\n').slice(1)
  return lines.map((line) => line.split(','))
}

/** Failed copies of the refund that succeeded, of one payment, each a second older. */
async function plantCopies(of: Shop, count: number, changes: Record<string, unknown> = {}) {
  const { merchant_id } = of
  const { environment = 'SANDBOX', merchant_reference = '', ...more } = changes
  const payment = { environment, merchant_reference, status: 'SUCCESS' }
  const { id } = await plantTransaction(app.owner, merchant_id, payment)
  const changed = JSON.stringify({
    ...{ merchant_id, payment_id: id, environment, reason: 'a copy' },
    ...{ status: 'FAILED', settled_attempt: null, failure_code: 'NOT_APPROVED', ...more },
  })
  await app.owner`
    insert into refunds
    select p.*
      from refunds r, generate_series(1, ${count}) n,
           jsonb_populate_record(r, ${changed}::text::jsonb || jsonb_build_object(
             'id', gen_random_uuid(), 'created_at', r.created_at - n * interval '1 second')) as p
     where r.id = ${done.id}`
}

/** The response as it comes, unread. */
const begin = (of: Shop, headers = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${of.key}`
    httpGet(`${app.url}/api/v1${path}`, { headers: { authorization, ...headers } }, resolve).on(
      'error',
      reject,
    )
  })

describe('the file of refunds', () => {
  it('shows a refund as its own page does, and the reference of its payment', async () => {
    const file = await download()
    expect(file.status).toBe(200)
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="refunds.csv"')
    expect(file.headers.get('time-zone')).toBe('UTC')
    const { data } = await shop.get(`/refunds/${done.id}/`)
    expect(data.msisdn_masked).toMatch(/^\*+\d\d$/)
    expect(file.text.trimEnd().split('\n')).toEqual([
      names.join(','),
      [
        ...[data.id, data.payment_id, 'ORDER-1042', 'RETURN-17', 'SUCCESS', '4000.00', 'XOF'],
        ...[data.fee, data.fees_returned, data.method, data.msisdn_masked, ''],
        ...['"Cassé, ""trop tard"""', data.created_at, data.ended_at, data.external_reference],
        ...['SANDBOX', ''],
      ].join(','),
    ])
    const marked = await download('?bom=true')
    expect(marked.text).toBe(`\ufeff${file.text}`)
  })

  it('shows every way a refund can be, as the list does', async () => {
    const other = await refundingShop(app)
    const payment = await paidPayment(other)
    const failing = await refund(other, payment, { amount: '100', reason: 'sandbox:01' })
    await refundEnds(other, failing.data.id, 'FAILED')
    const owner = await app.member({ merchant_id: other.merchant_id })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '50' })
    const waiting = await refund(other, payment, { amount: '200', reference: 'WAITS' })
    const cancelled = await refund(other, payment, { amount: '300' })
    await other.post(`/refunds/${cancelled.data.id}/cancel/`)
    const { data } = await other.get('/refunds/')
    const cells = await rowsOf('', other)
    expect(cells.map((row) => row[4])).toEqual(['CANCELLED', 'PENDING', 'FAILED'])
    for (const [nth, name] of names.entries()) {
      if (name === 'merchant_reference') continue
      const shown = data.results.map((one: Json) => one[name] ?? '')
      expect(cells.map((row) => row[nth])).toEqual(shown)
    }
    const ids = async (query: string) => (await rowsOf(query, other)).map(([id]) => id)
    expect(await ids('?status=PENDING')).toEqual([waiting.data.id])
    expect(await ids('?status=FAILED')).toEqual([failing.data.id])
    expect(await ids('?reference=WAITS')).toEqual([waiting.data.id])
    expect(await ids('?reference=WAITS&status=FAILED')).toEqual([])
    expect(await ids(`?reference=${encodeURIComponent(`' or '1'='1`)}`)).toEqual([])
    expect(await ids('?reference=%25')).toEqual([])
  })

  it('is of a period, as the list and a payment’s own list are', async () => {
    const own = await refundingShop(app)
    const payment = await paidPayment(own)
    const made: Json[] = []
    for (const [nth, amount] of ['100', '200', '300'].entries()) {
      const { data } = await refund(own, payment, { amount, reference: `PART-${nth}` })
      await refundEnds(own, data.id, 'SUCCESS')
      await app.owner`
        update refunds set created_at = ${`2026-0${nth + 1}-15T12:00:00Z`}::text::timestamptz
         where id = ${data.id}`
      made.push(data)
    }
    const [first, second, third] = made.map(({ id }) => id)
    const periods: [string, unknown[]][] = [
      ['?created_at__gte=2026-02-01', [third, second]],
      ['?created_at__lte=2026-02-28', [second, first]],
      [
        '?created_at__gte=2026-02-15T12:00:00Z&created_at__lte=2026-02-15T13:00:00%2B01:00',
        [second],
      ],
      ['?created_at__gte=2026-02-15T12:00:00.001Z&created_at__lte=2026-03-01', []],
    ]
    for (const [query, wanted] of periods) {
      for (const list of ['/refunds/', `/payments/${payment.id}/refunds/`]) {
        const { data } = await own.get(`${list}${query}`)
        expect([query, data.results.map(({ id }: Json) => id)]).toEqual([query, wanted])
      }
      expect([query, (await rowsOf(query, own)).map(([id]) => id)]).toEqual([query, wanted])
    }
    const page = await own.get('/refunds/?created_at__gte=2026-02-01&page_size=1')
    const next = await own.get(String(page.data.next).replace(/^.*\/api\/v1/, ''))
    expect([page, next].map(({ data }) => data.results[0]?.id)).toEqual([third, second])
    const wrong = await own.get('/refunds/?created_at__gte=soon')
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['created_at__gte']])
  })

  it('has nobody else’s rows, and tells test money from real', async () => {
    const [own, stranger] = [await app.shop(), await app.shop()]
    const live = await app.shop({ environment: 'LIVE', live: true })
    await plantCopies(stranger, 1, { reference: 'THEIRS' })
    for (const of of [own, live]) {
      await plantCopies(of, 1, { reference: 'TEST' })
      await plantCopies(of, 1, { reference: 'REAL', environment: 'LIVE' })
    }
    const told = async (of: Shop) => (await rowsOf('', of)).map((row) => [row[3], row[16]])
    expect(await told(own)).toEqual([['TEST', 'SANDBOX']])
    expect(await told(live)).toEqual([['REAL', 'LIVE']])
    expect(await rowsOf('?reference=THEIRS', own)).toEqual([])
    expect(await rowsOf('?reference=REAL', own)).toEqual([])
  })

  it('is fetched by a ticket, as a browser does', async () => {
    const member = await app.member({ merchant_id: shop.merchant_id })
    const { status, data } = await member.post('/downloads/', { path: `${path}?status=SUCCESS` })
    expect(status).toBe(201)
    expect(await (await fetch(data.url)).text()).toBe((await download('?status=SUCCESS')).text)
  })

  it('runs nothing in a spreadsheet', async () => {
    const own = await app.shop()
    const hostile = { merchant_reference: '+1+cmd', reason: '=1+1', reference: '@SUM(A1)' }
    await plantCopies(own, 1, { ...hostile, external_reference: 'a;=cmd' })
    await plantCopies(own, 1, { reason: '\t=1 "a", b', reference: '', external_reference: '-2+3' })
    const { text } = await download('', own)
    expect(text).toContain(",'+1+cmd,'@SUM(A1),FAILED,")
    expect(text).toContain(",NOT_APPROVED,'=1+1,")
    expect(text).toContain(",a;'=cmd,SANDBOX")
    expect(text).toContain(`,NOT_APPROVED,"'\t'=1 ""a"", b",`)
    expect(text).toContain(",'-2+3,SANDBOX")
    const french = await download('?locale=fr', own)
    expect(french.text).toContain(`;"a;'=cmd";SANDBOX`)
  })

  it('is written for French spreadsheets with ?locale=fr, by the merchant’s clocks', async () => {
    const own = await app.shop()
    await app.owner`update merchants set country = 'BJ' where id = ${own.merchant_id}`
    const moment = '2026-07-01T23:30:00.000Z'
    await plantCopies(own, 1, { ended_at: moment })
    const { text, headers } = await download('?locale=fr', own)
    expect(headers.get('time-zone')).toBe('Africa/Porto-Novo')
    expect(text.startsWith(`\ufeff${names.join(';')}\n`)).toBe(true)
    const cells = text.trimEnd().split('\n')[1]?.split(';') ?? []
    expect([cells[5], cells[14]]).toEqual(['4000,00', '02/07/2026 00:30:00'])
  })

  it('streams a long list whole, newest first, and packed', async () => {
    const own = await app.shop()
    await plantCopies(own, 1_500)
    const cells = await rowsOf('', own)
    expect(new Set(cells.map(([id]) => id)).size).toBe(1_500)
    const moments = cells.map((row) => row[13])
    expect(moments).toEqual(moments.toSorted().reverse())
    const reply = await begin(shop, { 'accept-encoding': 'gzip' })
    expect(reply.headers['content-encoding']).toBe('gzip')
    const packed = gunzipSync(Buffer.concat(await reply.toArray())).toString()
    expect(packed).toBe((await download()).text)
  })
})

describe('the list of refunds', () => {
  it('goes by page number and counts exactly, whole and of one payment', async () => {
    const own = await app.shop()
    await plantCopies(own, 3)
    const first = await own.get('/refunds/?page_size=2')
    expect(first.data).toMatchObject({ count: 3, previous: null })
    expect(first.data.next).toMatch(/\/api\/v1\/refunds\/\?.*page=2/)
    const second = await own.get('/refunds/?page_size=2&page=2')
    expect(second.data).toMatchObject({ count: 3, next: null })
    const ids = [first, second].flatMap(({ data }) => data.results.map(({ id }: Json) => id))
    expect(new Set(ids).size).toBe(3)
    const { payment_id } = first.data.results[0]
    const ofPayment = await own.get(`/payments/${payment_id}/refunds/?page_size=2`)
    expect(ofPayment.data).toMatchObject({ count: 3, previous: null })
    for (const list of ['/refunds/', `/payments/${payment_id}/refunds/`]) {
      const beyond = await own.get(`${list}?page=9`)
      expect([beyond.status, beyond.error.code]).toEqual([404, 'not_found'])
      const wrong = await own.get(`${list}?ordering=colour&page_size=0`)
      expect([wrong.status, Object.keys(wrong.error).sort()]).toEqual([
        400,
        ['ordering', 'page_size'],
      ])
    }
    const none = await (await app.shop()).get('/refunds/')
    expect(none.data).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it('is ordered and searched', async () => {
    const own = await app.shop()
    const held = (amount: number) => ({ amount, held_amount: amount })
    await plantCopies(own, 1, { reference: 'RETURN-A', ...held(300_00) })
    await plantCopies(own, 1, { reference: 'RETURN-B', reason: 'Broken', ...held(100_00) })
    const amounts = async (query: string) =>
      (await own.get(`/refunds/?${query}`)).data.results.map(({ amount }: Json) => amount)
    expect(await amounts('ordering=amount')).toEqual(['100.00', '300.00'])
    expect(await amounts('ordering=-amount')).toEqual(['300.00', '100.00'])
    expect(await amounts('search=return-a')).toEqual(['300.00'])
    expect(await amounts('search=BROKEN')).toEqual(['100.00'])
    expect(await amounts('search=%25')).toEqual([])
    expect((await own.get('/refunds/?search=return-a')).data.count).toBe(1)
    expect((await rowsOf('?search=return-b', own)).map((row) => row[3])).toEqual(['RETURN-B'])
  })
})

describe('a refusal', () => {
  it('names the fields that are wrong (400)', async () => {
    const times = 'created_at__gte=soon&created_at__lte=2026-02-30'
    const reference = 'z'.repeat(101)
    const query = `?status=x&locale=de&bom=maybe&columns=x&reference=${reference}&${times}`
    const { status, error } = await shop.get(`${path}${query}`)
    expect(status).toBe(400)
    expect(Object.keys(error).sort()).toEqual([
      ...['bom', 'columns', 'created_at__gte', 'created_at__lte', 'locale', 'reference'],
      'status',
    ])
  })

  it('is the way of the API for nobody (401), and a HEAD makes no file (404)', async () => {
    const nobody = await shop.get(path, { authorization: 'Bearer none' })
    expect(nobody).toMatchObject({ status: 401, body: { success: false } })
    expect((await shop.call('HEAD', path)).status).toBe(404)
    expect((await shop.get(`/refunds/${randomUUID()}/`)).status).toBe(404)
  })

  it('comes of a merchant’s third file at once, whatever files they are (429)', async () => {
    const own = await app.shop()
    await plantCopies(own, 40_000, { reason: 'x'.repeat(255) })
    const unread = [await begin(own), await begin(own)]
    for (const other of [path, '/transactions/export/']) {
      const refused = await own.get(other)
      expect(refused).toMatchObject({ status: 429, error: { code: 'rate_limited' } })
    }
    for (const reply of unread) reply.destroy()
    await eventually(async () => expect((await download('?status=PENDING', own)).status).toBe(200))
  })
})

it('lists what waits for a second member page by page, however much else is under way', async () => {
  const busy = await refundingShop(app)
  const open = { status: 'PENDING', failure_code: '', ended_at: null }
  await plantCopies(busy, 130, { ...open, lapses_at: '2999-01-01', waiting_for: 'NO_ROUTE' })
  await plantCopies(busy, 60, { ...open, lapses_at: '2999-01-01', waiting_for: 'SECOND_MEMBER' })
  const seen = new Set<string>()
  for (const page of [1, 2, 3]) {
    const { data } = await busy.get(`/refunds/?waiting_for=SECOND_MEMBER&page=${page}&page_size=25`)
    expect([data.count, data.next === null]).toEqual([60, page === 3])
    for (const { id, waiting_for } of data.results) {
      expect(waiting_for).toBe('SECOND_MEMBER')
      seen.add(id)
    }
  }
  expect(seen.size).toBe(60)
  expect(await rowsOf('?waiting_for=SECOND_MEMBER', busy)).toHaveLength(60)
  expect((await busy.get('/refunds/?waiting_for=NOBODY')).status).toBe(400)
})
