// What only this operator does, over real HTTP: the bytes of a create, its own test cards, a key that
// is replayed for a day, refunds with their late ends, and what others take back of a payment.

import { createHmac, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type Stripe,
  type StripeOptions,
  startStripe,
} from '../../../../simulator/src/dialects/stripe/start.ts'
import { serveHttp } from '../../../test/setup/loopback.ts'
import { openMailbox } from '../../../test/setup/mailbox.ts'
import { stripeAccount, toolsWithoutTokens } from '../../../test/setup/stripe-account.ts'
import { idFromHash, newId } from '../../platform/ids.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { Account } from '../adapter.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, GatewayOrder, RefundOrder } from '../gateway.ts'
import { type StripeGateway, stripeGateway } from './stripe-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

type Opened = Readonly<{
  stripe: Stripe
  gateway: StripeGateway
  account: Account
  notes: string[]
  first: (name: string) => ReturnType<Awaited<ReturnType<typeof openMailbox>>['first']>
}>

async function open(options: Partial<StripeOptions> = {}): Promise<Opened> {
  const stripe = await startStripe({ port: 0, speed: 50, misbehaves: true, ...options })
  onTestFinished(() => stripe.stop())
  const mailbox = await openMailbox((body) => JSON.parse(body).type)
  onTestFinished(() => mailbox.close())
  const account = await stripeAccount(stripe.url, `${mailbox.url}/callbacks/stripe_test`)
  const notes: string[] = []
  const clock = options.now ?? Date.now
  const gateway = stripeGateway(account, {
    ...toolsWithoutTokens,
    ...{ outbound, clock, note: (what: string) => notes.push(what) },
  })
  return { stripe, gateway, account, notes, first: mailbox.first }
}

const orderOf = (changes: Partial<GatewayOrder> = {}): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: newId(), direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'card', country_code: 'XX' },
  ...{ amount: 103_25n, currency: 'USD', msisdn: '', flow: 'redirect', otp_kind: 'NONE' },
  ...{ otp: undefined, description: 'Panier sandbox:04', return_url: 'https://shop.example/back' },
  callback_url: 'https://pay.example/callbacks/stripe_xx/token',
  ...changes,
})

const sent = async ({ gateway }: Pick<Opened, 'gateway'>, order: GatewayOrder): Promise<Answer> =>
  (await gateway.collect(order)).answer

const asked = async ({ gateway }: Opened, order: GatewayOrder): Promise<Answer> =>
  (await gateway.query(order)).answer

const refundOf = (of: GatewayOrder, changes: Partial<RefundOrder> = {}): RefundOrder => ({
  ...{ merchant_id: 'm', attempt_id: newId(), direction: 'DISBURSE', our_key: randomUUID() },
  ...{ external_reference: '', refund_id: newId(), of, amount: of.amount, currency: of.currency },
  ...{ reason: 'returned', callback_url: '' },
  ...changes,
})

describe('a question that is refused', () => {
  /** Answers every call so, and counts those that would move money. */
  async function refusing(status: number) {
    let posts = 0
    const error = { type: 'invalid_request_error', code: '', message: 'x' }
    const server = await serveHttp((request, response) => {
      if (request.method === 'POST') posts += 1
      response.writeHead(status).end(JSON.stringify({ error }))
    })
    onTestFinished(() => server.close())
    const account: Account = {
      ...{ id: 'i', code: 'stripe_xx', environment: 'SANDBOX', country: 'XX' },
      settings: { base_url: server.url },
      secrets: { secret_key: 'sk_test_0123456789', webhook_secret: 'whsec_12345678' },
    }
    const tools = { ...toolsWithoutTokens, outbound, clock: Date.now }
    return { gateway: stripeGateway(account, tools), posts: () => posts }
  }

  it.each([400, 401, 403])('with %i says nothing of what was asked about', async (status) => {
    const { gateway, posts } = await refusing(status)
    const order = orderOf({ external_reference: 'cs_test_1' })
    expect((await gateway.query(order)).answer.is).toBe('unknown')
    const refund = refundOf(order)
    expect((await gateway.askRefund(refund)).answer.is).toBe('unknown')
    const known = { ...refund, external_reference: 're_1' }
    expect((await gateway.askRefund(known)).answer.is).toBe('unknown')
    expect((await gateway.refund(refund)).answer.is).toBe('never_sent')
    expect(posts()).toBe(0)
  })
})

