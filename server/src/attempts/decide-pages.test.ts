// What is decided of operators whose payers go to a page: they are searched, or asked only by what
// they gave, and a page whose address nobody was given took nothing. A table of them all.

import { describe, expect, it } from 'vitest'
import type { Answer, Capture } from '../gateways/gateway.ts'
import type { Attempt } from './attempt.ts'
import { decide, describeAnswer } from './decide.ts'
import type { DecidingFacts, Decision, Facts } from './decision.ts'

const unaccepted = {
  status: 'UNKNOWN',
  gateway_ended: false,
  direction: 'COLLECT',
  debited_amount: 516_300n,
  net_amount: 500_000n,
  currency: 'XOF',
  otp_kind: 'NONE',
  settlement_id: null,
  refund_id: null,
  refund_of: null,
  accepted_at: null,
  acknowledged_at: null,
  external_reference: '',
  checkout_url: '',
  not_found_at: null,
  not_found_age_s: null,
  is_wanted_back: false,
  booked_by: null,
  booked_amount: null,
  may_send_again: true,
  grace_age_s: 60,
  sends: 1,
} satisfies Partial<Attempt>

const searched: DecidingFacts = {
  create_is_idempotent: false,
  payout_is_idempotent: true,
  not_found_grace_s: 900,
  ask_by: 'SEARCH',
  search_lag_s: 60,
  unshown_is_proof: true,
}
const byTheirs: DecidingFacts = {
  create_is_idempotent: false,
  not_found_grace_s: 900,
  ask_by: 'THEIR_REFERENCE',
  unshown_is_proof: true,
}

type Case = Readonly<{
  attempt?: Partial<Attempt>
  gateway?: Partial<DecidingFacts>
  of?: DecidingFacts
  about?: Partial<Facts>
}>

const lost: Answer = { is: 'unknown', because: 'timeout' }
const notFound: Answer = { is: 'not_found' }

function by(answer: Answer, { attempt, gateway, of = searched, about }: Case = {}): Decision {
  return decide({
    // Only what a decision reads is there.
    attempt: { id: 'this', ...unaccepted, ...attempt } as unknown as Attempt,
    purpose: { status: 'PENDING' },
    answer,
    evidence: { kind: 'STATUS_ANSWER' },
    gateway: { ...of, ...gateway },
    by_page: true,
    otp_in_hand: false,
    send: undefined,
    status_at_query: undefined,
    ...about,
  })
}

const wait = { is: 'wait', status: 'UNKNOWN', external_reference: '' }
const abandoned = { is: 'fail', failure_code: 'GATEWAY_UNAVAILABLE', abandoned: true }

describe('a page that a search does not find', () => {
  it('is made anew once, when the search would have found the first', () => {
    expect(by(notFound, { attempt: { grace_age_s: 59 } })).toEqual(wait)
    expect(by(notFound)).toEqual({ is: 'send_again' })
    expect(by(notFound, { attempt: { sends: 2, grace_age_s: 59 } })).toEqual(wait)
  })

  it('is abandoned when it may not be made anew, and never a third time', () => {
    const cases: Case[] = [
      { attempt: { sends: 2 } },
      { attempt: { may_send_again: false } },
      { gateway: { asked_only: true } },
    ]
    for (const one of cases) expect(by(notFound, one)).toMatchObject(abandoned)
    const failed = { purpose: { status: 'FAILED' } } as const
    expect(by(notFound, { about: failed })).toMatchObject({ ...abandoned, is: 'end_attempt' })
  })

  it('is neither once somebody may have been given its address, or it is no page', () => {
    const cases: Case[] = [
      { attempt: { checkout_url: 'https://pay.example/1' } },
      { attempt: { booked_by: 'an incident', booked_amount: 1n } },
      { gateway: { unshown_is_proof: false } },
      { about: { by_page: false } },
    ]
    for (const one of cases) expect(by(notFound, one)).toEqual(wait)
    const old = { attempt: { checkout_url: 'https://pay.example/1', grace_age_s: 900 } }
    const ended = by(notFound, old)
    expect(ended).toMatchObject({ is: 'fail', failure_code: 'GATEWAY_UNAVAILABLE' })
    expect(ended).not.toHaveProperty('abandoned')
  })

  it('counts as not found after the longer of grace and lag', () => {
    const slow = { gateway: { search_lag_s: 1_000, unshown_is_proof: false } }
    expect(by(notFound, { ...slow, attempt: { grace_age_s: 999 } })).toEqual(wait)
    expect(by(notFound, { ...slow, attempt: { grace_age_s: 1_000 } })).toMatchObject({ is: 'fail' })
  })

  it('leaves payouts to their own key: sent again where that is harmless, held where it is not', () => {
    const payout = { direction: 'DISBURSE' } as const
    expect(by(notFound, { attempt: payout })).toEqual({ is: 'send_again' })
    expect(by(notFound, { attempt: payout, gateway: { asked_only: true } })).toEqual(wait)
    expect(by(notFound, { attempt: payout, gateway: { payout_is_idempotent: false } })).toEqual(
      wait,
    )
    expect(by(lost, { attempt: payout, of: byTheirs })).toEqual(wait)
  })
})

