// What only this operator does: every status, the bytes of its two steps, what a lost one leaves,
// and bodies and faults by chance.

import { createHmac, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type FedapayOptions,
  startFedapay,
} from '../../../../simulator/src/dialects/fedapay/start.ts'
import { fedapayAccount } from '../../../test/setup/fedapay-account.ts'
import { serveHttp } from '../../../test/setup/loopback.ts'
import { sized } from '../../../test/setup/proof-size.ts'
import { toolsWithoutTokens } from '../../../test/setup/stripe-account.ts'
import { newId } from '../../platform/ids.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { Account } from '../adapter.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, Direction, GatewayOrder } from '../gateway.ts'
import { shortReference } from '../reference-codec.ts'
import { fedapayGateway } from './fedapay-gateway.ts'
import { answerOf, readPrepared, readRefusal } from './read-answer.ts'
import { cellOf, modeOf, statuses } from './statuses.ts'
import { idIn, readEvent, readShown, readStarted, referenceOf } from './wire.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

async function open(options: Partial<FedapayOptions> = {}) {
  const fedapay = await startFedapay({ port: 0, speed: 50, misbehaves: true, ...options })
  onTestFinished(() => fedapay.stop())
  const account = fedapayAccount(fedapay, 'http://127.0.0.1:9/none')
  const notes: string[] = []
  const gateway = fedapayGateway(account, {
    ...toolsWithoutTokens,
    ...{ outbound, clock: Date.now, note: (what: string) => notes.push(what) },
  })
  return { fedapay, gateway, account, notes }
}

type Opened = Awaited<ReturnType<typeof open>>

const orderOf = (changes: Partial<GatewayOrder> = {}): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: newId(), direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+2290166000001', flow: 'push' },
  ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier', return_url: '' },
  callback_url: 'https://pay.example/callbacks/fedapay/token',
  ...changes,
})

async function sendTo({ gateway }: Pick<Opened, 'gateway'>, order: GatewayOrder) {
  const { answer } = await gateway.prepare(order)
  if (answer.is !== 'prepared') return { answer, order }
  const known = { ...order, external_reference: answer.external_reference }
  const sent = order.direction === 'COLLECT' ? gateway.collect(known) : gateway.pay(known)
  return { answer: (await sent).answer, order: known }
}

const nothing = () => undefined