describe('the bytes of a call', () => {
  async function heard(order: GatewayOrder) {
    const calls: { url: string; headers: Record<string, unknown>; body: string }[] = []
    const server = await serveHttp(async (request, response) => {
      const { url = '', headers } = request
      calls.push({ url, headers: { ...headers }, body: await text(request) })
      response.writeHead(500).end()
    })
    onTestFinished(() => server.close())
    const account: Account = {
      ...{ id: 'i', code: 'stripe_xx', environment: 'SANDBOX', country: 'XX' },
      settings: { base_url: server.url },
      secrets: { secret_key: 'sk_test_0123456789', webhook_secret: 'whsec_12345678' },
    }
    const tools = { ...toolsWithoutTokens, outbound, clock: Date.now }
    await stripeGateway(account, tools).collect(order)
    const [call] = calls
    if (call === undefined) throw new Error('nothing was sent')
    return { ...call, form: Object.fromEntries(new URLSearchParams(call.body)) }
  }

  // 2026-11-23T08:00:00Z, in the id.
  const attempt_id = idFromHash(1_795_420_800_000, Buffer.alloc(32, 7))
  const our_key = '7d3c1c0e-5d5f-4b6e-9d65-0a8a3a1f4a10'

  it('is a form with one line, our key three times, and half an hour to pay', async () => {
    const { url, headers, body, form } = await heard(orderOf({ attempt_id, our_key }))
    expect(url).toBe('/v1/checkout/sessions')
    expect(headers).toMatchObject({
      authorization: 'Bearer sk_test_0123456789',
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': our_key,
      'stripe-version': '2026-10-28.endive',
    })
    expect(form).toEqual({
      mode: 'payment',
      'payment_method_types[0]': 'card',
      client_reference_id: our_key,
      'metadata[attempt]': our_key,
      'payment_intent_data[metadata][attempt]': our_key,
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '10325',
      'line_items[0][price_data][product_data][name]': 'Panier sandbox:04',
      'line_items[0][quantity]': '1',
      'adaptive_pricing[enabled]': 'false',
      success_url: 'https://shop.example/back',
      cancel_url: 'https://shop.example/back',
      expires_at: String(1_795_420_800 + 1_800 + 300),
    })
    expect((await heard(orderOf({ attempt_id, our_key }))).body).toBe(body)
  })

  it('says francs as they are, names what has no name, and always has a way back', async () => {
    const bare = { attempt_id, our_key, description: ' \u0000 ', return_url: '' }
    const francs = { amount: 10_325_00n, currency: 'XOF' }
    const { form } = await heard(orderOf({ ...bare, ...francs }))
    expect(form).toMatchObject({
      'line_items[0][price_data][currency]': 'xof',
      'line_items[0][price_data][unit_amount]': '10325',
      'line_items[0][price_data][product_data][name]': '3X7GE0WQAZ9DQ9TS8AH8X1YJGG',
      success_url: 'https://pay.example/',
    })
  })
})

describe('the operator’s own test cards', () => {
  it.each([
    ['4242424242424242', 'paid', 'confirmed'],
    ['4000000000000002', 'declined', 'waiting'],
    ['4000000000009995', 'declined', 'waiting'],
    ['4000002500003155', 'paid', 'confirmed'],
  ] as const)('%s is %s, and then %s', async (card, end, is) => {
    const opened = await open()
    const order = orderOf()
    await sent(opened, order)
    expect(await opened.stripe.pay(order.our_key, card)).toBe(end)
    expect((await asked(opened, order)).is).toBe(is)
    expect(opened.notes).toEqual([])
  })

  it('a declined card leaves the page to the next one', async () => {
    const opened = await open()
    const order = orderOf()
    await sent(opened, order)
    await opened.stripe.pay(order.our_key, '4000000000009995')
    await opened.stripe.pay(order.our_key)
    expect(await asked(opened, order)).toMatchObject({ is: 'confirmed', amount: 103_25n })
  })
})

