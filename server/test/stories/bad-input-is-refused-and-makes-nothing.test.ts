// Every bad request is refused with its own status, by field or by code, in the envelope or bare as
// asked, as OpenAPI publishes it; and nothing at all is made by it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawRows, sendRaw } from '../bad-input/raw-rows.ts'
import { recordRows } from '../bad-input/record-rows.ts'
import type { Row } from '../bad-input/row.ts'
import { softpayRows } from '../bad-input/softpay-rows.ts'
import { transportRows } from '../bad-input/transport-rows.ts'
import { openWorld, type World } from '../bad-input/world.ts'
import { type Json, newPayer, type Reply } from '../harness.ts'
import { matrixRows } from '../matrix/rows.ts'
import { readPublished } from '../published.ts'
import { shareOf, sized } from '../setup/proof-size.ts'

let world: World
const published = await readPublished()

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const methodOf = (row: Row) =>
  row.method ?? (row.body === undefined && row.raw === undefined ? 'GET' : 'POST')

function send(row: Row, headers: Record<string, string> = {}): Promise<Reply> {
  const body = row.raw ?? (row.body === undefined ? undefined : JSON.stringify(row.body))
  const sent: Record<string, string> = {
    ...(row.raw === undefined && body !== undefined ? { 'content-type': 'application/json' } : {}),
    ...row.headers,
    ...headers,
  }
  const { call } = world.callers[row.as ?? 'shop']
  return call(methodOf(row), world.named(row.path), { headers: sent, body: body ?? null })
}

/** What is told of the first field, or the message. */
const textOf = (error: unknown): string => JSON.stringify(error)

function expectRefusal(row: Row, { status, headers, body, error }: Reply): void {
  const { fields, code, says, allow } = row.refused
  expect({ status, error }).toMatchObject({ status: row.refused.status, error: {} })
  expect(body).toEqual({ success: false, error, code: status })
  if (fields !== undefined) {
    expect(Object.keys(error).sort()).toEqual([...fields].sort())
    for (const field of fields) expect(error[field]).toEqual([expect.stringMatching(/\.$/)])
  }
  if (code !== undefined) expect(error).toMatchObject({ code, message: expect.any(String) })
  if (says !== undefined) expect(textOf(error)).toMatch(says)
  expect(headers.get('allow')).toBe(allow ?? null)
  expect(headers.get('x-request-id')).toBeTruthy()
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.has('www-authenticate')).toBe(status === 401)
  if (error.retryable === true) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
}

async function assertBare(row: Row, enveloped: Reply): Promise<void> {
  const bare = await send(row, { prefer: 'envelope=off' })
  expect(bare.body).toEqual(enveloped.error)
  expect(bare.headers.get('preference-applied')).toBe('envelope=off')
  expect(bare.headers.get('vary')).toMatch(/prefer/i)
}

async function assertFrench(row: Row, enveloped: Reply): Promise<void> {
  const french = await send(row, { 'accept-language': 'fr' })
  expect(french.status).toBe(row.refused.status)
  expect(french.error.code).toBe(enveloped.error.code)
  expect(textOf(french.error)).not.toBe(textOf(enveloped.error))
}

/** In a small run every other row is asked again, in one of the two forms in turn. */
function formsOf(row: Row) {
  const forms = [assertBare, assertFrench]
  return sized(
    forms.filter((_, at) => all.indexOf(row) % 4 === 2 * at),
    [...shareOf(forms, all.indexOf(row))],
  )
}

/** What the last row left is what the next one finds. */
let counted: Awaited<ReturnType<World['count']>> | undefined
const countBefore = async () => counted ?? (await world.count())

const all: Row[] = [...softpayRows, ...transportRows, ...recordRows]

describe('a bad request is refused and makes nothing', () => {
  it.each(all.map((row) => [`${row.refused.status} ${row.name}`, row] as const))(
    '%s',
    async (_, row) => {
      const before = await countBefore()
      const enveloped = await send(row)
      expectRefusal(row, enveloped)
      for (const assertForm of formsOf(row)) await assertForm(row, enveloped)
      counted = await world.count()
      expect(counted).toEqual(before)
      const operation = published.operationAt(methodOf(row), row.path)
      if (operation === undefined) return
      expect(published.faultsOf(operation, enveloped)).toEqual([])
    },
  )

  it('was tried in more than a hundred ways over every route that there is', () => {
    expect(all.length).toBeGreaterThan(100)
    const names = new Set(
      all.flatMap((row) => published.operationAt(methodOf(row), row.path)?.name ?? []),
    )
    const untried = published.operations.map(({ name }) => name).filter((one) => !names.has(one))
    // The one route that refuses nothing: public, no parameter, no body. Those of people,
    // merchants' own affairs and staff are tried in the matrix.
    expect(untried.filter((name) => !(name in matrixRows))).toEqual(['GET /countries/'])
  })
})

