// What each answer of this operator means: every combination of state, code and next step, every
// status of HTTP, and bodies by chance, of which none may confirm what is not exactly as it was shown.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/setup/proof-size.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, GatewayOrder } from '../gateway.ts'
import {
  type Answered,
  readCallback,
  readCancelled,
  readCreated,
  readStatus,
} from './read-answer.ts'
import { cellOf, failures, nextSteps, rejections, statuses, technical } from './reasons.ts'
import { numberOnWire } from './test-numbers.ts'
import { createBody, idNames, messageOf, type Operation, refundBody } from './wire.ts'

const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'
const operations = ['deposits', 'payouts', 'refunds'] as const
const notes: string[] = []
const note = (what: string): void => void notes.push(what)

const answered = (status: number, body: unknown): Answered => ({
  is: 'answered',
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
  took_ms: 1,
})

const about = (operation: Operation) => ({ operation, attempt: { our_key } })

const shown = (operation: Operation, changes: object = {}) => ({
  [idNames[operation]]: our_key,
  status: 'COMPLETED',
  amount: '5000.00',
  currency: 'XOF',
  country: 'BEN',
  created: '2025-05-15T07:38:56Z',
  providerTransactionId: 'df0e9405-fb17-42c2-a264-440c239f67ed',
  ...changes,
})

const ask = (changes: object = {}, operation: Operation = 'deposits'): Answer =>
  readStatus(
    about(operation),
    answered(200, { status: 'FOUND', data: shown(operation, changes) }),
    note,
  )

const create = (status: number, body: unknown, operation: Operation = 'deposits') =>
  readCreated(about(operation), answered(status, body), note)

const meant = (answer: Answer | { is: 'taken' }): string =>
  answer.is === 'refused'
    ? [answer.by, answer.failure_code, answer.alarm].filter(Boolean).join(' ')
    : answer.is

const failed = (failureCode: string) => ({
  status: 'FAILED',
  failureReason: { failureCode, failureMessage: 'why' },
})

