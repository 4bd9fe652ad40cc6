// What breaks in the dashboard's own code reaches whoever runs the service: a line of the log and a
// count, without what a person typed; ten a minute of one person, and from nobody else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metricsOn } from '../../src/app/metrics.ts'
import { makeLog } from '../../src/platform/log.ts'
import { type Json, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'

const texts: string[] = []
const log = makeLog('info', { write: (text: string) => void texts.push(text) })
let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp({ log })
  shop = await app.shop()
})
afterAll(() => app.stop())

const fault = {
  kind: 'PART',
  message: 'no amount for +229 01 97 00 00 10 of awa@example.com',
  build: 'index-BkX3v9Qa.js',
  path: '/:merchant/live/payouts/:id',
  request_id: '4b6f1c9e-6c1f-4c57-9d0e-2f0f3f3d7a11',
  stack: 'at draw (https://pay.example.org/payments?search=Awa)\nBearer sk_live_abcDEF123',
}

const report = (by: Shop, changes: Json = {}, id = 'fault') =>
  by.post('/client-errors/', { ...fault, ...changes }, { 'x-request-id': id })

const lineOf = (id: string): Json | undefined =>
  texts
    .map((text) => JSON.parse(text))
    .find((line) => line.request_id === id && line.msg === 'a fault of the dashboard')

async function counted(kind: string): Promise<number> {
  const text = await metricsOn(app.service.db)()
  return Number(new RegExp(`client_errors_total{kind="${kind}"} (\\d+)`).exec(text)?.[1])
}

const member = async (): Promise<SignedInCaller> =>
  app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })

describe('a fault that is reported', () => {
  it('is a line under the id of its report, and one more of its kind', async () => {
    const before = await counted('PART')
    const reply = await report(await heldToPublished(await member()), {}, 'fault-1')
    expect([reply.status, reply.body]).toEqual([204, undefined])
    expect(lineOf('fault-1')).toMatchObject({
      level: 40,
      kind: 'PART',
      message: 'no amount for *** of ***',
      build: fault.build,
      path: fault.path,
      failed_request: fault.request_id,
      stack: 'at draw (https://pay.example.org/payments?***)\nBearer ***',
      person_id: expect.any(String),
      session_id: expect.any(String),
    })
    expect((await counted('PART')) - before).toBe(1)
  })

  it('counts ten a minute of one person, and keeps nobody else from theirs', async () => {
    const [one, other] = [await member(), await member()]
    const ids = Array.from({ length: 12 }, (_, n) => `many-${n}`)
    const replies = await Promise.all(ids.map((id) => report(one, {}, id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 10 }, () => 204),
      ...[429, 429],
    ])
    expect(ids.filter((id) => lineOf(id) !== undefined)).toHaveLength(10)
    const late = replies.find(({ status }) => status === 429)
    expect(late?.error.code).toBe('rate_limited')
    expect(Number(late?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await report(other)).status).toBe(204)
  })
})

describe('what is no report', () => {
  it.each([
    ['kind', { kind: 'WARNING' }],
    ['message', { message: 'x'.repeat(501) }],
    ['message', { message: undefined }],
    ['stack', { stack: 'x'.repeat(4001) }],
    ['path', { path: '/01981f3a-5b60-7c11-9a52-0242ac120301/live/payouts' }],
    ['path', { path: '/:merchant/live/payments?search=Awa' }],
    ['build', { build: 'a file' }],
    ['request_id', { request_id: '<script>' }],
  ])('is refused on %s', async (field, changes) => {
    const { status, error } = await report(await heldToPublished(await member()), changes)
    expect([status, Object.keys(error)]).toEqual([400, [field]])
  })

  it('is refused to keys, to staff and to nobody, and leaves no line', async () => {
    const nobody = { ...shop, ...(await app.shop()) }
    expect((await report(nobody, {}, 'by-key')).status).toBe(403)
    const bare = await fetch(`${app.url}/api/v1/client-errors/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'by-nobody' },
      body: JSON.stringify(fault),
    })
    expect(bare.status).toBe(401)
    expect([lineOf('by-key'), lineOf('by-nobody')]).toEqual([undefined, undefined])
  })
})
