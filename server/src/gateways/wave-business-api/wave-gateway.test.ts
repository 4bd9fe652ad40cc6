// What only this operator does, over real HTTP: the bytes that we send, a create whose answer was
// lost, tries that fail, ends that race with payments, refunds in full, callbacks by both proofs.

import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  startWave,
  type Wave,
  type WaveOptions,
} from '../../../../simulator/src/dialects/wave/start.ts'
import { serveHttp } from '../../../test/setup/loopback.ts'
import { webhookSecret, withWave } from '../../../test/setup/wave-account.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { Account } from '../adapter.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, AttemptKey, GatewayOrder, RefundOrder } from '../gateway.ts'
import { type WaveGateway, waveGateway } from './wave-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

const noTokens = () => {
  throw new Error('this operator gives no tokens')
}

function opened(account: Account, clock = Date.now) {
  const notes: string[] = []
  const note = (what: string) => notes.push(what)
  return { notes, gateway: waveGateway(account, { outbound, clock, note, tokens: noTokens }) }
}

type Opened = Readonly<{ wave: Wave; gateway: WaveGateway; notes: string[] }>

async function open(options: Partial<WaveOptions> = {}): Promise<Opened> {
  const wave = await startWave({ port: 0, speed: 50, ...options })
  onTestFinished(() => wave.stop())
  return { wave, ...opened(withWave(wave)) }
}

const orderOf = (changes: Partial<GatewayOrder> = {}): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'wave_sn', country_code: 'SN' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+221770000010', flow: 'redirect' },
  ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier' },
  ...{ callback_url: 'https://pay.example/callbacks/w/t', return_url: 'https://shop.example/ok' },
  ...changes,
})

const pageOf = (answer: Answer): string => {
  if (answer.is !== 'waiting' || typeof answer.next !== 'object') throw new Error(answer.is)
  return answer.next.redirect_to
}

const actOn = (page: string, act: 'pay' | 'fail') =>
  fetch(page, { method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' })

async function endOf({ gateway }: Opened, attempt: AttemptKey): Promise<Answer> {
  const give_up = Date.now() + 20_000
  for (;;) {
    const { answer } = await gateway.query(attempt)
    if (answer.is === 'confirmed' || answer.is === 'refused' || Date.now() > give_up) return answer
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

type Sent = { method: string; url: string; headers: Record<string, unknown>; body: string }

/** An operator that keeps what it was sent, and answers each path as it is told. */
async function recorder(answers: Readonly<Record<string, (sent: Sent) => [number, unknown]>>) {
  const sent: Sent[] = []
  const server = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() }
    sent.push(one)
    const [path = ''] = url.split('?')
    const [status, body] = answers[`${method} ${path}`]?.(one) ?? [404, { code: 'not-found' }]
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === '' ? '' : JSON.stringify(body))
  })
  onTestFinished(() => server.close())
  return { sent, url: server.url }
}