describe('a status', () => {
  const known: Readonly<Record<Direction, Readonly<Record<string, string>>>> = {
    COLLECT: {
      ...{ pending: 'waiting', approved: 'confirmed', transferred: 'confirmed' },
      ...{ declined: 'refused', canceled: 'cancelled', refunded: 'refunded' },
      approved_partially_refunded: 'partly_refunded',
      transferred_partially_refunded: 'partly_refunded',
    },
    DISBURSE: {
      ...{ pending: 'undecided', scheduled: 'queued', started: 'waiting' },
      ...{ processing: 'waiting', sent: 'confirmed', failed: 'refused' },
    },
  }
  it('means what the sheet says, and any other nothing', () => {
    const odd = ['', 'Approved', 'expired', 'constructor', '__proto__']
    const all = [...statuses.COLLECT, ...statuses.DISBURSE, ...odd]
    for (const direction of ['COLLECT', 'DISBURSE'] as const) {
      for (const status of all) {
        const meant = new Map(Object.entries(known[direction])).get(status)
        expect(cellOf(direction, status), status).toBe(meant ?? 'unknown')
      }
    }
    expect([modeOf('mtn_bj'), modeOf('wave_ci'), modeOf('constructor')]).toEqual([
      ...['mtn_open', undefined, undefined],
    ])
  })

  const shown = (changes: object = {}) => {
    const whole = { id: 7, status: 'approved', amount: 5_000, currency: { iso: 'XOF' } }
    const read = readShown({ ...whole, currency_id: 1, ...changes })
    if (read === undefined) throw new Error('unreadable')
    return read
  }
  const read = (changes: object = {}, direction: Direction = 'COLLECT') => {
    const one = shown(changes)
    return answerOf({ direction }, one, one.currency, nothing)
  }

  it('confirms the sum and currency that the operator says, or nothing', () => {
    const good = {
      ...{ is: 'confirmed', external_reference: 'transactions/7', currency: 'XOF' },
      // Its own number of it says nothing to a payer.
      operator_reference: '',
    }
    expect(read()).toEqual({ ...good, amount: 5_000_00n })
    expect(read({ amount: 4_999 })).toEqual({ ...good, amount: 4_999_00n })
    for (const bad of [{ amount: '5000' }, { amount: 50.5 }, { amount: 0 }, { currency: null }]) {
      expect(read(bad).is).toBe('unknown')
    }
    const another = { direction: 'COLLECT', our_key: randomUUID() } as const
    const theirs = shown({ merchant_reference: shortReference(randomUUID()) })
    expect(answerOf(another, theirs, 'XOF', nothing).is).toBe('unknown')
  })

  it('refunded elsewhere is what came back; a payout that is pending may have started', () => {
    expect(read({ status: 'refunded' })).toMatchObject({ is: 'reversed', amount: 5_000_00n })
    const of = { direction: 'COLLECT', currency: 'XOF' } as const
    const whole = shown({ status: 'refunded' })
    expect(answerOf(of, whole, 'XOF', nothing).is).toBe('reversed')
    expect(answerOf(of, whole, 'GNF', nothing).is).toBe('unknown')
    expect(read({ status: 'pending' }, 'DISBURSE').is).toBe('unknown')
    for (const status of ['approved_partially_refunded', 'transferred_partially_refunded']) {
      const paid = { is: 'confirmed', amount: 5_000_00n, alarm: 'GIVEN_BACK' }
      expect(read({ status })).toMatchObject(paid)
    }
    expect(read({ status: 'scheduled' }, 'DISBURSE')).toMatchObject({ is: 'waiting', queued: true })
    expect(read({ status: 'started' }, 'DISBURSE')).not.toHaveProperty('queued')
    const failed = { status: 'failed', last_error_code: 'INSUFFICIENT_FUND_ERROR' }
    expect(read(failed, 'DISBURSE')).toMatchObject({ is: 'refused', failure_code: 'UNKNOWN' })
    const declined = { ...failed, status: 'declined' }
    expect(read(declined)).toMatchObject({ is: 'refused', failure_code: 'INSUFFICIENT_FUNDS' })
  })

  it('canceled is named by its code or its message, and without one it was not approved', () => {
    const why = (changes: object) => {
      const answer = read({ status: 'canceled', ...changes })
      return answer.is === 'refused' ? `${answer.by} ${answer.failure_code}` : answer.is
    }
    const short = 'payer INSUFFICIENT_FUNDS'
    expect(why({ last_error_code: 'INSUFFICIENT_FUND_ERROR' })).toBe(short)
    expect(why({ last_error_code: 'X', last_error_message: 'NOT_ENOUGH_FUNDS' })).toBe(short)
    for (const last_error_code of [null, '', 'NO_ERROR', 'API_ERROR', 'X']) {
      expect(why({ last_error_code }), String(last_error_code)).toBe('payer NOT_APPROVED')
    }
  })

  it('that failed is explained by the network’s own reason in its message, where one is', () => {
    const notes: string[] = []
    const causeOf = (last_error_message: unknown, direction: Direction, last_error_code = 'X') => {
      const status = direction === 'COLLECT' ? 'declined' : 'failed'
      const one = shown({ status, last_error_code, last_error_message })
      const answer = answerOf({ direction }, one, one.currency, (what) => notes.push(what))
      return answer.is === 'refused' ? `${answer.by} ${answer.failure_code}` : answer.is
    }
    const low = 'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'
    expect(causeOf(`Failed: ${low}.`, 'COLLECT')).toBe('payer INSUFFICIENT_FUNDS')
    expect(causeOf('PAYER_LIMIT_REACHED', 'COLLECT')).toBe('payer LIMIT_REACHED')
    expect(causeOf('{"code":"PAYER_NOT_FOUND"}', 'COLLECT')).toBe('payer PAYER_NOT_FOUND')
    expect(causeOf('reason=APPROVAL_REJECTED', 'COLLECT', '')).toBe('payer NOT_APPROVED')
    expect(causeOf('COULD_NOT_PERFORM_TRANSACTION', 'COLLECT')).toBe('payer EXPIRED')
    expect(causeOf('PAYEE_NOT_FOUND', 'DISBURSE')).toBe('payer RECIPIENT_NOT_FOUND')
    expect(causeOf('PAYEE_LIMIT_REACHED', 'DISBURSE')).toBe('payer LIMIT_REACHED')
    expect(notes).toEqual([])
    // Whose balance is low is not said of a payout; two reasons are none, and part of a word too.
    const unsaid = [null, 7, '', 'declined', `A${low}`, `PAYER_NOT_FOUND EXPIRED`, 'constructor']
    for (const message of unsaid) {
      expect(causeOf(message, 'COLLECT'), String(message)).toBe('payer UNKNOWN')
    }
    for (const message of [low, 'PAYER_NOT_FOUND', 'NOT_ENOUGH_FUNDS']) {
      expect(causeOf(message, 'DISBURSE'), message).toBe('payer UNKNOWN')
    }
    expect(notes).toHaveLength(unsaid.length + 3)
    // The code that its documents name goes before the message.
    const both = causeOf('EXPIRED', 'COLLECT', 'INSUFFICIENT_FUND_ERROR')
    expect(both).toBe('payer INSUFFICIENT_FUNDS')
  })
})

