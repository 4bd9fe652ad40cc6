// Every pair of statuses and every error that the sheet lists, and whatever else may come: nothing is
// confirmed that the operator has not said whole, and nothing is refused that it may have taken.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/setup/proof-size.ts'
import type { Answer, AttemptKey } from '../gateway.ts'
import {
  type Answered,
  alarmOf,
  lessTakenBack,
  readRefundAnswer,
  readSessionAnswer,
} from './read-answer.ts'
import {
  disputeCell,
  disputeStatuses,
  failureOf,
  paymentStatuses,
  refundCell,
  refundStatuses,
  sessionCell,
  sessionStatuses,
} from './statuses.ts'

const our_key = '7d3c1c0e-5d5f-4b6e-9d65-0a8a3a1f4a10'
const attempt: AttemptKey = {
  ...{ merchant_id: 'm', attempt_id: 'a', direction: 'COLLECT', our_key },
  ...{ external_reference: '', amount: 103_25n, currency: 'USD' },
}
const context = { environment: 'SANDBOX', note: () => undefined } as const

const answered = (status: number, body: unknown): Answered => ({
  ...{ is: 'answered', status, headers: {}, took_ms: 1 },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const session = (changes: object = {}) => ({
  ...{ id: 'cs_test_1', object: 'checkout.session', client_reference_id: our_key },
  ...{ amount_total: 10_325, currency: 'usd', livemode: false, payment_intent: 'pi_1' },
  ...{ status: 'complete', payment_status: 'paid', url: null },
  ...changes,
})

const readSession = (changes: object = {}, status = 200): Answer =>
  readSessionAnswer(attempt, answered(status, session(changes)), context)

describe('a page', () => {
  const url = 'https://checkout.example/c/pay/1'
  const known: Readonly<Record<string, string>> = {
    'open unpaid': 'page',
    'complete paid': 'confirmed',
    'complete unpaid': 'under_way',
    'expired unpaid': 'expired',
  }

  it('means what the sheet says for each pair, and any other pair nothing', () => {
    const odd = ['', 'PAID', 'constructor', 'toString', '__proto__', 'refunded']
    for (const status of [...sessionStatuses, ...odd]) {
      for (const paid of [...paymentStatuses, ...odd]) {
        const pair = `${status} ${paid}`
        expect(sessionCell(status, paid), pair).toBe(known[pair] ?? 'unknown')
      }
    }
  })

  it('is shown to its payer while it is open, also after a card was declined', () => {
    const open = { status: 'open', payment_status: 'unpaid', url }
    const page = { is: 'waiting', external_reference: 'cs_test_1', next: { redirect_to: url } }
    expect(readSession(open)).toEqual(page)
    const error = { code: 'card_declined', decline_code: 'insufficient_funds' }
    const tried = { id: 'pi_1', object: 'payment_intent', last_payment_error: error }
    expect(readSession({ ...open, payment_intent: tried })).toEqual(page)
    for (const bad of [
      null,
      '',
      'checkout',
      'javascript:alert(1)',
      `https://a/${'x'.repeat(5000)}`,
    ]) {
      expect(readSession({ ...open, url: bad }).is).toBe('unknown')
    }
  })

  it('that expired says why its last card was declined, or that nobody paid', () => {
    const why = (code: string, decline_code: string) => {
      const intent = { id: 'pi_1', last_payment_error: { code, decline_code } }
      const gone = { status: 'expired', payment_status: 'unpaid', payment_intent: intent }
      const answer = readSession(gone)
      return answer.is === 'refused' ? `${answer.by} ${answer.failure_code}` : answer.is
    }
    expect(why('', '')).toBe('payer EXPIRED')
    expect(why('card_declined', 'insufficient_funds')).toBe('payer INSUFFICIENT_FUNDS')
    expect(why('card_declined', 'generic_decline')).toBe('payer NOT_APPROVED')
    expect(why('card_declined', 'never_heard_of')).toBe('payer NOT_APPROVED')
    expect(why('expired_card', 'expired_card')).toBe('payer PAYER_NOT_FOUND')
    expect(why('processing_error', '')).toBe('gateway GATEWAY_UNAVAILABLE')
    expect(why('card_declined', 'card_velocity_exceeded')).toBe('payer LIMIT_REACHED')
    expect(failureOf('constructor', 'toString')).toBe('NOT_APPROVED')
  })

  it('names the cause of each decline, whether it is one of its own or of a declined card', () => {
    const declines = {
      INSUFFICIENT_FUNDS: ['insufficient_funds'],
      NOT_APPROVED: ['generic_decline', 'do_not_honor', 'authentication_required', 'new_one'],
      LIMIT_REACHED: ['card_velocity_exceeded', 'withdrawal_count_limit_exceeded'],
      PAYER_NOT_FOUND: [
        ...['expired_card', 'invalid_account', 'incorrect_number', 'incorrect_cvc'],
        ...['incorrect_zip', 'incorrect_pin', 'incorrect_address'],
      ],
      GATEWAY_UNAVAILABLE: ['processing_error', 'issuer_not_available'],
    }
    for (const [cause, codes] of Object.entries(declines)) {
      for (const code of codes) {
        expect([code, failureOf(code, 'card_declined')]).toEqual([code, cause])
        expect([code, failureOf('', code)]).toEqual([code, cause])
      }
    }
  })

  it('is confirmed with the sum and currency that the operator says, or not at all', () => {
    const good = {
      ...{ is: 'confirmed', external_reference: 'cs_test_1', currency: 'USD' },
      operator_reference: 'pi_1',
    }
    expect(readSession()).toEqual({ ...good, amount: 103_25n })
    expect(readSession({ amount_total: 10_224 })).toEqual({ ...good, amount: 102_24n })
    const francs = { amount_total: 5_000, currency: 'xof' }
    expect(readSession(francs)).toEqual({ ...good, amount: 5_000_00n, currency: 'XOF' })
    const bad = [
      ...[{ amount_total: '10325' }, { amount_total: 103.25 }, { amount_total: null }],
      ...[{ amount_total: 0 }, { amount_total: -1 }, { amount_total: 2 ** 53 }, { currency: '' }],
      ...[{ client_reference_id: 'another' }, { client_reference_id: null }, { livemode: true }],
      ...[{ object: 'payment_intent' }, { status: 'Complete' }, { id: '' }, { status: null }],
    ]
    for (const changes of bad)
      expect(readSession(changes).is, JSON.stringify(changes)).toBe('unknown')
    for (const status of [201, 202, 404, 500]) expect(readSession({}, status).is).toBe('unknown')
  })
})

describe('an error', () => {
  const error = (type: string, code = '') => ({ error: { type, code, message: 'x' } })
  const invalid = error('invalid_request_error')
  it.each([
    [400, invalid, 'refused CONFIGURATION'],
    [400, error('invalid_request_error', 'parameter_unknown'), 'refused CONFIGURATION'],
    [400, error('idempotency_error'), 'unknown'],
    [400, error('invalid_request_error', 'rate_limit'), 'unknown'],
    [400, '', 'unknown'],
    [400, '<html>Bad request</html>', 'unknown'],
    [401, invalid, 'refused CREDENTIAL'],
    [401, '', 'unknown'],
    [402, error('card_error', 'card_declined'), 'unknown'],
    [403, invalid, 'refused CREDENTIAL'],
    [404, error('invalid_request_error', 'resource_missing'), 'unknown'],
    [409, error('invalid_request_error', 'idempotency_key_in_use'), 'unknown'],
    [424, error('api_error'), 'unknown'],
    [429, error('invalid_request_error', 'rate_limit'), 'unknown'],
    [500, error('api_error'), 'unknown'],
    [503, '<html>', 'unknown'],
    [200, '{"id":"\u0000', 'unknown'],
    [200, '', 'unknown'],
  ] as const)('%i with %j is %s', (status, body, expected) => {
    const answer = readSessionAnswer(attempt, answered(status, body), context)
    const alarm = answer.is === 'refused' ? ` ${answer.alarm}` : ''
    expect(`${answer.is}${alarm}`).toBe(expected)
  })

  it('of one sum is this payment’s: the route is well, and nobody is called', () => {
    for (const code of ['amount_too_small', 'amount_too_large']) {
      const body = error('invalid_request_error', code)
      expect(readSessionAnswer(attempt, answered(400, body), context)).toEqual({
        ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
        ...{ detail: `status 400 invalid_request_error ${code} x`, external_reference: '' },
      })
    }
    const another = error('invalid_request_error', 'charge_disputed')
    expect(readSessionAnswer(attempt, answered(400, another), context)).toMatchObject({
      alarm: 'CONFIGURATION',
    })
  })

  it('of a refund is the payment’s where its code says so, and raises no alarm', () => {
    for (const code of ['charge_already_refunded', 'charge_disputed', 'amount_too_large']) {
      const body = error('invalid_request_error', code)
      expect(readRefundAnswer(our_key, answered(400, body), context)).toEqual({
        ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
        ...{ detail: `status 400 invalid_request_error ${code} x`, external_reference: '' },
      })
    }
  })
})

describe('a refund', () => {
  const refund = (changes: object = {}) => ({
    ...{ id: 're_1', object: 'refund', amount: 5_000, currency: 'usd', status: 'succeeded' },
    ...{ metadata: { attempt: our_key }, payment_intent: 'pi_1' },
    ...changes,
  })
  const read = (changes: object = {}) =>
    readRefundAnswer(our_key, answered(200, refund(changes)), context)

  it('means what the sheet says for each status', () => {
    const odd = ['', 'refunded', 'constructor', 'Succeeded']
    const cells = [...refundStatuses, ...odd].map(refundCell)
    const words = ['waiting', 'waiting', 'confirmed', 'refused', 'refused']
    expect(cells).toEqual([...words, ...odd.map(() => 'unknown')])
  })

  it('is ours by our key alone, and fails for its own reasons', () => {
    const good = { is: 'confirmed', external_reference: 're_1', amount: 50_00n, currency: 'USD' }
    expect(read()).toEqual(good)
    expect(read({ metadata: {} }).is).toBe('unknown')
    expect(read({ metadata: { attempt: 'another' } }).is).toBe('unknown')
    expect(read({ amount: '5000' }).is).toBe('unknown')
    const failed = (failure_reason: string) => {
      const answer = read({ status: 'failed', failure_reason })
      return answer.is === 'refused' ? `${answer.by} ${answer.failure_code}` : answer.is
    }
    expect(failed('expired_or_canceled_card')).toBe('payer RECIPIENT_NOT_FOUND')
    expect(failed('insufficient_funds')).toBe('float GATEWAY_UNAVAILABLE')
    expect(failed('unknown')).toBe('payer UNKNOWN')
    expect(failed('')).toBe('payer UNKNOWN')
  })
})

describe('what was taken back of a payment', () => {
  const paid = {
    is: 'confirmed',
    external_reference: 'cs_test_1',
    amount: 103_25n,
    currency: 'USD',
  } as const
  const refund = (changes: object = {}) => ({
    ...{ id: 're_1', object: 'refund', amount: 325, currency: 'usd', status: 'succeeded' },
    ...{ metadata: {} },
    ...changes,
  })
  const dispute = (changes: object = {}) => ({
    ...{ id: 'du_1', object: 'dispute', amount: 10_325, currency: 'usd' },
    ...{ status: 'needs_response', metadata: {} },
    ...changes,
  })
  const read = (refunds: object[], disputes: object[]) =>
    lessTakenBack(
      paid,
      {
        refunds: refunds.map((one) => ({ ...one })),
        disputes: disputes.map((one) => ({ ...one })),
      },
      context,
    )
  const reversed = (amount: bigint, detail: string) => ({
    ...{ is: 'reversed', external_reference: 'cs_test_1' },
    ...{ amount, detail },
  })

  it('is what others than we gave back, and what disputes have taken', () => {
    const ours = refund({ metadata: { attempt: 'a refund of ours' } })
    const failed = refund({ status: 'failed' })
    expect(read([], [])).toEqual(paid)
    expect(read([ours, failed], [dispute({ status: 'won' })])).toEqual(paid)
    expect(read([refund(), ours], [])).toEqual(reversed(3_25n, 'EXTERNAL_REFUND'))
    expect(read([], [dispute()])).toEqual(reversed(103_25n, 'CHARGEBACK'))
    expect(read([refund()], [dispute()])).toEqual(reversed(103_25n, 'CHARGEBACK'))
  })

  it('is unknown where any of it is not as documented', () => {
    const odd = [refund({ amount: '325' }), refund({ currency: 'eur' })]
    const rest = [{ object: 'charge' }, refund({ id: '' })]
    for (const one of [...odd, ...rest]) expect(read([one], []).is).toBe('unknown')
    expect(read([], [dispute({ status: 'argued' })]).is).toBe('unknown')
    expect(read([], [dispute({ amount: null })]).is).toBe('unknown')
  })

  it('has a cell for every status of a dispute', () => {
    const taken = ['needs_response', 'under_review', 'lost']
    const all = [...taken, 'appeal_needs_response', 'appeal_under_review']
    for (const status of disputeStatuses) {
      expect(disputeCell(status), status).toBe(all.includes(status) ? 'taken' : 'left')
    }
    for (const status of ['', 'constructor', 'Lost']) expect(disputeCell(status)).toBe('unknown')
  })
})

describe('what is said of an answer, and counted as not listed', () => {
  const notes: string[] = []
  const noting = { environment: 'SANDBOX', note: (what: string) => void notes.push(what) } as const
  function noted<T>(read: () => T): readonly [T, string[]] {
    notes.length = 0
    return [read(), [...notes]]
  }
  const unknown = (because: string) => ({ is: 'unknown', because })
  const page = (changes: object, status = 200) =>
    noted(() => readSessionAnswer(attempt, answered(status, session(changes)), noting))
  const failed = (status: number, body: unknown) =>
    noted(() => readSessionAnswer(attempt, answered(status, body), noting))
  const error = (type: string, code = '') => ({ error: { type, code, message: 'x' } })
  const at = { external_reference: 'cs_test_1' }

  it('of an error: its type and code, or that there is none', () => {
    const taken = error('invalid_request_error', 'idempotency_key_in_use')
    expect(failed(409, taken)).toEqual([
      unknown('status 409 idempotency_key_in_use'),
      ['session 409 invalid_request_error idempotency_key_in_use'],
    ])
    expect(failed(500, error('api_error'))).toEqual([
      unknown('status 500 api_error'),
      ['session 500 api_error'],
    ])
    expect(failed(503, '<html>')).toEqual([unknown('status 503'), ['session 503 no error']])
    expect(failed(401, error('invalid_request_error'))).toEqual([
      {
        ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
        ...{ detail: 'status 401 invalid_request_error x', external_reference: '' },
        alarm: 'CREDENTIAL',
      },
      [],
    ])
    const lost = noted(() => readRefundAnswer(our_key, answered(500, ''), noting))
    expect(lost).toEqual([unknown('status 500'), ['refund 500 no error']])
  })

  it('of a question that we are not let in with: an alarm, where the operator itself said so', () => {
    const alarm = { alarm: 'CREDENTIAL' }
    for (const status of [401, 403]) {
      expect(alarmOf(answered(status, error('invalid_request_error')))).toEqual(alarm)
      expect(alarmOf(answered(status, '<html>'))).toEqual({})
    }
    expect(alarmOf(answered(400, error('invalid_request_error')))).toEqual({})
  })

  it('of a page', () => {
    expect(page({ livemode: true })).toEqual([
      unknown('a page of the other mode'),
      ['another mode'],
    ])
    const another = page({ client_reference_id: 'another' })
    expect(another).toEqual([unknown('another order'), ['another order']])
    expect(page({ amount_total: null })).toEqual([
      unknown('unreadable amount'),
      ['unreadable amount'],
    ])
    const bare = { status: 'open', payment_status: 'unpaid', url: '' }
    expect(page(bare)).toEqual([unknown('a page without its address'), []])
    expect(page({ payment_status: 'unpaid' })).toEqual([
      { is: 'waiting', ...at, next: 'payer' },
      [],
    ])
    const strange = page({ status: 'open', payment_status: 'paid' })
    expect(strange).toEqual([unknown('status open with payment status paid'), ['pair open paid']])
    const gone = { status: 'expired', payment_status: 'unpaid', payment_intent: null }
    expect(page(gone)).toEqual([
      { is: 'refused', by: 'payer', failure_code: 'EXPIRED', detail: 'expired', ...at },
      [],
    ])
    const last_payment_error = { code: 'card_declined', decline_code: 'do_not_honor' }
    const declined = { ...gone, payment_intent: { id: 'pi_1', last_payment_error } }
    expect(page(declined)[0]).toMatchObject({ detail: 'expired card_declined do_not_honor' })
    const live = { ...noting, environment: 'LIVE' } as const
    const test = readSessionAnswer(attempt, answered(200, session()), live)
    expect(test).toEqual(unknown('a page of the other mode'))
  })

  it('of a refund', () => {
    const refund = {
      ...{ id: 're_1', object: 'refund', amount: 5_000, currency: 'usd', status: 'pending' },
      metadata: { attempt: our_key },
    }
    const read = (changes: object) =>
      noted(() => readRefundAnswer(our_key, answered(200, { ...refund, ...changes }), noting))
    const own = { external_reference: 're_1' }
    expect(read({})).toEqual([{ is: 'waiting', ...own, next: 'payer' }, []])
    expect(read({ metadata: {} })).toEqual([unknown('another refund'), ['another refund']])
    expect(read({ status: 'odd' })).toEqual([unknown('refund status odd'), ['refund status odd']])
    expect(read({ status: 'canceled' })).toEqual([
      {
        ...{ is: 'refused', by: 'payer', failure_code: 'UNKNOWN', detail: 'refund canceled' },
        ...own,
      },
      [],
    ])
    const empty = { status: 'failed', failure_reason: 'insufficient_funds' }
    expect(read(empty)[0]).toMatchObject({ detail: 'refund failed insufficient_funds', ...own })
    expect(read({ status: 'failed', failure_reason: 'lost_or_stolen_card' })[0]).toMatchObject({
      failure_code: 'RECIPIENT_NOT_FOUND',
    })
  })

  it('of what was taken back', () => {
    const paid = { is: 'confirmed', ...at, amount: 10_00n, currency: 'USD' } as const
    const taken = (one: object) =>
      noted(() => lessTakenBack(paid, { refunds: [], disputes: [{ ...one }] }, noting))
    const because = 'what was taken back is not as documented'
    expect(taken({ object: 'charge' })).toEqual([unknown(because), ['taken back unreadable']])
    const odd = { id: 'du_1', object: 'dispute', amount: 1, currency: 'usd', status: 'argued' }
    expect(taken(odd)).toEqual([unknown(because), ['taken back argued']])
    // What is won is of no sum, in whatever currency it is written.
    expect(taken({ ...odd, status: 'won', currency: 'eur' })).toEqual([paid, []])
    expect(taken({ ...odd, status: 'lost', amount: 2_000 })).toEqual([
      { is: 'reversed', ...at, amount: 10_00n, detail: 'CHARGEBACK' },
      [],
    ])
  })
})

describe('whatever comes', () => {
  it('never throws, and is never confirmed by chance', () => {
    const fields = fc.record(
      {
        object: fc.constantFrom('checkout.session', 'refund', 'list', 7),
        id: fc.constantFrom('cs_test_1', '', 5),
        status: fc.constantFrom('complete', 'open', 'expired', 'succeeded', '', null),
        payment_status: fc.constantFrom('paid', 'unpaid', 'no_payment_required', 1),
        amount_total: fc.oneof(fc.constantFrom(10_325, 10_324, '10325', -1), fc.json()),
        currency: fc.constantFrom('usd', 'USD', 'xof', '', 9),
        client_reference_id: fc.constantFrom(our_key, '', null, 'x'),
        livemode: fc.constantFrom(false, true, 'false'),
        payment_intent: fc.oneof(fc.constantFrom('pi_1', null, {}), fc.object()),
        url: fc.oneof(fc.constantFrom('https://a.example', 'x', null), fc.json()),
      },
      { requiredKeys: [] },
    )
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fields.map((one) => JSON.stringify(one)),
    )
    fc.assert(
      fc.property(body, fc.constantFrom(200, 400, 401, 404, 409, 500), (text, status) => {
        readRefundAnswer(our_key, answered(status, text), context)
        const answer = readSessionAnswer(attempt, answered(status, text), context)
        if (answer.is !== 'confirmed') return
        const shown = JSON.parse(text)
        expect([status, shown.object, shown.status, shown.payment_status]).toEqual([
          ...[200, 'checkout.session', 'complete', 'paid'],
        ])
        expect([shown.client_reference_id, shown.livemode === true]).toEqual([our_key, false])
        const factor = /xof/i.test(shown.currency) ? 100n : 1n
        expect(answer.amount).toBe(BigInt(shown.amount_total) * factor)
        expect(answer.currency).toBe(shown.currency.toUpperCase())
      }),
      { numRuns: sized(3_000, 100_000) },
    )
  }, 240_000)
})