describe('what is sent', () => {
  it('is the session that was asked for, byte for byte, and no more', async () => {
    const { sent, url } = await recorder({})
    const order = orderOf({ our_key: 'k1', return_url: '' })
    const key = { url, api_key: 'wave_sn_prod_0123456789abcdef' }
    await opened(withWave(key)).gateway.collect(order)
    await opened(withWave(key, { restrict_payer: 'no' })).gateway.collect(order)
    const body =
      '{"amount":"5000","currency":"XOF","error_url":"https://pay.example/",' +
      '"success_url":"https://pay.example/","client_reference":"k1"'
    expect(sent.map((one) => [one.method, one.url, one.body])).toEqual([
      ['POST', '/v1/checkout/sessions', `${body},"restrict_payer_mobile":"+221770000010"}`],
      ['POST', '/v1/checkout/sessions', `${body}}`],
    ])
    expect(sent[0]?.headers).toMatchObject({
      authorization: 'Bearer wave_sn_prod_0123456789abcdef',
      'content-type': 'application/json',
    })
    expect(sent[0]?.headers).not.toHaveProperty('idempotency-key')
    expect(sent[0]?.headers).not.toHaveProperty('wave-signature')
  })

  it('leads back to our own place where the merchant named none that the operator takes', async () => {
    const { sent, url } = await recorder({})
    const { gateway } = opened(withWave({ url, api_key: 'wave_sn_prod_0123456789abcdef' }))
    const places = ['http://shop.example/ok', 'HTTPS://shop.example/ok', 'https://shop.example/ok']
    for (const return_url of places) await gateway.collect(orderOf({ return_url }))
    const backs = sent.map(({ body }) => {
      const { success_url, error_url } = JSON.parse(body)
      return [success_url, error_url]
    })
    expect(backs).toEqual(
      ['https://pay.example/', ...places.slice(1)].map((place) => [place, place]),
    )
    // A checkout page of ours, where nobody has a certificate.
    const callback_url = 'http://127.0.0.1:8080/callbacks/w/t'
    const return_url = 'http://127.0.0.1:8080/pay/one'
    await gateway.collect(orderOf({ callback_url, return_url }))
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toMatchObject({ success_url: return_url })
  })

  it('is the payout with our key against doubles, and a reason of forty signs at most', async () => {
    const { sent, url } = await recorder({})
    const { gateway } = opened(withWave({ url, api_key: 'wave_sn_prod_0123456789abcdef' }))
    const payout = orderOf({ our_key: 'k2', direction: 'DISBURSE', description: '🛒'.repeat(30) })
    await gateway.pay(payout)
    expect(sent[0]).toMatchObject({ method: 'POST', url: '/v1/payout' })
    expect(sent[0]?.headers['idempotency-key']).toBe('k2')
    expect(sent[0]?.body).toBe(
      '{"currency":"XOF","receive_amount":"5000","mobile":"+221770000010",' +
        `"client_reference":"k2","payment_reason":"${'🛒'.repeat(20)}"}`,
    )
  })

  it('is signed where the key was made so: over the time and the body, nothing between', async () => {
    const { sent, url } = await recorder({})
    const key = { url, api_key: 'wave_sn_prod_0123456789abcdef' }
    const account = withWave(key, { signing_secret: 'wave_sn_AKS_secret' })
    await opened(account, () => 1_790_000_000_000).gateway.collect(orderOf())
    const v1 = createHmac('sha256', 'wave_sn_AKS_secret')
      .update(`1790000000${sent[0]?.body}`)
      .digest('hex')
    expect(sent[0]?.headers['wave-signature']).toBe(`t=1790000000,v1=${v1}`)
  })
})

describe('a create whose answer was lost', () => {
  it('is found by a search once that shows it, and there is one', async () => {
    const opened = await open({ misbehaves: true, speed: 4 })
    const order = orderOf({ msisdn: '+221770009914' })
    expect((await opened.gateway.collect(order)).answer.is).toBe('unknown')
    expect(await endOf(opened, order)).toMatchObject({ is: 'confirmed', amount: order.amount })
    expect(opened.wave.books()).toHaveLength(1)
  })

  it('made anew leaves one page that can be paid: the other is closed', async () => {
    const opened = await open()
    const { gateway, wave } = opened
    const order = orderOf()
    const first = pageOf((await gateway.collect(order)).answer)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const second = (await gateway.collect(order)).answer
    const attempt = { ...order, sends: 2 }
    expect((await gateway.query(attempt)).answer).toEqual(second)
    expect(wave.books().map(({ status }) => status)).toEqual(['expired', 'open'])
    expect((await actOn(first, 'pay')).status).toBe(410)
    await actOn(pageOf(second), 'pay')
    const known = {
      ...attempt,
      external_reference: 'external_reference' in second ? second.external_reference : '',
    }
    expect((await gateway.query(known)).answer).toMatchObject({ is: 'confirmed' })
  })

  it('that was paid on both pages is told as two', async () => {
    const { gateway, notes } = await open()
    const order = orderOf()
    const pages = [await gateway.collect(order), await gateway.collect(order)]
    for (const { answer } of pages) await actOn(pageOf(answer), 'pay')
    const { answer } = await gateway.query({ ...order, sends: 2 })
    expect(answer).toMatchObject({ is: 'several', captures: [{}, {}] })
    expect(notes).toEqual(['paid more than once by one key'])
  })
})