describe('whatever comes', () => {
  it('never throws, and is never confirmed by chance', () => {
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record(
          {
            id: fc.constantFrom(7, '7', -1, 1.5),
            status: fc.constantFrom('approved', 'pending', 'sent', 'x', '', null),
            amount: fc.oneof(fc.constantFrom(5_000, '5000', 0, 1e300), fc.json()),
            currency: fc.oneof(fc.constantFrom({ iso: 'XOF' }, 'XOF', null), fc.object()),
            last_error_message: fc.oneof(fc.constantFrom('EXPIRED', 7, null), fc.string()),
          },
          { requiredKeys: [] },
        )
        .map((one) => JSON.stringify({ 'v1/transaction': one, 'v1/payouts': [one], entity: one })),
    )
    const attempt = { ...orderOf(), external_reference: 'transactions/7' }
    fc.assert(
      fc.property(body, fc.constantFrom(200, 201, 401, 404, 422, 500), (raw, status) => {
        const answered = { is: 'answered', status, headers: {}, body: raw, took_ms: 1 } as const
        readPrepared(attempt, answered, nothing)
        readRefusal(answered, 'x', nothing)
        let fields: Record<string, unknown> = {}
        try {
          fields = JSON.parse(raw)
        } catch {
          return
        }
        if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return
        readEvent(fields)
        readStarted(fields, 7)
        const one = readShown(fields['v1/transaction'])
        const answer = one && answerOf(attempt, one, one.currency, nothing)
        if (answer?.is !== 'confirmed') return
        expect([one?.status, typeof one?.amount]).toEqual(['approved', 'number'])
        expect(answer.amount).toBe(BigInt(Number(one?.amount)) * 100n)
      }),
      { numRuns: sized(3_000, 100_000) },
    )
  }, 240_000)
})