describe('an answer that is lost', () => {
  it('is searched for', () => {
    expect(by(lost)).toEqual(wait)
    const sent = { evidence: { kind: 'CREATE_ANSWER' }, send: 'only' } as const
    expect(by(lost, { about: sent })).toEqual(wait)
  })

  it('is abandoned at once where nothing can be asked without it', () => {
    const sent = { evidence: { kind: 'CREATE_ANSWER' }, send: 'only' } as const
    for (const about of [{}, sent]) {
      expect(by(lost, { of: byTheirs, about })).toMatchObject(abandoned)
    }
    const detail = 'abandoned: its answer was lost, and nobody was given its page'
    expect(by(lost, { of: byTheirs })).toMatchObject({ detail })
  })

  it('is not, where another has taken it over, has its reference, or gave its address', () => {
    const outdated = { evidence: { kind: 'CREATE_ANSWER' }, send: 'outdated' } as const
    expect(by(lost, { of: byTheirs, about: outdated })).toEqual(wait)
    const asked = { external_reference: 'ORDER-1', checkout_url: 'https://pay.example/1' }
    expect(by(lost, { of: byTheirs, attempt: asked })).toEqual(wait)
    expect(by(lost, { of: byTheirs, about: { by_page: false } })).toEqual(wait)
  })
})

describe('several payments by one key', () => {
  const capture = (external_reference: string): Capture => ({
    external_reference,
    amount: 516_300n,
    currency: 'XOF',
  })
  const [first, second] = [capture('cos-1'), capture('cos-2')]
  const several: Answer = { is: 'several', captures: [first, second] }
  const duplicate = {
    is: 'incident',
    type: 'DUPLICATE_CAPTURE',
    currency: 'XOF',
    references: ['cos-1', 'cos-2'],
  }

  it('go to an incident but for one, which then pays', () => {
    const aside = { ...duplicate, amount: 516_300n }
    expect(by(several)).toEqual({
      ...aside,
      external_reference: 'cos-1',
      beside: [second],
      then_confirm: first,
    })
    const known = { attempt: { external_reference: 'cos-2' } }
    expect(by(several, known)).toEqual({
      ...aside,
      external_reference: 'cos-2',
      beside: [first],
      then_confirm: second,
    })
    const paid = {
      attempt: { status: 'SUCCESS', external_reference: 'cos-2' },
      about: { purpose: { status: 'SUCCESS' } },
    } as const
    expect(by(several, paid)).toMatchObject({ ...aside, then_confirm: second })
  })

  it('all go there where another attempt has paid', () => {
    for (const purpose of [
      { status: 'SUCCESS' },
      { status: 'PENDING', paid_by_another: true },
    ] as const) {
      const decision = by(several, { about: { purpose } })
      expect(decision).toMatchObject({
        ...duplicate,
        amount: 1_032_600n,
        beside: [first, second],
      })
      expect(decision).not.toHaveProperty('then_confirm')
    }
  })

  it('are asked about where a callback tells of another than the one that paid', () => {
    const about = { evidence: { kind: 'CALLBACK' }, purpose: { status: 'SUCCESS' } } as const
    const paid = { status: 'SUCCESS', external_reference: 'cos-2', sends: 2 } as const
    const told: Answer = { is: 'confirmed', ...first }
    expect(by(told, { attempt: paid, about })).toEqual({ is: 'query' })
    expect(by(several, { attempt: paid, about })).toEqual({ is: 'query' })
    const same: Answer = { is: 'confirmed', ...second }
    expect(by(same, { attempt: paid, about })).toEqual({ is: 'nothing' })
    expect(by(told, { attempt: { ...paid, sends: 1 }, about })).toEqual({ is: 'nothing' })
  })

  it('are looked for where two pages were made, before one of them pays and after it', () => {
    const twice = { attempt: { external_reference: 'cos-2', sends: 2 } } as const
    const told: Answer = { is: 'confirmed', ...second }
    const called = { about: { evidence: { kind: 'CALLBACK' } } } as const
    expect(by(told, { ...twice, ...called })).toEqual({ is: 'query' })
    const paid = { is: 'confirm', external_reference: 'cos-2' }
    expect(by(told, twice)).toEqual({ ...paid, ask_again_after_s: 900 })
    const once = { attempt: { external_reference: 'cos-2', sends: 1 } } as const
    expect(by(told, { ...once, ...called })).toEqual(paid)
    expect(by(told, once)).toEqual(paid)
    const others = { ...twice, of: byTheirs }
    expect(by(told, others)).toEqual(paid)
    // Another attempt has paid: a search says how much is too much.
    const late = { about: { ...called.about, purpose: { status: 'SUCCESS' } } } as const
    expect(by(told, { ...twice, ...late })).toEqual({ is: 'query' })
    expect(by(told, { ...once, ...late })).toMatchObject({
      ...{ type: 'DUPLICATE_CAPTURE', beside: [second] },
    })
    expect(by(told, { ...once, ...late })).not.toHaveProperty('ask_again_after_s')
    // A search showed one of them: the other may be paid afterwards.
    const found = { about: { purpose: { status: 'SUCCESS' } } } as const
    expect(by(told, { ...twice, ...found })).toMatchObject({
      ...{ type: 'DUPLICATE_CAPTURE', ask_again_after_s: 900 },
    })
  })

  it('are told without anything personal', () => {
    expect(describeAnswer(several)).toBe('confirmed 2 times')
  })
})

describe('a refusal that may not be final', () => {
  it('is asked about once more', () => {
    const refused: Answer = {
      is: 'refused',
      by: 'payer',
      failure_code: 'EXPIRED',
      detail: 'EXPIRED',
      external_reference: '',
      ask_again_after_s: 86_400,
    }
    expect(by(refused)).toMatchObject({ is: 'fail', ask_again_after_s: 86_400 })
    const ended = { attempt: { status: 'FAILED', gateway_ended: true } } as const
    expect(by(refused, ended)).toEqual({ is: 'nothing' })
  })
})