describe('a session', () => {
  it('whose first try failed waits, and is paid once by the next', async () => {
    const opened = await open()
    const order = orderOf()
    const { answer } = await opened.gateway.collect(order)
    await actOn(pageOf(answer), 'fail')
    expect((await opened.gateway.query(order)).answer).toEqual(answer)
    await actOn(pageOf(answer), 'pay')
    expect(await endOf(opened, order)).toMatchObject({ is: 'confirmed' })
    expect(opened.wave.wallet()).toBe(100_005_000)
  })

  it('that is paid while it is cancelled is paid', async () => {
    const { wave } = await open()
    const order = orderOf()
    const state = { paid: false }
    const session = () => ({
      ...{ id: 'cos-1', amount: '5000', currency: 'XOF', client_reference: order.our_key },
      ...(state.paid
        ? { checkout_status: 'complete', payment_status: 'succeeded' }
        : { checkout_status: 'open', payment_status: 'processing' }),
      ...{ wave_launch_url: `${wave.url}/c/cos-1`, when_created: '2026-11-23T08:00:00Z' },
    })
    // The payer is quicker by a moment: the operator refuses to end it.
    const { sent, url } = await recorder({
      'GET /v1/checkout/sessions/cos-1': () => [200, session()],
      'POST /v1/checkout/sessions/cos-1/expire': () => {
        state.paid = true
        return [409, { code: 'request-validation-error', message: 'not open' }]
      },
    })
    const { gateway } = opened(withWave({ url, api_key: wave.api_key }))
    const { answer } = await gateway.cancel({ ...order, external_reference: 'cos-1' })
    expect(answer).toMatchObject({ is: 'confirmed', amount: order.amount })
    expect(sent.map(({ method, url }) => `${method} ${url.split('/').at(-1)}`)).toEqual([
      ...['GET cos-1', 'POST expire', 'GET cos-1'],
    ])
  })

  it('that ended while it shows a payment counts as ended only two minutes later', async () => {
    const wave = await startWave({ port: 0, unpaid_shows: 'processing' })
    onTestFinished(() => wave.stop())
    let ahead_ms = 0
    const { gateway } = opened(withWave(wave), () => Date.now() + ahead_ms)
    const order = orderOf()
    await gateway.collect(order)
    expect((await gateway.cancel(order)).answer.is).toBe('waiting')
    ahead_ms = 125_000
    expect((await gateway.query(order)).answer).toMatchObject({
      ...{ is: 'refused', by: 'payer', failure_code: 'EXPIRED' },
    })
  })
})

describe('a payout', () => {
  it('is paid at once, is the same by the same key, and is refused for want of a float', async () => {
    const { gateway, wave } = await open({ opening_balance: 6_000 })
    const order = orderOf({ direction: 'DISBURSE', flow: 'push' })
    const [first, again] = [await gateway.pay(order), await gateway.pay(order)]
    expect(first.answer).toMatchObject({ is: 'confirmed', amount: 5_000_00n })
    expect(again.answer).toEqual(first.answer)
    expect((await gateway.pay({ ...order, amount: 100_00n })).answer.is).toBe('unknown')
    const other = await gateway.pay(orderOf({ direction: 'DISBURSE' }))
    expect(other.answer).toMatchObject({ is: 'refused', by: 'float' })
    expect(wave.books()).toHaveLength(1)
    expect(await gateway.balances()).toEqual([
      {
        ...{ wallet: 'business', currency: 'XOF', amount: 1_000_00n },
        purposes: ['COLLECT', 'DISBURSE'],
      },
    ])
  })
})

