// The dialect of pawaPay and our adapter, each held to what the operator documents of its
// interface (simulator/test/documents/pawapay.ts): every answer and callback of a run of all
// outcomes that can be steered, and every request that the adapter makes.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Answer, Direction, GatewayOrder } from '../../../server/src/gateways/gateway.ts'
import { pawapayGateway } from '../../../server/src/gateways/pawapay/pawapay-gateway.ts'
import { memoryTokens } from '../../../server/src/gateways/tokens.ts'
import { createOutbound } from '../../../server/src/platform/outbound/outbound.ts'
import { pawapayAccount } from '../../../server/test/setup/pawapay-account.ts'
import {
  type Pawapay,
  type PawapayOptions,
  startPawapay,
} from '../../src/dialects/pawapay/start.ts'
import { type Exchange, faultsIn, faultsOfAnswers, faultsOfRequests } from '../documents/held.ts'
import { callbackHeaders, callbackOf, dataOf, idOf, kinds, statuses } from '../documents/pawapay.ts'
import { operations } from '../documents/pawapay-lists.ts'
import { type Called, openAddress, recordBetween } from '../documents/wire.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

function adapterAt(account: Pick<Pawapay, 'url' | 'token'>) {
  const notes: string[] = []
  const gateway = pawapayGateway(pawapayAccount(account), {
    ...{ outbound, clock: Date.now, note: (what: string) => void notes.push(what) },
    tokens: (obtain) => memoryTokens(obtain, Date.now),
  })
  return { gateway, notes }
}

const orderTo = (
  msisdn: string,
  direction: Direction = 'COLLECT',
  changes: Partial<GatewayOrder> = {},
): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: `+${msisdn}`, flow: 'push', otp_kind: 'NONE' },
  ...{ otp: undefined, description: 'Panier d’Awa', callback_url: '', return_url: '' },
  ...changes,
})

const refundOf = (of: GatewayOrder, amount: bigint) => ({
  ...{ merchant_id: 'm', attempt_id: 'r', direction: 'DISBURSE' as const, our_key: randomUUID() },
  ...{ external_reference: '', refund_id: 'r', of, amount, currency: of.currency },
  ...{ reason: '', callback_url: '' },
})