describe('every combination of state, code and next step', () => {
  const allStatuses = [...statuses, 'REVERSED', 'completed', '']
  const allReasons = ['', 'NEVER_LISTED', ...Object.keys(failures)]
  const allSteps = [...nextSteps, 'DANCE']

  it.each(operations)('of %s is named or unknown', (operation) => {
    const counts: Record<string, number> = {}
    for (const status of allStatuses) {
      for (const reason of allReasons) {
        for (const next_step of allSteps) {
          const cell = cellOf(operation, { status, reason, next_step })
          counts[cell.is] = (counts[cell.is] ?? 0) + 1
          if (cell.is === 'confirmed') expect([status, reason]).toEqual(['COMPLETED', ''])
          if (cell.is === 'failed') expect(status).toBe('FAILED')
          if (cell.is === 'waiting' && cell.queued) expect(operation).not.toBe('deposits')
          if (next_step === 'DANCE') expect(cell.is).toBe('unknown')
        }
      }
    }
    // Four steps; of four states that are under way a deposit may take each, others but two; in the
    // queue is what is paid out alone.
    expect(counts).toMatchObject({
      confirmed: 4,
      failed: allReasons.length * 4,
      waiting: operation === 'deposits' ? 4 * 4 : 4 * 2 + 2,
    })
    const all = allStatuses.length * allReasons.length * allSteps.length
    expect(Object.values(counts).reduce((sum, one) => sum + one)).toBe(all)
  })

  it('waits as the next step says, and is in the queue only where something is paid out', () => {
    expect(ask({ status: 'PROCESSING' })).toEqual({
      ...{ is: 'waiting', external_reference: our_key, next: 'payer' },
    })
    expect(ask({ status: 'PROCESSING', nextStep: 'GET_AUTH_URL' })).toMatchObject({
      next: 'page_soon',
    })
    const page = { nextStep: 'REDIRECT_TO_AUTH_URL', authorizationUrl: 'https://p.example/a' }
    expect(ask({ status: 'PROCESSING', ...page })).toMatchObject({
      next: { redirect_to: 'https://p.example/a' },
    })
    for (const authorizationUrl of [undefined, '', 'javascript:alert(1)', 7, 'https://a b']) {
      expect(ask({ status: 'PROCESSING', ...page, authorizationUrl }).is).toBe('unknown')
    }
    expect(ask({ status: 'ENQUEUED' }, 'payouts')).toEqual({
      ...{ is: 'waiting', external_reference: our_key, next: 'payer', queued: true },
    })
    expect(ask({ status: 'ENQUEUED' }).is).toBe('unknown')
  })

  it('names the cause of each failure, in our own words', () => {
    const table = Object.fromEntries(
      Object.keys(failures).map((code) => [
        code,
        (['deposits', 'payouts'] as const).map((one) => meant(ask(failed(code), one))),
      ]),
    )
    const both = (cause: string) => [cause, cause]
    expect(table).toEqual({
      PAYMENT_NOT_APPROVED: both('payer NOT_APPROVED'),
      PAYMENT_IN_PROGRESS: both('payer NOT_APPROVED'),
      TRANSACTION_ALREADY_IN_PROCESS: both('payer NOT_APPROVED'),
      INSUFFICIENT_BALANCE: both('payer INSUFFICIENT_FUNDS'),
      PAYER_LIMIT_REACHED: both('payer LIMIT_REACHED'),
      RECIPIENT_LIMIT_REACHED: both('payer LIMIT_REACHED'),
      WALLET_LIMIT_REACHED: both('payer LIMIT_REACHED'),
      PAYER_NOT_FOUND: both('payer PAYER_NOT_FOUND'),
      RECIPIENT_NOT_FOUND: both('payer RECIPIENT_NOT_FOUND'),
      MANUALLY_CANCELLED: both('payer REJECTED_BY_MERCHANT'),
      PAWAPAY_WALLET_OUT_OF_FUNDS: ['payer UNKNOWN', 'float GATEWAY_UNAVAILABLE'],
      PROVIDER_TEMPORARILY_UNAVAILABLE: both('gateway GATEWAY_UNAVAILABLE'),
      AMOUNT_TOO_LARGE: ['payer UNKNOWN', 'gateway GATEWAY_REFUSED'],
      DEPOSIT_ALREADY_REFUNDED: ['payer UNKNOWN', 'gateway GATEWAY_REFUSED'],
      REFUND_IN_PROGRESS: ['payer UNKNOWN', 'gateway GATEWAY_UNAVAILABLE'],
      UNSPECIFIED_FAILURE: both('payer UNKNOWN'),
      UNKNOWN_ERROR: both('payer UNKNOWN'),
      OTHER_ERROR: both('payer UNKNOWN'),
    })
  })

  it('counts a cause that is not listed, in whatever form it comes', () => {
    notes.length = 0
    const strange = [failed('NEVER_LISTED'), failed('constructor'), failed('')]
    const bare = [{ status: 'FAILED' }, { status: 'FAILED', failureReason: 7 }]
    for (const changes of [...strange, ...bare]) {
      expect(meant(ask(changes)), JSON.stringify(changes)).toBe('payer UNKNOWN')
    }
    expect(notes).toHaveLength(5)
  })
})

