// The law of contract 5.14 as a table: every answer of a gateway × every state of the attempt and
// its transaction. A cell that changes is a change of what moves money.

import { describe, expect, it } from 'vitest'
import type { Answer } from '../gateways/gateway.ts'
import type { Attempt } from './attempt.ts'
import { decide, describeAnswer } from './decide.ts'
import type { Decision, Facts, ReturnState } from './decision.ts'
import type { AttemptStatus } from './states.ts'

const snapshot = {
  direction: 'COLLECT',
  debited_amount: 516_300n,
  net_amount: 500_000n,
  currency: 'XOF',
  otp_kind: 'NONE',
  settlement_id: null,
  refund_id: null,
  refund_of: null,
  accepted_at: new Date(),
  acknowledged_at: null,
  external_reference: '',
  not_found_at: null,
  not_found_age_s: null,
  is_wanted_back: false,
  booked_by: null,
  booked_amount: null,
  may_send_again: false,
  grace_age_s: 10,
} satisfies Partial<Attempt>

// Only what a decision reads is there.
const attemptOf = (changes: Partial<Attempt>) =>
  ({ id: 'this', ...snapshot, ...changes }) as unknown as Attempt

type State = {
  attempt: AttemptStatus
  ended?: boolean
  transaction: Facts['purpose']['status']
}

/** Every state that the statements can leave behind, by name. */
const states = {
  pending: { attempt: 'PENDING', transaction: 'PENDING' },
  unknown: { attempt: 'UNKNOWN', transaction: 'PENDING' },
  'closed by us': { attempt: 'UNKNOWN', transaction: 'FAILED' },
  refused: { attempt: 'FAILED', ended: true, transaction: 'FAILED' },
  'refused, retried': { attempt: 'FAILED', ended: true, transaction: 'PENDING' },
  'paid by it': { attempt: 'SUCCESS', ended: true, transaction: 'SUCCESS' },
  'paid by another, pending': { attempt: 'PENDING', transaction: 'SUCCESS' },
  'paid by another, refused': {
    attempt: 'FAILED',
    ended: true,
    transaction: 'SUCCESS',
  },
  'paid by another too': { attempt: 'SUCCESS', ended: true, transaction: 'SUCCESS' },
} satisfies Record<string, State>
type StateName = keyof typeof states

const answers = {
  right: { is: 'confirmed', external_reference: 'OP', amount: 516_300n, currency: 'XOF' },
  less: { is: 'confirmed', external_reference: 'OP', amount: 516_200n, currency: 'XOF' },
  elsewhere: { is: 'confirmed', external_reference: 'OP', amount: 516_300n, currency: 'XAF' },
  waiting: { is: 'waiting', external_reference: 'OP', next: 'payer' },
  refused: {
    is: 'refused',
    by: 'payer',
    failure_code: 'NOT_APPROVED',
    detail: '',
    external_reference: 'OP',
  },
  reversed: { is: 'reversed', external_reference: 'OP', amount: 516_300n, detail: 'returned' },
  partly: { is: 'reversed', external_reference: 'OP', amount: 300n, detail: 'part returned' },
  not_found: { is: 'not_found' },
  never_sent: { is: 'never_sent', because: 'refused' },
  unknown: { is: 'unknown', because: 'timeout' },
} satisfies Record<string, Answer>
type AnswerName = keyof typeof answers

type About = Partial<Pick<Facts, 'otp_in_hand' | 'send' | 'status_at_query'>> & {
  kind?: Facts['evidence']['kind']
  idempotent?: boolean
  attempt?: Partial<Attempt>
}

