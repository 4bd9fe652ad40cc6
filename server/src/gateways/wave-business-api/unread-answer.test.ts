// What is said of an answer that says nothing, word by word: why the outcome stays unknown, what is
// counted, whether people must look at it. And the whole of what a refusal and a return are read as.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Answer, AttemptKey, Direction } from '../gateway.ts'
import { readAsked, readCreated, readSearch } from './read-answer.ts'
import type { Answered } from './wire.ts'

const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'
const now_ms = Date.parse('2026-11-23T09:00:00Z')
const notes: string[] = []
const context = { now_ms, note: (what: string) => notes.push(what) }
beforeEach(() => {
  notes.length = 0
})

const attemptOf = (direction: Direction): AttemptKey => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key, external_reference: '' },
  ...{ amount: 5_000_00n, currency: 'XOF' },
})

const answered = (status: number, body: object): Answered => ({
  ...{ is: 'answered', status, headers: {}, took_ms: 1 },
  body: JSON.stringify(body),
})

const session = (changes: object = {}) => ({
  ...{ id: 'cos-1', amount: '5000', currency: 'XOF', client_reference: our_key },
  ...{ checkout_status: 'complete', payment_status: 'succeeded', last_payment_error: null },
  ...{ wave_launch_url: 'https://pay.wave.com/c/cos-1' },
  ...{ when_created: '2026-11-23T08:00:00Z', when_expires: '2026-11-23T08:30:00Z' },
  ...changes,
})
const payout = (changes: object = {}) => ({
  ...{ id: 'pt-1', currency: 'XOF', receive_amount: '5000', client_reference: our_key },
  ...{ status: 'succeeded' },
  ...changes,
})

const shown = (changes: object) =>
  readAsked(attemptOf('COLLECT'), answered(200, session(changes)), context)
const paidOut = (changes: object) =>
  readAsked(attemptOf('DISBURSE'), answered(200, payout(changes)), context)

/** With what was counted. */
const told = (answer: Answer) => ({ answer, notes: [...notes] })
const unknown = (because: string, ...counted: string[]) => ({
  answer: { is: 'unknown', because },
  notes: counted,
})

describe('what is shown of a payment', () => {
  it.each([
    [{ client_reference: 'another' }, unknown('another order', 'another order')],
    [{ amount: '' }, unknown('unreadable amount', 'unreadable amount')],
    [{ currency: '' }, unknown('unreadable amount', 'unreadable amount')],
    [{ id: 'pt-1' }, unknown('unreadable')],
    [{ checkout_status: 'odd' }, unknown('pair odd succeeded', 'pair odd succeeded')],
    [
      { checkout_status: 'open', payment_status: 'processing', wave_launch_url: '' },
      unknown('no address of the page'),
    ],
  ])('is unknown for this reason: %j', (changes, expected) => {
    expect(told(shown(changes))).toEqual(expected)
  })

  it('contradicts itself, which people must look at', () => {
    const because = 'pair expired succeeded'
    expect(told(shown({ checkout_status: 'expired' }))).toEqual({
      answer: { is: 'unknown', because, alarm: 'CONTRADICTION' },
      notes: [because],
    })
  })

  it('ended: by its time, or by the payer’s last try', () => {
    const ended = { checkout_status: 'expired', payment_status: 'cancelled' }
    const refused = { is: 'refused', by: 'payer', external_reference: 'cos-1' }
    expect(shown(ended)).toEqual({ ...refused, failure_code: 'EXPIRED', detail: 'expired' })
    const tried = (code: string) => told(shown({ ...ended, last_payment_error: { code } }))
    expect(tried('insufficient-funds')).toEqual({
      answer: { ...refused, failure_code: 'INSUFFICIENT_FUNDS', detail: 'insufficient-funds' },
      notes: [],
    })
    // Listed, and no reason of a payer's.
    expect(tried('not-found')).toEqual({
      answer: { ...refused, failure_code: 'UNKNOWN', detail: 'not-found' },
      notes: ['code not-found'],
    })
  })
})