describe('the bytes of its calls', () => {
  async function heard(order: GatewayOrder, answers: readonly unknown[]) {
    const calls: { line: string; authorization: unknown; body: unknown }[] = []
    const server = await serveHttp(async (request, response) => {
      const { method = '', url = '', headers } = request
      const body = await text(request)
      const { authorization } = headers
      calls.push({ line: `${method} ${url}`, authorization, body: body && JSON.parse(body) })
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answers[calls.length - 1] ?? {}))
    })
    onTestFinished(() => server.close())
    const account: Account = {
      ...{ id: 'i', code: 'fedapay_bj', environment: 'SANDBOX', country: 'BJ' },
      settings: { base_url: server.url },
      secrets: { secret_key: 'sk_sandbox_01234567', webhook_secret: 'wh_01234567' },
    }
    const gateway = fedapayGateway(account, { ...toolsWithoutTokens, outbound, clock: Date.now })
    return { ...(await sendTo({ gateway }, order)), calls }
  }
  const our_key = '7d3c1c0e-5d5f-4b6e-9d65-0a8a3a1f4a10'

  it('of a collection: made, opened, asked for; no customer is named', async () => {
    const made = { 'v1/transaction': { id: 109, status: 'pending', amount: 5_000 } }
    const answers = [made, { token: 'tok', url: 'https://a.example' }, { message: 'success' }]
    const order = orderOf({ our_key, return_url: 'https://shop.example/back' })
    const { calls, answer } = await heard(order, answers)
    expect(answer).toEqual({
      ...{ is: 'waiting', external_reference: 'transactions/109' },
      next: 'payer',
    })
    expect(calls).toEqual([
      {
        line: 'POST /v1/transactions',
        authorization: 'Bearer sk_sandbox_01234567',
        body: {
          ...{ description: 'Panier', amount: 5_000, currency: { iso: 'XOF' } },
          merchant_reference: shortReference(our_key),
          callback_url: 'https://shop.example/back',
        },
      },
      expect.objectContaining({ line: 'POST /v1/transactions/109/token', body: '' }),
      expect.objectContaining({
        line: 'POST /v1/mtn_open',
        body: { token: 'tok', phone_number: { number: '+2290166000001', country: 'BJ' } },
      }),
    ])
  })

  it('of a payout: made, then started in the form of its client', async () => {
    const made = { 'v1/payout': { id: 17, status: 'pending', amount: 5_000 } }
    const started = { id: 17, status: 'started', amount: 5_000 }
    const answers = [made, { 'v1/payouts': [started] }]
    const { calls, answer } = await heard(orderOf({ our_key, direction: 'DISBURSE' }), answers)
    expect(answer).toMatchObject({ is: 'waiting', external_reference: 'payouts/17' })
    expect(calls.map(({ line, body }) => [line, body]).slice(0, 2)).toEqual([
      [
        'POST /v1/payouts',
        {
          ...{ amount: 5_000, currency: { iso: 'XOF' } },
          ...{ merchant_reference: shortReference(our_key), mode: 'mtn_open' },
        },
      ],
      [
        'PUT /v1/payouts/start',
        { payouts: [{ id: 17, phone_number: { number: '+2290166000001', country: 'BJ' } }] },
      ],
    ])
  })

  it('names each series of its references, and reads no other', () => {
    expect(referenceOf('DISBURSE', 17)).toBe('payouts/17')
    expect(idIn('DISBURSE', 'payouts/17')).toBe(17)
    for (const bad of ['transactions/17', '17', 'payouts/', 'payouts/17/x', 'payouts/1e3', '']) {
      expect(idIn('DISBURSE', bad)).toBeUndefined()
    }
  })
})

describe('what is lost', () => {
  it('before money was asked for took nothing: no reference, no token, no fit', async () => {
    const opened = await open()
    const unprepared = (await opened.gateway.collect(orderOf())).answer
    expect(unprepared).toMatchObject({ is: 'never_sent' })
    expect((await opened.gateway.query(orderOf())).answer).toEqual({ is: 'not_found' })
    const unfit = await sendTo(opened, orderOf({ network_code: 'wave_ci' }))
    expect(unfit.answer).toMatchObject({ is: 'refused', by: 'gateway', alarm: 'CONFIGURATION' })
    const gone = { ...orderOf(), external_reference: 'transactions/999' }
    expect((await opened.gateway.collect(gone)).answer).toMatchObject({ is: 'never_sent' })
    expect((await opened.gateway.query(gone)).answer).toMatchObject({
      ...{ is: 'unknown', alarm: 'CONTRADICTION' },
    })
    expect(opened.fedapay.books()).toEqual([])
  })

  it('of a start stays unknown, while it is pending', async () => {
    const opened = await open()
    const lost = orderOf({ direction: 'DISBURSE', msisdn: '+22901660009911' })
    const { answer, order } = await sendTo(opened, lost)
    expect(answer).toMatchObject({ is: 'unknown' })
    expect((await opened.gateway.query(order)).answer).toMatchObject({ is: 'unknown' })
  })

  it('of a charge is asked about; a second one is refused and would be another', async () => {
    const opened = await open()
    const { order } = await sendTo(opened, orderOf({ msisdn: '+2290166000004' }))
    expect((await opened.gateway.collect(order)).answer).toMatchObject({ is: 'refused' })
    expect((await opened.gateway.query(order)).answer).toMatchObject({ is: 'waiting' })
    expect(opened.fedapay.books()).toHaveLength(1)
  })
})

