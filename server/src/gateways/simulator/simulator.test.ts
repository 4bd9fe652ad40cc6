// Answers that the sandbox operator itself does not give, but a broken one or a proxy before it
// would: a server on loopback gives them word for word. Without these, "refused" or "not found"
// could be read where money moved.

import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoopbackServer, serveHttp } from '../../../test/setup/loopback.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { FailureCode, GatewayOrder } from '../gateway.ts'
import { failureFor, refusalFor, wordFor } from './read-answer.ts'
import { type SimulatorGateway, simulatorGateway } from './simulator.ts'

const order: GatewayOrder = {
  merchant_id: 'm',
  attempt_id: 't',
  direction: 'COLLECT',
  our_key: 'key 1/é',
  external_reference: '',
  network_code: 'MTN_GH',
  country_code: 'GH',
  amount: 10_50n,
  currency: 'GHS',
  msisdn: '+233240000055',
  flow: 'push',
  otp_kind: 'NONE',
  otp: undefined,
  description: '',
  callback_url: 'http://127.0.0.1:9/c',
  return_url: '',
}

const view = { id: 'SIM1', reference: order.our_key, status: 'SUCCESSFUL' }
const paid = { ...view, amount: '10.50', currency: 'GHS' }

type Answered = { status: number; body: string }
type Seen = { method?: string; url?: string; authorization?: string; body: string }

let answer: Answered = { status: 200, body: '' }
let seen: Seen = { body: '' }
let receiver: LoopbackServer
let gateway: SimulatorGateway
const outbound = createOutbound({ assertNoTransaction: () => undefined })

beforeAll(async () => {
  receiver = await serveHttp(async (req, res) => {
    const { method = '', url = '', headers } = req
    seen = { method, url, authorization: headers.authorization ?? '', body: await text(req) }
    res.writeHead(answer.status).end(answer.body)
  })
  gateway = simulatorGateway({
    code: 'simulator_b',
    operator: 'b',
    base_url: () => `http://127.0.0.1:${receiver.port}`,
    token: 'token',
    callback_secret: 'secret',
    outbound,
  })
})

afterAll(async () => {
  await outbound.close()
  await receiver.close()
})

const answering = (status: number, body: unknown): void => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

const unknown = (because: string) => ({ is: 'unknown', because })

describe('the request', () => {
  it('carries the order as the operator wants it', async () => {
    answering(202, { ...view, status: 'PENDING' })
    await gateway.collect({ ...order, otp: '123456', description: 'é'.repeat(600) })
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/b/collections',
      authorization: 'Bearer token',
    })
    expect(JSON.parse(seen.body)).toEqual({
      reference: order.our_key,
      amount: '10.50',
      currency: 'GHS',
      msisdn: '233240000055',
      network: 'MTN_GH',
      flow: 'push',
      otp_kind: 'NONE',
      otp: '123456',
      description: 'é'.repeat(250),
      callback_url: order.callback_url,
    })
  })

  it('writes whole amounts of a currency without a smaller unit, and none it cannot pay', async () => {
    answering(202, { ...view, status: 'PENDING' })
    const payout: GatewayOrder = {
      ...order,
      direction: 'DISBURSE',
      currency: 'XOF',
      amount: 9_750_00n,
    }
    await gateway.pay(payout)
    expect(seen.url).toBe('/b/payouts')
    expect(JSON.parse(seen.body)).toMatchObject({ amount: '9750', currency: 'XOF' })
    await expect(gateway.pay({ ...payout, amount: 9_750_50n })).rejects.toThrow('cannot be paid')
    await expect(gateway.pay({ ...payout, amount: 0n })).rejects.toThrow('0 hundredths')
  })

  it('never goes to the other room', async () => {
    await expect(gateway.pay(order)).rejects.toThrow('COLLECT given to DISBURSE')
    answering(200, paid)
    await gateway.query(order)
    expect(seen.url).toBe('/b/collections/key%201%2F%C3%A9')
  })
})