describe('what is shown of a payout', () => {
  it.each([
    [{ client_reference: 'another' }, unknown('another order', 'another order')],
    [{ id: 'cos-1' }, unknown('unreadable')],
    [{ status: 'odd' }, unknown('status odd', 'status odd')],
    [{ status: 'reversed', currency: 'GMD' }, unknown('unreadable amount', 'unreadable amount')],
  ])('is unknown for this reason: %j', (changes, expected) => {
    expect(told(paidOut(changes))).toEqual(expected)
  })

  it('is under way, failed or back', () => {
    const external_reference = 'pt-1'
    expect(paidOut({ status: 'processing' })).toEqual({
      ...{ is: 'waiting', external_reference, next: 'payer' },
    })
    expect(paidOut({ status: 'reversed' })).toEqual({
      ...{ is: 'reversed', external_reference, amount: 5_000_00n, detail: 'reversed' },
    })
    expect(notes).toEqual([])
    const refused = { is: 'refused', by: 'payer', failure_code: 'UNKNOWN', external_reference }
    expect(told(paidOut({ status: 'failed' }))).toEqual({
      answer: { ...refused, detail: 'failed' },
      notes: ['code none'],
    })
    notes.length = 0
    const known = { status: 'failed', payout_error: { error_code: 'recipient-minor' } }
    expect(told(paidOut(known))).toEqual({
      answer: { ...refused, failure_code: 'RECIPIENT_NOT_FOUND', detail: 'recipient-minor' },
      notes: [],
    })
  })
})

describe('a call that is refused', () => {
  const key = attemptOf('COLLECT')
  const asked = (status: number, body: object) =>
    told(readAsked(key, answered(status, body), context))
  const made = (status: number, body: object) =>
    told(readCreated(key, answered(status, body), context))
  const withAlarm = (because: string, alarm: string, counted: string) => ({
    answer: { is: 'unknown', because, alarm },
    notes: [counted],
  })

  it.each([
    [404, { code: 'odd' }, unknown('status 404 odd', 'status 404 odd')],
    [400, { code: 'not-found' }, unknown('status 400 not-found', 'status 400 not-found')],
    [500, {}, unknown('status 500', 'status 500 no code')],
    [408, { code: 'invalid-auth' }, unknown('status 408 invalid-auth', 'status 408 invalid-auth')],
    [500, { code: 'invalid-auth' }, unknown('status 500 invalid-auth', 'status 500 invalid-auth')],
    [399, { code: 'invalid-auth' }, unknown('status 399 invalid-auth', 'status 399 invalid-auth')],
    [
      400,
      { code: 'insufficient-funds' },
      unknown('status 400 insufficient-funds', 'status 400 insufficient-funds'),
    ],
  ] as const)('when it asked, is only counted: %i %j', (status, body, expected) => {
    expect(asked(status, body)).toEqual(expected)
  })

  it('when it asked, is an alarm where it is refused for who we are', () => {
    const because = (status: number, code: string) => `status ${status} ${code}`
    for (const [status, code, alarm] of [
      [401, 'invalid-auth', 'CREDENTIAL'],
      [400, 'country-mismatch', 'CONFIGURATION'],
      [499, 'ip-not-allowed', 'CREDENTIAL'],
    ] as const) {
      notes.length = 0
      const text = because(status, code)
      expect(asked(status, { code })).toEqual(withAlarm(text, alarm, text))
    }
    notes.length = 0
    expect(asked(404, { code: 'not-found' })).toEqual({ answer: { is: 'not_found' }, notes: [] })
  })

  it('when it was to move money, is refused by its code alone, with what it says', () => {
    expect(made(422, { code: 'payment-failure', message: 'No' })).toEqual({
      answer: {
        ...{ is: 'refused', by: 'payer', failure_code: 'NOT_APPROVED' },
        ...{ detail: 'status 422 payment-failure No', external_reference: '' },
      },
      notes: [],
    })
    expect(made(400, {})).toEqual(unknown('status 400', 'status 400 no code'))
    notes.length = 0
    const text = 'status 409 idempotency-mismatch'
    expect(made(409, { code: 'idempotency-mismatch' })).toEqual(
      withAlarm(text, 'CONTRADICTION', text),
    )
    notes.length = 0
    const busy = 'status 400 service-unavailable'
    expect(made(400, { code: 'service-unavailable' })).toEqual(unknown(busy, busy))
  })
})

