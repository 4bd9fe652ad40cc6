// What each answer of this operator means: every pair of status and reason, every status of HTTP, and
// bodies by chance, of which none may confirm what is not exactly as it was asked.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/setup/proof-size.ts'
import type { Answer, AttemptKey, Direction } from '../gateway.ts'
import {
  type Answered,
  readCallback,
  readCreated,
  readStatus,
  readUnanswered,
  readWithBalance,
} from './read-answer.ts'
import { cellOf, missingReasons, reasons, statuses, waitingReasons } from './reasons.ts'
import { noteOf } from './wire.ts'

const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'

const attemptOf = (direction: Direction): AttemptKey => ({
  merchant_id: 'm',
  attempt_id: 'a',
  direction,
  our_key,
  external_reference: '',
  amount: 5_000_00n,
  currency: 'XOF',
})
const attempt = attemptOf('COLLECT')

const answered = (status: number, body: unknown): Answered => ({
  is: 'answered',
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
  took_ms: 1,
})

const notes: string[] = []
const context = { wire_currency: 'EUR', note: (what: string) => notes.push(what) }
const shown = (changes: object = {}) => ({
  financialTransactionId: '1927264368',
  externalId: our_key,
  amount: '5000',
  currency: 'EUR',
  payer: { partyIdType: 'MSISDN', partyId: '22997000055' },
  status: 'SUCCESSFUL',
  ...changes,
})

const readBody = (changes: object, direction: Direction = 'COLLECT') =>
  readStatus(attemptOf(direction), answered(200, shown(changes)), context)

describe('every pair of status and reason', () => {
  const allReasons = [
    '',
    'NEVER_LISTED',
    ...Object.keys(reasons),
    ...waitingReasons,
    ...missingReasons,
  ]
  const allStatuses = [...statuses, 'REVERSED', 'successful', '']

  it.each(['COLLECT', 'DISBURSE'] as const)('of %s is named or unknown', (direction) => {
    const counts: Record<string, number> = {}
    for (const status of allStatuses) {
      for (const reason of allReasons) {
        const { is } = cellOf(direction, status, reason)
        counts[is] = (counts[is] ?? 0) + 1
        if (is === 'confirmed') expect([status, reason]).toEqual(['SUCCESSFUL', ''])
        if (is === 'failed') expect(status).toBe('FAILED')
      }
    }
    const failed = Object.keys(reasons).length + 2
    // Four statuses that wait, each without a reason, with four of its own, and PAYER_DELAYED.
    expect(counts).toMatchObject({ confirmed: 1, failed, waiting: 4 * 6 })
    const all = allStatuses.length * allReasons.length
    expect(Object.values(counts).reduce((sum, one) => sum + one)).toBe(all)
  })

  it('names the cause of each listed reason, in our own words', () => {
    const table = Object.keys(reasons).map((reason) =>
      (['COLLECT', 'DISBURSE'] as const).map((direction) => {
        const read = readBody({ status: 'FAILED', reason }, direction)
        if (read.is === 'ask_balance') return 'by our balance'
        return read.is === 'refused' ? `${read.by} ${read.failure_code}` : read.is
      }),
    )
    expect(
      Object.fromEntries(Object.keys(reasons).map((reason, at) => [reason, table[at]])),
    ).toEqual({
      NOT_ENOUGH_FUNDS: ['payer INSUFFICIENT_FUNDS', 'by our balance'],
      LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: [
        'payer INSUFFICIENT_FUNDS',
        'by our balance',
      ],
      PAYER_LIMIT_REACHED: ['payer LIMIT_REACHED', 'payer LIMIT_REACHED'],
      PAYEE_LIMIT_REACHED: ['payer LIMIT_REACHED', 'payer LIMIT_REACHED'],
      PAYER_NOT_FOUND: ['payer PAYER_NOT_FOUND', 'payer PAYER_NOT_FOUND'],
      PAYEE_NOT_FOUND: ['payer RECIPIENT_NOT_FOUND', 'payer RECIPIENT_NOT_FOUND'],
      APPROVAL_REJECTED: ['payer NOT_APPROVED', 'payer NOT_APPROVED'],
      PAYMENT_NOT_APPROVED: ['payer NOT_APPROVED', 'payer NOT_APPROVED'],
      PAYER_REJECTION: ['payer NOT_APPROVED', 'payer NOT_APPROVED'],
      TRANSACTION_CANCELED: ['payer NOT_APPROVED', 'payer NOT_APPROVED'],
      EXPIRED: ['payer EXPIRED', 'payer EXPIRED'],
      COULD_NOT_PERFORM_TRANSACTION: ['payer EXPIRED', 'payer EXPIRED'],
      PAYER_DELAYED: ['payer EXPIRED', 'payer EXPIRED'],
      PAYEE_NOT_ALLOWED_TO_RECEIVE: ['gateway GATEWAY_REFUSED', 'payer RECIPIENT_NOT_FOUND'],
      SENDER_ACCOUNT_NOT_ACTIVE: ['payer PAYER_NOT_FOUND', 'gateway GATEWAY_REFUSED'],
      NOT_ALLOWED: ['gateway GATEWAY_REFUSED', 'gateway GATEWAY_REFUSED'],
      NOT_ALLOWED_TARGET_ENVIRONMENT: ['gateway GATEWAY_REFUSED', 'gateway GATEWAY_REFUSED'],
      INVALID_CALLBACK_URL_HOST: ['gateway GATEWAY_REFUSED', 'gateway GATEWAY_REFUSED'],
      INVALID_CURRENCY: ['gateway GATEWAY_REFUSED', 'gateway GATEWAY_REFUSED'],
      TRANSFER_TYPE_UNKNOWN: ['gateway GATEWAY_REFUSED', 'gateway GATEWAY_REFUSED'],
      VALIDATION_ERROR: ['gateway GATEWAY_REFUSED', 'gateway GATEWAY_REFUSED'],
      SERVICE_UNAVAILABLE: ['gateway GATEWAY_UNAVAILABLE', 'gateway GATEWAY_UNAVAILABLE'],
      INTERNAL_PROCESSING_ERROR: ['payer UNKNOWN', 'payer UNKNOWN'],
    })
  })

  it('reads a reason as text and as an object alike, and counts one that is not listed', () => {
    for (const reason of ['EXPIRED', { code: 'EXPIRED', message: 'Too late' }]) {
      expect(readBody({ status: 'FAILED', reason })).toMatchObject({ failure_code: 'EXPIRED' })
    }
    notes.length = 0
    const strange = ['NEVER_LISTED', { code: 'NEVER_LISTED' }, 7, [], { message: 'x' }]
    for (const reason of strange) {
      expect(readBody({ status: 'FAILED', reason })).toMatchObject({
        is: 'refused',
        failure_code: 'UNKNOWN',
      })
    }
    expect(notes).toHaveLength(strange.length)
  })
})

