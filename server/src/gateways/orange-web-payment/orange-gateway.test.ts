// The adapter of Orange Money Web Payment against the dialect that imitates what others tell of its
// wire: the bytes that we send, every status, notices, tokens, lost creates, ends that are looked at
// again; and bodies by chance.

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type OrangeOptions, startOrange } from '../../../../simulator/src/dialects/orange/start.ts'
import { serveHttp } from '../../../test/setup/loopback.ts'
import { withOrange } from '../../../test/setup/orange-account.ts'
import { sized } from '../../../test/setup/proof-size.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { Account } from '../adapter.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, AttemptKey, GatewayOrder } from '../gateway.ts'
import { memoryTokens } from '../tokens.ts'
import { orangeGateway } from './orange-gateway.ts'
import { orderStatuses, readCreated, readStatus } from './read-answer.ts'
import { type Answered, keyOfOrderId, orderIdOf } from './wire.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

function opened(account: Account) {
  const notes: string[] = []
  const gateway = orangeGateway(account, {
    ...{ outbound, clock: Date.now, note: (what: string) => notes.push(what) },
    tokens: (obtain) => memoryTokens(obtain, Date.now),
  })
  return { gateway, notes }
}

async function open(options: Partial<OrangeOptions> = {}) {
  const orange = await startOrange({ port: 0, speed: 10, ...options })
  onTestFinished(() => orange.stop())
  return { orange, ...opened(withOrange(orange)) }
}

const orderOf = (changes: Partial<GatewayOrder> = {}): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'orange_ci', country_code: 'CI' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+2250707000010', flow: 'redirect' },
  ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier' },
  ...{ callback_url: 'http://127.0.0.1:9/callbacks/o/t', return_url: 'https://shop.example/ok' },
  ...changes,
})

/** The attempt as it is asked about after this answer. */
function asked(order: GatewayOrder, answer: Answer, age_s = 5): AttemptKey {
  if (answer.is !== 'waiting' || answer.memo === undefined) throw new Error(answer.is)
  return { ...order, external_reference: answer.external_reference, memo: answer.memo, age_s }
}
const pageOf = (answer: Answer): string =>
  answer.is === 'waiting' && typeof answer.next === 'object' ? answer.next.redirect_to : ''
