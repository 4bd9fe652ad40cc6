// What merchants read of a transaction: the schemas that OpenAPI publishes are what the views make.

import { describe, expect, it } from 'vitest'
import { AttemptSchema, attemptExample } from '../attempts/schema.ts'
import { compileBody } from '../platform/http/validation.ts'
import {
  evidenceExample,
  statusLogExample,
  transactionDetailExample,
  transactionExample,
} from './example.ts'
import {
  EvidenceSchema,
  StatusLogSchema,
  TransactionDetailSchema,
  TransactionSchema,
} from './schema.ts'
import type { MarkedTransaction, StoredStatusLog } from './store.ts'
import { viewEvidence, viewListed, viewStatusLog, viewTransaction } from './view.ts'

const id = (last: string) => `01981f3a-0000-7000-8000-0000000000${last}`
const created_at = new Date('2026-11-21T08:00:00.123Z')
const updated_at = new Date('2026-11-21T08:00:04Z')

const row: MarkedTransaction = {
  merchant_id: id('01'),
  id: id('02'),
  environment: 'LIVE',
  reference: 'TXN-20261121-7K2MPQ4RWX',
  transaction_type: 'PAIEMENT',
  flow_direction: 'INBOUND',
  status: 'FAILED',
  version: 2,
  settled_attempt: null,
  customer_id: id('03'),
  customer_email: 'awa@example.org',
  customer_first_name: 'Awa',
  customer_last_name: 'Diop',
  customer_phone: '+221770000001',
  operation_msisdn: '+221770000002',
  country_id: id('04'),
  country_code: 'SN',
  network_id: id('05'),
  network_code: 'wave_sn',
  description: 'Order',
  metadata: { order: 7, lines: ['a'] },
  merchant_reference: 'ORDER-7',
  return_url: 'https://shop.example.org/back',
  requested_amount: 656_000n,
  fee_charge_mode: 'DEDUCTED',
  client_fee: 21_300n,
  gateway_fee: 9_800n,
  platform_fee: 11_500n,
  debited_amount: 656_000n,
  net_amount: 634_700n,
  currency: 'XOF',
  original_amount: 1_000n,
  original_currency: 'EUR',
  exchange_rate: 65_595_700_000n,
  pricing_rule: id('06'),
  merchant_pricing_rule: id('07'),
  current_gateway: id('08'),
  preferred_gateway: 'first_gateway',
  refund_reserved: 0n,
  refunded_amount: 0n,
  return_state: null,
  returned_at: null,
  returned_amount: null,
  external_reference: 'OP-1',
  failure_code: 'NOT_APPROVED',
  failure_message: 'The payment was not approved.',
  checkout_session: id('09'),
  payment_link: id('10'),
  ip_address: '203.0.113.7',
  api_key_id: null,
  member_id: '01981f3a-0000-7000-8000-00000000e002',
  created_at,
  updated_at,
  approval: null,
  waiting_reason: null,
  outcome_unknown: true,
  incident: {
    ...{ id: id('11'), type: 'AMOUNT_MISMATCH', status: 'OPEN', is_contradiction: true },
    ...{ prevents_refund: false, prevents_retry: true },
  },
}

const log: StoredStatusLog = {
  merchant_id: id('01'),
  id: id('12'),
  environment: 'LIVE',
  transaction_id: id('02'),
  from_status: 'PENDING',
  to_status: 'FAILED',
  reason: 'gateway refused: NOT_APPROVED',
  triggered_by: 'POLLER',
  attempt_id: id('13'),
  evidence_kind: 'STATUS_ANSWER',
  evidence_id: null,
  evidence_hash: Buffer.from('00ff10', 'hex'),
  evidence_said: 'refused NOT_APPROVED',
  created_at: updated_at,
}