describe('a key', () => {
  const hour = 3_600_000
  async function afterHours(hours: number, first: 'arrived' | 'lost') {
    let now = Date.now()
    const opened = await open({ now: () => now })
    const order = orderOf()
    const page = first === 'arrived' ? await sent(opened, order) : undefined
    now += hours * hour
    return { opened, order, page, late: await sent(opened, order) }
  }

  it('is answered with the same page at 23 hours', async () => {
    const { opened, page, late } = await afterHours(23, 'arrived')
    expect(late).toEqual(page)
    expect(opened.stripe.books()).toHaveLength(1)
  })

  it('makes no second page at 25 hours, nor where it arrives for the first time so late', async () => {
    for (const [hours, first, pages] of [
      [25, 'arrived', 1],
      [23, 'lost', 0],
    ] as const) {
      const { opened, late } = await afterHours(hours, first)
      expect(late).toMatchObject({ is: 'refused', by: 'gateway' })
      expect(opened.stripe.books()).toHaveLength(pages)
    }
  })

  it('with other contents is unknown, because what it made is there', async () => {
    const opened = await open()
    const order = orderOf()
    await sent(opened, order)
    const other = await sent(opened, { ...order, amount: 104_00n })
    expect(other).toMatchObject({ is: 'unknown' })
    expect(opened.notes).toEqual(['session 400 idempotency_error'])
  })

  it('of a lost create is found among the pages of its minutes, to the last list', async () => {
    const opened = await open()
    const order = orderOf()
    await sent(opened, order)
    await Promise.all(Array.from({ length: 120 }, () => sent(opened, orderOf())))
    expect(await asked(opened, order)).toMatchObject({ is: 'waiting' })
    expect((await asked(opened, orderOf())).is).toBe('not_found')
  })

  it('with two pages is a contradiction, and no choice of ours', async () => {
    const opened = await open()
    const order = orderOf()
    await sent(opened, order)
    // As if the operator had forgotten the key: the same order under another.
    const { secret_key } = opened.account.secrets
    const body = new URLSearchParams({
      ...{ mode: 'payment', client_reference_id: order.our_key, success_url: 'https://a.example' },
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '10325',
      'line_items[0][price_data][product_data][name]': 'x',
    })
    const headers = { authorization: `Bearer ${secret_key}` }
    await fetch(`${opened.stripe.url}/v1/checkout/sessions`, { method: 'POST', headers, body })
    expect(await asked(opened, order)).toMatchObject({
      is: 'unknown',
      because: 'two pages of one key',
    })
  })
})