describe('the answer to a create call', () => {
  it.each([
    [302, '', 'status 302'],
    [408, { code: 'TIMEOUT' }, 'status 408'],
    [409, { code: 'BUSY' }, 'status 409'],
    [409, 'rubbish', 'status 409'],
    [409, { code: 'ALREADY_EXISTS' }, 'unreadable'],
    [409, { code: 'ALREADY_EXISTS', collection: { ...paid, reference: 'x' } }, 'another order'],
    [500, { code: 'INTERNAL_ERROR' }, 'status 500'],
    [503, '', 'status 503'],
    [200, '', 'unreadable'],
    [200, '[]', 'unreadable'],
    [200, 'null', 'unreadable'],
    [202, { ...view, status: 'DONE' }, 'unreadable'],
    [202, { ...view, status: 'PENDING', id: 'SIM\u0000' }, 'unreadable'],
    [202, { ...view, status: 'PENDING', reference: 'x' }, 'another order'],
    [202, view, 'unreadable amount'],
    [200, { status: 'REFUSED' }, 'unreadable'],
  ])('%i %j leaves the outcome unknown', async (status, body, because) => {
    answering(status, body)
    const reply = await gateway.collect(order)
    const hash = createHash('sha256').update(answer.body).digest()
    expect(reply).toEqual({ answer: unknown(because), hash })
  })

  it.each([400, 401, 403, 404, 413, 422, 429])(
    '%i is a refusal of the gateway itself, readable or not',
    async (status) => {
      for (const body of ['<html>', { code: 'X', message: `No.\u0000${'é'.repeat(500)}` }]) {
        answering(status, body)
        const reply = await gateway.collect(order)
        expect(reply.answer).toMatchObject({
          is: 'refused',
          by: 'gateway',
          failure_code: 'GATEWAY_REFUSED',
          detail: expect.stringMatching(/^status \d{3}( X No\. é+)?$/),
        })
      }
    },
  )

  it.each([
    ['INSUFFICIENT_FUNDS', 'payer', 'INSUFFICIENT_FUNDS'],
    ['OPERATOR_UNAVAILABLE', 'gateway', 'GATEWAY_UNAVAILABLE'],
    ['NEVER_HEARD_OF', 'gateway', 'GATEWAY_REFUSED'],
    ['constructor', 'gateway', 'GATEWAY_REFUSED'],
  ])('200 that refuses by %s is refused by the %s', async (code, by, failure_code) => {
    answering(200, { status: 'REFUSED', code, message: 'No.' })
    const { answer } = await gateway.collect(order)
    expect(answer).toMatchObject({ is: 'refused', by, failure_code, detail: `${code} No.` })
  })

  it('that the key is taken is read as the order it names', async () => {
    answering(409, { code: 'ALREADY_EXISTS', collection: paid })
    const { answer } = await gateway.collect(order)
    const { currency } = order
    expect(answer).toEqual({
      is: 'confirmed',
      external_reference: 'SIM1',
      amount: 10_50n,
      currency,
    })
  })

  it.each([undefined, 7, 'javascript:alert(1)', '/pay/x'])(
    'without a page that a payer can open (%j) is unknown where they must decide on one',
    async (checkout_url) => {
      answering(202, { ...view, status: 'PENDING', checkout_url })
      const { answer } = await gateway.collect({ ...order, flow: 'redirect' })
      expect(answer).toEqual(unknown('no address of the page'))
    },
  )
})

describe('the answer to a question', () => {
  it.each([
    [404, 'Not Found', 'status 404'],
    [404, { code: 'NO_SUCH_ROUTE' }, 'status 404'],
    [400, { code: 'INVALID_REQUEST' }, 'status 400'],
    [401, { code: 'UNAUTHORIZED' }, 'status 401'],
    [429, '', 'status 429'],
    [502, '', 'status 502'],
    [200, 'rubbish', 'unreadable'],
    [200, { ...paid, reference: 'x' }, 'another order'],
    [200, { ...paid, amount: 10.5 }, 'unreadable amount'],
    [200, { ...paid, amount: '10.505' }, 'unreadable amount'],
    [200, { ...paid, amount: '-10.50' }, 'unreadable amount'],
    [200, { ...paid, amount: '0.00' }, 'unreadable amount'],
    [200, { ...paid, currency: 'ZZZ' }, 'unreadable amount'],
    [200, { ...paid, amount: '10.50', currency: 'XOF' }, 'unreadable amount'],
  ])('%i %j proves nothing', async (status, body, because) => {
    answering(status, body)
    expect((await gateway.query(order)).answer).toEqual(unknown(because))
  })

  it('is "not found" only in the operator’s own words', async () => {
    answering(404, { code: 'NOT_FOUND' })
    expect((await gateway.query(order)).answer).toEqual({ is: 'not_found' })
  })

  it.each([
    [undefined, 'UNKNOWN'],
    ['NEVER_HEARD_OF', 'UNKNOWN'],
    ['CANCELLED', 'NOT_APPROVED'],
  ])('is a failure for the reason %s: %s', async (reason, failure_code) => {
    answering(200, { ...view, status: 'FAILED', reason })
    const { answer } = await gateway.query(order)
    expect(answer).toMatchObject({ is: 'refused', by: 'payer', failure_code })
  })
})

describe('the answer to a code', () => {
  it.each([
    [400, { code: 'INVALID_REQUEST', field: 'otp' }, { is: 'wrong_otp' }],
    [400, { code: 'INVALID_REQUEST', field: 'x' }, unknown('status 400')],
    [500, { code: 'INVALID_OTP' }, unknown('status 500')],
    [200, 'rubbish', unknown('unreadable')],
    [404, { code: 'NOT_FOUND' }, { is: 'not_found' }],
  ])('%i %j', async (status, body, expected) => {
    answering(status, body)
    expect((await gateway.confirmOtp(order, '1')).answer).toEqual(expected)
  })
})

describe('failure codes', () => {
  it('each have a word of the operator that reads back as the same code', () => {
    const codes: Record<FailureCode, true> = {
      PAYER_NOT_FOUND: true,
      RECIPIENT_NOT_FOUND: true,
      INSUFFICIENT_FUNDS: true,
      NOT_APPROVED: true,
      LIMIT_REACHED: true,
      INVALID_OTP: true,
      EXPIRED: true,
      GATEWAY_UNAVAILABLE: true,
      GATEWAY_REFUSED: true,
      REJECTED_BY_MERCHANT: true,
      UNKNOWN: true,
    }
    for (const code of Object.keys(codes) as FailureCode[]) {
      expect(failureFor(wordFor(code))).toBe(code)
      const isGateways = code.startsWith('GATEWAY_')
      expect(refusalFor(wordFor(code)).by).toBe(isGateways ? 'gateway' : 'payer')
    }
  })
})
