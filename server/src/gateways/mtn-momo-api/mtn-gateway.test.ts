// What only this operator does, over real HTTP: its own test numbers, a token that ends in mid-flight,
// our balance that decides what a failure means, callbacks by PUT and POST, and faults by chance.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type Mtn,
  type MtnOptions,
  startMtn,
} from '../../../../simulator/src/dialects/mtn/start.ts'
import { serveHttp } from '../../../test/setup/loopback.ts'
import { provisioned } from '../../../test/setup/mtn-account.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { AdapterTools } from '../adapter.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, Direction, GatewayOrder } from '../gateway.ts'
import { memoryTokens } from '../tokens.ts'
import { type MtnGateway, mtnGateway } from './mtn-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

type Opened = Readonly<{ mtn: Mtn; gateway: MtnGateway; notes: string[] }>

async function open(options: Partial<MtnOptions> = {}): Promise<Opened> {
  const mtn = await startMtn({ port: 0, speed: 50, ...options })
  onTestFinished(() => mtn.stop())
  const notes: string[] = []
  const gateway = mtnGateway(await provisioned(mtn.url, '127.0.0.1'), toolsOf(notes))
  return { mtn, gateway, notes }
}

const toolsOf = (notes: string[]): AdapterTools => ({
  ...{ outbound, clock: Date.now, note: (what: string) => notes.push(what) },
  tokens: (obtain) => memoryTokens(obtain, Date.now),
})

const orderTo = (
  msisdn: string,
  direction: Direction = 'COLLECT',
  callback_url = 'http://127.0.0.1:9/none',
): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: `+${msisdn}`, flow: 'push', otp_kind: 'NONE' },
  ...{ otp: undefined, description: 'Panier', callback_url, return_url: '' },
})

const sendTo = async ({ gateway }: Opened, order: GatewayOrder): Promise<Answer> =>
  (await (order.direction === 'COLLECT' ? gateway.collect(order) : gateway.pay(order))).answer