function decided(state: StateName, answer: AnswerName, about: About = {}): Decision {
  const { attempt, ended = false, transaction }: State = states[state]
  const { kind = 'STATUS_ANSWER', idempotent = true, otp_in_hand = false } = about
  return decide({
    attempt: attemptOf({ status: attempt, gateway_ended: ended, ...about.attempt }),
    purpose: { status: transaction },
    answer: answers[answer],
    evidence: { kind },
    gateway: { create_is_idempotent: idempotent, not_found_grace_s: 900 },
    otp_in_hand,
    send: about.send,
    status_at_query: kind === 'STATUS_ANSWER' ? (about.status_at_query ?? attempt) : undefined,
  })
}

/** A decision in one word. */
function wordOf(decision: Decision): string {
  if (decision.is === 'incident') return decision.type
  return decision.is === 'wait' ? decision.status : decision.is
}

const order: readonly AnswerName[] = [
  'right',
  'less',
  'elsewhere',
  'waiting',
  'refused',
  'reversed',
  'partly',
  'not_found',
  'never_sent',
  'unknown',
]

const [M, D, R] = ['AMOUNT_MISMATCH', 'DUPLICATE_CAPTURE', 'REVERSED_AFTER_SUCCESS']
const [P, U, no] = ['PENDING', 'UNKNOWN', 'nothing']

/**
 * By our own question: right, less, elsewhere, waiting, refused, reversed, partly reversed, not found,
 * never sent, unknown.
 */
const byQuestion: Record<StateName, readonly string[]> = {
  pending: ['confirm', M, M, P, 'fail', 'fail', M, U, P, P],
  unknown: ['confirm', M, M, P, 'fail', 'fail', M, U, U, U],
  'closed by us': ['confirm', M, M, U, 'end_attempt', 'end_attempt', M, U, U, U],
  refused: ['confirm', M, M, no, no, no, no, no, no, no],
  'refused, retried': ['confirm', M, M, no, no, no, no, no, no, no],
  'paid by it': [no, no, no, no, R, R, M, no, no, no],
  'paid by another, pending': [D, M, M, U, 'end_attempt', 'end_attempt', M, U, P, P],
  'paid by another, refused': [D, M, M, no, no, no, no, no, no, no],
  'paid by another too': [no, no, no, no, R, R, M, no, no, no],
}

/** A part that came back is asked about before anybody is told of it. */
const asked = (row: readonly string[]): string[] =>
  row.map((word, at) => (order[at] === 'partly' && word === M ? 'query' : word))

const paidByCallback = [no, no, no, no, 'query', 'query', 'query', no, no, no]

/** By a verified callback: what it alone may do. */
const byCallback: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(byQuestion).map(([name, row]) => [name, asked(row)])),
  'paid by it': paidByCallback,
  'paid by another too': paidByCallback,
}

const names = Object.keys(states) as StateName[]
const row = (state: StateName, about: About) =>
  order.map((one) => wordOf(decided(state, one, about)))