const actOn = (page: string, act: string) =>
  fetch(page, { method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' })

describe('a payment', () => {
  it('is sent byte for byte, with the payer sent to the page and both tokens remembered', async () => {
    const sent: { url: string; body: string; headers: Record<string, unknown> }[] = []
    const server = await serveHttp(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { url = '', headers } = request
      sent.push({ url, headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(url.endsWith('/token') ? 200 : 201)
      response.end(
        url.endsWith('/token')
          ? '{"token_type":"Bearer","access_token":"t","expires_in":7776000}'
          : '{"status":201,"message":"OK","pay_token":"p","payment_url":"https://x.example/p","notif_token":"n"}',
      )
    })
    onTestFinished(() => server.close())
    const keys = { url: server.url, client_id: 'client-id', client_secret: 'client-secret' }
    const { gateway } = opened(withOrange({ ...keys, merchant_key: 'merchant-key' }))
    const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'
    const order = orderOf({ our_key })
    expect((await gateway.collect(order)).answer).toEqual({
      ...{ is: 'waiting', external_reference: orderIdOf(our_key) },
      ...{ next: { redirect_to: 'https://x.example/p' }, memo: { ask: 'p', notice: 'n' } },
    })
    expect(sent.map(({ url }) => url)).toEqual([
      ...['/oauth/v3/token', '/orange-money-webpay/dev/v1/webpayment'],
    ])
    expect(sent[0]).toMatchObject({
      body: 'grant_type=client_credentials',
      headers: {
        authorization: `Basic ${Buffer.from('client-id:client-secret').toString('base64')}`,
      },
    })
    expect(JSON.parse(sent[1]?.body ?? '')).toEqual({
      ...{ merchant_key: 'merchant-key', currency: 'OUV', order_id: orderIdOf(our_key) },
      ...{ amount: 5000, return_url: 'https://shop.example/ok' },
      ...{ cancel_url: 'https://shop.example/ok', notif_url: order.callback_url },
      ...{ lang: 'fr', reference: 'Pirogue' },
    })
  })

  it('waits, and is confirmed with the sum that was asked about', async () => {
    const { gateway, orange } = await open()
    const order = orderOf()
    const { answer } = await gateway.collect(order)
    const key = asked(order, answer)
    expect((await gateway.query(key)).answer).toMatchObject({ is: 'waiting', next: 'payer' })
    await actOn(pageOf(answer), 'pay')
    expect((await gateway.query(key)).answer).toMatchObject({
      ...{ is: 'confirmed', amount: order.amount, currency: 'XOF', amount_is: 'ASKED' },
    })
    const other = await gateway.query({ ...key, amount: 4_000_00n })
    expect(other.answer.is).toBe('unknown')
    expect(orange.books()).toMatchObject([{ status: 'SUCCESS', amount: 5000 }])
  })

  it('that its payer refuses is not approved', async () => {
    const { gateway } = await open()
    const order = orderOf()
    const { answer } = await gateway.collect(order)
    await actOn(pageOf(answer), 'fail')
    expect((await gateway.query(asked(order, answer))).answer).toMatchObject({
      ...{ is: 'refused', by: 'payer', failure_code: 'NOT_APPROVED' },
    })
  })

  it('that expired counts a minute after its page ended, and is looked at once more', async () => {
    const { gateway } = await open({ page_life_s: 0.01 })
    const order = orderOf()
    const { answer } = await gateway.collect(order)
    const at = async (age_s: number) => (await gateway.query(asked(order, answer, age_s))).answer
    await expect.poll(async () => (await at(660)).is).toBe('refused')
    expect((await at(659)).is).toBe('waiting')
    expect(await at(660)).toMatchObject({ failure_code: 'EXPIRED', ask_again_after_s: 86_400 })
  })

  it('whose create was lost can be asked about by nobody, and paid by nobody', async () => {
    const { gateway, orange } = await open({ speed: 1_000 })
    orange.loseCreates(1)
    const order = orderOf()
    expect((await gateway.collect(order)).answer.is).toBe('unknown')
    expect((await gateway.query(order)).answer).toMatchObject({ is: 'unknown', cannot_ask: true })
    expect(orange.books()).toMatchObject([{ status: 'INITIATED' }])
  })

  it('whose token is denied to us is a refusal of our credentials: once for each denial', async () => {
    const { orange } = await open()
    const { gateway } = opened(withOrange({ ...orange, client_secret: 'another-secret' }))
    const orders = [orderOf(), orderOf()]
    const answers = await Promise.all(orders.map((order) => gateway.collect(order)))
    expect(answers.map(({ answer }) => answer)).toEqual([
      expect.objectContaining({ is: 'refused', by: 'gateway', alarm: 'CREDENTIAL' }),
      expect.objectContaining({ is: 'never_sent' }),
    ])
    expect(orange.books()).toEqual([])
  })

  it('whose token ended while nobody gives another is unsent, and raises no alarm', async () => {
    const { orange } = await open()
    const wire = await wireBetween(orange.url)
    onTestFinished(() => wire.close())
    const { gateway } = opened(withOrange({ ...orange, url: wire.url }))
    await gateway.collect(orderOf())
    const answerTokens = (status: number) =>
      wire.spoils(({ path }) =>
        path.endsWith('/token') ? { reaches: false, answer: { status, body: '' } } : undefined,
      )
    answerTokens(503)
    orange.dropTokens()
    const { answer } = await gateway.collect(orderOf())
    expect(answer).toEqual({ is: 'never_sent', because: expect.stringContaining('503') })
    expect(orange.books()).toHaveLength(1)
  })

  it('outlives the end of its token: one more token, one more try, one payment', async () => {
    const { gateway, orange } = await open()
    await gateway.collect(orderOf())
    orange.dropTokens()
    expect((await gateway.collect(orderOf())).answer.is).toBe('waiting')
    expect([orange.tokensIssued(), orange.books().length]).toEqual([2, 2])
    const wrong = opened(withOrange({ ...orange, merchant_key: 'another-merchant' }))
    expect((await wrong.gateway.collect(orderOf())).answer).toMatchObject({
      ...{ is: 'refused', by: 'gateway', alarm: 'CREDENTIAL' },
    })
    const cents = await gateway.collect(orderOf({ amount: 5_000_50n }))
    expect(cents.answer).toMatchObject({ is: 'refused', by: 'gateway' })
  })
})

describe('an order id', () => {
  it('is our key in 26 signs, and back', () => {
    fc.assert(
      fc.property(fc.uuid(), (key) => {
        const id = orderIdOf(key)
        expect([id.length, keyOfOrderId(id)]).toEqual([26, key])
      }),
      { numRuns: sized(1_000, 10_000) },
    )
    for (const strange of ['', 'Z'.repeat(26), 'I'.repeat(26), '0'.repeat(25)]) {
      expect(keyOfOrderId(strange)).toBe('')
    }
  })
})

describe('a notice', () => {
  it('proves nothing by itself, and brings what its attempt can compare', async () => {
    const { gateway } = await open()
    const read = (body: string) => gateway.readCallback(receivedOf({ body, headers: {} }, 0))
    const our_key = randomUUID()
    const good = { status: 'SUCCESS', notif_token: 'n', txnid: 'MP1', order_id: orderIdOf(our_key) }
    expect(read(JSON.stringify(good))).toEqual({
      ...{ proof: 'UNSIGNED', key: our_key, notice: 'n' },
      answer: { is: 'unknown', because: 'a notice proves nothing' },
    })
    for (const body of ['', '[]', '{}', '{"status":7}', '{"notif_token":7,"status":"SUCCESS"}']) {
      expect(read(body)).not.toHaveProperty('notice')
    }
  })
})

describe('every answer', () => {
  const attempt = { ...orderOf(), age_s: 700 }
  const answered = (status: number, body: unknown): Answered => ({
    ...{ is: 'answered', status, headers: {}, took_ms: 1 },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const context = { note: () => undefined }

  it('of a status is named or unknown, and of a refused question is unknown', () => {
    const of = (status: string) => readStatus(attempt, answered(200, { status }), context).is
    expect(
      Object.fromEntries([...orderStatuses, 'CANCELLED', ''].map((it) => [it, of(it)])),
    ).toEqual({
      ...{ INITIATED: 'waiting', PENDING: 'waiting', EXPIRED: 'refused', SUCCESS: 'confirmed' },
      ...{ FAILED: 'refused', CANCELLED: 'unknown', '': 'unknown' },
    })
    for (const status of [400, 403, 404, 429, 500, 503]) {
      expect(readStatus(attempt, answered(status, { status: 'SUCCESS' }), context).is).toBe(
        'unknown',
      )
    }
    const other = { status: 'SUCCESS', order_id: orderIdOf(randomUUID()) }
    expect(readStatus(attempt, answered(200, other), context).is).toBe('unknown')
  })

  it('to a create refuses only where it says so', () => {
    const of = (status: number, body: unknown) =>
      readCreated(attempt, answered(status, body), context).is
    const refused = { code: 21, message: 'Invalid body', description: 'x' }
    expect([400, 403, 404].map((status) => of(status, refused))).toEqual(Array(3).fill('refused'))
    expect([408, 429, 500, 503].map((status) => of(status, refused))).toEqual(
      Array(4).fill('unknown'),
    )
    expect([of(400, '<html>'), of(201, {}), of(201, { pay_token: 'p' })]).toEqual([
      ...['unknown', 'unknown', 'unknown'],
    ])
  })

  it('by chance never throws, and confirms only what a question named', () => {
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ status: fc.constantFrom(...orderStatuses, 'x'), order_id: fc.string() }),
    )
    fc.assert(
      fc.property(body, fc.integer({ min: 100, max: 599 }), (sent, status) => {
        const made = readCreated(attempt, answered(status, sent), context)
        expect(made.is).not.toBe('confirmed')
        const read = readStatus(attempt, answered(status, sent), context)
        if (read.is !== 'confirmed') return
        expect([status === 200 || status === 201, read.amount]).toEqual([true, attempt.amount])
      }),
      { numRuns: sized(3_000, 100_000) },
    )
  }, 240_000)
})

describe('the doctor', () => {
  it('names a wrong secret and a wrong environment', async () => {
    const { gateway, orange } = await open()
    const said = async (account: Account) =>
      Object.fromEntries(
        (await opened(account).gateway.check()).map(({ what, is }) => [what.en, is]),
      )
    expect((await gateway.check()).map(({ is }) => is)).toEqual(['PASS', 'PASS', 'PASS', 'WARN'])
    const bad = withOrange({ ...orange, client_secret: 'another-secret' })
    expect(await said(bad)).toMatchObject({ token: 'FAIL' })
    const live = withOrange(orange)
    expect(await said({ ...live, environment: 'LIVE' })).toMatchObject({ environment: 'FAIL' })
  })
})
