// What a shop is told to do after a payment that failed: never to begin another one, which would
// charge twice whoever had paid the first all the same.

import { describe, expect, it } from 'vitest'
import type { TransactionDetail } from '../src/api/types.gen.ts'
import { sentenceOf } from '../src/features/transactions/sentence.ts'
import { ownEnd } from '../src/parts/why-failed.ts'
import { isRetryable } from '../src/ui/contested.ts'
import { en, fr } from './all-words.ts'

type Status = TransactionDetail['attempts'][number]['status']

const failed = {
  ...{ flow_direction: 'INBOUND', transaction_type: 'PAIEMENT', status: 'FAILED' },
  ...{ may_retry: true, via: 'KEY', operation_msisdn: '+2290197000010' },
}
const adviceOn = (of: object) =>
  sentenceOf({ ...failed, incident: null, attempts: [], ...of } as unknown as TransactionDetail)
    .advice

const adviceAfter = (failure_code: TransactionDetail['failure_code'], ...statuses: Status[]) =>
  adviceOn({ failure_code, attempts: statuses.map((status) => ({ status })) })

describe('the advice on a payment that failed', () => {
  it('warns of a second one where it may have been paid', () => {
    const maybe = 'said_failed_unknown_advice'
    expect(adviceAfter('UNKNOWN', 'FAILED')).toBe(maybe)
    expect(adviceAfter('INVALID_OTP', 'UNKNOWN')).toBe(maybe)
    expect(adviceAfter('NOT_APPROVED', 'UNKNOWN', 'FAILED')).toBe(maybe)
    expect(adviceAfter('NOT_APPROVED', 'FAILED')).toBe('said_failed_advice')
  })

  it('warns of a second one too where people are asked what became of it, and names its retry', () => {
    const silent = { id: '', type: 'OUTCOME_UNKNOWN', status: 'OPEN', is_contradiction: false }
    const closed = { failure_code: 'UNKNOWN', incident: silent }
    expect(adviceOn(closed)).toBe('said_failed_unknown_advice')
    // It was asked for again, and then it is known why it failed.
    expect(adviceOn({ ...closed, failure_code: 'NOT_APPROVED' })).toBe('said_failed_advice')
    expect(adviceOn({ ...closed, flow_direction: 'OUTBOUND', returned_at: null })).toBe(
      'said_not_sent_advice',
    )
    const wait = 'said_incident_advice'
    const contradicted = { ...silent, type: 'AMOUNT_MISMATCH', is_contradiction: true }
    expect(adviceOn({ incident: contradicted })).toBe(wait)
    // Of one that still waits too: it is not sent before people have decided.
    expect(adviceOn({ incident: contradicted, status: 'PENDING' })).toBe(wait)
    const over = { ...contradicted, status: 'RESOLVED', is_contradiction: false }
    expect(adviceOn({ incident: over })).toBe('said_failed_advice')
  })

  it('names no button where its page is over, or nobody is left to ask', () => {
    const over = { may_retry: false, via: 'LINK' }
    expect(adviceOn(over)).toBe('said_over_advice')
    expect(adviceOn({ ...over, failure_code: 'UNKNOWN' })).toBe('said_over_unknown_advice')
    expect(adviceOn({ ...over, operation_msisdn: '***********10' })).toBe('said_erased_advice')
    for (const key of ['said_over_advice', 'said_over_unknown_advice'] as const) {
      expect(fr[key]).not.toContain(fr.retry)
      expect(en[key]).not.toContain(en.retry)
    }
  })

  it('names the button that asks for this payment again, as it is called', () => {
    for (const key of ['said_failed_advice', 'said_failed_unknown_advice'] as const) {
      expect(fr[key]).toContain(`« ${fr.retry} »`)
      expect(en[key]).toContain(`“${en.retry}”`)
    }
  })
})

describe('the advice on a top-up that failed', () => {
  const own = { transaction_type: 'RECHARGE' }

  it('names its own button, which asks the operator first, as it is called', () => {
    expect(adviceOn({ ...own, failure_code: 'NOT_APPROVED' })).toBe('said_own_failed_advice')
    const unknown = { ...own, failure_code: 'UNKNOWN' }
    expect(adviceOn(unknown)).toBe('said_own_failed_unknown_advice')
    for (const key of ['said_own_failed_advice', 'said_own_failed_unknown_advice'] as const) {
      expect(fr[key]).toContain(`«\u00a0${fr.retry_own}\u00a0»`)
      expect(en[key]).toContain(`“${en.retry_own}”`)
    }
  })

  it('names none where there is none', () => {
    expect(adviceOn({ ...own, may_retry: false })).toBe('said_own_over_advice')
    const incident = { is_contradiction: false, prevents_retry: true }
    expect(adviceOn({ ...own, incident })).toBe('said_own_otherwise_advice')
    for (const key of ['said_own_over_advice', 'said_own_otherwise_advice'] as const) {
      expect(fr[key]).not.toContain(fr.retry_own)
      expect(en[key]).not.toContain(en.retry_own)
    }
  })

  it('is offered as a payment is', () => {
    const top_up = { ...failed, ...own, incident: null } as unknown as TransactionDetail
    expect(isRetryable(top_up)).toBe(true)
    expect(isRetryable({ ...top_up, operation_msisdn: '***********10' })).toBe(false)
  })
})

describe('why a payment failed', () => {
  const silent = { type: 'OUTCOME_UNKNOWN', status: 'OPEN' }
  const endOf = (of: object) =>
    ownEnd({
      ...failed,
      ...{ failure_code: 'UNKNOWN', approval: null, incident: silent },
      ...of,
    } as unknown as TransactionDetail)

  it('is told to whoever asked for it, not as to its payer', () => {
    expect(endOf({})).toBe('ended_silent')
    expect(endOf({ transaction_type: 'RECHARGE' })).toBe('ended_silent')
    for (const key of ['ended_silent', 'ended_unsaid'] as const) {
      expect(fr[key]).not.toMatch(/payez|contact/i)
      expect(en[key]).not.toMatch(/pay again|contact/i)
    }
  })

  it('is not silence where the operator refused it without a cause, or has answered since', () => {
    expect(endOf({ incident: null })).toBe('ended_unsaid')
    expect(endOf({ incident: { ...silent, status: 'RESOLVED' } })).toBe('ended_unsaid')
  })

  it('is what the API says where that is for its reader', () => {
    expect(endOf({ failure_code: 'NOT_APPROVED' })).toBe(undefined)
    expect(endOf({ flow_direction: 'OUTBOUND' })).toBe(undefined)
    const refused = { flow_direction: 'OUTBOUND', failure_code: 'REJECTED_BY_MERCHANT' }
    expect(endOf({ ...refused, approval: 'LAPSED' })).toBe('ended_lapsed')
    expect(endOf({ ...refused, approval: 'REJECTED' })).toBe('ended_rejected')
    expect(endOf({ ...refused, failure_code: 'CANCELLED_BY_MERCHANT' })).toBe('ended_cancelled')
  })
})
