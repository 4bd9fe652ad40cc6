// The main journey: a merchant's server calls softpay, the operator asks the payer and confirms by
// callback, the ledger moves, the balance shows it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type House, newPayer, type Shop, startHouse } from '../harness.ts'

let house: House
let shop: Shop

beforeAll(async () => {
  house = await startHouse()
  shop = await house.shop()
})
afterAll(() => house?.stop())

describe('a customer pays by mobile money', () => {
  it('ends SUCCESS, credits the merchant exactly, and the operator debited once', async () => {
    const reply = await shop.pay({ customer: newPayer() }, { 'idempotency-key': 'plain-1' })
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    expect(reply.data).toMatchObject({
      status: 'PENDING',
      checkout_url: '',
      next_action: 'APPROVE_ON_PHONE',
      otp_required: false,
    })
    const paid = await shop.becomes(reply.data.id, 'SUCCESS')
    expect(paid).toMatchObject({
      reference: reply.data.reference,
      requested_amount: '5000.00',
      // 3.25 % of 5000 is 162.5: half up to a whole franc.
      client_fee: '163.00',
      debited_amount: '5163.00',
      net_amount: '5000.00',
      gateway_fee: '75.00',
      platform_fee: '88.00',
      flow_direction: 'INBOUND',
      transaction_type: 'PAIEMENT',
    })
    expect(paid.attempts).toHaveLength(1)
    expect(paid.status_logs).toMatchObject([{ from_status: 'PENDING', to_status: 'SUCCESS' }])
    expect(await shop.balance()).toEqual({ available_amount: '5000.00', pending_amount: '0.00' })
    const debits = house.simulator.books().filter((book) => book.status === 'SUCCESSFUL')
    expect(debits).toHaveLength(1)
    expect(debits[0]?.amount).toBe('5163.00')
  })

  it('says who moved it: a person who is signed in, or a key', async () => {
    const member = await house.member({ merchant_id: shop.merchant_id })
    for (const [caller, by] of [[member, 'DASHBOARD'] as const, [shop, 'API'] as const]) {
      const refused = await caller.pay({ customer: newPayer('03') })
      const lost = await caller.pay({ customer: newPayer('05') })
      await caller.get(`/payments/${lost.data.id}/verify/`)
      for (const { data } of [refused, lost]) {
        const { data: read } = await shop.get(`/transactions/${data.id}/`)
        expect(read.status_logs).toMatchObject([{ from_status: 'PENDING', triggered_by: by }])
      }
    }
  })
})