describe('an answer to a create', () => {
  const rejected = (failureCode: string) => ({
    ...{ depositId: our_key, status: 'REJECTED' },
    failureReason: { failureCode, failureMessage: 'why' },
  })

  it('names the cause of each rejection: nothing was taken', () => {
    const table = Object.fromEntries(
      Object.keys(rejections).map((code) => [
        code,
        (['deposits', 'payouts'] as const).map((one) =>
          meant(create(200, { ...rejected(code), depositId: undefined }, one)),
        ),
      ]),
    )
    const setup = 'gateway GATEWAY_REFUSED CONFIGURATION'
    const refused = 'gateway GATEWAY_REFUSED'
    const both = (cause: string) => [cause, cause]
    expect(table).toEqual({
      INVALID_PHONE_NUMBER: ['payer PAYER_NOT_FOUND', 'payer RECIPIENT_NOT_FOUND'],
      INVALID_PROVIDER: both(setup),
      INVALID_CURRENCY: both(setup),
      INVALID_AMOUNT: both(refused),
      AMOUNT_OUT_OF_BOUNDS: both(refused),
      INVALID_CALLBACK_URL: both(setup),
      INVALID_METADATA: both(setup),
      PROVIDER_TEMPORARILY_UNAVAILABLE: both('gateway GATEWAY_UNAVAILABLE'),
      PAWAPAY_WALLET_OUT_OF_FUNDS: [refused, 'float GATEWAY_UNAVAILABLE'],
      DEPOSITS_NOT_ALLOWED: both(setup),
      PAYOUTS_NOT_ALLOWED: both(setup),
      REFUNDS_NOT_ALLOWED: both(setup),
      NOT_FOUND: both(refused),
      INVALID_STATE: both(refused),
      AMOUNT_TOO_LARGE: both(refused),
      DEPOSIT_ALREADY_REFUNDED: both(refused),
      REFUND_IN_PROGRESS: both('gateway GATEWAY_UNAVAILABLE'),
    })
    expect(meant(create(200, rejected('NEVER_LISTED')))).toBe('payer UNKNOWN')
    const older = { rejectionReason: { rejectionCode: 'AMOUNT_TOO_LARGE', rejectionMessage: 'm' } }
    expect(
      create(200, { refundId: our_key, status: 'REJECTED', ...older }, 'refunds'),
    ).toMatchObject({ is: 'refused', detail: 'AMOUNT_TOO_LARGE m' })
  })

  it('is no fault of our credentials where one provider is not enabled for us', () => {
    const credentials = Object.entries(technical).filter(([, { alarm }]) => alarm === 'CREDENTIAL')
    expect(credentials.map(([code]) => code)).toEqual([
      ...['NO_AUTHENTICATION', 'AUTHENTICATION_ERROR', 'AUTHORISATION_ERROR'],
      'HTTP_SIGNATURE_ERROR',
    ])
  })

  it('goes by the code of a refusal, whichever status is beside it', () => {
    for (const [code, { alarm }] of Object.entries(technical)) {
      const body = { failureReason: { failureCode: code, failureMessage: 'why' } }
      for (const status of [400, 401, 403]) {
        expect(create(status, body), code).toMatchObject({ is: 'refused', by: 'gateway', alarm })
      }
      for (const status of [404, 408, 409, 429, 500, 503]) {
        expect(create(status, body).is, `${status} ${code}`).toBe('unknown')
      }
      const answer = create(200, rejected(code))
      expect(answer, code).toMatchObject({ is: 'refused', by: 'gateway', alarm })
    }
  })

  const accepted = { depositId: our_key, status: 'ACCEPTED', nextStep: 'FINAL_STATUS' }
  it.each([
    [200, accepted, 'waiting'],
    [200, { ...accepted, nextStep: 'GET_AUTH_URL' }, 'waiting'],
    [200, { depositId: our_key, status: 'ACCEPTED' }, 'waiting'],
    [200, { ...accepted, depositId: 'another' }, 'unknown'],
    [200, { ...accepted, nextStep: 'DANCE' }, 'unknown'],
    [200, { depositId: our_key, status: 'DUPLICATE_IGNORED' }, 'taken'],
    [200, { depositId: our_key, status: 'COMPLETED' }, 'unknown'],
    [200, { depositId: our_key }, 'unknown'],
    [200, '<html>', 'unknown'],
    [200, '', 'unknown'],
    [201, accepted, 'unknown'],
    [202, accepted, 'unknown'],
    [400, { failureReason: { failureCode: 'NEVER_LISTED' } }, 'unknown'],
    [403, '<html>', 'unknown'],
    [500, { failureReason: { failureCode: 'UNKNOWN_ERROR' } }, 'unknown'],
    [502, '<html>', 'unknown'],
  ] as const)('%i with %j is %s', (status, body, is) => {
    expect(create(status, body).is).toBe(is)
  })

  it('of a refund is read under either name that its documents give it', () => {
    const body = { payoutId: our_key, status: 'ACCEPTED', created: '2025-05-15T07:38:56Z' }
    expect(create(200, body, 'refunds')).toMatchObject({ is: 'waiting', next: 'payer' })
  })
})

