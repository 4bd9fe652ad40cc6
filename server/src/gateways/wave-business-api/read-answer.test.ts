// What each answer of this operator means: every pair of a session's statuses, every status of a
// payout, every code, what a search finds, and bodies by chance, of which none may confirm what is
// not exactly as it was asked.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/setup/proof-size.ts'
import { alarmIn } from '../alarms.ts'
import type { Answer, AttemptKey, Direction } from '../gateway.ts'
import { readAsked, readCreated, readSearch } from './read-answer.ts'
import {
  cellOf,
  checkoutStatuses,
  codes,
  meaningOf,
  paymentStatuses,
  payoutStatuses,
} from './reasons.ts'
import { type Answered, paths, readRefunded } from './wire.ts'

const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'
const now_ms = Date.parse('2026-11-23T09:00:00Z')

const attemptOf = (direction: Direction): AttemptKey => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key, external_reference: '' },
  ...{ amount: 5_000_00n, currency: 'XOF' },
})
const attempt = attemptOf('COLLECT')

const answered = (status: number, body: unknown): Answered => ({
  ...{ is: 'answered', status, headers: {}, took_ms: 1 },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const notes: string[] = []
const context = { now_ms, note: (what: string) => notes.push(what) }

const session = (changes: object = {}) => ({
  ...{ id: 'cos-18qq25rgr100a', amount: '5000', currency: 'XOF', client_reference: our_key },
  ...{ checkout_status: 'complete', payment_status: 'succeeded', last_payment_error: null },
  ...{ wave_launch_url: 'https://pay.wave.com/c/cos-18qq25rgr100a' },
  ...{ when_created: '2026-11-23T08:00:00Z', when_expires: '2026-11-23T08:30:00Z' },
  ...changes,
})
const payout = (changes: object = {}) => ({
  ...{ id: 'pt-185b5e4b8100c', currency: 'XOF', receive_amount: '5000', fee: '50' },
  ...{ mobile: '+221761110000', client_reference: our_key, status: 'succeeded' },
  ...changes,
})

const read = (changes: object): Answer =>
  readAsked(attempt, answered(200, session(changes)), context)
const readPayout = (changes: object): Answer =>
  readAsked(attemptOf('DISBURSE'), answered(200, payout(changes)), context)

describe('every pair of a session’s statuses', () => {
  const all = [...checkoutStatuses, 'REFUNDED', ''].flatMap((checkout) =>
    [...paymentStatuses, 'failed', ''].map((payment) => [checkout, payment] as const),
  )

  it('is named or unknown, and one alone is paid', () => {
    const named = Object.fromEntries(
      all.flatMap(([checkout, payment]) => {
        const cell = cellOf(checkout, payment)
        return cell === 'unknown' ? [] : [[`${checkout} ${payment}`, cell]]
      }),
    )
    expect(named).toEqual({
      'complete succeeded': 'confirmed',
      'open processing': 'waiting',
      'open cancelled': 'waiting',
      'expired cancelled': 'ended',
      'expired processing': 'ended_when_quiet',
      'expired succeeded': 'contradiction',
      'complete processing': 'contradiction',
      'complete cancelled': 'contradiction',
      'complete failed': 'contradiction',
      'complete ': 'contradiction',
    })
    expect(cellOf('__proto__', '')).toBe('unknown')
  })

  it('reads as its cell says, and every unknown one is counted', () => {
    for (const [checkout_status, payment_status] of all) {
      notes.length = 0
      const answer = read({ checkout_status, payment_status })
      const cell = cellOf(checkout_status, payment_status)
      const isOdd = cell === 'unknown' || cell === 'contradiction'
      const isNamed = cell === 'confirmed' || cell === 'waiting'
      expect(answer.is).toBe(isOdd ? 'unknown' : isNamed ? cell : 'refused')
      expect(alarmIn(answer)).toBe(cell === 'contradiction' ? 'CONTRADICTION' : undefined)
      expect(notes).toHaveLength(isOdd ? 1 : 0)
    }
  })

  it('that was paid is known by what its payer sees in the app, where that is shown', () => {
    const paid = { is: 'confirmed', external_reference: 'cos-18qq25rgr100a' }
    expect(read({ transaction_id: 'TCN4Y4ZC3FM' })).toMatchObject({
      ...{ ...paid, operator_reference: 'TCN4Y4ZC3FM' },
    })
    for (const transaction_id of [undefined, '', null, 7]) {
      // Its own id of the page would say nothing to a payer.
      expect(read({ transaction_id })).toMatchObject({ ...paid, operator_reference: '' })
    }
  })

  it('that ended while a payment was under way counts two minutes after its end', () => {
    const still = { checkout_status: 'expired', payment_status: 'processing' }
    const at = (when_completed: string) => read({ ...still, when_completed }).is
    expect(at('2026-11-23T08:58:01Z')).toBe('waiting')
    expect(at('2026-11-23T08:58:00Z')).toBe('refused')
    expect(read({ ...still, when_expires: undefined }).is).toBe('waiting')
  })

  it('that ended names the payer’s last try, where there was one', () => {
    const ended = { checkout_status: 'expired', payment_status: 'cancelled' }
    expect(read(ended)).toMatchObject({ by: 'payer', failure_code: 'EXPIRED' })
    const tried = (code: string) => read({ ...ended, last_payment_error: { code, message: 'why' } })
    expect(tried('insufficient-funds')).toMatchObject({ failure_code: 'INSUFFICIENT_FUNDS' })
    expect(tried('blocked-account')).toMatchObject({ failure_code: 'PAYER_NOT_FOUND' })
    notes.length = 0
    expect(tried('never-listed')).toMatchObject({ by: 'payer', failure_code: 'UNKNOWN' })
    expect(notes).toEqual(['code never-listed'])
  })

  it('of another order, without its page, or of another sum proves nothing more than it says', () => {
    expect(read({ client_reference: 'another' }).is).toBe('unknown')
    expect(read({ id: 'pt-1' }).is).toBe('unknown')
    const open = { checkout_status: 'open', payment_status: 'processing' }
    for (const wave_launch_url of ['', 7, 'javascript:alert(1)', 'no address']) {
      expect(read({ ...open, wave_launch_url }).is).toBe('unknown')
    }
    expect(read({ amount: '4999' })).toMatchObject({ is: 'confirmed', amount: 4_999_00n })
    expect(read({ amount: '5000.00' })).toMatchObject({ is: 'confirmed', amount: 5_000_00n })
    expect(read({ currency: 'GMD' })).toMatchObject({ is: 'confirmed', currency: 'GMD' })
    for (const amount of ['', '-5000', '5e3', '5000.5', null, {}]) {
      expect(read({ amount }).is).toBe('unknown')
    }
  })
})

describe('every status of a payout', () => {
  it('is named or unknown', () => {
    const said = Object.fromEntries(
      [...payoutStatuses, 'SUCCEEDED', ''].map((status) => [status, readPayout({ status }).is]),
    )
    expect(said).toEqual({
      ...{ processing: 'waiting', succeeded: 'confirmed', failed: 'refused', reversed: 'reversed' },
      ...{ SUCCEEDED: 'unknown', '': 'unknown' },
    })
  })

  it('that came back is what is shown of it, and in our currency', () => {
    const back = (changes: object = {}) => readPayout({ status: 'reversed', ...changes })
    expect(back()).toMatchObject({ is: 'reversed', amount: 5_000_00n })
    expect(back({ receive_amount: '4999' })).toMatchObject({ is: 'reversed', amount: 4_999_00n })
    for (const odd of [{ currency: 'GMD' }, { currency: '' }, { receive_amount: '5e3' }]) {
      expect(back(odd).is).toBe('unknown')
    }
  })

  it('that failed names why', () => {
    const failed = (error_code: string) =>
      readPayout({ status: 'failed', payout_error: { error_code, error_message: 'why' } })
    const blocked = failed('recipient-account-blocked')
    expect(blocked).toMatchObject({ by: 'payer', failure_code: 'RECIPIENT_NOT_FOUND' })
    expect(failed('insufficient-funds')).toMatchObject({ by: 'float' })
    expect(failed('never-listed')).toMatchObject({ by: 'payer', failure_code: 'UNKNOWN' })
  })
})

describe('every code of a refused call', () => {
  it('is named, or leaves the outcome unknown', () => {
    const table = Object.keys(codes).map((code) => {
      const of = (direction: Direction) => {
        const answer = readCreated(
          attemptOf(direction),
          answered(400, { code, message: 'x' }),
          context,
        )
        if (answer.is !== 'refused') return [answer.is, alarmIn(answer)].filter(Boolean).join(' ')
        return [answer.by, answer.failure_code, answer.alarm].filter(Boolean).join(' ')
      }
      return [code, of('COLLECT'), of('DISBURSE')]
    })
    const both = (word: string, ...all: string[]) => all.map((code) => [code, word, word])
    const ours = 'gateway GATEWAY_REFUSED CONFIGURATION'
    const key = 'gateway GATEWAY_REFUSED CREDENTIAL'
    expect(table).toEqual([
      ['insufficient-funds', 'payer INSUFFICIENT_FUNDS', 'float GATEWAY_UNAVAILABLE'],
      ...both('payer PAYER_NOT_FOUND', 'blocked-account', 'customer-age-restricted'),
      ...both('payer NOT_APPROVED', 'payer-mobile-mismatch', 'payment-failure'),
      ...both('payer LIMIT_REACHED', 'kyb-limits-exceeded', 'recipient-limit-exceeded'),
      ...both('payer RECIPIENT_NOT_FOUND', 'recipient-account-blocked'),
      ...both('payer RECIPIENT_NOT_FOUND', 'recipient-account-inactive', 'recipient-minor'),
      ...both(ours, 'cross-border-payment-not-allowed', 'country-mismatch', 'currency-mismatch'),
      ...both(ours, 'request-validation-error', 'request-not-json', 'request-parsing-error'),
      ...both(ours, 'invalid-aggregated-merchant-id', 'aggregated-merchant-required'),
      ...both(key, 'missing-auth-header', 'invalid-auth', 'api-key-not-provided'),
      ...both(key, 'no-matching-api-key', 'api-key-revoked', 'invalid-wallet', 'disabled-wallet'),
      ...both(key, 'no-permission', 'authorization-error', 'unauthorized-wallet', 'ip-not-allowed'),
      ...both('gateway GATEWAY_UNAVAILABLE', 'too-many-requests'),
      ...both('gateway GATEWAY_REFUSED', 'checkout-refund-failed'),
      ...both('gateway GATEWAY_REFUSED', 'payout-reversal-time-limit-exceeded'),
      ...both('gateway GATEWAY_REFUSED', 'payout-reversal-account-terminated'),
      ...both('unknown', 'not-found', 'checkout-session-not-found'),
      ...both('unknown', 'internal-server-error', 'service-unavailable'),
      ...both('unknown CONTRADICTION', 'idempotency-mismatch'),
    ])
    expect(meaningOf('COLLECT', 'toString')).toBeUndefined()
  })

  it('counts only with a status of a refusal, in either form, and nothing else is one', () => {
    const said = (status: number, body: unknown) =>
      readCreated(attempt, answered(status, body), context)
    const code = 'request-validation-error'
    expect(said(422, { error_code: code, error_message: 'x' }).is).toBe('refused')
    for (const status of [408, 500, 502, 503, 504, 301]) {
      expect(said(status, { code }).is, String(status)).toBe('unknown')
    }
    for (const body of [
      '',
      '<html>Request Rejected</html>',
      '{}',
      '[]',
      { code: 'never-listed' },
    ]) {
      for (const status of [200, 400, 401, 403, 404, 409, 429]) {
        expect(said(status, body).is, `${status} ${JSON.stringify(body)}`).toBe('unknown')
      }
    }
  })
})

describe('a question that is refused', () => {
  it('says nothing of what it is about, but that it is not there', () => {
    const all = Object.keys(codes)
    for (const status of [400, 401, 403, 409, 422, 429]) {
      for (const code of all) {
        const answer = readAsked(attempt, answered(status, { code, message: 'x' }), context)
        expect(answer.is, `${status} ${code}`).toBe('unknown')
      }
    }
    const missing = all.filter(
      (code) => readAsked(attempt, answered(404, { code, message: 'x' }), context).is !== 'unknown',
    )
    expect(missing).toEqual(['not-found', 'checkout-session-not-found'])
  })
})

describe('a search', () => {
  const open = { checkout_status: 'open', payment_status: 'processing' }
  const ended = { checkout_status: 'expired', payment_status: 'cancelled' }
  const found = (sessions: readonly object[], external_reference = '') =>
    readSearch({ ...attempt, external_reference }, answered(200, { result: sessions }), context)

  it('that finds none, or only others, has not found it', () => {
    expect(found([]).answer).toEqual({ is: 'not_found' })
    expect(found([session({ client_reference: 'another' })]).answer).toEqual({ is: 'not_found' })
  })

  it('that finds one adopts it', () => {
    expect(found([session(open)])).toEqual({
      answer: {
        is: 'waiting',
        external_reference: 'cos-18qq25rgr100a',
        next: { redirect_to: 'https://pay.wave.com/c/cos-18qq25rgr100a' },
      },
      beside: [],
    })
  })

  const at = (id: string, minute: string, changes: object) =>
    session({ id, when_created: `2026-11-23T08:${minute}:00Z`, ...changes })

  it('that finds two follows the one we know, or the newest, and closes the other', () => {
    const two = [at('cos-1', '01', open), at('cos-2', '02', open)]
    expect(found(two)).toMatchObject({
      answer: { external_reference: 'cos-2' },
      beside: ['cos-1'],
    })
    expect(found(two, 'cos-1')).toMatchObject({
      answer: { external_reference: 'cos-1' },
      beside: ['cos-2'],
    })
  })

  it('takes the one that was paid, and closes what is open beside it', () => {
    expect(found([at('cos-1', '01', {}), at('cos-2', '02', open)], 'cos-2')).toMatchObject({
      answer: { is: 'confirmed', external_reference: 'cos-1' },
      beside: ['cos-2'],
    })
  })

  it('tells two that were paid as two, and chooses none', () => {
    const both = [at('cos-1', '01', {}), at('cos-2', '02', {}), at('cos-3', '03', open)]
    const capture = { amount: 5_000_00n, currency: 'XOF' }
    const captures = [
      { external_reference: 'cos-2', ...capture },
      { external_reference: 'cos-1', ...capture },
    ]
    expect(found(both)).toEqual({ answer: { is: 'several', captures }, beside: ['cos-3'] })
    const strange = [at('cos-1', '01', {}), at('cos-2', '02', { currency: 'GMD' })]
    expect(found(strange).answer.is).toBe('unknown')
  })

  it('has not ended while one of them may still be paid', () => {
    expect(found([at('cos-1', '01', ended), at('cos-2', '02', ended)]).answer.is).toBe('refused')
    const under_way = { checkout_status: 'expired', payment_status: 'processing' }
    const late = { ...under_way, when_completed: '2026-11-23T08:59:30Z' }
    expect(found([at('cos-1', '01', late), at('cos-2', '02', ended)]).answer.is).toBe('waiting')
  })

  it('that cannot be read, or is answered 404, says nothing', () => {
    const said = (status: number, body: unknown) =>
      readSearch(attempt, answered(status, body), context).answer.is
    expect(said(404, { code: 'not-found', message: '' })).toBe('unknown')
    for (const body of ['', '{}', { result: {} }, { result: [7] }, { result: [{ id: 'x' }] }]) {
      expect(said(200, body)).toBe('unknown')
    }
  })

  it('of payouts takes what was paid before what is under way, and that before what failed', () => {
    const key = attemptOf('DISBURSE')
    const of = (...statuses: string[]) =>
      readSearch(
        key,
        answered(200, {
          result: statuses.map((status, place) => payout({ id: `pt-${place}`, status })),
        }),
        context,
      ).answer
    expect(of('failed', 'succeeded')).toMatchObject({ is: 'confirmed' })
    expect(of('failed', 'processing')).toMatchObject({ is: 'waiting' })
    expect(of('failed', 'strange')).toMatchObject({ is: 'unknown' })
    expect(of('failed')).toMatchObject({ is: 'refused' })
    expect(of('succeeded', 'succeeded')).toMatchObject({ is: 'several' })
    expect(of()).toEqual({ is: 'not_found' })
  })
})

describe('a day’s transactions', () => {
  it('name the sessions that were given back, page by page', () => {
    const page = (changes: object) => ({
      page_info: { start_cursor: null, end_cursor: 'c2', has_next_page: true },
      items: [
        { transaction_type: 'api_checkout', checkout_api_session_id: 'cos-1' },
        { transaction_type: 'api_checkout_refund', checkout_api_session_id: 'cos-2' },
        { is_reversal: true, checkout_api_session_id: 'cos-3' },
      ],
      ...changes,
    })
    const readPage = (changes: object) => readRefunded(answered(200, page(changes)))
    expect(readPage({})).toEqual({ sessions: ['cos-2', 'cos-3'], next: 'c2' })
    const last = { page_info: { end_cursor: 'c2', has_next_page: false } }
    expect(readPage(last)?.next).toBeUndefined()
    expect(readPage({ items: 7 })).toBeUndefined()
    expect(paths.transactions('2026-11-23', 'a b&c')).toBe(
      '/v1/transactions?date=2026-11-23&after=a%20b%26c',
    )
  })
})

describe('bodies by chance', () => {
  const word = fc.oneof(
    fc.constantFrom(...checkoutStatuses, ...paymentStatuses, ...payoutStatuses, our_key, '5000'),
    fc.string(),
    fc.json(),
    fc.constant(null),
    fc.integer(),
  )
  const names = ['id', 'amount', 'receive_amount', 'currency', 'client_reference', 'status']
  const more = ['checkout_status', 'payment_status', 'wave_launch_url', 'last_payment_error']
  const shaped = fc.record(Object.fromEntries([...names, ...more].map((name) => [name, word])), {
    requiredKeys: [],
  })
  const changed = fc.record({ base: fc.boolean(), changes: shaped })

  it('never throw, and confirm only what is ours, as it says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Direction>('COLLECT', 'DISBURSE'),
        fc.oneof(fc.string(), fc.json(), changed),
        fc.integer({ min: 100, max: 599 }),
        (direction, body, status) => {
          const base = direction === 'COLLECT' ? session() : payout()
          const sent =
            typeof body === 'string' ? body : { ...(body.base ? base : {}), ...body.changes }
          const key = attemptOf(direction)
          const answers = [
            readCreated(key, answered(status, sent), context),
            readAsked(key, answered(status, sent), context),
            readSearch(key, answered(status, { result: [sent] }), context).answer,
          ]
          for (const answer of answers) {
            if (answer.is !== 'confirmed') continue
            expect(status >= 200 && status < 300).toBe(true)
            const shown: Record<string, unknown> =
              typeof sent === 'string' ? JSON.parse(sent) : sent
            expect(shown['client_reference']).toBe(our_key)
            const text = String(shown[direction === 'COLLECT' ? 'amount' : 'receive_amount'])
            expect(answer.amount).toBe(BigInt(Math.round(Number(text) * 100)))
            expect(answer.currency).toBe(shown['currency'])
          }
        },
      ),
      { numRuns: sized(3_000, 100_000) },
    )
  }, 240_000)
})