async function endOf({ gateway }: Opened, order: GatewayOrder): Promise<Answer> {
  const give_up = Date.now() + 20_000
  for (;;) {
    const { answer } = await gateway.query(order)
    if (answer.is === 'confirmed' || answer.is === 'refused' || Date.now() > give_up) return answer
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const said = (answer: Answer): string =>
  answer.is === 'refused' ? `${answer.by} ${answer.failure_code}` : answer.is

describe('the operator’s own test numbers', () => {
  it.each([
    [
      'COLLECT',
      {
        ...{ 450: 'payer UNKNOWN', 451: 'payer NOT_APPROVED', 452: 'payer EXPIRED' },
        ...{ 453: 'confirmed', 455: 'payer PAYER_NOT_FOUND', 456: 'gateway GATEWAY_REFUSED' },
        ...{ 457: 'gateway GATEWAY_REFUSED', 458: 'gateway GATEWAY_REFUSED' },
        ...{ 459: 'gateway GATEWAY_REFUSED', 460: 'gateway GATEWAY_REFUSED' },
        ...{ 461: 'payer UNKNOWN', 462: 'gateway GATEWAY_UNAVAILABLE', 463: 'payer EXPIRED' },
        ...{ 464: 'gateway GATEWAY_REFUSED', 465: 'confirmed' },
      },
    ],
    [
      'DISBURSE',
      {
        ...{ 450: 'payer UNKNOWN', 451: 'payer NOT_APPROVED', 452: 'payer EXPIRED' },
        ...{ 453: 'confirmed', 455: 'payer LIMIT_REACHED', 456: 'payer LIMIT_REACHED' },
        ...{ 457: 'payer RECIPIENT_NOT_FOUND', 458: 'gateway GATEWAY_REFUSED' },
        ...{ 459: 'gateway GATEWAY_REFUSED', 460: 'gateway GATEWAY_REFUSED' },
        ...{ 461: 'gateway GATEWAY_REFUSED', 462: 'payer UNKNOWN' },
        ...{ 463: 'gateway GATEWAY_UNAVAILABLE', 464: 'gateway GATEWAY_REFUSED', 465: 'confirmed' },
      },
    ],
  ] as const)('%s: each ends as its name says', async (direction, expected) => {
    const opened = await open({ speed: 500, reason_shape: 'OBJECT' })
    const ended = await Promise.all(
      Object.keys(expected).map(async (digits) => {
        const order = orderTo(`46733123${digits}`, direction)
        expect((await sendTo(opened, order)).is).toBe('waiting')
        return [digits, said(await endOf(opened, order))]
      }),
    )
    expect(Object.fromEntries(ended)).toEqual(expected)
    expect(opened.notes).toEqual([])
  })
})

describe('a payout that fails for want of money', () => {
  it('is our float when our balance is below it, else the receiver’s limit, or nobody knows', async () => {
    const [rich, poor] = [await open(), await open({ opening_balance: 4_999 })]
    const empty = await open({ opening_balance: 0 })
    const ends = await Promise.all(
      [rich, poor, empty].map(async (opened) => {
        const order = orderTo('46733123455', 'DISBURSE')
        await sendTo(opened, order)
        return said(await endOf(opened, order))
      }),
    )
    const float = 'float GATEWAY_UNAVAILABLE'
    expect(ends).toEqual(['payer LIMIT_REACHED', float, float])
    const wire = await wireBetween(poor.mtn.url)
    onTestFinished(() => wire.close())
    const body = '{"availableBalance":"1","currency":"GHS"}'
    const elsewhere = { reaches: false, answer: { status: 200, body } }
    wire.spoils(({ path }) => (path.endsWith('/balance') ? elsewhere : undefined))
    const other = mtnGateway(await provisioned(wire.url, '127.0.0.1'), toolsOf([]))
    const order = orderTo('46733123455', 'DISBURSE')
    await sendTo({ ...poor, gateway: other }, order)
    expect(said(await endOf({ ...poor, gateway: other }, order))).toBe('payer UNKNOWN')
    expect(await poor.gateway.balances()).toEqual([
      { wallet: 'collection', currency: 'EUR', amount: 0n, purposes: ['COLLECT'] },
      { wallet: 'disbursement', currency: 'EUR', amount: 4_999_00n, purposes: ['DISBURSE'] },
    ])
  })
})

describe('a token', () => {
  it('that ended in mid-flight is replaced, and the call is booked once', async () => {
    const opened = await open()
    await sendTo(opened, orderTo('22997000010'))
    const before = opened.mtn.tokensIssued()
    opened.mtn.dropTokens()
    const orders = Array.from({ length: 10 }, () => orderTo('22997000010'))
    const answers = await Promise.all(orders.map((order) => sendTo(opened, order)))
    expect(answers.map(({ is }) => is)).toEqual(orders.map(() => 'waiting'))
    expect(opened.mtn.tokensIssued()).toBe(before + 1)
    expect(opened.mtn.books()).toHaveLength(11)
  })

  it('that nobody gives leaves everything unsent, and says so', async () => {
    const closed = await serveHttp((_request, response) => response.writeHead(503).end())
    onTestFinished(() => closed.close())
    const { mtn } = await open()
    const account = await provisioned(mtn.url, '127.0.0.1')
    const tools = { outbound, clock: Date.now, note: () => undefined }
    const gateway = mtnGateway(
      { ...account, settings: { ...account.settings, base_url: closed.url } },
      { ...tools, tokens: (obtain) => memoryTokens(obtain, Date.now) },
    )
    const { answer } = await gateway.collect(orderTo('22997000010'))
    expect(answer).toEqual({ is: 'never_sent', because: 'token: status 503' })
    expect((await gateway.query(orderTo('22997000010'))).answer.is).toBe('never_sent')
  })

  it('that is denied to us is a refusal of our credentials: once for each denial', async () => {
    const { mtn } = await open()
    const account = await provisioned(mtn.url, '127.0.0.1')
    const secrets = { ...account.secrets, collection_api_key: 'another-key-of-nobody' }
    // After a denial nobody asks for a second: here it is never over, however long a call takes.
    const now_ms = Date.now()
    const gateway = mtnGateway(
      { ...account, secrets },
      { ...toolsOf([]), tokens: (obtain) => memoryTokens(obtain, () => now_ms) },
    )
    const orders = Array.from({ length: 5 }, () => orderTo('22997000010'))
    const answers = await Promise.all(orders.map((order) => gateway.collect(order)))
    const unsent = { is: 'never_sent', because: 'token: status 401' }
    expect(answers.map(({ answer }) => answer)).toEqual([
      expect.objectContaining({ is: 'refused', by: 'gateway', alarm: 'CREDENTIAL' }),
      ...Array(4).fill(unsent),
    ])
    expect((await gateway.collect(orderTo('22997000010'))).answer).toEqual(unsent)
    expect((await gateway.query(orderTo('22997000010'))).answer).toEqual(unsent)
    expect(mtn.books()).toEqual([])
  })

  it('that nobody gives for ten minutes sends nothing; then what was sent before is asked about', async () => {
    const opened = await open()
    const wire = await wireBetween(opened.mtn.url)
    onTestFinished(() => wire.close())
    const account = await provisioned(opened.mtn.url, '127.0.0.1')
    let now_ms = Date.now()
    const gateway = mtnGateway(
      { ...account, settings: { ...account.settings, base_url: wire.url } },
      {
        ...{ outbound, clock: Date.now, note: () => undefined },
        tokens: (obtain) => memoryTokens(obtain, () => now_ms),
      },
    )
    const before = orderTo('22997000010')
    expect((await gateway.collect(before)).answer.is).toBe('waiting')
    let asked = 0
    wire.spoils(({ path }) => {
      if (!path.endsWith('/token/')) return undefined
      asked += 1
      return { reaches: false, answer: { status: 503, body: '' } }
    })
    // The token of the first call has ended.
    now_ms += 3_600_000
    const ten_minutes = now_ms + 600_000
    for (; now_ms < ten_minutes; now_ms += 500) {
      const made = await gateway.collect(orderTo('22997000010'))
      const of_before = await gateway.query(before)
      expect([made.answer.is, of_before.answer.is]).toEqual(['never_sent', 'never_sent'])
    }
    // An operator that is down is asked once a second at most.
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(601)
    expect(opened.mtn.books()).toHaveLength(1)
    wire.spoils(undefined)
    now_ms += 1_000
    expect((await endOf({ ...opened, gateway }, before)).is).toBe('confirmed')
    expect((await gateway.collect(orderTo('22997000010'))).answer.is).toBe('waiting')
    expect(opened.mtn.books()).toHaveLength(2)
  })

  it('that ended while nobody gives another leaves the call unsent, and raises no alarm', async () => {
    const opened = await open()
    const wire = await wireBetween(opened.mtn.url)
    onTestFinished(() => wire.close())
    const account = await provisioned(opened.mtn.url, '127.0.0.1')
    let now_ms = Date.now()
    const gateway = mtnGateway(
      { ...account, settings: { ...account.settings, base_url: wire.url } },
      {
        ...{ outbound, clock: Date.now, note: () => undefined },
        tokens: (obtain) => memoryTokens(obtain, () => now_ms),
      },
    )
    await gateway.collect(orderTo('22997000010'))
    const answerTokens = (status: number) =>
      wire.spoils(({ path }) =>
        path.endsWith('/token/') ? { reaches: false, answer: { status, body: '' } } : undefined,
      )
    answerTokens(503)
    opened.mtn.dropTokens()
    for (let times = 0; times < 4; times += 1) {
      const { answer } = await gateway.collect(orderTo('22997000010'))
      expect(answer).toEqual({ is: 'never_sent', because: 'token: status 503' })
      // The token that was given for this one is dropped in its turn.
      now_ms += 2_000
      wire.spoils(undefined)
      expect((await gateway.collect(orderTo('22997000010'))).answer.is).toBe('waiting')
      answerTokens(503)
      opened.mtn.dropTokens()
    }
    // Where it is denied to us for who we are, that is what it was.
    answerTokens(401)
    expect((await gateway.collect(orderTo('22997000010'))).answer).toMatchObject({
      ...{ is: 'refused', by: 'gateway', alarm: 'CREDENTIAL' },
    })
  })

  it('that is refused twice is our credentials’ fault, and nothing was taken', async () => {
    const strict = await serveHttp((request, response) => {
      const isToken = request.url?.endsWith('/token/') === true
      response.writeHead(isToken ? 200 : 401, { 'content-type': 'application/json' })
      response.end(isToken ? '{"access_token":"t","expires_in":3600}' : '{"statusCode":401}')
    })
    onTestFinished(() => strict.close())
    const { mtn } = await open()
    const account = await provisioned(mtn.url, '127.0.0.1')
    const gateway = mtnGateway(
      { ...account, settings: { ...account.settings, base_url: strict.url } },
      {
        ...{ outbound, clock: Date.now, note: () => undefined },
        tokens: (obtain) => memoryTokens(obtain, Date.now),
      },
    )
    const { answer } = await gateway.collect(orderTo('22997000010'))
    expect(answer).toMatchObject({ is: 'refused', by: 'gateway', alarm: 'CREDENTIAL' })
    // Of what was sent before, a credential that ended says nothing: no hold is released by it.
    for (const direction of ['COLLECT', 'DISBURSE'] as const) {
      const asked = await gateway.query(orderTo('22997000010', direction))
      expect(asked.answer).toMatchObject({ is: 'unknown' })
    }
  })
})

describe('callbacks', () => {
  it('come by PUT and by POST, and name the order', async () => {
    const received: { method: string; body: string }[] = []
    const mailbox = await serveHttp(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      received.push({ method: request.method ?? '', body: Buffer.concat(chunks).toString() })
      response.end()
    })
    onTestFinished(() => mailbox.close())
    const opened = await open()
    const orders = Array.from({ length: 16 }, () => orderTo('22997000010', 'COLLECT', mailbox.url))
    for (const order of orders) await sendTo(opened, order)
    while (received.length < orders.length) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(new Set(received.map(({ method }) => method))).toEqual(new Set(['PUT', 'POST']))
    const keys = received.map(
      ({ body }) => opened.gateway.readCallback(receivedOf({ body, headers: {} }, 0)).key,
    )
    expect(keys.sort()).toEqual(orders.map(({ our_key }) => our_key).sort())
  })
})

describe('faults by chance', () => {
  it('are rarer ones too: another sum, another currency, a token that ends early', async () => {
    const opened = await open({ chaos: { seed: 'rarer', rate: 0.5 }, speed: 500 })
    // What happens is drawn by an order's key: the same ones in every run.
    const orders = Array.from({ length: 120 }, (_, at) => ({
      ...orderTo('22997000010', 'COLLECT'),
      our_key: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    }))
    const ended = await Promise.all(
      orders.map(async (order) => {
        await sendTo(opened, order)
        const isThere = opened.mtn.books().some(({ reference }) => reference === order.our_key)
        return isThere ? endOf(opened, order) : undefined
      }),
    )
    const moved = ended.flatMap((one) => (one?.is === 'confirmed' ? [one] : []))
    // What moved is told as it is, never as it was asked for.
    expect(new Set(moved.map(({ amount }) => amount))).toEqual(new Set([5_000_00n, 4_999_00n]))
    expect(new Set(moved.map(({ currency }) => currency))).toEqual(new Set(['XOF', 'ZMW']))
    expect(moved.length).toBeGreaterThan(40)
    expect(opened.mtn.tokensIssued()).toBeGreaterThan(1)
  }, 60_000)

  it.each(['one', 'two', 'three'])('seed %s: moved once, or known not to have', async (seed) => {
    const opened = await open({ chaos: { seed, rate: 0.4 }, speed: 100 })
    const orders = Array.from({ length: 60 }, (_, at) =>
      orderTo(at % 5 === 0 ? '22997000002' : '22997000010', at % 2 ? 'COLLECT' : 'DISBURSE'),
    )
    const answers = await Promise.all(orders.map((order) => sendTo(opened, order)))
    // Nobody says "refused" of what an operator may have taken.
    const known = ['waiting', 'unknown', 'confirmed', 'refused']
    expect(answers.filter(({ is }) => !known.includes(is))).toEqual([])
    for (const [at, order] of orders.entries()) {
      const books = () => opened.mtn.books().filter((one) => one.reference === order.our_key)
      if (books().length === 0) {
        expect(answers[at]?.is, order.our_key).toBe('unknown')
        continue
      }
      const ended = await endOf(opened, order)
      expect(books().map(({ status }) => status)).toEqual([
        ended.is === 'confirmed' ? 'SUCCESSFUL' : 'FAILED',
      ])
    }
    expect(opened.notes.length).toBeGreaterThan(0)
  })
})
