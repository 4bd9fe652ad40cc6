// What only this operator does, over real HTTP: its own test numbers, refunds, a queue, wallets, keys
// that change, a page that comes late, and faults by chance.

import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type Pawapay,
  type PawapayOptions,
  startPawapay,
} from '../../../../simulator/src/dialects/pawapay/start.ts'
import { pawapayAccount } from '../../../test/setup/pawapay-account.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { Answer, Direction, GatewayOrder } from '../gateway.ts'
import { memoryTokens } from '../tokens.ts'
import { type PawapayGateway, pawapayGateway } from './pawapay-gateway.ts'
import { readSetup, rulesIn } from './read-lists.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

type Opened = Readonly<{ pawapay: Pawapay; gateway: PawapayGateway; notes: string[] }>

type Signing = Readonly<{ id?: string; pem?: string }>

async function open(
  options: Partial<PawapayOptions> = {},
  { id, pem }: Signing = {},
): Promise<Opened> {
  const pawapay = await startPawapay({ port: 0, speed: 50, ...options })
  onTestFinished(() => pawapay.stop())
  const notes: string[] = []
  const { secrets, ...account } = pawapayAccount(pawapay)
  const signing = {
    secrets: {
      ...secrets,
      ...(id === undefined ? {} : { signing_key_id: id }),
      ...(pem === undefined ? {} : { signing_key: pem }),
    },
  }
  const gateway = pawapayGateway(
    { ...account, ...signing },
    {
      ...{ outbound, clock: Date.now, note: (what: string) => void notes.push(what) },
      tokens: (obtain) => memoryTokens(obtain, Date.now),
    },
  )
  return { pawapay, gateway, notes }
}

const orderTo = (msisdn: string, direction: Direction = 'COLLECT'): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: `+${msisdn}`, flow: 'push', otp_kind: 'NONE' },
  ...{ otp: undefined, description: 'Panier', callback_url: '', return_url: '' },
})

const sendTo = async ({ gateway }: Opened, order: GatewayOrder): Promise<Answer> =>
  (await (order.direction === 'COLLECT' ? gateway.collect(order) : gateway.pay(order))).answer

