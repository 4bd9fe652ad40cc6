// What each answer of this operator means, whole: its words, what is counted as not listed, what is
// an alarm, and by which reference it is found.

import { describe, expect, it } from 'vitest'
import type { AttemptKey, Direction } from '../gateway.ts'
import { shortReference } from '../reference-codec.ts'
import { type Answered, answerOf, readPrepared, readRefusal, readUnshown } from './read-answer.ts'
import { causeOf, modeOf, reasonIn } from './statuses.ts'
import { readShown } from './wire.ts'

const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'
const attemptOf = (direction: Direction): AttemptKey => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key },
  ...{ external_reference: '', amount: 5_000_00n, currency: 'XOF' },
})

const notes: string[] = []
const note = (what: string) => void notes.push(what)

const answered = (status: number, body: unknown): Answered => ({
  ...{ is: 'answered', status, headers: {}, took_ms: 1 },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** What is read, and what was counted meanwhile. */
function noted<T>(read: () => T): readonly [T, string[]] {
  notes.length = 0
  return [read(), [...notes]]
}

const unknown = (because: string) => ({ is: 'unknown', because })
const fault = { message: 'Erreur' }

describe('what any call may be answered with instead', () => {
  const refused = (detail: string, alarm: string) => ({
    ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
    ...{ detail, external_reference: '', alarm },
  })
  const read = (status: number, body: unknown) =>
    noted(() => readRefusal(answered(status, body), 'start', note))

  it('its own refusal, before anything was asked for, is an alarm', () => {
    for (const status of [401, 403]) {
      expect(read(status, fault)).toEqual([refused(`status ${status} Erreur`, 'CREDENTIAL'), []])
    }
    for (const status of [400, 422]) {
      const alarm = refused(`status ${status} Erreur`, 'CONFIGURATION')
      expect(read(status, fault)).toEqual([alarm, []])
    }
  })

  it.each([
    [400, '<html>', 'no json'],
    [401, '<html>', 'no json'],
    [403, '', 'no json'],
    [422, '', 'no json'],
    [200, fault, 'json'],
    [404, fault, 'json'],
    [500, fault, 'json'],
  ])('%i with %j is unknown, and counted as %s', (status, body, form) => {
    expect(read(status, body)).toEqual([unknown(`status ${status}`), [`start ${status} ${form}`]])
  })

  it('a question that shows nothing is an alarm where the operator itself said so', () => {
    const unshown = (status: number, body: unknown) => readUnshown(answered(status, body))
    const alarmed = (status: number, alarm: string) => ({ ...unknown(`status ${status}`), alarm })
    expect(unshown(401, fault)).toEqual(alarmed(401, 'CREDENTIAL'))
    expect(unshown(403, {})).toEqual(alarmed(403, 'CREDENTIAL'))
    expect(unshown(404, fault)).toEqual(alarmed(404, 'CONTRADICTION'))
    const silent = [
      ...([
        [401, '<html>'],
        [403, ''],
        [404, '<html>'],
        [404, {}],
      ] as const),
      ...([
        [400, fault],
        [500, fault],
        [200, fault],
      ] as const),
    ]
    for (const [status, body] of silent) {
      expect(unshown(status, body), String(status)).toEqual(unknown(`status ${status}`))
    }
  })
})

describe('what was made before money is asked for', () => {
  const made = { id: 7, status: 'pending', amount: 5_000 }
  const prepared = (direction: Direction, status: number, body: unknown) =>
    noted(() => readPrepared(attemptOf(direction), answered(status, body), note))

  it('is known by its number, of two series', () => {
    for (const status of [200, 201]) {
      expect(prepared('COLLECT', status, { 'v1/transaction': made })).toEqual([
        { is: 'prepared', external_reference: 'transactions/7' },
        [],
      ])
    }
    expect(prepared('DISBURSE', 200, { 'v1/payout': made })).toEqual([
      { is: 'prepared', external_reference: 'payouts/7' },
      [],
    ])
  })

  it('is nothing that was asked for where it has another sum, or is further', () => {
    for (const changes of [{ amount: 4_999 }, { amount: '5000' }, { status: 'approved' }]) {
      const [read, counted] = prepared('COLLECT', 200, {
        'v1/transaction': { ...made, ...changes },
      })
      expect(read).toEqual(unknown('prepared as something else'))
      expect(counted).toEqual([`prepared ${'status' in changes ? changes.status : 'pending'}`])
    }
  })

  it('is unknown where the answer shows none', () => {
    for (const [status, body] of [
      [202, { 'v1/transaction': made }],
      [200, { 'v1/payout': made }],
    ] as const) {
      expect(prepared('COLLECT', status, body)).toEqual([
        unknown(`status ${status}`),
        [`prepare ${status} json`],
      ])
    }
  })
})

describe('what is shown of one', () => {
  const whole = {
    ...{ id: 7, status: 'approved', amount: 5_000, currency: { iso: 'XOF' } },
    ...{ currency_id: 1, merchant_reference: shortReference(our_key), reference: 'trx_1' },
  }
  const read = (changes: object = {}, direction: Direction = 'COLLECT') => {
    const shown = readShown({ ...whole, ...changes })
    if (shown === undefined) throw new Error('unreadable')
    return noted(() => answerOf(attemptOf(direction), shown, shown.currency, note))
  }
  const at = { external_reference: 'transactions/7' }
  const paid = {
    ...{ is: 'confirmed', ...at, amount: 5_000_00n, currency: 'XOF' },
    operator_reference: 'trx_1',
  }

  it('is paid, in part given back, or given back', () => {
    for (const status of ['approved', 'transferred']) expect(read({ status })).toEqual([paid, []])
    expect(read({ merchant_reference: '' })).toEqual([paid, []])
    const partly = { status: 'approved_partially_refunded' }
    expect(read(partly)).toEqual([{ ...paid, alarm: 'GIVEN_BACK' }, []])
    expect(read({ status: 'refunded' })).toEqual([
      { is: 'reversed', ...at, amount: 5_000_00n, detail: 'EXTERNAL_REFUND' },
      [],
    ])
    const other = 'given back in another currency'
    const guinean = { status: 'refunded', currency: { iso: 'GNF' } }
    expect(read(guinean)).toEqual([unknown(other), [other]])
  })

  it('waits for its payer, or in a queue', () => {
    const waits = { is: 'waiting', ...at, next: 'payer' }
    expect(read({ status: 'pending' })).toEqual([waits, []])
    const queued = { ...waits, external_reference: 'payouts/7', queued: true }
    expect(read({ status: 'scheduled' }, 'DISBURSE')).toEqual([queued, []])
    const undecided = unknown('made, and perhaps started')
    expect(read({ status: 'pending' }, 'DISBURSE')).toEqual([undecided, []])
  })

  it('is unknown, and counted, where it is another’s, has no sum or a word that is not listed', () => {
    const cases = [
      [
        { merchant_reference: shortReference('0f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10') },
        'another order',
      ],
      [{ amount: '5000' }, 'unreadable amount'],
      [{ currency: null }, 'unreadable amount'],
      [{ status: 'expired' }, 'status expired'],
    ] as const
    for (const [changes, because] of cases) {
      expect(read(changes)).toEqual([unknown(because), [because]])
    }
  })

  it('failed for what the operator or its network says, and for nothing that nobody said', () => {
    const refused = (failure_code: string, detail: string) => ({
      ...{ is: 'refused', by: 'payer', failure_code, detail, ...at },
    })
    expect(read({ status: 'canceled' })).toEqual([refused('NOT_APPROVED', 'canceled'), []])
    expect(read({ status: 'declined' })).toEqual([refused('UNKNOWN', 'declined'), ['error none']])
    const code = 'INSUFFICIENT_FUND_ERROR'
    expect(read({ status: 'declined', last_error_code: code })).toEqual([
      refused('INSUFFICIENT_FUNDS', `declined ${code}`),
      [],
    ])
    const strange = { status: 'declined', last_error_code: 'X1' }
    expect(read(strange)).toEqual([refused('UNKNOWN', 'declined X1'), ['error X1']])
    const said = { status: 'canceled', last_error_message: 'MTN: [PAYER_NOT_FOUND] 404' }
    expect(read(said)).toEqual([refused('PAYER_NOT_FOUND', 'canceled PAYER_NOT_FOUND'), []])
  })
})

describe('a reason of the network in a message', () => {
  const causes = (direction: Direction, reasons: readonly string[]) =>
    Object.fromEntries(
      reasons.map((reason) => [reason, causeOf(direction, { error_code: '', reason })]),
    )
  const collect = {
    NOT_ENOUGH_FUNDS: 'INSUFFICIENT_FUNDS',
    LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: 'INSUFFICIENT_FUNDS',
    PAYER_LIMIT_REACHED: 'LIMIT_REACHED',
    PAYER_NOT_FOUND: 'PAYER_NOT_FOUND',
    SENDER_ACCOUNT_NOT_ACTIVE: 'PAYER_NOT_FOUND',
    EXPIRED: 'EXPIRED',
    COULD_NOT_PERFORM_TRANSACTION: 'EXPIRED',
    PAYER_DELAYED: 'EXPIRED',
    APPROVAL_REJECTED: 'NOT_APPROVED',
    PAYMENT_NOT_APPROVED: 'NOT_APPROVED',
    PAYER_REJECTION: 'NOT_APPROVED',
    TRANSACTION_CANCELED: 'NOT_APPROVED',
  }
  const disburse = {
    PAYEE_LIMIT_REACHED: 'LIMIT_REACHED',
    PAYEE_NOT_FOUND: 'RECIPIENT_NOT_FOUND',
    PAYEE_NOT_ALLOWED_TO_RECEIVE: 'RECIPIENT_NOT_FOUND',
  }

  it('is a cause in its own direction alone', () => {
    expect(causes('COLLECT', Object.keys(collect))).toEqual(collect)
    expect(causes('DISBURSE', Object.keys(disburse))).toEqual(disburse)
    const foreign = [...Object.keys(collect), 'constructor', '']
    expect(Object.values(causes('DISBURSE', foreign)).filter(Boolean)).toEqual([])
    expect(Object.values(causes('COLLECT', Object.keys(disburse))).filter(Boolean)).toEqual([])
    const code = { error_code: 'INSUFFICIENT_FUND_ERROR', reason: undefined }
    expect([causeOf('COLLECT', code), causeOf('DISBURSE', code)]).toEqual([
      'INSUFFICIENT_FUNDS',
      undefined,
    ])
  })

  it('is the only one there, said once or twice', () => {
    expect(reasonIn('COLLECT', 'EXPIRED: it has EXPIRED (408)')).toBe('EXPIRED')
    expect(reasonIn('COLLECT', 'EXPIRED or PAYER_NOT_FOUND')).toBeUndefined()
    expect(reasonIn('COLLECT', 'NOT_EXPIRED, UNEXPIRED')).toBeUndefined()
    expect(reasonIn('COLLECT', '')).toBeUndefined()
  })
})

it('names each network as the operator does', () => {
  const modes = {
    ...{ mtn_bj: 'mtn_open', moov_bj: 'moov', celtiis_bj: 'sbin', moov_tg: 'moov_tg' },
    ...{ togocel: 'togocel', mtn_gn: 'mtn_open_gn', mtn_ci: 'mtn_ci', airtel_ne: 'airtel_ne' },
    freemoney_sn: 'free_sn',
  }
  expect(Object.fromEntries(Object.keys(modes).map((code) => [code, modeOf(code)]))).toEqual(modes)
})