describe('an answer to a question', () => {
  it('confirms what moved, as money', () => {
    const good = {
      is: 'confirmed',
      external_reference: 'df0e9405-fb17-42c2-a264-440c239f67ed',
      amount: 5_000_00n,
      currency: 'XOF',
    }
    for (const amount of ['5000', '5000.00', '5000.0']) expect(ask({ amount })).toEqual(good)
    expect(ask({ amount: '4999.00' })).toEqual({ ...good, amount: 4_999_00n })
    expect(ask({ currency: 'GHS', amount: '12.34' })).toEqual({
      ...good,
      ...{ currency: 'GHS', amount: 12_34n },
    })
    expect(ask({ providerTransactionId: undefined, failureReason: null })).toEqual({
      ...good,
      external_reference: our_key,
    })
  })

  it('confirms nothing that it cannot read whole', () => {
    const bad = [
      ...[{ amount: '5000.001' }, { amount: '5000.50' }, { amount: '' }, { amount: 5000 }],
      ...[{ currency: '' }, { currency: 'xof' }, { currency: 'ABC' }, { depositId: 'another' }],
      ...[{ payoutId: our_key }, { failureReason: { failureCode: 'OTHER_ERROR' } }],
      ...[{ status: 'COMPLETE' }, { status: ['COMPLETED'] }, { amount: '5e3' }],
    ]
    for (const changes of bad) expect(ask(changes).is, JSON.stringify(changes)).toBe('unknown')
    const other = answered(200, { status: 'FOUND', data: shown('payouts') })
    expect(readStatus(about('deposits'), other, note).is, 'of another operation').toBe('unknown')
  })

  it('finds nothing only where it says so, and says nothing where we are not let in', () => {
    const read = (status: number, body: unknown) =>
      readStatus(about('deposits'), answered(status, body), note).is
    expect(read(200, { status: 'NOT_FOUND' })).toBe('not_found')
    expect(read(404, { status: 'NOT_FOUND' })).toBe('unknown')
    expect(read(200, { status: 'FOUND' })).toBe('unknown')
    expect(read(200, { status: 'REJECTED' })).toBe('unknown')
    for (const status of [400, 401, 403, 404, 429, 500, 503]) {
      const body = { failureReason: { failureCode: 'AUTHENTICATION_ERROR' } }
      expect(read(status, body), String(status)).toBe('unknown')
      expect(read(status, { status: 'FOUND', data: shown('deposits') })).toBe('unknown')
    }
  })

  it('never throws and never confirms by chance', () => {
    const data = fc.record(
      {
        status: fc.constantFrom('COMPLETED', 'FAILED', 'PROCESSING', 'DONE', 1, null),
        amount: fc.oneof(fc.constantFrom('5000', '5000.00', 5000, '4999', '5 000'), fc.json()),
        currency: fc.constantFrom('XOF', 'GHS', 'xof', 'ABC', '', 7),
        depositId: fc.constantFrom(our_key, '', 'x', null),
        failureReason: fc.constantFrom(null, undefined, {}, 5, { failureCode: 'OTHER_ERROR' }),
      },
      { requiredKeys: [] },
    )
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record({ status: fc.constantFrom('FOUND', 'NOT_FOUND', 'ACCEPTED', 7), data })
        .map((one) => JSON.stringify(one)),
    )
    fc.assert(
      fc.property(body, fc.constantFrom(200, 202, 400, 404, 500), (text, status) => {
        const created = readCreated(about('deposits'), answered(status, text), () => undefined)
        if (created.is === 'confirmed') throw new Error('what was created is confirmed')
        const read = readStatus(about('deposits'), answered(status, text), () => undefined)
        if (read.is !== 'confirmed') return
        const fields = JSON.parse(text).data
        expect([status, fields.status, fields.failureReason ?? null, fields.depositId]).toEqual([
          ...[200, 'COMPLETED', null, our_key],
        ])
        expect(read.amount).toBe(BigInt(Math.round(Number(fields.amount) * 100)))
        expect(read.currency).toBe(fields.currency)
      }),
      { numRuns: sized(3_000, 100_000) },
    )
  }, 240_000)

  it('to taking back tells what was asked, not what came of it', () => {
    const read = (status: number, body: unknown) => readCancelled(answered(status, body), note)
    expect(read(200, { status: 'ACCEPTED' })).toBe('asked')
    expect(read(200, { status: 'REJECTED' })).toBe('refused')
    expect([read(200, {}), read(500, { status: 'ACCEPTED' })]).toEqual(['unknown', 'unknown'])
  })
})