async function endOf(ask: () => Promise<Readonly<{ answer: Answer }>>): Promise<Answer> {
  const give_up = Date.now() + 20_000
  for (;;) {
    const { answer } = await ask()
    if (answer.is === 'confirmed' || answer.is === 'refused' || Date.now() > give_up) return answer
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const meant = (answer: Answer): string =>
  answer.is === 'refused' ? `${answer.by} ${answer.failure_code}` : answer.is

describe('the operator’s own test numbers', () => {
  it.each([
    [
      'COLLECT',
      {
        ...{ '029': 'payer PAYER_NOT_FOUND', '039': 'payer NOT_APPROVED' },
        ...{ '069': 'payer UNKNOWN', '789': 'confirmed', '129': 'waiting' },
      },
    ],
    [
      'DISBURSE',
      {
        ...{ '089': 'payer RECIPIENT_NOT_FOUND', '119': 'payer UNKNOWN' },
        ...{ '789': 'confirmed', '129': 'waiting' },
      },
    ],
  ] as const)(
    '%s: each ends as its page says, in the form of ten digits too',
    async (direction, all) => {
      const opened = await open({ speed: 500 })
      const ended = await Promise.all(
        Object.entries(all).map(async ([digits, expected]) => {
          const order = orderTo(`2290151345${digits}`, direction)
          expect((await sendTo(opened, order)).is).toBe('waiting')
          if (expected === 'waiting') {
            return [digits, meant((await opened.gateway.query(order)).answer)]
          }
          return [digits, meant(await endOf(() => opened.gateway.query(order)))]
        }),
      )
      expect(Object.fromEntries(ended)).toEqual(all)
      expect(opened.notes).toEqual([])
    },
  )
})

describe('what it tells of itself', () => {
  const on =
    (network_code: string, direction: Direction = 'COLLECT') =>
    (one: Readonly<{ network_code: string; direction: Direction }>) =>
      one.network_code === network_code && one.direction === direction

  it('are limits and decimals, by network and direction', async () => {
    const { gateway, pawapay } = await open()
    pawapay.setCondition('MTN_MOMO_BEN', 'payouts', { limits: { least: '500', most: '90000.5' } })
    const rules = (await gateway.rules()) ?? []
    const usual = { least: 100n, most: 200_000_000n, is_readable: true }
    expect(rules.find(on('mtn_bj'))).toMatchObject({ ...usual, currency: 'XOF', step: 100n })
    expect(rules.find(on('mtn_bj', 'DISBURSE'))).toMatchObject({ least: 50_000n, most: 9_000_050n })
    expect(rules.find(on('mtn_gh'))).toMatchObject({ ...usual, currency: 'GHS', step: 1n })
    expect(rules.some(on('MTN_MOMO_RWA'))).toBe(false)
    for (const least of ['0', '-1', 'none']) {
      pawapay.setCondition('MTN_MOMO_BEN', 'deposits', { limits: { least, most: '9' } })
      expect((await gateway.rules())?.find(on('mtn_bj'))).toMatchObject({ is_readable: false })
    }
  })

  it('are limits by either name that its pages have for them', () => {
    const offer = { minTransactionLimit: '5', maxTransactionLimit: '900', decimalsInAmount: 'TEN' }
    const operationTypes = { DEPOSIT: offer, PAYOUT: { status: 'OPERATIONAL' } }
    const currencies = [{ currency: 'XOF', operationTypes }]
    const providers = [{ provider: 'MTN_MOMO_BEN', currencies }]
    const body = JSON.stringify({ countries: [{ country: 'BEN', providers }] })
    const setup = readSetup({ is: 'answered', status: 200, body, headers: {}, took_ms: 1 })
    const of = { network_code: 'mtn_bj', currency: 'XOF', step: null, is_readable: true }
    expect(setup && rulesIn(setup)).toEqual([
      { ...of, direction: 'COLLECT', least: 500n, most: 90_000n },
      { ...of, direction: 'DISBURSE', least: null, most: null },
    ])
  })

  it('is what works just now, also to who has no token', async () => {
    const opened = await open()
    const { pawapay, notes } = opened
    pawapay.setCondition('MTN_MOMO_BEN', 'deposits', { works: 'CLOSED' })
    pawapay.delayPayouts(true)
    const account = pawapayAccount({ url: pawapay.url, token: 'revoked' })
    const gateway = pawapayGateway(account, {
      ...{ outbound, clock: Date.now, note: (what: string) => void notes.push(what) },
      tokens: (obtain) => memoryTokens(obtain, Date.now),
    })
    const states = (await gateway.availability()) ?? []
    expect(states.find(on('mtn_bj'))?.state).toBe('CLOSED')
    expect(states.find(on('moov_bj'))?.state).toBe('OPERATIONAL')
    expect(states.find(on('mtn_bj', 'DISBURSE'))?.state).toBe('DELAYED')
    expect(await gateway.rules()).toBe(undefined)
    expect((await sendTo(opened, orderTo('22997000010'))).is).toBe('refused')
  })

  it('is nothing where its lists fail, or are none', async () => {
    const { gateway } = await open({ chaos: { seed: 'lists', rate: 1 }, speed: 1000 })
    for (let times = 0; times < 6; times += 1) {
      expect(await gateway.rules()).toBe(undefined)
      expect(await gateway.availability()).toBe(undefined)
    }
  }, 60_000)
})

describe('a request that moves money', () => {
  const pairs = {
    'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }
  const inOneLine = (key: KeyObject) =>
    String(key.export({ type: 'pkcs8', format: 'pem' })).replaceAll('\n', '\\n')
  const shown = (key: KeyObject, name = 'ours') => ({
    ...{ name, pem: String(key.export({ type: 'spki', format: 'pem' })) },
  })
  const signingIn = async ({ gateway }: Opened) =>
    (await gateway.check()).find(({ what }) => what.en === 'signed requests')

  it.each(Object.entries(pairs))(
    'is signed where the account has a key, on %s, and taken for that',
    async (_, { privateKey, publicKey }) => {
      const opened = await open({}, { id: 'ours', pem: inOneLine(privateKey) })
      opened.pawapay.demandSignatures(shown(publicKey))
      expect(await signingIn(opened)).toMatchObject({ is: 'PASS' })
      for (const direction of ['COLLECT', 'DISBURSE'] as const) {
        const order = orderTo('22997000010', direction)
        expect((await sendTo(opened, order)).is).toBe('waiting')
        expect((await endOf(() => opened.gateway.query(order))).is).toBe('confirmed')
        if (direction === 'DISBURSE') continue
        const refund = {
          ...{ merchant_id: 'm', attempt_id: 'r', direction: 'DISBURSE' as const },
          ...{ our_key: randomUUID(), external_reference: '', refund_id: 'r', of: order },
          ...{ amount: 1_000_00n, currency: 'XOF', reason: '', callback_url: '' },
        }
        expect((await opened.gateway.refund(refund)).answer.is).toBe('waiting')
      }
    },
    30_000,
  )

  it('is refused without a signature, by another key or under another name: nothing moves', async () => {
    const { privateKey, publicKey } = pairs['P-256']
    const pem = inOneLine(privateKey)
    const tries: [Signing, ReturnType<typeof shown>, 'PASS' | 'WARN'][] = [
      [{}, shown(publicKey), 'WARN'],
      [{ id: 'ours' }, shown(publicKey), 'WARN'],
      [{ pem }, shown(publicKey), 'WARN'],
      [
        { id: 'ours', pem: pem.replace(/[A-Za-z0-9+/]{20}/, 'A'.repeat(20)) },
        shown(publicKey),
        'WARN',
      ],
      [{ id: 'ours', pem: inOneLine(pairs.RSA.privateKey) }, shown(publicKey), 'PASS'],
      [{ id: 'ours', pem }, shown(publicKey, 'another'), 'PASS'],
    ]
    for (const [signing, key, found] of tries) {
      const opened = await open({}, signing)
      opened.pawapay.demandSignatures(key)
      expect(await signingIn(opened), JSON.stringify(signing)).toMatchObject({ is: found })
      const order = orderTo('22997000010', 'DISBURSE')
      expect(await sendTo(opened, order)).toMatchObject({
        ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', alarm: 'CREDENTIAL' },
      })
      expect(opened.pawapay.books()).toEqual([])
    }
  })

  it('is neither signed nor looked at where nobody demands it', async () => {
    const opened = await open()
    expect(await signingIn(opened)).toBe(undefined)
    expect((await sendTo(opened, orderTo('22997000010'))).is).toBe('waiting')
  })
})

describe('a refund', () => {
  it('gives back a part, then the rest, and no more; the same key is the same refund', async () => {
    const opened = await open({ speed: 0.5 }) // slow enough for one to meet the other
    const { gateway } = opened
    const of = orderTo('22997000010')
    await sendTo(opened, of)
    await endOf(() => gateway.query(of))
    const refundOf = (amount: bigint) => ({
      ...{ merchant_id: 'm', attempt_id: 'r', direction: 'DISBURSE' as const },
      ...{ our_key: randomUUID(), external_reference: '', refund_id: 'r', of },
      ...{ amount, currency: 'XOF', reason: '', callback_url: '' },
    })
    const part = refundOf(2_000_00n)
    expect((await gateway.refund(part)).answer.is).toBe('waiting')
    const early = await gateway.refund(refundOf(1_00n))
    expect(early.answer).toMatchObject({ by: 'gateway', failure_code: 'GATEWAY_UNAVAILABLE' })
    const given = { is: 'confirmed', amount: 2_000_00n, currency: 'XOF' }
    expect(await endOf(() => gateway.askRefund(part))).toMatchObject(given)
    expect((await gateway.refund(part)).answer).toMatchObject(given)
    const much = await gateway.refund(refundOf(3_000_01_00n))
    expect(much.answer).toMatchObject({ by: 'gateway', detail: expect.stringMatching(/TOO_LARGE/) })
    const rest = refundOf(3_000_00n)
    await gateway.refund(rest)
    expect(await endOf(() => gateway.askRefund(rest))).toMatchObject({ amount: 3_000_00n })
    const over = await gateway.refund(refundOf(1_00n))
    expect(over.answer).toMatchObject({ is: 'refused', by: 'gateway' })
    expect((await gateway.askRefund(refundOf(1_00n))).answer).toEqual({ is: 'not_found' })
  })
})

describe('a payout', () => {
  it('that the wallet cannot pay is refused for want of a float, and nothing is taken', async () => {
    const opened = await open({ opening_balance: 4_999 })
    const answer = await sendTo(opened, orderTo('22997000010', 'DISBURSE'))
    expect(meant(answer)).toBe('float GATEWAY_UNAVAILABLE')
    expect(opened.pawapay.books()).toEqual([])
    const [wallet] = await opened.gateway.balances()
    expect(wallet).toEqual({
      ...{ wallet: 'BEN', currency: 'XOF', amount: 4_999_00n },
      ...{ purposes: ['COLLECT', 'DISBURSE'], country: 'BJ' },
    })
    const empty = await open({ opening_balance: 0 })
    expect(await empty.gateway.balances()).toContainEqual({ ...wallet, amount: 0n })
  })

  it('in the operator’s queue is waited for, taken back there, or too late to be', async () => {
    const opened = await open()
    const { gateway, pawapay } = opened
    pawapay.delayPayouts(true)
    const [one, other] = [orderTo('22997000010', 'DISBURSE'), orderTo('22997000010', 'DISBURSE')]
    for (const order of [one, other]) expect((await sendTo(opened, order)).is).toBe('waiting')
    expect((await gateway.query(one)).answer).toMatchObject({ is: 'waiting', queued: true })
    await gateway.cancelQueued(one)
    expect(meant(await endOf(() => gateway.query(one)))).toBe('payer REJECTED_BY_MERCHANT')
    pawapay.delayPayouts(false)
    expect(await endOf(() => gateway.query(other))).toMatchObject({ is: 'confirmed' })
    expect((await gateway.cancelQueued(other)).answer).toMatchObject({ is: 'confirmed' })
    const unknown = await gateway.cancelQueued(orderTo('22997000010', 'DISBURSE'))
    expect(unknown.answer).toEqual({ is: 'not_found' })
  })
})

describe('a page', () => {
  it('that takes long is told to come, and is there when it is asked for', async () => {
    const opened = await open()
    opened.pawapay.delayPages(true)
    const order = { ...orderTo('221773456789'), network_code: 'wave_sn', flow: 'redirect' as const }
    expect(await sendTo(opened, order)).toMatchObject({ is: 'waiting', next: 'page_soon' })
    opened.pawapay.delayPages(false)
    const { answer } = await opened.gateway.query(order)
    expect(answer).toMatchObject({ next: { redirect_to: expect.stringMatching(/\/authorize\//) } })
  })
})

describe('its keys', () => {
  it('are those that it shows, and none where it shows nothing', async () => {
    const { gateway, pawapay } = await open()
    pawapay.rotateKey()
    const keys = await gateway.publishedKeys()
    expect(keys?.map(({ id }) => id)).toEqual(['HTTP_EC_P256_KEY:1', 'HTTP_EC_P256_KEY:2'])
    const { settings } = pawapayAccount(pawapay)
    const stranger = pawapayGateway(
      { ...pawapayAccount(pawapay), settings, secrets: { api_token: 'x'.repeat(40) } },
      {
        ...{ outbound, clock: Date.now, note: () => undefined },
        tokens: (obtain) => memoryTokens(obtain, Date.now),
      },
    )
    expect(await stranger.publishedKeys()).toBeUndefined()
    expect(
      meant(await sendTo({ gateway: stranger, pawapay, notes: [] }, orderTo('22997000010'))),
    ).toBe('gateway GATEWAY_REFUSED')
    // Of what was sent before, a token that was revoked says nothing.
    expect((await stranger.query(orderTo('22997000010', 'DISBURSE'))).answer.is).toBe('unknown')
  })
})

describe('faults by chance', () => {
  it('are rarer ones too: another sum, another currency, an empty float, a queue', async () => {
    const opened = await open({ chaos: { seed: 'rarer', rate: 0.5 }, speed: 60 })
    // What happens is drawn by an order's key: the same ones in every run.
    const orders = Array.from({ length: 120 }, (_, at) => ({
      ...orderTo('22997000010', 'DISBURSE'),
      our_key: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    }))
    const seen = new Set<string>()
    const ended = await Promise.all(
      orders.map(async (order) => {
        const sent = await sendTo(opened, order)
        if (sent.is === 'refused') seen.add(`refused by ${sent.by}`)
        const isThere = opened.pawapay.books().some(({ id }) => id === order.our_key)
        if (!isThere) return undefined
        return endOf(async () => {
          const asked = await opened.gateway.query(order)
          const { answer } = asked
          if (answer.is === 'waiting' && answer.queued === true) seen.add('queued')
          return asked
        })
      }),
    )
    const moved = ended.flatMap((one) => (one?.is === 'confirmed' ? [one] : []))
    // What moved is told as it is, never as it was asked for.
    expect(new Set(moved.map(({ amount }) => amount))).toEqual(new Set([5_000_00n, 4_999_00n]))
    expect(new Set(moved.map(({ currency }) => currency))).toEqual(new Set(['XOF', 'ZMW']))
    expect([...seen].sort()).toEqual(['queued', 'refused by float'])
  }, 60_000)

  it.each(['one', 'two', 'three'])(
    'seed %s: moved once, or known not to have',
    async (seed) => {
      const opened = await open({ chaos: { seed, rate: 0.4 }, speed: 100 })
      const orders = Array.from({ length: 60 }, (_, at) =>
        orderTo(at % 5 === 0 ? '22997000002' : '22997000010', at % 2 ? 'COLLECT' : 'DISBURSE'),
      )
      const answers = await Promise.all(orders.map((order) => sendTo(opened, order)))
      // Nobody says "refused" of what an operator may have taken; for want of a float it has not.
      const known = ['waiting', 'unknown', 'confirmed', 'refused by float']
      const read = answers.map((one) => (one.is === 'refused' ? `refused by ${one.by}` : one.is))
      expect(read.filter((is) => !known.includes(is))).toEqual([])
      for (const [at, order] of orders.entries()) {
        const books = () => opened.pawapay.books().filter(({ id }) => id === order.our_key)
        if (books().length === 0) {
          expect(['unknown', 'refused by float'], order.our_key).toContain(read[at])
          continue
        }
        const ended = await endOf(() => opened.gateway.query(order))
        expect(books().map(({ status }) => status)).toEqual([
          ended.is === 'confirmed' ? 'COMPLETED' : 'FAILED',
        ])
      }
    },
    60_000,
  )
})