describe('a refund', () => {
  async function paid(opened: Opened, card?: string): Promise<GatewayOrder> {
    const order = orderOf()
    const page = await sent(opened, order)
    await opened.stripe.pay(order.our_key, card)
    const external_reference = page.is === 'waiting' ? page.external_reference : ''
    return { ...order, external_reference }
  }
  const given = async ({ gateway }: Opened, order: RefundOrder): Promise<Answer> =>
    (await gateway.refund(order)).answer

  it('gives back a part and then the rest, once for a key, and no more than was paid', async () => {
    const opened = await open()
    const of = await paid(opened)
    const part = refundOf(of, { amount: 3_25n })
    const done = { is: 'confirmed', amount: 3_25n, currency: 'USD' }
    expect(await given(opened, part)).toMatchObject(done)
    expect(await given(opened, part)).toMatchObject(done)
    expect(await given(opened, refundOf(of))).toMatchObject({ is: 'refused', by: 'gateway' })
    expect(await given(opened, refundOf(of, { amount: 100_00n }))).toMatchObject({
      is: 'confirmed',
    })
    const last = await given(opened, refundOf(of, { amount: 1_00n }))
    expect(last).toMatchObject({ is: 'refused', failure_code: 'GATEWAY_REFUSED' })
    expect(last).not.toHaveProperty('alarm')
    const [book] = opened.stripe.books()
    expect(book?.refunds.map(({ amount }) => amount)).toEqual([325, 10_000])
    // What we gave back ourselves was not taken back by others.
    expect(await asked(opened, of)).toMatchObject({ is: 'confirmed', amount: 103_25n })
  })

  it('is found by our key where its answer was lost', async () => {
    const opened = await open()
    const of = await paid(opened)
    const order = refundOf(of)
    expect((await opened.gateway.askRefund(order)).answer).toEqual({ is: 'not_found' })
    await given(opened, order)
    const { answer } = await opened.gateway.askRefund({ ...order, external_reference: '' })
    expect(answer).toMatchObject({ is: 'confirmed', amount: 103_25n })
  })

  it('that is slow waits, and then is paid', async () => {
    const opened = await open()
    const order = refundOf(await paid(opened, '4000000000007726'))
    const first = await given(opened, order)
    expect(first).toMatchObject({ is: 'waiting' })
    const event = await opened.first('refund.updated')
    const reading = opened.gateway.readCallback(receivedOf(event, Date.now()))
    expect(reading).toMatchObject({ proof: 'SIGNED', key: order.our_key })
    expect(reading.answer).toMatchObject({ is: 'confirmed', amount: 103_25n, currency: 'USD' })
  })

  it('that comes back after it succeeded is a refusal, in its event and when asked', async () => {
    const opened = await open()
    const order = refundOf(await paid(opened, '4000000000005126'))
    const first = await given(opened, order)
    expect(first.is).toBe('confirmed')
    const event = await opened.first('refund.failed')
    const back = { is: 'refused', by: 'payer', failure_code: 'RECIPIENT_NOT_FOUND' }
    const reading = opened.gateway.readCallback(receivedOf(event, Date.now()))
    expect(reading).toMatchObject({ proof: 'SIGNED', key: order.our_key, answer: back })
    const external_reference = first.is === 'confirmed' ? first.external_reference : ''
    const { answer } = await opened.gateway.askRefund({ ...order, external_reference })
    expect(answer).toMatchObject(back)
  })

  it('is never sent where its payment is not shown', async () => {
    const opened = await open()
    expect(await given(opened, refundOf(orderOf()))).toMatchObject({ is: 'never_sent' })
    expect(opened.stripe.books()).toEqual([])
  })

  it('that somebody made in the dashboard, or a dispute, is what was taken back', async () => {
    const opened = await open()
    const of = await paid(opened)
    const { gateway, stripe, account } = opened
    const list = await fetch(`${stripe.url}/v1/checkout/sessions/${of.external_reference}`, {
      headers: { authorization: `Bearer ${account.secrets['secret_key']}` },
    })
    const { payment_intent } = JSON.parse(await list.text())
    await fetch(`${stripe.url}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.secrets['secret_key']}` },
      body: new URLSearchParams({ payment_intent, amount: '325' }),
    })
    const back = { is: 'reversed', amount: 3_25n, detail: 'EXTERNAL_REFUND' }
    expect((await gateway.query(of)).answer).toMatchObject(back)
    // Of another sum than was asked for: what was paid comes first.
    const more = { is: 'confirmed', amount: 103_25n, currency: 'USD' }
    expect((await gateway.query({ ...of, amount: 99_00n })).answer).toMatchObject(more)
    expect((await gateway.query({ ...of, currency: 'EUR' })).answer).toMatchObject(more)
    const event = await opened.first('charge.refunded')
    const reading = gateway.readCallback(receivedOf(event, Date.now()))
    expect(reading).toMatchObject({ key: of.our_key, answer: { is: 'unknown' } })

    const disputed = await paid(opened, '4000000000000259')
    const gone = { is: 'reversed', amount: 103_25n, detail: 'CHARGEBACK' }
    expect((await gateway.query(disputed)).answer).toMatchObject(gone)
    const dispute = await opened.first('charge.dispute.created')
    const [paidEvent, disputeEvent] = [
      gateway.readCallback(
        receivedOf(await opened.first('checkout.session.completed'), Date.now()),
      ),
      gateway.readCallback(receivedOf(dispute, Date.now())),
    ]
    expect(paidEvent.aliases).toHaveLength(1)
    expect(disputeEvent).toMatchObject({ proof: 'SIGNED', answer: { is: 'unknown' } })
    expect(disputeEvent.key).toMatch(/^pi_/)
  })
})

describe('an event', () => {
  it('of a stranger is counted as no answer of the operator’s', async () => {
    const { gateway, account, notes } = await open()
    const session = { object: 'checkout.session', id: 'cs_test_1', status: 'made_up', url: null }
    const refund = { object: 'refund', id: 're_1', status: 'made_up', metadata: { attempt: 'k' } }
    const time = Math.floor(Date.now() / 1000)
    const read = (object: object, secret?: string) => {
      const body = JSON.stringify({ object: 'event', type: 'any', data: { object } })
      const mac = createHmac('sha256', secret ?? '')
        .update(`${time}.${body}`)
        .digest('hex')
      const headers = { 'stripe-signature': `t=${time},v1=${mac}` }
      const event = { body, headers: secret === undefined ? {} : headers }
      return gateway.readCallback(receivedOf(event, time * 1000)).proof
    }
    for (const object of [session, refund]) {
      expect([read(object), read(object, 'whsec_another')]).toEqual(['UNSIGNED', 'UNSIGNED'])
    }
    expect(notes).toEqual([])
    const secret = account.secrets['webhook_secret'] ?? ''
    expect([read(session, secret), read(refund, secret)]).toEqual(['SIGNED', 'SIGNED'])
    expect(notes).toEqual(['pair made_up ', 'refund status made_up'])
  })
})

