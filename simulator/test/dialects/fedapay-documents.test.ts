// The dialect of FedaPay and our adapter, each held to what the operator documents of its
// interface (simulator/test/documents/fedapay.ts): every answer and event of a run of all outcomes
// that can be steered, and every request that the adapter makes.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { fedapayGateway } from '../../../server/src/gateways/fedapay-api/fedapay-gateway.ts'
import type { Direction, GatewayOrder } from '../../../server/src/gateways/gateway.ts'
import { createOutbound } from '../../../server/src/platform/outbound/outbound.ts'
import { fedapayAccount } from '../../../server/test/setup/fedapay-account.ts'
import { toolsWithoutTokens } from '../../../server/test/setup/stripe-account.ts'
import { type FedapayOptions, startFedapay } from '../../src/dialects/fedapay/start.ts'
import { events, operations, signature } from '../documents/fedapay.ts'
import { faultsIn, faultsOfAnswers, faultsOfRequests } from '../documents/held.ts'
import { type Called, openAddress, recordBetween } from '../documents/wire.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

async function open(options: Partial<FedapayOptions> = {}) {
  const fedapay = await startFedapay({ port: 0, speed: 100, ...options })
  onTestFinished(() => fedapay.stop().catch(() => undefined))
  const [ours, others] = [await recordBetween(fedapay.url), await recordBetween(fedapay.url)]
  const { url: to, calls } = await openAddress()
  const account = { ...fedapayAccount(fedapay, to), settings: { base_url: ours.url } }
  const tools = { ...toolsWithoutTokens, outbound, clock: Date.now }
  const gateway = fedapayGateway(account, tools)
  return { fedapay, gateway, ours: ours.exchanges, others, calls }
}

type Opened = Awaited<ReturnType<typeof open>>

const orderTo = (
  msisdn: string,
  direction: Direction,
  changes: Partial<GatewayOrder> = {},
): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: `+${msisdn}`, flow: 'push', otp_kind: 'NONE' },
  ...{ otp: undefined, description: 'Panier d’Awa '.padEnd(255, '🛒'), return_url: '' },
  callback_url: 'http://127.0.0.1:9/callbacks/fedapay',
  ...changes,
})

/** Asked until it has ended, and for a second at most: one number waits for good. */
async function playOne({ gateway }: Opened, order: GatewayOrder): Promise<void> {
  const { answer } = await gateway.prepare(order)
  if (answer.is !== 'prepared') return
  const known = { ...order, external_reference: answer.external_reference }
  await gateway.query(known)
  await (known.direction === 'COLLECT' ? gateway.collect(known) : gateway.pay(known))
  const give_up = Date.now() + 1_000
  for (;;) {
    const { answer: now } = await gateway.query(known)
    if (now.is === 'confirmed' || now.is === 'refused' || Date.now() > give_up) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Our two last digits of the sandbox, and numbers that a third party knows of the operator. */
const numbers = [
  ...['00', '01', '02', '03', '04', '05', '06', '07', '08', '09'].map((two) => `229970000${two}`),
  ...['2290164000001', '2290166000001', '2290164000000', '2290166000000'],
]

async function playNumbers(opened: Opened): Promise<void> {
  const orders = (['COLLECT', 'DISBURSE'] as const).flatMap((direction) =>
    numbers.map((number) => orderTo(number, direction)),
  )
  const page = orderTo('2290166000001', 'COLLECT', {
    ...{ flow: 'redirect', return_url: 'https://shop.example/back' },
  })
  await Promise.all([...orders, page].map((order) => playOne(opened, order)))
}

/** What its owner does on the dashboard: a queue of payouts, and payments that are given back. */
async function playDashboard(opened: Opened): Promise<void> {
  const { fedapay, gateway, ours } = opened
  fedapay.queuePayouts(true)
  const played = playOne(opened, orderTo('22997000077', 'DISBURSE'))
  await expect.poll(() => ours.some(({ body }) => body.includes('"status":"scheduled"'))).toBe(true)
  fedapay.queuePayouts(false)
  await played
  for (const how of ['PART', 'WHOLE'] as const) {
    const order = orderTo('22997000078', 'COLLECT')
    await playOne(opened, order)
    const made = fedapay.books().findLast(({ kind }) => kind === 'transaction')
    const external_reference = `transactions/${made?.id}`
    fedapay.giveBack(external_reference, how)
    await gateway.query({ ...order, external_reference })
  }
}

/** What our adapter never sends, and an operator answers all the same. */
async function playMistakes({ others: { url } }: Opened): Promise<void> {
  const send = (method: string, path: string, body?: object, key = 'sk_sandbox_0123456789') =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const good = { description: 'Basket', amount: 5_163, currency: { iso: 'XOF' } }
  const bad = [{ amount: 51.63 }, { amount: '5163' }, { amount: 0 }, { currency: { iso: 'EUR' } }]
  for (const changes of bad) await send('POST', '/v1/transactions', { ...good, ...changes })
  await send('POST', '/v1/payouts', { ...good, mode: 'card' })
  await send('POST', '/v1/transactions/999/token', {})
  await send('POST', '/v1/mtn_open', {
    token: 'tok_x',
    phone_number: { number: '1', country: 'bj' },
  })
  await send('PUT', '/v1/payouts/start', { payouts: [{ id: 999 }] })
  for (const kind of ['transactions', 'payouts']) await send('GET', `/v1/${kind}/999`)
  await send('GET', '/v1/balances', undefined, 'sk_live_0123456789')
  await send('GET', '/v1/currencies')
}

function faultsOfEvent({ method, body, headers }: Called): string[] {
  const event = JSON.parse(body)
  const faults = [
    ...faultsIn(events, event),
    ...faultsIn(signature, headers['x-fedapay-signature']),
    ...(method === 'POST' ? [] : [`by ${method}`]),
  ]
  return faults.map((fault) => `event ${event.name}: ${fault}`)
}

describe('the dialect, through everything that can be steered', () => {
  it('answers and sends events as documented, and the adapter asks as documented', async () => {
    const opened = await open()
    await playNumbers(opened)
    await playDashboard(opened)
    await opened.gateway.balances()
    await opened.gateway.check()
    await playMistakes(opened)
    const all = [...opened.ours, ...opened.others.exchanges]
    expect(faultsOfAnswers(operations, all)).toEqual([])
    expect(faultsOfRequests(operations, opened.ours)).toEqual([])
    expect(opened.calls.flatMap(faultsOfEvent)).toEqual([])
    // Nothing above is empty talk: each of these was there.
    const text = all.map(({ body }) => body).join('\n')
    const ends = [
      ...['pending', 'approved', 'declined', 'started', 'sent', 'failed'],
      ...['scheduled', 'approved_partially_refunded', 'refunded'],
    ]
    for (const status of ends) expect(text).toContain(`"status":"${status}"`)
    const named = new Set(opened.calls.map(({ body }) => JSON.parse(body).name))
    for (const name of ['transaction.approved', 'transaction.declined', 'payout.sent']) {
      expect(named).toContain(name)
    }
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200, 401, 404, 422]))
  })
})