describe('a request of bytes', () => {
  it.each(rawRows)('with %s', async (_, bytes, status, code) => {
    const before = await world.count()
    const answer = await sendRaw(world.app.service.port, bytes)
    expect(answer.status).toBe(status)
    expect(answer.head).toMatch(/^x-request-id: /im)
    if (code === undefined) expect(answer.body).toEqual(expect.any(Array))
    else expect(answer.body).toMatchObject({ success: false, error: { code }, code: status })
    expect(await world.count()).toEqual(before)
  })
})

describe('an Idempotency-Key', () => {
  const keysOf = async (key: string) =>
    (await world.app.owner`select status from idempotency_keys where key = ${key}`).length

  it.each<[string, Record<string, unknown>, number]>([
    ['a wrong body', { amount: '-5' }, 400],
    ['no rate', { currency: 'MXN', amount: '5000' }, 422],
  ])('stays free after %s', async (name, changes, status) => {
    const key = `free after ${name}`
    const refused = await world.callers.shop.pay(changes, { 'idempotency-key': key })
    expect(refused.status).toBe(status)
    expect(await keysOf(key)).toBe(0)
    const paid = await world.callers.shop.pay(
      { customer: newPayer('04') },
      { 'idempotency-key': key },
    )
    expect(paid.status).toBe(201)
    expect(paid.headers.get('idempotent-replayed')).toBeNull()
  })

  it('stays free after a refusal of the caller', async () => {
    const key = { 'idempotency-key': 'free after a wall' }
    for (const who of ['nobody', 'revoked', 'payout', 'suspended'] as const) {
      const { call } = world.callers[who]
      const { status } = await call('POST', '/payments/softpay/', {
        headers: { ...key, 'content-type': 'application/json' },
        body: JSON.stringify({}),
      })
      expect([401, 403]).toContain(status)
    }
    expect(await keysOf(key['idempotency-key'])).toBe(0)
  })

  it('keeps a 422 that will not change, for the same body and against another', async () => {
    const { shop } = world.callers
    const key = { 'idempotency-key': 'kept 422' }
    const first = await shop.pay({ network: 'nobody_bj' }, key)
    expect(first).toMatchObject({ status: 422, error: { code: 'invalid_method' } })
    const again = await shop.pay({ network: 'nobody_bj' }, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
    const before = await world.count()
    const other = await shop.pay({}, key)
    expect(other).toMatchObject({ status: 409, error: { code: 'idempotency_conflict' } })
    expect(await world.count()).toEqual(before)
  })
})

describe('a list', () => {
  it.each([
    ['/networks/', 100],
    ['/transactions/', 200],
  ])('%s reads a page_size of 1000 as %i', async (path, most) => {
    const { status, data } = await world.callers.shop.get(`${path}?page_size=1000`)
    expect(status).toBe(200)
    expect(data.results.length).toBeLessThanOrEqual(most)
  })

  it('takes its cursor with another page_size, and goes on at the same place', async () => {
    const { shop } = world.callers
    const path = world.named('/transactions/?cursor={cursor}')
    const [one, many] = await Promise.all([
      shop.get(`${path}&page_size=1`),
      shop.get(`${path}&page_size=100`),
    ])
    expect(one.data.results).toHaveLength(1)
    expect(many.data.results[0]).toEqual(one.data.results[0])
  })

  it('shows nobody another’s rows, whosever cursor they have', async () => {
    for (const list of ['transactions', 'transaction-attempts', 'transaction-status-logs']) {
      const path = world.named(`/${list}/?cursor={cursor}`)
      const { status, data } = await world.callers.stranger.get(path)
      expect(status === 400 || (status === 200 && data.results.length === 0)).toBe(true)
    }
  })
})

describe('a limit', () => {
  it('of calls a minute answers 429 with the seconds to wait, and makes nothing', async () => {
    const slow = await world.app.shop({ rate_limit: 1 })
    // Three, because a minute may end between two of them.
    const replies = [await slow.get('/networks/'), await slow.pay(), await slow.pay({}, {})]
    const late = replies.filter(({ status }) => status === 429)
    expect(late.length).toBeGreaterThan(0)
    for (const { headers, error } of late) {
      expect(error).toMatchObject({ code: 'rate_limited', retryable: true })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(headers.get('ratelimit-remaining')).toBe('0')
    }
    const made = await world.app.owner`
      select 1 from transactions where merchant_id = ${slow.merchant_id}`
    expect(made.length + late.length + 1).toBe(3)
  })

  it('of twenty webhooks refuses the next', async () => {
    const full = await world.app.shop()
    const register = () =>
      full.post('/merchant-webhooks/', { url: 'https://hooks.example.com/full' })
    const replies: Json[] = []
    for (let made = 0; made <= 20; made += 1) replies.push(await register())
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(replies.at(-1)).toMatchObject({ status: 422, error: { code: 'webhook_limit_reached' } })
  })
})
