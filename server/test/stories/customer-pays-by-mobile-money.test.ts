// The main journey: a merchant's server calls softpay, the operator asks the payer and confirms by
// callback, the ledger moves, the balance shows it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app?.stop())

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
    const debits = app.simulator.books().filter((book) => book.status === 'SUCCESSFUL')
    expect(debits).toHaveLength(1)
    expect(debits[0]?.amount).toBe('5163.00')
  })

  it('says who moved it: a person who is signed in, or a key', async () => {
    const member = await app.member({ merchant_id: shop.merchant_id })
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

  it('is told what to do for as long as they have something to do, wherever it is read', async () => {
    const customer = newPayer('04')
    const waiting = await shop.pay({ customer })
    const { id } = waiting.data
    const reads = [`/transactions/${id}/`, `/payments/${id}/verify/`]
    for (const path of reads) {
      const { data } = await shop.get(path)
      expect(data).toMatchObject({ status: 'PENDING', id })
      expect(data.instructions).toBe(waiting.data.instructions)
      expect(data.instructions).not.toBe('')
    }
    const french = await shop.get(`/transactions/${id}/`, { 'accept-language': 'fr' })
    expect(french.data.instructions).toBe('Approuvez le paiement sur le téléphone.')
    await shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'FAILED' })
    await shop.becomes(id, 'FAILED')
    for (const path of reads) expect((await shop.get(path)).data.instructions).toBe('')
    // Nobody is asked to approve what is paid out to them.
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    const { data: out } = await app.member({ merchant_id: shop.merchant_id }).then((member) =>
      member.post('/payouts/initialize/', {
        ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: newPayer('04').phone },
        customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      }),
    )
    for (const path of [`/transactions/${out.id}/`, `/payouts/${out.id}/verify/`]) {
      expect((await shop.get(path)).data).toMatchObject({ status: 'PENDING', instructions: '' })
    }
  })

  it('has the whole transaction beside what retry and confirm-otp say', async () => {
    const failed = await shop.pay({ customer: newPayer('02') })
    await shop.becomes(failed.data.id, 'FAILED')
    const retried = await shop.post(`/payments/${failed.data.id}/retry/`, {})
    expect(retried.status, JSON.stringify(retried.body)).toBe(200)
    const country = { country: 'SN', network: 'wizall_sn' }
    const phone = '+221771234567'
    const started = await shop.pay({ ...country, customer: { ...newPayer(), phone } })
    expect(started.data.next_action).toBe('ENTER_OTP')
    const { data: seen } = await shop.get(`/transactions/${started.data.id}/`)
    expect(seen.instructions).toBe(started.data.instructions)
    const confirmed = await shop.post(`/payments/${started.data.id}/confirm-otp/`, {
      otp: '123456',
    })
    expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200)
    for (const [reply, keys] of [
      [retried, ['message', 'id', 'status', 'instructions', 'next_action', 'checkout_url']],
      [confirmed, ['message', 'id', 'status']],
    ] as const) {
      const { data } = reply
      for (const key of keys) expect(typeof data[key], key).toBe('string')
      const { data: verified } = await shop.get(`/payments/${data.id}/verify/`)
      // Of a code that is confirmed nothing is left to do.
      const { instructions: _, next_action: __, checkout_url: ___, ...transaction } = verified
      expect(Object.keys(data)).toEqual(expect.arrayContaining(Object.keys(transaction)))
      expect(data).toMatchObject({
        reference: transaction.reference,
        requested_amount: '5000.00',
        environment: 'SANDBOX',
      })
    }
    expect(retried.data.status).toBe('PENDING')
  })
})