describe('a payout that fails for want of money', () => {
  const ask = (balance: bigint | undefined): Answer => {
    const read = readBody({ status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' }, 'DISBURSE')
    if (read.is !== 'ask_balance') throw new Error(read.is)
    return readWithBalance(attemptOf('DISBURSE'), read, balance)
  }
  it('is ours when our balance is below the amount, and otherwise the receiver’s limit', () => {
    expect(ask(4_999_99n)).toMatchObject({ by: 'float', failure_code: 'GATEWAY_UNAVAILABLE' })
    expect(ask(5_000_00n)).toMatchObject({ by: 'payer', failure_code: 'LIMIT_REACHED' })
    expect(ask(undefined)).toMatchObject({ is: 'refused', failure_code: 'UNKNOWN' })
  })
})

describe('an answer to a create', () => {
  const json = { code: 'X', message: 'y' }
  const html = '<html><title>Request Rejected</title>Your support ID is: 7</html>'
  it.each([
    [202, '', 'waiting'],
    [202, html, 'unknown'],
    [200, html, 'unknown'],
    [200, '', 'unknown'],
    [201, '', 'unknown'],
    [400, json, 'refused'],
    [400, '', 'refused'],
    [400, html, 'unknown'],
    [401, json, 'denied'],
    [403, json, 'refused'],
    [403, html, 'unknown'],
    [404, json, 'unknown'],
    [408, '', 'unknown'],
    [409, { code: 'RESOURCE_ALREADY_EXIST' }, 'taken'],
    [409, json, 'unknown'],
    [429, json, 'unknown'],
    [500, { code: 'INVALID_CURRENCY' }, 'unknown'],
    [502, html, 'unknown'],
    [503, json, 'unknown'],
  ] as const)('%i with %j is %s', (status, body, is) => {
    expect(readCreated(attempt, answered(status, body), context).is).toBe(is)
  })
})

/** What is read, and what was counted meanwhile as not listed. */
function noted<T>(read: () => T): readonly [T, string[]] {
  notes.length = 0
  return [read(), [...notes]]
}

describe('what is said of an answer', () => {
  const json = { code: 'X', message: 'y' }
  const html = '<html><title>Request Rejected</title></html>'
  const created = (status: number, body: unknown) =>
    noted(() => readCreated(attempt, answered(status, body), context))
  const asked = (status: number, body: unknown) =>
    noted(() => readStatus(attempt, answered(status, body), context))
  const waiting = { is: 'waiting', external_reference: our_key, next: 'payer' }

  it('a create that was taken waits for its payer, with a body or without one', () => {
    for (const body of ['', ' \n', '{}', json]) expect(created(202, body)).toEqual([waiting, []])
  })

  it('a create that is refused for how we are set up is an alarm, in whatever form', () => {
    const refused = {
      ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
      ...{ external_reference: '', alarm: 'CONFIGURATION' },
    }
    for (const status of [400, 403]) {
      for (const body of ['', ' \n', json]) {
        expect(created(status, body)).toEqual([{ ...refused, detail: expect.any(String) }, []])
      }
    }
    const detail = 'no token'
    expect(readUnanswered({ is: 'never_sent', because: detail, denied: true })).toEqual({
      ...refused,
      ...{ detail, alarm: 'CREDENTIAL' },
    })
    const unsent = { is: 'never_sent', because: 'no place' } as const
    expect(readUnanswered(unsent)).toEqual(unsent)
    expect(readUnanswered({ is: 'unknown', because: 'timeout' })).toEqual({
      ...{ is: 'unknown', because: 'timeout' },
    })
  })

  it('a create that is not listed is counted by its code, or else by its form', () => {
    const unknown = (because: string) => ({ is: 'unknown', because })
    const taken = { code: 'RESOURCE_ALREADY_EXIST' }
    expect(created(500, taken)).toEqual([
      unknown('status 500 RESOURCE_ALREADY_EXIST'),
      ['create 500 RESOURCE_ALREADY_EXIST'],
    ])
    expect(created(500, '')).toEqual([unknown('status 500'), ['create 500 empty']])
    expect(created(500, ' ')).toEqual([unknown('status 500'), ['create 500 empty']])
    expect(created(500, {})).toEqual([unknown('status 500'), ['create 500 json']])
    expect(created(403, html)).toEqual([unknown('status 403'), ['create 403 no json']])
  })

  it('a question that we are not let in with is an alarm, and says nothing of the payment', () => {
    const unknown = { is: 'unknown', because: expect.stringContaining('40') }
    expect(asked(401, json)).toEqual([{ ...unknown, alarm: 'CREDENTIAL' }, []])
    for (const body of ['', json]) {
      expect(asked(403, body)).toEqual([{ ...unknown, alarm: 'CONFIGURATION' }, []])
    }
    // A firewall's page is not the operator's word.
    const page = { is: 'unknown', because: 'status 403' }
    expect(asked(403, html)).toEqual([page, ['status 403 no json']])
  })

  it('a question whose answer is not listed is counted by its code, or else by its form', () => {
    expect(asked(404, json)).toEqual([{ is: 'unknown', because: 'status 404' }, ['status 404 X']])
    expect(asked(500, '')[1]).toEqual(['status 500 empty'])
    expect(asked(200, {})[1]).toEqual(['status 200 json'])
  })

  it('what is shown of a transaction that waits, failed or cannot be read', () => {
    const read = (changes: object) => noted(() => readBody(changes))
    expect(read({ status: 'PENDING' })).toEqual([waiting, []])
    const failed = { is: 'refused', by: 'payer', external_reference: '1927264368' }
    expect(read({ status: 'FAILED', reason: 'EXPIRED' })).toEqual([
      { ...failed, failure_code: 'EXPIRED', detail: 'EXPIRED' },
      [],
    ])
    const bare = { status: 'FAILED', financialTransactionId: undefined }
    expect(read(bare)).toEqual([
      { ...failed, failure_code: 'UNKNOWN', detail: 'FAILED', external_reference: our_key },
      ['reason none'],
    ])
    expect(read({ status: 'FAILED', reason: 'NOT_ALLOWED' })[0]).toMatchObject({
      alarm: 'CONFIGURATION',
    })
    const unknown = (because: string, note: string) => [{ is: 'unknown', because }, [note]]
    expect(read({ externalId: 'another' })).toEqual(unknown('another order', 'another order'))
    expect(read({ status: 'DONE' })).toEqual(unknown('status DONE with reason none', 'pair DONE '))
    expect(read({ status: 'DONE', reason: 'EXPIRED' })).toEqual(
      unknown('status DONE with reason EXPIRED', 'pair DONE EXPIRED'),
    )
    for (const changes of [{ amount: '-1' }, { currency: '' }]) {
      expect(read(changes)).toEqual(unknown('unreadable amount', 'unreadable amount'))
    }
  })

  it('what an empty float and a callback are told apart by', () => {
    const short = readBody({ status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' }, 'DISBURSE')
    if (short.is !== 'ask_balance') throw new Error(short.is)
    expect(readWithBalance(attemptOf('DISBURSE'), short, 0n)).toMatchObject({
      detail: 'NOT_ENOUGH_FUNDS: the account has less than the amount',
      external_reference: '1927264368',
    })
    const answer = { is: 'unknown', because: 'a callback here proves nothing' }
    expect(readCallback(JSON.stringify(shown())).answer).toEqual(answer)
    expect(readCallback('<html>').answer).toEqual({ is: 'unknown', because: 'unreadable' })
  })
})

describe('an answer to a question', () => {
  it('confirms what the operator says moved, as money and in our own currency', () => {
    const good = {
      is: 'confirmed',
      external_reference: '1927264368',
      amount: 5_000_00n,
      currency: 'XOF',
    }
    for (const amount of ['5000', '5000.00', 5000]) expect(readBody({ amount })).toEqual(good)
    expect(readBody({ amount: '4999' })).toEqual({ ...good, amount: 4_999_00n })
    expect(readBody({ currency: 'XAF' })).toEqual({ ...good, currency: 'XAF' })
    expect(readBody({ financialTransactionId: undefined })).toEqual({
      ...good,
      external_reference: our_key,
    })
  })

  it('confirms nothing that it cannot read whole', () => {
    const bad = [
      ...[{ amount: '5000.001' }, { amount: '' }, { amount: null }, { amount: '-5000' }],
      ...[{ currency: '' }, { currency: 978 }, { externalId: 'another' }, { reason: 'PENDING' }],
      ...[{ status: 'SUCCESSFULL' }, { status: ['SUCCESSFUL'] }, { amount: '5e3' }],
    ]
    for (const changes of bad) expect(readBody(changes).is, JSON.stringify(changes)).toBe('unknown')
  })

  it('finds nothing only where the operator’s own code says so', () => {
    const read = (status: number, body: unknown) =>
      readStatus(attempt, answered(status, body), context).is
    expect(read(404, { code: 'RESOURCE_NOT_FOUND', message: 'x' })).toBe('not_found')
    expect(read(404, { code: 'TRANSACTION_NOT_FOUND' })).toBe('not_found')
    expect(read(404, { statusCode: 404, message: 'Resource not found' })).toBe('unknown')
    expect(read(404, '')).toBe('unknown')
    expect(read(200, { code: 'RESOURCE_NOT_FOUND' })).toBe('unknown')
    expect(read(401, {})).toBe('unknown')
    for (const status of [400, 403, 429, 500, 503]) expect(read(status, shown())).toBe('unknown')
  })

  it('never throws and never confirms by chance', () => {
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record(
          {
            status: fc.constantFrom('SUCCESSFUL', 'FAILED', 'PENDING', 'DONE', 1, null),
            amount: fc.oneof(fc.constantFrom('5000', '5000.00', 5000, '4999', '5 000'), fc.json()),
            currency: fc.constantFrom('EUR', 'XOF', 'eur', '', 7),
            externalId: fc.constantFrom(our_key, '', 'x', null),
            reason: fc.constantFrom('', 'EXPIRED', { code: 'EXPIRED' }, {}, 5, undefined),
          },
          { requiredKeys: [] },
        )
        .map((fields) => JSON.stringify(fields)),
    )
    fc.assert(
      fc.property(body, fc.constantFrom(200, 202, 404, 409, 500), (text, status) => {
        const created = readCreated(attempt, answered(status, text), context)
        if (created.is === 'confirmed') throw new Error('what was created is confirmed')
        const read = readStatus(attempt, answered(status, text), context)
        if (read.is !== 'confirmed') return
        const fields = JSON.parse(text)
        expect([status, fields.status, fields.reason || '']).toEqual([200, 'SUCCESSFUL', ''])
        expect([our_key, '', null, undefined]).toContain(fields.externalId)
        expect(read.amount).toBe(BigInt(Math.round(Number(fields.amount) * 100)))
        expect(read.currency).toBe(fields.currency === 'EUR' ? 'XOF' : fields.currency)
      }),
      { numRuns: sized(3_000, 100_000) },
    )
  }, 240_000)
})

describe('a callback', () => {
  it('says whom to ask about and proves nothing', () => {
    const reading = readCallback(JSON.stringify(shown()))
    expect(reading).toMatchObject({ proof: 'UNSIGNED', key: our_key, answer: { is: 'unknown' } })
    expect(readCallback('<html>')).toMatchObject({ proof: 'UNSIGNED', key: '' })
  })
})

describe('a note', () => {
  it('has no apostrophe and at most 160 characters, and cuts none in two', () => {
    expect(noteOf("L’été d'Awa")).toBe('L été d Awa')
    expect([...noteOf('🛒'.repeat(200))]).toHaveLength(160)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const note = noteOf(text)
        expect([...note].length).toBeLessThanOrEqual(160)
        expect(note).not.toMatch(/['\p{Cc}\p{Cs}]/u)
      }),
    )
  })
})
