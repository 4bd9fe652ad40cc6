// What each answer of this operator means, whole: by which word it is refused, what is counted as not
// listed, what is an alarm, and which reference a payment is found by.

import { describe, expect, it } from 'vitest'
import type { AttemptKey } from '../gateway.ts'
import { readCreated, readNotice, readStatus, refusedHere } from './read-answer.ts'
import { type Answered, orderIdOf } from './wire.ts'

const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'
const order_id = orderIdOf(our_key)
const attempt: AttemptKey = {
  ...{ merchant_id: 'm', attempt_id: 'a', direction: 'COLLECT', our_key },
  ...{ external_reference: '', amount: 5_000_00n, currency: 'XOF' },
}

const notes: string[] = []
const context = { note: (what: string) => void notes.push(what) }

const answered = (status: number, body: unknown): Answered => ({
  ...{ is: 'answered', status, headers: {}, took_ms: 1 },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** What is read, and what was counted meanwhile. */
function noted<T>(read: () => T): readonly [T, string[]] {
  notes.length = 0
  return [read(), [...notes]]
}

const created = (status: number, body: unknown) =>
  noted(() => readCreated(attempt, answered(status, body), context))
const asked = (status: number, body: unknown) =>
  noted(() => readStatus(attempt, answered(status, body), context))

const fault = { code: 60, message: 'Merchant not allowed' }

describe('an answer to a create', () => {
  const refused = {
    ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
    ...{ external_reference: '', alarm: 'CONFIGURATION' },
  }

  it('that is a page leads there, with both tokens remembered', () => {
    const page = { pay_token: 'p', payment_url: 'https://x.example/p', notif_token: 'n' }
    for (const status of [200, 201]) {
      expect(created(status, page)).toEqual([
        {
          ...{ is: 'waiting', external_reference: order_id },
          ...{ next: { redirect_to: 'https://x.example/p' }, memo: { ask: 'p', notice: 'n' } },
        },
        [],
      ])
    }
  })

  it.each([400, 403, 404, 407, 409, 428, 430, 499])('%i with its word refuses', (status) => {
    const [read, counted] = created(status, fault)
    expect(read).toMatchObject(refused)
    expect(read).toMatchObject({ detail: expect.stringContaining('Merchant not allowed') })
    expect(counted).toEqual([])
  })

  it('401 says who we are not', () => {
    expect(created(401, fault)).toEqual([
      { is: 'denied', detail: expect.stringContaining('status 401') },
      [],
    ])
  })

  it.each([
    [200, fault],
    [202, fault],
    [302, fault],
    [400, '<html>'],
    [408, fault],
    [429, fault],
    [500, fault],
    [503, '<html>'],
  ])('%i with %j is unknown, and counted', (status, body) => {
    expect(created(status, body)).toEqual([
      { is: 'unknown', because: `status ${status}` },
      [`create ${status}`],
    ])
  })

  it('that nobody sent is refused for what it is', () => {
    expect(refusedHere('no token', 'CREDENTIAL')).toEqual({
      ...refused,
      ...{ detail: 'no token', alarm: 'CREDENTIAL' },
    })
  })
})

describe('an answer to a question', () => {
  const confirmed = {
    ...{ is: 'confirmed', amount: 5_000_00n, currency: 'XOF', amount_is: 'ASKED' },
  }

  it('confirms the sum that was asked about, by the operator’s own reference where it has one', () => {
    const status = 'SUCCESS'
    expect(asked(200, { status, order_id, txnid: 'MP1' })).toEqual([
      { ...confirmed, external_reference: 'MP1' },
      [],
    ])
    expect(asked(201, { status, order_id })).toEqual([
      { ...confirmed, external_reference: order_id },
      [],
    ])
    expect(asked(200, { status })).toEqual([{ ...confirmed, external_reference: order_id }, []])
  })

  it.each(['INITIATED', 'PENDING'])('%s waits for the payer', (status) => {
    expect(asked(200, { status, order_id })).toEqual([
      { is: 'waiting', external_reference: order_id, next: 'payer' },
      [],
    ])
  })

  it('FAILED is not approved', () => {
    expect(asked(200, { status: 'FAILED', order_id, txnid: 'MP2' })).toEqual([
      {
        ...{ is: 'refused', by: 'payer', failure_code: 'NOT_APPROVED' },
        ...{ detail: 'NOT_APPROVED', external_reference: 'MP2' },
      },
      [],
    ])
  })

  it('EXPIRED waits while its page may live, and is looked at once more after it', () => {
    const expired = answered(200, { status: 'EXPIRED', order_id })
    const at = (age_s?: number) =>
      readStatus({ ...attempt, ...(age_s === undefined ? {} : { age_s }) }, expired, context)
    const waits = { is: 'waiting', external_reference: order_id, next: 'payer' }
    expect([at(), at(659)]).toEqual([waits, waits])
    expect(at(660)).toEqual({
      ...{ is: 'refused', by: 'payer', failure_code: 'EXPIRED', detail: 'EXPIRED' },
      ...{ external_reference: order_id, ask_again_after_s: 86_400 },
    })
  })

  it('about another order, or in a word that is not listed, is unknown and counted', () => {
    expect(asked(200, { status: 'SUCCESS', order_id: 'another' })).toEqual([
      { is: 'unknown', because: 'another order' },
      ['another order'],
    ])
    expect(asked(200, { status: 'REVERSED', order_id })).toEqual([
      { is: 'unknown', because: 'status REVERSED' },
      ['status REVERSED'],
    ])
  })

  it('401 says who we are not, and a 403 in its own form is an alarm; both say nothing of it', () => {
    expect(asked(401, fault)).toEqual([
      { is: 'denied', detail: expect.stringContaining('Merchant not allowed') },
      [],
    ])
    const unknown = { is: 'unknown', because: 'status 403' }
    expect(asked(403, fault)).toEqual([{ ...unknown, alarm: 'CONFIGURATION' }, ['status 403']])
    expect(asked(403, '<html>')).toEqual([unknown, ['status 403']])
  })

  it.each([
    [200, {}],
    [400, fault],
    [404, { status: 'SUCCESS' }],
    [500, { status: 'SUCCESS' }],
  ])('%i with %j is unknown, counted, and no alarm', (status, body) => {
    expect(asked(status, body)).toEqual([
      { is: 'unknown', because: `status ${status}` },
      [`status ${status}`],
    ])
  })
})

describe('a notice', () => {
  it('says whom to ask about, with the token that proves it theirs', () => {
    const notice = { status: 'SUCCESS', notif_token: 'n', order_id }
    const read = (body: unknown) => readNotice({ body: Buffer.from(JSON.stringify(body)) })
    const answer = { is: 'unknown', because: 'a notice proves nothing' }
    expect(read(notice)).toEqual({ proof: 'UNSIGNED', key: our_key, answer, notice: 'n' })
    expect(read({ ...notice, notif_token: 7 })).toEqual({ proof: 'UNSIGNED', key: our_key, answer })
    expect(read({ notif_token: 'n' })).toEqual({
      ...{ proof: 'UNSIGNED', key: '', notice: 'n' },
      answer: { is: 'unknown', because: 'unreadable' },
    })
    expect(readNotice({ body: Buffer.from('<html>') })).toEqual({
      ...{ proof: 'UNSIGNED', key: '' },
      answer: { is: 'unknown', because: 'unreadable' },
    })
  })
})