describe('decide', () => {
  it.each(names)('%s: by our own question', (state) => {
    expect(row(state, {})).toEqual(byQuestion[state])
  })

  it.each(names)('%s: by a callback', (state) => {
    expect(row(state, { kind: 'CALLBACK' })).toEqual(byCallback[state])
  })

  it('takes nothing back by what was asked before the success', () => {
    for (const status_at_query of ['PENDING', 'UNKNOWN', 'FAILED'] as const) {
      expect(decided('paid by it', 'refused', { status_at_query })).toEqual({ is: 'query' })
    }
    const late = decided('paid by it', 'refused', { kind: 'CREATE_ANSWER', send: 'only' })
    expect(late).toEqual({ is: 'query' })
  })

  it('believes “never sent” of the only send, and of no other', () => {
    const about = { kind: 'CREATE_ANSWER', attempt: { accepted_at: null } } as const
    const by = (send: 'only' | 'again' | 'outdated') =>
      wordOf(decided('pending', 'never_sent', { ...about, send }))
    expect([by('only'), by('again'), by('outdated')]).toEqual(['fail', U, U])
  })

  it('believes a refusal of a second send, and of none that another has overtaken', () => {
    const about = { kind: 'CREATE_ANSWER', attempt: { accepted_at: null } } as const
    const by = (send: 'only' | 'again' | 'outdated') =>
      wordOf(decided('pending', 'refused', { ...about, send }))
    expect([by('only'), by('again'), by('outdated')]).toEqual(['fail', 'fail', U])
  })

  it('that a second send was turned away proves nothing of the first', () => {
    const turned_away = [
      { failure_code: 'GATEWAY_REFUSED', alarm: 'CREDENTIAL' },
      { failure_code: 'GATEWAY_REFUSED', alarm: 'CONFIGURATION' },
      { failure_code: 'GATEWAY_UNAVAILABLE' },
      { by: 'float', failure_code: 'GATEWAY_REFUSED' },
    ] as const
    const each = (why: object) => {
      const answer = { ...answers.refused, by: 'gateway', ...why } as const
      const by = (direction: 'COLLECT' | 'DISBURSE', send: 'only' | 'again') =>
        decide({
          ...{ attempt: attemptOf({ direction, status: 'UNKNOWN', accepted_at: null }), answer },
          ...{ purpose: { status: 'PENDING' }, evidence: { kind: 'CREATE_ANSWER' }, send },
          ...{ gateway: { create_is_idempotent: true, not_found_grace_s: 900 } },
          otp_in_hand: false,
        }).is
      return (['COLLECT', 'DISBURSE'] as const).map((to) => [by(to, 'only'), by(to, 'again')])
    }
    const ends = ['fail', 'fail']
    const waits = ['fail', 'wait']
    for (const why of turned_away) expect(each(why)).toEqual([waits, waits])
    // A payout's sum may be looked at before its key; a payment that comes late is booked late.
    expect(each({ failure_code: 'GATEWAY_REFUSED' })).toEqual([ends, waits])
  })

  describe('not found', () => {
    const fresh = { accepted_at: null, may_send_again: true } as const
    const by = (about: About & { state?: StateName }) =>
      wordOf(decided(about.state ?? 'unknown', 'not_found', about))

    it('is sent again within its two minutes, by a gateway that dedupes, while it is PENDING', () => {
      expect(by({ attempt: fresh })).toBe('send_again')
      expect(by({ attempt: { ...fresh, may_send_again: false } })).toBe(U)
      expect(by({ attempt: { ...fresh, accepted_at: new Date() } })).toBe(U)
      expect(by({ attempt: fresh, idempotent: false })).toBe(U)
      expect(by({ attempt: fresh, state: 'closed by us' })).toBe(U)
      expect(by({ attempt: fresh, state: 'paid by another, pending' })).toBe(U)
    })

    it('is sent again with a made code only by the replay that brings it', () => {
      const made = { ...fresh, otp_kind: 'PRE' } as const
      expect(by({ attempt: made })).toBe(U)
      expect(by({ attempt: made, otp_in_hand: true })).toBe('send_again')
    })

    it('ends it after the time of grace', () => {
      const old = { grace_age_s: 900 }
      expect(by({ attempt: old })).toBe('fail')
      expect(by({ attempt: old, state: 'pending' })).toBe('fail')
      expect(by({ attempt: old, state: 'closed by us' })).toBe('end_attempt')
      expect(by({ attempt: old, state: 'paid by another, pending' })).toBe('end_attempt')
      expect(by({ attempt: old, state: 'paid by it' })).toBe(no)
    })
  })

  describe('what came back', () => {
    const mismatch = { is: 'incident', type: 'AMOUNT_MISMATCH', currency: 'XOF' }
    const by = (about: About, answer: AnswerName = 'partly', state: StateName = 'paid by it') =>
      decided(state, answer, about)

    it('in part is a difference of that sum; of what was not booked, the rest is what came', () => {
      const of = { external_reference: 'OP', amount: 300n, less: true, why: 'part returned' }
      const back = { ...mismatch, ...of }
      expect(by({})).toEqual(back)
      const came = { ...mismatch, external_reference: 'OP', amount: 516_000n }
      expect(by({}, 'partly', 'pending')).toEqual(came)
      const booked = { booked_by: 'an incident', booked_amount: 516_000n }
      expect(by({ attempt: booked }, 'partly', 'unknown')).toEqual({ is: 'nothing' })
    })

    it('of more than was asked for is the whole of it, and no sum below nothing', () => {
      const less = { attempt: { debited_amount: 516_299n } }
      expect(by(less, 'reversed')).toMatchObject({ is: 'incident', amount: 516_299n })
      expect(by(less, 'reversed', 'pending').is).toBe('fail')
    })

    it('of a refund or a settlement opens RETURNED, and only by a question after the success', () => {
      for (const of of [{ refund_id: 'its' }, { settlement_id: 'its' }]) {
        expect(wordOf(by({ attempt: of }, 'reversed'))).toBe('RETURNED')
        const old = { attempt: of, status_at_query: 'PENDING' } as const
        expect(by(old, 'reversed')).toEqual({ is: 'query' })
      }
      expect(by({ status_at_query: 'PENDING' })).toEqual({ is: 'query' })
    })

    it('releases the hold of a payout by our own question alone', () => {
      const out = { attempt: { direction: 'DISBURSE', net_amount: 516_300n } } as const
      expect(by(out, 'reversed', 'pending').is).toBe('fail')
      expect(by({ ...out, kind: 'CALLBACK' }, 'reversed', 'pending').is).toBe('query')
    })
  })

  describe('a key that the operator forgets', () => {
    const day = 24 * 3600
    const fresh = { accepted_at: null, may_send_again: false, age_s: 23 * 3600 } as const
    const of = (attempt: Partial<Attempt>, facts: Partial<Facts['gateway']>) =>
      wordOf(
        decide({
          attempt: attemptOf({ ...fresh, status: 'UNKNOWN', ...attempt }),
          purpose: { status: 'PENDING' },
          answer: answers.not_found,
          evidence: { kind: 'STATUS_ANSWER' },
          gateway: { create_is_idempotent: true, not_found_grace_s: 1e6, ...facts },
          otp_in_hand: false,
          status_at_query: 'UNKNOWN',
        }),
      )
    const replayed = { ask_by: 'REPLAY', idempotency_s: day } as const
    const graced = { ...replayed, not_found_grace_s: 900 } as const

    it('is replayed for a collection for its time of grace, while it lives, and never after', () => {
      expect(of({ age_s: 899 }, graced)).toBe('send_again')
      expect(of({ age_s: 900 }, graced)).toBe(U)
      expect(of({ age_s: 899 }, { ...graced, idempotency_s: 899 })).toBe(U)
      expect(of({ age_s: 25 * 3600 }, replayed)).toBe(U)
      expect(of({ age_s: 899 }, { idempotency_s: day, not_found_grace_s: 900 })).toBe(U)
    })

    it('that keeps an answer which says nothing is ended by the time of grace, and not a day later', () => {
      // The last replay left a moment before the grace was over.
      expect(of({ age_s: 1_790, grace_age_s: 899 }, graced)).toBe(U)
      expect(of({ age_s: 1_800, grace_age_s: 900 }, graced)).toBe('fail')
    })

    it('is never replayed for a payout after its two minutes', () => {
      const out = { direction: 'DISBURSE', net_amount: 1n } as const
      expect(of(out, replayed)).toBe(U)
      expect(of({ ...out, may_send_again: true, age_s: 60 }, replayed)).toBe('send_again')
    })

    it('is dead even within two minutes, where it lives for less', () => {
      const young = { may_send_again: true, age_s: 30 }
      expect(of(young, { idempotency_s: 30 })).toBe(U)
      expect(of(young, { idempotency_s: 31 })).toBe('send_again')
    })
  })

  describe('of a payout', () => {
    // It pays the net amount, and a hold is released by the answer to our own question only.
    const out = { attempt: { direction: 'DISBURSE', debited_amount: 1n } } as const
    const by = (state: StateName, answer: AnswerName, kind: Facts['evidence']['kind']) =>
      wordOf(
        decided(state, answer, { ...out, kind, attempt: { ...out.attempt, net_amount: 516_300n } }),
      )

    it('a callback alone releases nothing', () => {
      expect(by('pending', 'refused', 'CALLBACK')).toBe('query')
      expect(by('pending', 'refused', 'STATUS_ANSWER')).toBe('fail')
      expect(by('pending', 'right', 'CALLBACK')).toBe('confirm')
      expect(by('pending', 'less', 'CALLBACK')).toBe(M)
    })

    it('paid after its release moves no status', () => {
      expect(by('refused', 'right', 'CALLBACK')).toBe('query')
      expect(by('refused', 'right', 'STATUS_ANSWER')).toBe('PAID_AFTER_RELEASE')
    })
  })

  describe('of a payout that they had taken', () => {
    const out = { direction: 'DISBURSE', net_amount: 516_300n, grace_age_s: 900 } as const
    const untaken = { ...out, accepted_at: null }
    const by = (attempt: Partial<Attempt>, kind: Facts['evidence']['kind'] = 'STATUS_ANSWER') =>
      decided('unknown', 'not_found', { kind, attempt })
    const waiting = (again_after_s: number) => ({
      is: 'wait',
      status: 'UNKNOWN',
      external_reference: '',
      not_found: { again_after_s },
    })

    it('"not found" is asked again in an hour, and then it is so', () => {
      expect(by(out)).toEqual(waiting(3600))
      expect(by({ ...out, not_found_age_s: 3599 })).toEqual(waiting(1))
      expect(by({ ...out, not_found_age_s: 3600 }).is).toBe('fail')
      expect(by({ ...out, not_found_age_s: 3600 }, 'CREATE_ANSWER').is).toBe('wait')
      expect(wordOf(by({ ...out, not_found_age_s: 3600, grace_age_s: 899 }))).toBe(U)
    })

    it('any word says that they had it, and without one the first is enough', () => {
      expect(by(untaken).is).toBe('fail')
      expect(by({ ...untaken, external_reference: 'OP' })).toEqual(waiting(3600))
      expect(by({ ...untaken, acknowledged_at: new Date() })).toEqual(waiting(3600))
      const young = { ...untaken, grace_age_s: 1, may_send_again: true }
      expect(by(young).is).toBe('send_again')
      expect(wordOf(by({ ...young, acknowledged_at: new Date() }))).toBe(U)
    })
  })

  describe('of what people have booked for it', () => {
    const booked = { booked_by: 'an incident', booked_amount: 516_200n }
    const by = (
      answer: AnswerName,
      attempt: Partial<Attempt> = booked,
      state: StateName = 'unknown',
    ) => decided(state, answer, { attempt })
    const mismatch = {
      is: 'incident',
      type: 'AMOUNT_MISMATCH',
      currency: 'XOF',
      external_reference: 'OP',
    }

    it('the same sum is no news, and only the difference of another is', () => {
      expect(by('less')).toEqual({ is: 'nothing' })
      expect(by('right')).toEqual({ ...mismatch, amount: 100n })
      expect(by('right', booked, 'closed by us')).toEqual({ ...mismatch, amount: 100n })
      const more = { ...booked, booked_amount: 516_400n }
      expect(by('right', more)).toEqual({ ...mismatch, amount: 100n, less: true })
      expect(by('elsewhere')).toEqual({ ...mismatch, amount: 516_300n, currency: 'XAF' })
    })

    it('an older word that is heard again after its correction is asked about', () => {
      const more = { ...booked, booked_amount: 516_300n }
      const late = decided('unknown', 'less', { attempt: more, kind: 'CALLBACK' })
      expect(late).toEqual({ is: 'query' })
      expect(by('less', more)).toEqual({ ...mismatch, amount: 100n, less: true })
      const higher = decided('unknown', 'right', { attempt: booked, kind: 'CALLBACK' })
      expect(higher).toEqual({ ...mismatch, amount: 100n })
    })

    it('what they do not find of it, though they have confirmed it, takes nothing back', () => {
      const old = { ...booked, grace_age_s: 900 }
      expect(by('not_found', old).is).toBe('wait')
      expect(by('not_found', { ...old, booked_amount: 0n }).is).toBe('fail')
    })

    it('a refusal takes all of it back, and ends it when nothing is booked any more', () => {
      expect(by('refused')).toEqual({ ...mismatch, amount: 516_200n, less: true })
      const byCallback = decided('unknown', 'refused', { attempt: booked, kind: 'CALLBACK' })
      expect(byCallback.is).toBe('query')
      expect(by('refused', { ...booked, booked_amount: 0n }).is).toBe('fail')
    })
  })

  describe('carries', () => {
    const moved = { amount: 516_300n, currency: 'XOF', external_reference: 'OP' }

    it('what the gateway calls it, wherever it goes', () => {
      expect(decided('pending', 'right')).toEqual({ is: 'confirm', external_reference: 'OP' })
      const wait = { is: 'wait', status: 'PENDING', external_reference: 'OP' }
      expect(decided('pending', 'waiting')).toEqual(wait)
    })

    it('why it failed, for the transaction or for the attempt alone', () => {
      const why = { failure_code: 'NOT_APPROVED', detail: '', external_reference: 'OP' }
      expect(decided('pending', 'refused')).toEqual({ is: 'fail', ...why })
      expect(decided('closed by us', 'refused')).toEqual({ is: 'end_attempt', ...why })
    })

    it('that the operator was out of reach, where it was never asked or never knew', () => {
      const why = { is: 'fail', failure_code: 'GATEWAY_UNAVAILABLE', external_reference: '' }
      const unsent = decided('pending', 'never_sent', { kind: 'CREATE_ANSWER', send: 'only' })
      expect(unsent).toEqual({ ...why, detail: 'refused' })
      const unknown = decided('pending', 'not_found', { attempt: { grace_age_s: 900 } })
      expect(unknown).toEqual({
        ...why,
        detail: 'not found at the gateway after its time of grace',
      })
    })

    it('nothing of the gateway’s while the outcome is unknown', () => {
      const wait = { is: 'wait', status: 'UNKNOWN', external_reference: '' }
      expect(decided('unknown', 'unknown')).toEqual(wait)
      expect(decided('unknown', 'not_found')).toEqual(wait)
    })

    it('the sum that moved, into an incident: what came, or what was taken back', () => {
      const type = { is: 'incident', type: 'AMOUNT_MISMATCH' }
      expect(decided('pending', 'less')).toEqual({ ...type, ...moved, amount: 516_200n })
      expect(decided('pending', 'elsewhere')).toEqual({ ...type, ...moved, currency: 'XAF' })
      const twice = decided('paid by another, pending', 'right')
      expect(twice).toEqual({
        ...{ is: 'incident', type: 'DUPLICATE_CAPTURE', ...moved },
        beside: [moved],
      })
      const back = decided('paid by it', 'refused')
      expect(back).toEqual({ is: 'incident', type: 'REVERSED_AFTER_SUCCESS', ...moved })
      const ofSettlement = { attempt: { settlement_id: 'its' } }
      const returned = decided('paid by it', 'refused', ofSettlement)
      expect(returned).toEqual({ is: 'incident', type: 'RETURNED', ...moved })
      const given = decided('paid by it', 'refused', { attempt: { refund_id: 'its' } })
      expect(given).toEqual({ is: 'incident', type: 'RETURNED', ...moved })
    })
  })

  it('meets an answer that no gateway can give as a bug', () => {
    const strange = { is: 'perhaps' } as unknown as Answer
    const facts = { answer: strange } as unknown as Facts
    expect(() => decide(facts)).toThrow('bug: unexpected {"is":"perhaps"}')
  })
})

