// What crosses the wire, how long an attempt is asked about, and how often.

import { describe, expect, it } from 'vitest'
import { shortReference } from '../gateways/reference-codec.ts'
import {
  countsAsUnknown,
  dailyQueryTimeS,
  isOpen,
  leaseMarginS,
  operatorReferenceOf,
  queryAgainAfterS,
  queryTimeS,
  sendTimeS,
  wireAmount,
} from './attempt.ts'
import type { AttemptStatus } from './states.ts'

describe('an attempt', () => {
  it('collects the debited amount and pays out the net amount', () => {
    const sums = { debited_amount: 10_325n, net_amount: 10_000n }
    expect(wireAmount({ direction: 'COLLECT', ...sums })).toBe(10_325n)
    expect(wireAmount({ direction: 'DISBURSE', ...sums })).toBe(10_000n)
  })

  it('is known to its payer by what the operator calls it, and by no key of ours', () => {
    const our_key = '6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d10'
    const of = (external_reference: string, operator_reference: string | null = null) =>
      operatorReferenceOf({ status: 'SUCCESS', our_key, external_reference, operator_reference })
    expect([of('OP-1'), of('cos-1', 'T1'), of(our_key, 'T1')]).toEqual(['OP-1', 'T1', 'T1'])
    const short = shortReference(our_key)
    expect([of(''), of(our_key), of(short), of(short.toLowerCase())]).toEqual(['', '', '', ''])
    for (const status of ['PENDING', 'UNKNOWN', 'FAILED'] as const) {
      const one = { our_key, external_reference: 'OP-1', operator_reference: 'T1' }
      expect(operatorReferenceOf({ ...one, status })).toBe('')
    }
  })

  it('is open while the gateway may still end it', () => {
    const all: readonly AttemptStatus[] = ['PENDING', 'UNKNOWN', 'SUCCESS', 'FAILED']
    expect(all.filter(isOpen)).toEqual(['PENDING', 'UNKNOWN'])
  })

  it('counts as unknown until anything is known of it, and never as a refund', () => {
    const lost = { status: 'UNKNOWN', accepted_at: null, refund_of: null } as const
    const of = (changes: Partial<Parameters<typeof countsAsUnknown>[0]>) =>
      countsAsUnknown({ ...lost, ...changes })
    const known = { accepted_at: new Date() }
    expect([of({}), of({ status: 'PENDING' }), of(known), of({ refund_of: 'a payment' })]).toEqual([
      ...[true, false, false, false],
    ])
  })

  it('is asked about quickly at first, then every five minutes, for ever', () => {
    const waits = Array.from({ length: 9 }, (_, asks) => queryAgainAfterS(asks, 5))
    expect(waits).toEqual([5, 10, 15, 30, 60, 120, 300, 300, 300])
    expect(queryAgainAfterS(1_000, 5)).toBe(300)
    // Whose callbacks come, and whose do not, as MTN is asked.
    for (const first of [60, 20]) {
      const later = Array.from({ length: 7 }, (_, asks) => queryAgainAfterS(asks, first))
      expect(later).toEqual([first, 30, 60, 120, 300, 300, 300])
    }
  })

  it('is asked about as long as money 1 says: a day, three for a payout, then daily for 30', () => {
    const hour = 60 * 60
    expect(queryTimeS).toEqual({ COLLECT: 24 * hour, DISBURSE: 72 * hour })
    expect(dailyQueryTimeS).toBe(30 * 24 * hour)
  })

  it('may be sent for two minutes, and its lease outlives the call by ten seconds', () => {
    expect(sendTimeS).toBe(120)
    expect(leaseMarginS).toBe(10)
  })
})