describe('a refund', () => {
  async function paid(options: Partial<WaveOptions> = {}) {
    const it = await open(options)
    const order = orderOf()
    const { answer } = await it.gateway.collect(order)
    await actOn(pageOf(answer), 'pay')
    const end = await endOf(it, order)
    if (end.is !== 'confirmed') throw new Error(end.is)
    const of = { ...order, external_reference: end.external_reference }
    const refund: RefundOrder = {
      ...{ merchant_id: 'm', attempt_id: 'r', direction: 'DISBURSE', our_key: randomUUID() },
      ...{ external_reference: '', amount: order.amount, currency: 'XOF', refund_id: 'r', of },
      ...{ reason: 'returned', callback_url: '' },
    }
    return { ...it, refund }
  }

  it('gives the whole back once, however often it is asked for, and is found again', async () => {
    const { gateway, refund, wave } = await paid()
    const before = await gateway.askRefund({ ...refund, age_s: 5 })
    expect(before.answer).toEqual({ is: 'not_found' })
    const confirmed = { is: 'confirmed', amount: refund.amount, amount_is: 'ASKED' }
    expect((await gateway.refund(refund)).answer).toMatchObject(confirmed)
    expect((await gateway.refund(refund)).answer).toMatchObject(confirmed)
    expect((await gateway.askRefund({ ...refund, age_s: 5 })).answer).toMatchObject(confirmed)
    expect(wave.wallet()).toBe(100_000_000)
  })

  it('that is not shown leaves its outcome unknown once it may have been made', async () => {
    const { gateway, refund } = await paid()
    const later = await gateway.askRefund({ ...refund, age_s: 121 })
    expect(later.answer).toEqual({ is: 'unknown', because: 'no such line' })
  })

  it.each([
    ['a firewall’s page', '<html>Request Rejected</html>'],
    ['a list', []],
    ['an error', { code: 'internal-server-error', message: 'Try again.' }],
    ['another session', { id: 'cos-2' }],
  ])('that is answered 200 with %s may or may not have been made', async (_what, body) => {
    const { url } = await recorder({ 'POST /v1/checkout/sessions/cos-1/refund': () => [200, body] })
    const { gateway } = opened(withWave({ url, api_key: 'wave_sn_prod_0123456789abcdef' }))
    const of = orderOf({ external_reference: 'cos-1' })
    const { answer } = await gateway.refund({ ...of, of, refund_id: 'r', reason: '' })
    expect(answer).toMatchObject({ is: 'unknown' })
  })

  it('of a part is never sent', async () => {
    const { gateway, refund, wave } = await paid()
    const { answer } = await gateway.refund({ ...refund, amount: 100_00n })
    expect(answer).toMatchObject({ is: 'refused', by: 'gateway' })
    expect(wave.books()).toMatchObject([{ refunded: false }])
  })
})