describe('describeAnswer', () => {
  it('keeps what was said in our words, and nothing personal', () => {
    expect(Object.values(answers).map(describeAnswer)).toEqual([
      'confirmed',
      'confirmed',
      'confirmed',
      'waiting',
      'refused NOT_APPROVED',
      'reversed',
      'reversed',
      'not_found',
      'never_sent refused',
      'unknown timeout',
    ])
  })
})

describe('an operator whose float is empty', () => {
  const short: Answer = {
    is: 'refused',
    by: 'float',
    failure_code: 'GATEWAY_UNAVAILABLE',
    detail: 'short',
    external_reference: 'OP',
  }
  const why = { failure_code: 'GATEWAY_UNAVAILABLE', detail: 'short', external_reference: 'OP' }

  type Case = Readonly<{
    attempt?: Partial<Attempt>
    purpose?: Facts['purpose']
    kind?: Facts['evidence']['kind']
    send?: Facts['send']
    status_at_query?: AttemptStatus
  }>

  const decidedOf = ({ attempt, purpose, kind, send, status_at_query }: Case): Decision =>
    decide({
      attempt: attemptOf({ direction: 'DISBURSE', status: 'PENDING', ...attempt }),
      purpose: purpose ?? { status: 'PENDING', may_wait: true },
      answer: short,
      evidence: { kind: kind ?? 'STATUS_ANSWER' },
      gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
      otp_in_hand: false,
      send,
      status_at_query,
    })

  it('makes a payout wait, by the answer to a question or to the only send', () => {
    expect(decidedOf({})).toEqual({ is: 'requeue', ...why })
    expect(decidedOf({ attempt: { status: 'UNKNOWN' } })).toEqual({ is: 'requeue', ...why })
    const sent = { kind: 'CREATE_ANSWER', send: 'only' } as const
    expect(decidedOf(sent)).toEqual({ is: 'requeue', ...why })
  })

  it('fails what cannot wait', () => {
    expect(decidedOf({ purpose: { status: 'PENDING' } })).toEqual({ is: 'fail', ...why })
  })

  it('does nothing by a callback alone, and by an answer that is outdated', () => {
    expect(decidedOf({ kind: 'CALLBACK' })).toEqual({ is: 'query' })
    const outdated = { kind: 'CREATE_ANSWER', send: 'outdated' } as const
    expect(decidedOf(outdated)).toMatchObject({ is: 'wait' })
  })

  it('is never more than any refusal where the payout has ended, or was paid', () => {
    const may_wait = true
    for (const status of ['FAILED', 'SUCCESS'] as const) {
      const ended = decidedOf({ purpose: { status, may_wait } })
      expect(ended, status).toEqual({ is: 'end_attempt', ...why })
    }
    const refused = { status: 'FAILED', gateway_ended: true } as const
    expect(decidedOf({ attempt: refused })).toEqual({ is: 'nothing' })
    const paid = {
      attempt: { status: 'SUCCESS' },
      purpose: { status: 'SUCCESS', may_wait },
    } as const
    expect(decidedOf(paid)).toEqual({ is: 'query' })
    const since = (return_state: ReturnState | null) =>
      decidedOf({
        ...paid,
        purpose: { ...paid.purpose, return_state },
        status_at_query: 'SUCCESS',
      })
    expect(since(null)).toMatchObject({ is: 'incident', type: 'RETURNED' })
    expect(since('ASKED')).toEqual({ is: 'return', external_reference: 'OP' })
    expect(since('FOUND')).toEqual({ is: 'nothing' })
    expect(since('RETURNED')).toEqual({ is: 'nothing' })
  })
})