describe('what is said of an answer, and counted as not listed', () => {
  function noted<T>(read: () => T): readonly [T, string[]] {
    notes.length = 0
    return [read(), [...notes]]
  }
  const unknown = (because: string) => ({ is: 'unknown', because })
  const counted = (because: string) => [unknown(because), [because]]
  const made = (status: number, body: unknown) => noted(() => create(status, body))
  const asked = (status: number, body: unknown) =>
    noted(() => readStatus(about('deposits'), answered(status, body), note))
  const reason = (failureCode: string) => ({
    failureReason: { failureCode, failureMessage: 'why' },
  })

  it('of a create', () => {
    expect(made(502, '<html>')).toEqual([unknown('status 502'), ['create 502 no json']])
    expect(made(500, {})).toEqual([unknown('status 500'), ['create 500 ']])
    expect(made(500, reason('X1'))).toEqual([unknown('status 500 X1'), ['create 500 X1']])
    expect(made(400, reason('INVALID_INPUT'))).toEqual([
      {
        ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
        ...{ alarm: 'CONFIGURATION', external_reference: '' },
        detail: 'status 400 INVALID_INPUT why',
      },
      [],
    ])
    const ours = { depositId: our_key }
    expect(made(200, { ...ours, depositId: 'another' })).toEqual(counted('another payment'))
    expect(made(200, ours)).toEqual(counted('create without a status'))
    expect(made(200, { ...ours, status: 'DONE' })).toEqual(counted('create DONE'))
    const refused = { is: 'refused', by: 'payer', failure_code: 'UNKNOWN', external_reference: '' }
    expect(made(200, { ...ours, status: 'REJECTED' })).toEqual([
      { ...refused, detail: 'REJECTED' },
      ['rejected without a reason'],
    ])
    expect(made(200, { ...ours, status: 'REJECTED', ...reason('X1') })).toEqual([
      { ...refused, detail: 'X1 why' },
      ['rejected X1'],
    ])
    // Its id is written in whatever case.
    const upper = { depositId: our_key.toUpperCase(), status: 'ACCEPTED' }
    expect(made(200, upper)).toEqual([
      { is: 'waiting', external_reference: our_key, next: 'payer' },
      [],
    ])
  })

  it('of a question', () => {
    expect(asked(500, '')).toEqual(counted('status 500'))
    expect(asked(200, { status: 'REJECTED' })).toEqual(counted('status 200 REJECTED'))
    expect(asked(200, { status: 'FOUND', data: {} })).toEqual(counted('unreadable'))
    const other = { status: 'FOUND', data: shown('payouts') }
    expect(asked(200, other)).toEqual(counted('another payment'))
    for (const [code, { alarm }] of Object.entries(technical)) {
      for (const status of [400, 401, 403, 500]) {
        const because = `status ${status}`
        const read = alarm === undefined ? unknown(because) : { ...unknown(because), alarm }
        expect(asked(status, reason(code)), code).toEqual([read, [because]])
      }
    }
  })

  it('of a payment that is shown', () => {
    const at = { external_reference: 'df0e9405-fb17-42c2-a264-440c239f67ed' }
    expect(noted(() => ask({ amount: '' }))).toEqual(counted('unreadable amount'))
    expect(noted(() => ask({ status: 'DONE' }))).toEqual(counted('state DONE'))
    expect(noted(() => ask({ status: 'FAILED' }))).toEqual([
      { is: 'refused', by: 'payer', failure_code: 'UNKNOWN', detail: 'FAILED', ...at },
      ['reason none'],
    ])
    expect(noted(() => ask(failed('X1')))).toEqual([
      { is: 'refused', by: 'payer', failure_code: 'UNKNOWN', detail: 'X1', ...at },
      ['reason X1'],
    ])
  })

  it('of taking back', () => {
    const back = (status: number, body: unknown) =>
      noted(() => readCancelled(answered(status, body), note))
    expect(back(200, { status: 'ODD' })).toEqual(['unknown', ['cancel 200 ODD']])
    expect(back(500, { status: 'ACCEPTED' })).toEqual(['unknown', ['cancel 500']])
    expect(back(200, { status: 'ACCEPTED' })).toEqual(['asked', []])
  })
})

