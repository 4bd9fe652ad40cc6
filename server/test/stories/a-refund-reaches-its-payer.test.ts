// Money of a payment goes back to its payer: it leaves the balance at once, reaches the payer once,
// whole or in parts, and never more of it than was paid.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  const books = await compareGatewayBooks(app.owner, await totals())
  await app.stop()
  expect(broken).toEqual([])
  expect(books).toMatchObject({ ok: true })
})

async function totals(): Promise<Json> {
  const { token } = simulatorSecrets(openKeyring(app.config.secret_key ?? ''))
  const reply = await fetch(`${app.simulator.url}/books/totals`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { a, b } = await reply.json()
  return { sandbox_a: a, sandbox_b: b }
}

async function shopOf(options: Parameters<TestApp['shop']>[0] = {}) {
  const shop = await app.shop(options)
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  return shop
}

/** A payment of 10 000 XOF by MTN Bénin that has succeeded. */
async function paid(shop: Shop, changes: Record<string, unknown> = {}): Promise<Json> {
  const made = await shop.pay({ amount: '10000', ...changes })
  return shop.becomes(made.data.id, 'SUCCESS')
}

const refund = (shop: Shop, { id }: Json, body: object = {}, key?: string) =>
  shop.post(
    `/payments/${id}/refunds/`,
    body,
    key === undefined ? {} : { 'idempotency-key': key },
  )

const ends = (shop: Shop, id: string, status: string) =>
  eventually(async () => {
    const { data } = await shop.get(`/refunds/${id}/`)
    expect(data.status).toBe(status)
    return data
  })

async function sums(shop: Shop) {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [available_amount, pending_amount]
}

describe('a whole refund', () => {
  it('holds what it gives back, and the payer has it when the operator says so', async () => {
    const shop = await shopOf()
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '5000' })
    const payment = await paid(shop)
    const made = await refund(shop, payment, { reason: 'Out of stock', reference: 'R-1' })
    expect([made.status, made.error]).toEqual([201, undefined])
    expect(made.data).toMatchObject({
      payment_id: payment.id,
      status: 'PENDING',
      amount: payment.debited_amount,
      currency: 'XOF',
      fee: '0.00',
      fees_returned: '0.00',
      method: 'OPERATOR',
      failure_code: '',
      reason: 'Out of stock',
      reference: 'R-1',
      waiting_for: null,
      ended_at: null,
    })
    const left = (15_000 - Number(payment.debited_amount)).toFixed(2)
    expect(await sums(shop)).toEqual([left, payment.debited_amount])
    const done = await ends(shop, made.data.id, 'SUCCESS')
    expect(done.attempts).toHaveLength(1)
    expect(done.external_reference).not.toBe('')
    expect(await sums(shop)).toEqual([left, '0.00'])
    const after = await shop.get(`/transactions/${payment.id}/`)
    expect(after.data).toMatchObject({
      status: 'SUCCESS',
      refunded_amount: payment.debited_amount,
      refundable_amount: '0.00',
      refund_status: 'FULL',
    })
  })

  it('is told: created, success, and the totals of the payment', async () => {
    const shop = await shopOf()
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '5000' })
    const payment = await paid(shop)
    const made = await refund(shop, payment)
    await ends(shop, made.data.id, 'SUCCESS')
    const rows = await app.owner<{ type: string; data: Json }[]>`
      select type, data from events
       where transaction_id = ${payment.id} order by id`
    expect(rows.map(({ type }) => type)).toEqual([
      'transaction.created',
      'transaction.success',
      'refund.created',
      'refund.success',
      'transaction.refunded',
    ])
    expect(rows[4]?.data).toMatchObject({
      id: payment.id,
      refund: made.data.id,
      refund_status: 'FULL',
      refunded_amount: payment.debited_amount,
      version: payment.version + 1,
    })
  })
})