describe('an event', () => {
  it('of a stranger is counted as no answer of the operator’s', async () => {
    const { gateway, account, notes } = await open()
    const entity = { id: 7, klass: 'v1/transaction', status: 'made_up', amount: 5_000 }
    const body = JSON.stringify({ name: 'transaction.updated', entity })
    const time = Math.floor(Date.now() / 1000)
    const signedWith = (secret: string) => {
      const mac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      return { 'x-fedapay-signature': `t=${time},s=${mac}` }
    }
    const read = (headers: Record<string, string>) =>
      gateway.readCallback(receivedOf({ body, headers }, time * 1000))
    const reading = { key: 'transactions/7', answer: { is: 'unknown', because: 'status made_up' } }
    for (const headers of [{}, signedWith('wh_another_one')]) {
      expect(read(headers)).toEqual({ proof: 'UNSIGNED', ...reading })
    }
    expect(notes).toEqual([])
    const secret = account.secrets['webhook_secret'] ?? ''
    expect(read(signedWith(secret))).toEqual({ proof: 'SIGNED', ...reading })
    expect(notes).toEqual(['status made_up'])
  })
})

describe('an account', () => {
  it('shows what it holds, and its mistakes are named with what to do', async () => {
    const { gateway, account } = await open()
    const held = await gateway.balances()
    expect(held).toContainEqual({
      ...{ wallet: 'mtn_open', currency: 'XOF', amount: 0n },
      purposes: ['COLLECT', 'DISBURSE'],
    })
    const wordsOf = async (changed: Account, now = Date.now()) => {
      const tools = { ...toolsWithoutTokens, outbound, clock: () => now }
      const findings = await fedapayGateway(changed, tools).check()
      return findings.map(({ what, is }) => `${what.en} ${is}`)
    }
    const question = 'question about a transaction'
    const well = ['secret key PASS', 'clock PASS', `${question} PASS`]
    const wallets = held.map(({ wallet, currency }) => `balance of ${wallet} ${currency} PASS`)
    expect(await wordsOf(account)).toEqual([...well, ...wallets])
    const wrong = { ...account, secrets: { ...account.secrets, secret_key: 'sk_live_0123' } }
    expect(await wordsOf(wrong)).toContain('secret key FAIL')
    expect(await wordsOf(account, Date.now() + 600_000)).toContain('clock FAIL')
    expect(await wordsOf({ ...account, environment: 'LIVE' })).toContain('TLS FAIL')
  })
})

describe('faults by chance', () => {
  it.each(['one', 'two'])('seed %s: paid once, or known not to be', async (seed) => {
    const opened = await open({ chaos: { seed, rate: 0.3 }, speed: 100 })
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        sendTo(opened, orderOf({ direction: at % 2 ? 'COLLECT' : 'DISBURSE' })),
      ),
    )
    for (const { answer, order } of sent) {
      const reference = shortReference(order.our_key)
      const asked = opened.fedapay
        .books()
        .filter((one) => one.merchant_reference === reference && one.is_asked)
      expect(asked.length).toBeLessThanOrEqual(1)
      if (answer.is === 'never_sent' || answer.is === 'refused') expect(asked).toEqual([])
      const [one] = asked
      if (one === undefined) continue
      const give_up = Date.now() + 20_000
      let last: Answer = answer
      while (last.is !== 'confirmed' && Date.now() < give_up) {
        last = (await opened.gateway.query(order)).answer
      }
      // By chance another sum moves, or another currency: then that is what it says.
      const moved = { amount: BigInt(one.amount) * 100n, currency: one.currency }
      expect(last).toMatchObject({ is: 'confirmed', ...moved })
    }
  })
})