describe('viewTransaction', () => {
  it('says every field, amounts with two digits and the rate with eight', () => {
    expect(viewTransaction(row, 'en')).toEqual({
      id: id('02'),
      reference: 'TXN-20261121-7K2MPQ4RWX',
      merchant: id('01'),
      customer: id('03'),
      country: id('04'),
      country_code: 'SN',
      network: id('05'),
      network_code: 'wave_sn',
      transaction_type: 'PAIEMENT',
      flow_direction: 'INBOUND',
      description: 'Order',
      requested_amount: '6560.00',
      refunded_amount: '0.00',
      returned_amount: '0.00',
      returned_at: null,
      refundable_amount: '0.00',
      refund_status: 'NONE',
      fee_charge_mode: 'DEDUCTED',
      client_fee: '213.00',
      gateway_fee: '98.00',
      platform_fee: '115.00',
      pricing_rule: id('06'),
      merchant_pricing_rule: id('07'),
      debited_amount: '6560.00',
      net_amount: '6347.00',
      currency: 'XOF',
      amounts: {
        requested: '6560.00',
        fee: '213.00',
        charged: '6560.00',
        net: '6347.00',
        currency: 'XOF',
        fee_charge_mode: 'DEDUCTED',
      },
      original_amount: '10.00',
      original_currency: 'EUR',
      exchange_rate: '655.95700000',
      status: 'FAILED',
      version: 2,
      failure_code: 'NOT_APPROVED',
      failure_message: 'The payment was not approved.',
      current_gateway: id('08'),
      external_reference: 'OP-1',
      operation_msisdn: '+221770000002',
      metadata: { order: 7, lines: ['a'] },
      merchant_reference: 'ORDER-7',
      checkout_session: id('09'),
      payment_link: id('10'),
      incident: {
        ...{ id: id('11'), type: 'AMOUNT_MISMATCH', status: 'OPEN', is_contradiction: true },
        ...{ prevents_refund: false, prevents_retry: true },
      },
      approval: null,
      waiting_reason: null,
      outcome_unknown: true,
      via: 'LINK',
      api_key: null,
      created_by_member: '01981f3a-0000-7000-8000-00000000e002',
      environment: 'LIVE',
      ip_address: '203.0.113.7',
      created_at: '2026-11-21T08:00:00.123Z',
      updated_at: '2026-11-21T08:00:04.000Z',
    })
  })

  it('says null, not an empty figure, of what was not converted', () => {
    const plain = { ...row, original_amount: null, original_currency: null, exchange_rate: null }
    expect(viewTransaction(plain, 'en')).toMatchObject({
      original_amount: null,
      original_currency: null,
      exchange_rate: null,
    })
  })

  it('says why it failed in the language of the reader', () => {
    expect(viewTransaction(row, 'fr').failure_message).toBe('Le paiement n’a pas été approuvé.')
    const well = { ...row, failure_code: '', failure_message: '' }
    expect(viewTransaction(well, 'fr').failure_message).toBe('')
  })
})

describe('viewListed', () => {
  it('names whose money it is, and nobody who gave no name', () => {
    const named = { ...row, created_by_name: 'Issa' }
    expect(viewListed(named, 'en')).toMatchObject({
      customer_name: 'Awa Diop',
      created_by_name: 'Issa',
    })
    const unnamed = { ...named, customer_first_name: '', customer_last_name: 'Diop' }
    expect(viewListed(unnamed, 'en').customer_name).toBe('Diop')
    const erased = { ...unnamed, customer_last_name: '' }
    expect(viewListed(erased, 'en').customer_name).toBe('')
  })
})

describe('viewEvidence', () => {
  it('gives the hash in hex and never the body it was taken of', () => {
    const { evidence } = viewEvidence(id('02'), [log, { ...log, evidence_hash: null }])
    expect(evidence.map(({ hash }) => hash)).toEqual(['00ff10', null])
  })
})

/** Fields that the schema does not name would be published nowhere. */
const namesOf = (of: { properties: object }) => Object.keys(of.properties).sort()

describe.each([
  ['TransactionSchema', TransactionSchema, viewTransaction(row, 'fr')],
  ['TransactionSchema of the docs', TransactionSchema, transactionExample],
  ['TransactionDetailSchema of the docs', TransactionDetailSchema, transactionDetailExample],
  ['StatusLogSchema', StatusLogSchema, viewStatusLog(log)],
  ['StatusLogSchema of the docs', StatusLogSchema, statusLogExample],
  ['EvidenceSchema', EvidenceSchema, viewEvidence(id('02'), [log])],
  ['EvidenceSchema of the docs', EvidenceSchema, evidenceExample],
  ['AttemptSchema of the docs', AttemptSchema, attemptExample],
] as const)('%s', (_name, schema, view) => {
  it('has exactly the fields that are shown, each of its kind', () => {
    expect(compileBody(schema)(view)).toEqual({})
    expect(Object.keys(view).sort()).toEqual(namesOf(schema))
  })
})