describe('a search', () => {
  const searched = (direction: Direction, result: unknown, status = 200, of = '') => {
    const key = { ...attemptOf(direction), external_reference: of }
    return readSearch(key, answered(status, { result }), context)
  }
  const open = { checkout_status: 'open', payment_status: 'processing' }

  it('says why it says nothing', () => {
    const nowhere = answered(404, { code: 'not-found' })
    expect(readSearch(attemptOf('COLLECT'), nowhere, context)).toEqual({
      answer: { is: 'unknown', because: 'no search there' },
      beside: [],
    })
    for (const direction of ['COLLECT', 'DISBURSE'] as const) {
      const unread = { answer: { is: 'unknown', because: 'unreadable' }, beside: [] }
      expect(searched(direction, [{ id: 'odd' }])).toEqual(unread)
    }
    const refused = searched('COLLECT', [], 500)
    expect(refused).toEqual({ answer: { is: 'unknown', because: 'status 500' }, beside: [] })
  })

  it('counts what was paid more than once, and believes it whole or not at all', () => {
    const two = (changes: object) => [
      session({ id: 'cos-1' }),
      session({ id: 'cos-2', ...changes }),
    ]
    expect(searched('COLLECT', two({})).answer.is).toBe('several')
    expect(notes).toEqual(['paid more than once by one key'])
    for (const changes of [{ amount: '' }, { currency: 'GMD' }]) {
      expect(searched('COLLECT', two(changes)).answer).toEqual({
        ...{ is: 'unknown', because: 'unreadable amount' },
      })
    }
    const three = [...two({}), session({ id: 'cos-3', currency: 'GMD' })]
    expect(searched('COLLECT', three).answer).toMatchObject({ because: 'unreadable amount' })
    const none = two({ amount: '' }).map((one) => ({ ...one, amount: '' }))
    expect(searched('COLLECT', none).answer).toMatchObject({ because: 'unreadable amount' })
  })

  it('follows the session that we know though it is not the newest, and no other of that name', () => {
    const all = ['cos-1', 'cos-2', 'cos-3'].map((id, nth) =>
      session({ ...open, id, when_created: `2026-11-23T08:0${nth}:00Z` }),
    )
    expect(searched('COLLECT', all, 200, 'cos-2')).toMatchObject({
      answer: { is: 'waiting', external_reference: 'cos-2' },
      beside: ['cos-3', 'cos-1'],
    })
    const mine = all.map((one) => ({ ...one, client_reference: 'another' }))
    expect(searched('COLLECT', mine)).toEqual({ answer: { is: 'not_found' }, beside: [] })
  })

  it('of payouts takes ours alone, and what is odd or back before what failed', () => {
    const all = (...of: readonly (readonly [status: string, whose?: string])[]) =>
      searched(
        'DISBURSE',
        of.map(([status, client_reference = our_key], nth) =>
          payout({ id: `pt-${nth}`, status, client_reference }),
        ),
      ).answer
    expect(all(['succeeded', 'another'])).toEqual({ is: 'not_found' })
    expect(all(['odd'], ['processing'])).toMatchObject({ external_reference: 'pt-1' })
    expect(all(['reversed'], ['odd'])).toMatchObject({ because: 'status odd' })
    expect(all(['failed'], ['reversed'])).toMatchObject({ external_reference: 'pt-1' })
    expect(all(['reversed'])).toMatchObject({ is: 'reversed' })
    expect(all(['succeeded'], ['odd'])).toMatchObject({ is: 'confirmed' })
  })
})