describe('callbacks', () => {
  const session = {
    ...{ id: 'cos-1', amount: '5000', currency: 'XOF', client_reference: 'our-key' },
    ...{ checkout_status: 'complete', payment_status: 'succeeded' },
  }
  const body = JSON.stringify({ id: 'EV_1', type: 'checkout.session.completed', data: session })
  const at_s = 1_790_000_000
  const v1 = (secret: string, text = body, time = at_s) =>
    createHmac('sha256', secret).update(`${time}${text}`).digest('hex')
  const { gateway, notes } = opened(withWave({ url: 'http://127.0.0.1:9', api_key: 'x' }))
  const read = (headers: Record<string, string>, text = body) =>
    gateway.readCallback(receivedOf({ body: text, headers }, at_s * 1000))

  it('are proven by one of several signatures, or wake by the shared secret', () => {
    const signed = (value: string) => read({ 'wave-signature': value })
    const good = v1(webhookSecret)
    expect(signed(`t=${at_s},v1=${v1('old')},v1=${good}`)).toMatchObject({
      ...{ proof: 'SIGNED', key: 'our-key' },
      answer: { is: 'confirmed', external_reference: 'cos-1', amount: 5_000_00n },
    })
    expect(read({ authorization: `Bearer ${webhookSecret}` }).proof).toBe('BEARER')
    const forged = [
      ...[`t=${at_s}.,v1=${good}`, `v1=${good}`, `t=${at_s}`, `t=${at_s + 1},v1=${good}`],
      ...[`t=${at_s},v0=${good}`, `t=${at_s},v1=${good.toUpperCase()}`, `${good}`],
      `t=${at_s},v1=${createHmac('sha256', webhookSecret).update(`${at_s}.${body}`).digest('hex')}`,
    ]
    expect(forged.map((one) => signed(one).proof)).toEqual(forged.map(() => 'UNSIGNED'))
    expect(read({ authorization: 'Bearer another' }).proof).toBe('UNSIGNED')
    expect(gateway.facts.signature_headers).not.toContain('authorization')
  })

  it('of a failed try, of a test and of other money end nothing', () => {
    const of = (type: string, data: object) => {
      const text = JSON.stringify({ id: 'EV_2', type, data })
      return read({ 'wave-signature': `t=${at_s},v1=${v1(webhookSecret, text)}` }, text)
    }
    const open = { ...session, checkout_status: 'open', payment_status: 'cancelled' }
    expect(of('checkout.session.payment_failed', open).answer.is).toBe('unknown')
    expect(of('checkout.session.payment_failed', session).answer.is).toBe('unknown')
    expect(of('test.test_event', { test_key: 'x' })).toMatchObject({ is_other: true })
    expect(of('merchant.payment_received', session)).toMatchObject({ is_other: true })
    const unsigned = JSON.stringify({ type: 'test.test_event', data: {} })
    expect(read({}, unsigned)).not.toHaveProperty('is_other')
    expect(notes).toEqual([])
  })
})

describe('the doctor', () => {
  it('says what is wrong with a key, an address and a permission, and moves nothing', async () => {
    const { gateway, wave } = await open()
    const said = async (one: WaveGateway) =>
      Object.fromEntries((await one.check()).map(({ what, is }) => [what.en, is]))
    expect(await said(gateway)).toEqual({
      ...{ clock: 'PASS', 'checkout search': 'PASS', 'payout search': 'PASS' },
      ...{ balance: 'PASS', webhook: 'WARN' },
    })
    const bad = opened(withWave({ url: wave.url, api_key: 'wave_sn_prod_another0000000000' }))
    expect(await said(bad.gateway)).toMatchObject({ 'checkout search': 'FAIL', balance: 'WARN' })
    const away = opened(withWave({ url: 'http://127.0.0.1:9', api_key: wave.api_key }))
    expect(await said(away.gateway)).toMatchObject({ 'payout search': 'FAIL' })
    expect(wave.books()).toEqual([])
  })
})

describe('faults by chance', () => {
  it.each(['one', 'two'])('seed %s: moved once, or known not to have', async (seed) => {
    const opened = await open({ chaos: { seed, rate: 0.4 }, speed: 100, auto_pay: true })
    const orders = Array.from({ length: 40 }, (_, at) =>
      orderOf({
        direction: at % 2 === 0 ? 'COLLECT' : 'DISBURSE',
        msisdn: at % 5 === 0 ? '+221770000002' : '+221770000010',
      }),
    )
    const send = (order: GatewayOrder) =>
      order.direction === 'COLLECT' ? opened.gateway.collect(order) : opened.gateway.pay(order)
    const answers = (await Promise.all(orders.map(send))).map(({ answer }) => answer)
    // Beside one another: some are never ended, and each of those is waited for.
    const check = async (order: GatewayOrder, at: number) => {
      const books = opened.wave.books().filter((one) => one.reference === order.our_key)
      if (books.length === 0) {
        expect(['unknown', 'refused'], order.our_key).toContain(answers[at]?.is)
        return
      }
      const isPaid = (await endOf(opened, order)).is === 'confirmed'
      const after = opened.wave.books().filter((one) => one.reference === order.our_key)
      expect(after.map(({ status }) => status === 'complete' || status === 'succeeded')).toEqual([
        isPaid,
      ])
    }
    await Promise.all(orders.map(check))
  })
})