describe('a callback', () => {
  it('without a signature says whom to ask about and proves nothing', () => {
    const read = (body: string) =>
      readCallback(receivedOf({ body, headers: {} }, 0), { keys: undefined })
    for (const operation of operations) {
      expect(read(JSON.stringify(shown(operation)))).toMatchObject({
        ...{ proof: 'UNSIGNED', key: our_key, answer: { is: 'confirmed' } },
      })
    }
    expect(read('<html>')).toMatchObject({ proof: 'UNSIGNED', key: '', answer: { is: 'unknown' } })
    expect(read(JSON.stringify({ ...shown('deposits'), payoutId: our_key }))).toMatchObject({
      key: '',
    })
  })
})

describe('what is sent', () => {
  const order: GatewayOrder = {
    ...{ merchant_id: 'm', attempt_id: 'a', direction: 'COLLECT', our_key },
    ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
    ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+2290197000055', flow: 'push' },
    ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier d’été nº 7, à Cotonou' },
    ...{ callback_url: 'https://pay.example/callbacks/x', return_url: 'https://shop.example/b' },
  }

  it('is to the byte what the documents show', () => {
    expect(createBody(order, 'LIVE')).toBe(
      `{"depositId":"${our_key}","amount":"5000","currency":"XOF","payer":{"type":"MMO",` +
        '"accountDetails":{"phoneNumber":"2290197000055","provider":"MTN_MOMO_BEN"}},' +
        '"customerMessage":"Panier d ete n 7 a Cot"}',
    )
    const paged = { ...order, network_code: 'wave_sn', flow: 'redirect', description: '?' } as const
    expect(createBody({ ...paged, msisdn: '+221773456789' }, 'LIVE')).toBe(
      `{"depositId":"${our_key}","amount":"5000","currency":"XOF","payer":{"type":"MMO",` +
        '"accountDetails":{"phoneNumber":"221773456789","provider":"WAVE_SEN"}},' +
        '"successfulUrl":"https://shop.example/b","failedUrl":"https://shop.example/b"}',
    )
    const coded = { ...order, network_code: 'orange_bf', otp_kind: 'PRE', otp: '367025' } as const
    expect(createBody(coded, 'LIVE')).toContain('"preAuthorisationCode":"367025"')
    const paid = { ...order, direction: 'DISBURSE', network_code: 'mtn_gh' } as const
    expect(createBody({ ...paid, amount: 12_34n, currency: 'GHS' }, 'LIVE')).toMatch(
      /^\{"payoutId":"[^"]+","amount":"12\.34","currency":"GHS","recipient":/,
    )
    // No zero stands at the end of decimals, and none is lost before them.
    const amounts = { '10.5': 10_50n, '10': 10_00n, '100.05': 100_05n, '1200': 1_200_00n }
    for (const [text, amount] of Object.entries(amounts)) {
      const body = createBody({ ...paid, amount, currency: 'GHS' }, 'LIVE') ?? ''
      expect(JSON.parse(body).amount).toBe(text)
    }
    const key = { merchant_id: 'm', attempt_id: 'a', direction: 'DISBURSE', our_key } as const
    const of = { ...key, our_key: 'deposit', external_reference: '', amount: 1n, currency: 'XOF' }
    const refund = { ...key, external_reference: '', refund_id: 'r', of, reason: '' }
    expect(refundBody({ ...refund, amount: 30_00n, currency: 'XOF', callback_url: '' })).toBe(
      `{"refundId":"${our_key}","depositId":"deposit","amount":"30","currency":"XOF"}`,
    )
  })

  it('is nothing for a network that the operator does not reach', () => {
    for (const network_code of ['wizall_sn', 'constructor', '']) {
      expect(createBody({ ...order, network_code }, 'LIVE')).toBeUndefined()
    }
  })

  it('names the numbers of the operator’s sandbox as they are published', () => {
    expect(numberOnWire('+2290151345029', 'SANDBOX')).toBe('22951345029')
    expect(numberOnWire('+2290151345029', 'LIVE')).toBe('2290151345029')
    expect(numberOnWire('+2290197000010', 'SANDBOX')).toBe('2290197000010')
  })

  it('has a message of 4 to 22 letters, digits and spaces, or none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        expect(messageOf(text)).toMatch(/^(?:|[A-Za-z0-9][A-Za-z0-9 ]{2,20}[A-Za-z0-9])$/)
      }),
    )
    expect([messageOf('abc'), messageOf('abcd')]).toEqual(['', 'abcd'])
  })
})
