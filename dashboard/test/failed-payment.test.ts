// What a shop is told to do after a payment that failed: never to begin another one, which would
// charge twice whoever had paid the first all the same.

import { describe, expect, it } from 'vitest'
import type { TransactionDetail } from '../src/api/types.gen.ts'
import { sentenceOf } from '../src/features/transactions/sentence.ts'
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