/** Asked until it has ended, and for a second at most: one number waits for good. */
async function endOf(ask: () => Promise<Readonly<{ answer: Answer }>>): Promise<Answer> {
  const give_up = Date.now() + 1_000
  for (;;) {
    const { answer } = await ask()
    if (answer.is === 'confirmed' || answer.is === 'refused' || Date.now() > give_up) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function open(options: Partial<PawapayOptions> = {}) {
  const { url: to, calls } = await openAddress()
  const callbacks = { deposits: to, payouts: to, refunds: to }
  const pawapay = await startPawapay({ port: 0, speed: 100, callbacks, ...options })
  onTestFinished(() => pawapay.stop().catch(() => undefined))
  const [ours, others] = [await recordBetween(pawapay.url), await recordBetween(pawapay.url)]
  const { gateway } = adapterAt({ url: ours.url, token: pawapay.token })
  return { pawapay, gateway, ours: ours.exchanges, others, calls }
}

type Opened = Awaited<ReturnType<typeof open>>

async function playOne({ gateway }: Opened, order: GatewayOrder): Promise<void> {
  await (order.direction === 'COLLECT' ? gateway.collect(order) : gateway.pay(order))
  await endOf(() => gateway.query(order))
}

/** Our two last digits of the sandbox, and the three of the operator's own test numbers. */
const ours = ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '10']
const theirs = ['019', '029', '039', '049', '069', '079', '089', '099', '119', '129', '789']

/** Everything that a number steers, both ways, and sums with decimals. */
async function playNumbers(opened: Opened): Promise<void> {
  const numbers = [...ours.map((two) => `229970000${two}`), ...theirs.map((n) => `2290151345${n}`)]
  const ghana = { network_code: 'mtn_gh', country_code: 'GH', currency: 'GHS', amount: 10_50n }
  const orders = (['COLLECT', 'DISBURSE'] as const).flatMap((direction) => [
    ...numbers.map((number) => orderTo(number, direction)),
    orderTo('233241234567', direction, ghana),
  ])
  await Promise.all(orders.map((order) => playOne(opened, order)))
}

async function playPage(opened: Opened): Promise<void> {
  const { gateway, pawapay } = opened
  pawapay.delayPages(true)
  const order = orderTo('221773456010', 'COLLECT', {
    ...{ network_code: 'wave_sn', country_code: 'SN', flow: 'redirect' },
    return_url: 'https://shop.example/back',
  })
  await gateway.collect(order)
  await gateway.query(order)
  pawapay.delayPages(false)
  const { answer } = await gateway.query(order)
  const next = answer.is === 'waiting' ? answer.next : ''
  const page = typeof next === 'object' ? next.redirect_to : ''
  const body = new URLSearchParams({ outcome: 'pay' })
  await fetch(page, { method: 'POST', body, redirect: 'manual' })
  expect((await gateway.query(order)).answer.is).toBe('confirmed')
  expect((await gateway.collect(order)).answer.is).toBe('confirmed')
}

async function playRefundsAndQueue({ gateway, pawapay }: Opened): Promise<void> {
  const of = orderTo('22997000010')
  await gateway.collect(of)
  await endOf(() => gateway.query(of))
  for (const amount of [2_000_00n, 9_000_00n, 3_000_00n, 1_00n]) {
    const refund = refundOf(of, amount)
    await gateway.refund(refund)
    await endOf(() => gateway.askRefund(refund))
    await gateway.refund(refund)
  }
  const nothing = orderTo('22997000010')
  await gateway.refund(refundOf(nothing, 1_00n))
  pawapay.delayPayouts(true)
  const [one, other] = [orderTo('22997000010', 'DISBURSE'), orderTo('22997000010', 'DISBURSE')]
  for (const order of [one, other]) await gateway.pay(order)
  await gateway.query(one)
  await gateway.cancelQueued(one)
  await endOf(() => gateway.query(one))
  pawapay.delayPayouts(false)
  await endOf(() => gateway.query(other))
  await gateway.cancelQueued(other)
  await gateway.cancelQueued(nothing)
}

/** What our adapter never sends, and an operator answers all the same. */
async function playMistakes({ others: { url }, pawapay, ours: calls }: Opened): Promise<void> {
  const send = (method: string, path: string, body?: unknown, token = pawapay.token) =>
    fetch(url + path, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const party = (phoneNumber: string, provider = 'MTN_MOMO_BEN') => ({
    payer: { type: 'MMO', accountDetails: { phoneNumber, provider } },
  })
  const good = { amount: '50', currency: 'XOF', ...party('22997000010') }
  const bad: unknown[] = [
    ...[
      { more: 1 },
      { currency: undefined },
      { amount: 50 },
      { amount: '050' },
      { amount: '50.5' },
    ],
    ...[{ amount: '2000001' }, { currency: 'XAF' }, party('22997000010', 'WAVE_BEN')],
    ...[party('+22997000010'), party('22597000010'), { customerMessage: 'l’été' }],
    { metadata: [{ orderId: 'a' }, { orderId: 'b' }] },
  ].map((changes) => ({ depositId: randomUUID(), ...good, ...changes }))
  for (const body of [...bad, '{', { ...good, depositId: 'x' }]) {
    await send('POST', '/v2/deposits', body)
  }
  for (const kind of kinds) {
    await send('POST', `/v2/${kind}`, { [idOf[kind]]: randomUUID() })
    for (const token of ['', 'another']) {
      await send('GET', `/v2/${kind}/${randomUUID()}`, undefined, token)
      await send('POST', `/v2/${kind}`, { [idOf[kind]]: randomUUID() }, token)
    }
    const [, known = randomUUID()] =
      calls
        .map(({ path }) => new RegExp(`^/v2/${kind}/([0-9a-f-]{36})$`).exec(path))
        .find(Boolean) ?? []
    for (const id of [known, randomUUID()]) await send('POST', `/v2/${kind}/resend-callback/${id}`)
  }
  for (const path of ['active-conf', 'availability', 'wallet-balances?country=BEN']) {
    await send('GET', `/v2/${path}`)
    await send('GET', `/v2/${path}`, undefined, '')
  }
  await send('GET', '/v2/availability?country=BEN&operationType=DEPOSIT')
}

const faultsOfData = ({ method, path, status, body }: Exchange): string[] => {
  const kind = kinds.find((one) => path.startsWith(`/v2/${one}/`))
  if (method !== 'GET' || kind === undefined || status !== 200) return []
  const { data } = JSON.parse(body)
  const faults = data === undefined ? [] : faultsIn(dataOf(kind), data)
  return faults.map((fault) => `${path} data: ${fault}`)
}

const kindOfBody = (fields: object) => kinds.find((kind) => idOf[kind] in fields)

function faultsOfCallback({ method, headers, body }: Called): string[] {
  const fields = JSON.parse(body)
  const kind = kindOfBody(fields)
  const faults = kind === undefined ? ['of nothing known'] : faultsIn(callbackOf(kind), fields)
  const told = [...faults, ...faultsIn(callbackHeaders, headers)]
  return told.map((fault) => `callback ${method} ${fields.status}: ${fault}`)
}

describe('the dialect, through everything that can be steered', () => {
  it('answers and calls back as documented, and the adapter asks as documented', async () => {
    const opened = await open()
    const poor = await open({ opening_balance: 49 })
    await Promise.all([playNumbers(opened), playPage(opened)])
    await playRefundsAndQueue(opened)
    await poor.gateway.pay(orderTo('22997000010', 'DISBURSE'))
    await opened.gateway.balances()
    await opened.gateway.publishedKeys()
    opened.pawapay.setCondition('MTN_MOMO_BEN', 'deposits', {
      limits: { least: '100', most: '500000.5' },
      works: 'CLOSED',
    })
    expect((await opened.gateway.rules())?.length).toBeGreaterThan(10)
    expect((await opened.gateway.availability())?.length).toBeGreaterThan(10)
    opened.pawapay.setCondition('MTN_MOMO_BEN', 'deposits', {})
    await opened.gateway.check('https://pay.example/callbacks/pawapay')
    await playMistakes(opened)
    const asked = [...opened.ours, ...poor.ours]
    const all = [...asked, ...opened.others.exchanges]
    expect(faultsOfAnswers(operations, all)).toEqual([])
    expect(all.flatMap(faultsOfData)).toEqual([])
    expect(faultsOfRequests(operations, asked)).toEqual([])
    expect(opened.calls.flatMap(faultsOfCallback)).toEqual([])
    // Nothing above is empty talk: each operation, status and way of a callback was there.
    const text = all.map(({ body }) => body).join('\n')
    for (const word of [...statuses.deposits, 'ENQUEUED', 'DUPLICATE_IGNORED', 'NOT_FOUND']) {
      if (word !== 'IN_RECONCILIATION') expect(text).toContain(`"${word}"`)
    }
    const called = opened.calls.map(({ body }) => JSON.parse(body))
    for (const kind of kinds)
      expect(
        called.some((one) => idOf[kind] in one),
        kind,
      ).toBe(true)
    expect(new Set(called.map(({ status }) => status)).size).toBe(3)
  })
})
