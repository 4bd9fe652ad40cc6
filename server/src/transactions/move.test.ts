// A move is written with its evidence, and its event shows the row as the move leaves it. Without
// these a payment could succeed with another attempt's figures, or its event show the old state.

import { describe, expect, it } from 'vitest'
import type { Attempt } from '../attempts/attempt.ts'
import { endOf } from '../attempts/attempt-end.ts'
import { timeOfId } from '../platform/ids.ts'
import { adoptedFrom, eventOf, type MoveFacts, moveOf } from './move.ts'
import type { TransactionSnapshot } from './store.ts'

const figures = {
  network_id: 'network',
  network_code: 'wave_sn',
  operation_msisdn: '+221771234567',
  requested_amount: 1_000_000n,
  fee_charge_mode: 'ADD_ON',
  client_fee: 32_500n,
  gateway_fee: 15_000n,
  platform_fee: 17_500n,
  debited_amount: 1_032_500n,
  net_amount: 1_000_000n,
  pricing_rule: 'rule',
  merchant_pricing_rule: null,
} as const

// Only what a move reads is there.
const attempt = {
  id: 'attempt',
  gateway_id: 'gateway',
  gateway_code: 'simulator_a',
  currency: 'XOF',
  country_code: 'SN',
  ...figures,
} as unknown as Attempt

const transaction: TransactionSnapshot = {
  id: 'transaction',
  reference: 'TXN-20261121-7K2MPQ4RWX',
  transaction_type: 'PAIEMENT',
  flow_direction: 'INBOUND',
  status: 'PENDING',
  version: 3,
  settled_attempt: null,
  metadata: { order: '1042' },
  merchant_reference: 'ORDER-1042',
  checkout_session: 'session',
  payment_link: 'link',
  return_url: '',
  description: '',
  return_state: null,
  original_amount: null,
  original_currency: null,
  exchange_rate: null,
}

const confirmed: MoveFacts = {
  to_status: 'SUCCESS',
  external_reference: 'OP-1',
  failure_code: '',
  reason: 'gateway confirmed',
  triggered_by: 'CALLBACK',
  evidence: { kind: 'CALLBACK', id: 'callback', hash: Buffer.from('said'), said: 'confirmed' },
  request_id: 'r1',
}
const refused: MoveFacts = { ...confirmed, to_status: 'FAILED', failure_code: 'NOT_APPROVED' }

describe('the figures that a transaction takes over', () => {
  it('are the attempt’s, and nothing else of it', () => {
    expect(adoptedFrom(attempt)).toEqual({ ...figures, current_gateway: 'gateway' })
  })
})

describe('a move', () => {
  it('says from where, at which version, because of what, and by whose figures', () => {
    const before = Date.now()
    const { log_id, ...move } = moveOf(transaction, attempt, confirmed)
    expect(move).toEqual({
      ...figures,
      current_gateway: 'gateway',
      id: 'transaction',
      transaction_type: 'PAIEMENT',
      from_status: 'PENDING',
      version: 3,
      to_status: 'SUCCESS',
      settled_attempt: 'attempt',
      external_reference: 'OP-1',
      failure_code: '',
      failure_message: '',
      reason: 'gateway confirmed',
      triggered_by: 'CALLBACK',
      actor_id: null,
      attempt_id: 'attempt',
      evidence_kind: 'CALLBACK',
      evidence_id: 'callback',
      evidence_hash: 'c2FpZA==',
      evidence_said: 'confirmed',
      request_id: 'r1',
    })
    expect(timeOfId(log_id)).toBeGreaterThanOrEqual(before)
  })

  it('to FAILED names no attempt that settled it, and says why in words', () => {
    expect(moveOf(transaction, attempt, refused)).toMatchObject({
      settled_attempt: null,
      failure_code: 'NOT_APPROVED',
      failure_message: 'The payment was not approved.',
    })
  })

  it('by a rule rests on no text: there is no hash of one', () => {
    const evidence = { kind: 'RULE', id: null, hash: null, said: '' } as const
    const move = moveOf(transaction, attempt, { ...refused, evidence })
    expect(move).toMatchObject({ evidence_kind: 'RULE', evidence_id: null, evidence_hash: null })
  })

  it.each([
    ['PAIEMENT', 'SUCCESS', 'FAILED'],
    ['PAIEMENT', 'PENDING', 'CANCELLED'],
    ['RETRAIT', 'FAILED', 'SUCCESS'],
    ['TRANSFERT', 'PENDING', 'SUCCESS'],
  ] as const)('that is not in the table is a bug: %s %s to %s', (type, status, to_status) => {
    const snapshot = { ...transaction, transaction_type: type, status }
    expect(() => moveOf(snapshot, attempt, { ...confirmed, to_status })).toThrow(
      `bug: ${type} ${status} to ${to_status}`,
    )
  })
})

describe('the event of a move', () => {
  const eventAfter = (facts: MoveFacts, snapshot = transaction) =>
    eventOf(snapshot, attempt, moveOf(snapshot, attempt, facts))

  it('says the row as the move leaves it, one version on', () => {
    expect(eventAfter(confirmed)).toMatchObject({
      gate_id: 'transaction',
      type: 'transaction.success',
      transaction_id: 'transaction',
      subject_id: null,
      data: {
        id: 'transaction',
        reference: transaction.reference,
        type: 'PAIEMENT',
        flow_direction: 'INBOUND',
        status: 'SUCCESS',
        version: 4,
        amount: '10000.00',
        fee: '325.00',
        charged: '10325.00',
        net_amount: '10000.00',
        fee_charge_mode: 'ADD_ON',
        currency: 'XOF',
        country: 'SN',
        network: 'wave_sn',
        msisdn: '+221771234567',
        metadata: { order: '1042' },
        merchant_reference: 'ORDER-1042',
        checkout_session: 'session',
        payment_link: 'link',
        failure_code: '',
        failure_message: '',
        external_reference: 'OP-1',
      },
    })
  })

  it('is named by where the move goes', () => {
    const failed = { ...transaction, status: 'FAILED' } as const
    expect(eventAfter(refused)).toMatchObject({
      type: 'transaction.failed',
      data: { status: 'FAILED', failure_code: 'NOT_APPROVED' },
    })
    expect(eventAfter({ ...confirmed, to_status: 'PENDING' }, failed).type).toBe(
      'transaction.created',
    )
    const cancelled = { ...moveOf(transaction, attempt, refused), to_status: 'CANCELLED' } as const
    expect(eventOf(transaction, attempt, cancelled).type).toBe('transaction.cancelled')
  })

  it('never has the id of another', () => {
    expect(eventAfter(confirmed).id).not.toBe(eventAfter(confirmed).id)
  })
})

describe('the end of an attempt', () => {
  it('is of that attempt, with the words of its failure', () => {
    const end = {
      gate_id: 'transaction',
      status: 'FAILED',
      gateway_ended: true,
      external_reference: '',
      failure_code: 'NOT_APPROVED',
      gateway_detail: 'declined',
      ask_after_s: null,
    } as const
    expect(endOf(attempt, end)).toEqual({
      ...end,
      id: 'attempt',
      operator_reference: null,
      failure_message: 'The payment was not approved.',
    })
  })
})
