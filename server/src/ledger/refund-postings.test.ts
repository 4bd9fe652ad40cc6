// What a refund books, line by line, against the table of the money law (docs/money-law.md, 3).

import { describe, expect, it } from 'vitest'
import type { Place } from './account.ts'
import { type RefundFigures, refundReturned, refundSuccess } from './refund-postings.ts'

const place: Place = {
  merchant_id: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'SANDBOX',
  country: 'BJ',
  currency: 'XOF',
}
const gateway_id = '01981f3a-0000-7000-8000-000000009001'

/** All 10 325 of an ADD_ON payment of 10 000 with a fee of 325 = 150 + 175, the fee kept. */
const whole: RefundFigures = {
  amount: 1_032_500n,
  fee: 0n,
  gateway_fee: 0n,
  platform_fee: 0n,
  returned_gateway_fee: 0n,
  returned_platform_fee: 0n,
  is_returned_by_operator: false,
  gateway_cost_excess: 0n,
  held_amount: 1_032_500n,
  by: 'COLLECT',
}
const returning = {
  ...whole,
  held_amount: 1_000_000n,
  returned_gateway_fee: 15_000n,
  returned_platform_fee: 17_500n,
}

/** `debit → credit amount`, in whole units; a gateway's account with its purpose. */
const shown = (figures: RefundFigures): string[] =>
  refundSuccess(place, gateway_id, figures).map(({ debit, credit, amount }) => {
    const name = ({ kind, purpose }: typeof debit) => (purpose === '' ? kind : `${kind} ${purpose}`)
    return `${name(debit)} → ${name(credit)} ${amount / 100n}`
  })

describe('a refund that has reached its payer', () => {
  it('spends what was held, when the fee is kept', () => {
    expect(shown(whole)).toEqual(['pending → gateway COLLECT 10325'])
  })

  it('as a payout leaves the other account, and its route costs what it costs', () => {
    expect(shown({ ...whole, by: 'DISBURSE', gateway_cost_excess: 6_000n })).toEqual([
      'pending → gateway DISBURSE 10325',
      'gateway_costs → gateway_fees 60',
    ])
  })

  it('with a fee of its own books the two parts of it', () => {
    const fee = { fee: 10_000n, gateway_fee: 4_000n, platform_fee: 6_000n }
    expect(shown({ ...whole, ...fee, held_amount: 1_042_500n })).toEqual([
      'pending → gateway COLLECT 10325',
      'pending → gateway_fees 40',
      'pending → platform_fees 60',
    ])
  })

  it('gives the payment’s fee back, out of the operator’s part where it returns it', () => {
    expect(shown({ ...returning, is_returned_by_operator: true })).toEqual([
      'pending → gateway COLLECT 10000',
      'platform_fees → gateway COLLECT 175',
      'gateway_fees → gateway COLLECT 150',
    ])
  })

  it('and at our cost where it keeps it', () => {
    expect(shown(returning)).toEqual([
      'pending → gateway COLLECT 10000',
      'platform_fees → gateway COLLECT 175',
      'gateway_costs → gateway COLLECT 150',
    ])
  })

  it('of a DEDUCTED payment holds what the merchant had got', () => {
    const deducted = { ...returning, amount: 1_000_000n, held_amount: 967_500n }
    expect(shown({ ...deducted, is_returned_by_operator: true })).toEqual([
      'pending → gateway COLLECT 9675',
      'platform_fees → gateway COLLECT 175',
      'gateway_fees → gateway COLLECT 150',
    ])
  })

  it('never books figures that do not add up', () => {
    expect(() => shown({ ...whole, held_amount: 1n })).toThrow(/held/)
    expect(() => shown({ ...whole, fee: 1n, held_amount: 1_032_501n })).toThrow(/fees sum/)
  })
})

describe('money that came back', () => {
  const back = (figures: RefundFigures): string[] =>
    refundReturned(place, 'an-incident', figures).map(({ debit, credit, amount }) => {
      expect([debit.kind, debit.purpose]).toEqual(['suspense', 'an-incident'])
      return `${credit.kind} ${amount / 100n}`
    })

  it('goes through the incident’s suspense to the merchant', () => {
    expect(back(whole)).toEqual(['available 10325'])
  })

  it('pays the fee again that had been given back', () => {
    const fees = ['available 10000', 'platform_fees 175']
    expect(back(returning)).toEqual([...fees, 'gateway_costs 150'])
    expect(back({ ...returning, is_returned_by_operator: true })).toEqual([
      ...fees,
      'gateway_fees 150',
    ])
  })
})