describe('an account', () => {
  it('verifies with its former secret until that is retired', async () => {
    const opened = await open()
    const order = orderOf({ description: 'sandbox:00' })
    await sent(opened, order)
    const event = await opened.first('checkout.session.completed')
    const proofWith = (secrets: Account['secrets'], former_secrets?: Account['secrets']) => {
      const account = { ...opened.account, secrets }
      const whole = former_secrets === undefined ? account : { ...account, former_secrets }
      const tools = { ...toolsWithoutTokens, outbound, clock: Date.now }
      return stripeGateway(whole, tools).readCallback(receivedOf(event, Date.now())).proof
    }
    const { secrets } = opened.account
    const fresh = { ...secrets, webhook_secret: 'whsec_quite_another' }
    expect([proofWith(secrets), proofWith(fresh, secrets), proofWith(fresh)]).toEqual([
      ...['SIGNED', 'SIGNED', 'UNSIGNED'],
    ])
    expect(proofWith({ ...secrets, webhook_secret: '' })).toBe('UNSIGNED')
  })

  it('holds what was collected', async () => {
    const opened = await open()
    const order = orderOf()
    await sent(opened, order)
    await opened.stripe.pay(order.our_key)
    expect(await opened.gateway.balances()).toEqual([
      { wallet: 'available', currency: 'USD', amount: 103_25n, purposes: ['COLLECT'] },
      { wallet: 'pending', currency: 'USD', amount: 0n, purposes: ['COLLECT'] },
    ])
  })

  it('is found well, and each mistake is named with what to do, and nothing is made', async () => {
    const opened = await open()
    const wordsOf = async (account: Account, now = Date.now()) => {
      const tools = { ...toolsWithoutTokens, outbound, clock: () => now }
      const findings = await stripeGateway(account, tools).check()
      expect(findings.filter(({ is, fix }) => is !== 'PASS' && fix.en === '')).toEqual([])
      return findings.map(({ what, is }) => `${what.en} ${is}`)
    }
    const { account } = opened
    const wallets = ['balance of available USD PASS', 'balance of pending USD PASS']
    const page = 'question about a page PASS'
    const well = ['secret key PASS', 'clock PASS', page, ...wallets, 'events PASS']
    expect(await wordsOf(account)).toEqual(well)
    const wrong = { ...account, secrets: { ...account.secrets, secret_key: 'sk_wrong' } }
    expect(await wordsOf(wrong)).toContain('secret key FAIL')
    const live = { ...account, environment: 'LIVE' } as const
    expect(await wordsOf(live)).toEqual(expect.arrayContaining(['TLS FAIL', 'secret key FAIL']))
    expect(await wordsOf(account, Date.now() + 600_000)).toContain('clock FAIL')
    const nobody = { ...account, settings: { base_url: 'http://127.0.0.1:9' } }
    expect(await wordsOf(nobody)).toContain('secret key FAIL')
    expect(opened.stripe.books()).toEqual([])
  })
})

describe('faults by chance', () => {
  it.each(['one', 'two', 'three'])('seed %s: paid once, or known not to be', async (seed) => {
    const opened = await open({ chaos: { seed, rate: 0.4 }, speed: 100 })
    const orders = Array.from({ length: 40 }, () => orderOf({ description: 'sandbox:00' }))
    const answers = await Promise.all(orders.map((order) => sent(opened, order)))
    // An answer that comes late may find its payer done.
    const usual = ['waiting', 'unknown', 'confirmed']
    expect(answers.filter(({ is }) => !usual.includes(is))).toEqual([])
    for (const [at, order] of orders.entries()) {
      const books = opened.stripe.books().filter((one) => one.client_reference_id === order.our_key)
      expect(books.length).toBeLessThanOrEqual(1)
      const [one] = books
      if (one === undefined) {
        expect(answers[at]?.is).toBe('unknown')
        continue
      }
      const give_up = Date.now() + 20_000
      let answer = await asked(opened, order)
      while (answer.is !== 'confirmed' && Date.now() < give_up) answer = await asked(opened, order)
      // By chance another sum moves, or another currency: then that is what it says.
      const moved = { amount: BigInt(one.amount), currency: one.currency.toUpperCase() }
      expect(answer).toMatchObject({ is: 'confirmed', ...moved })
    }
  })
})
