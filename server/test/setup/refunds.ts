// Payments that have succeeded, and what gives them back: for the stories of refunds.

import { expect } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import { findAttempt } from '../../src/attempts/attempt-statements.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { refundPurpose } from '../../src/refunds/refund-purpose.ts'
import { eventually, type Json, type Shop, type TestApp } from '../harness.ts'

/** A shop that may refund from here, with some play money to pay fees of payments with. */
export async function refundingShop(
  app: TestApp,
  options: Parameters<TestApp['shop']>[0] = {},
  funds = '5000',
): Promise<Shop> {
  const shop = await app.shop(options)
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  if (funds !== '0') await shop.post('/sandbox/balances/', { country: 'BJ', amount: funds })
  return shop
}

/** A payment of 10 000 XOF by MTN Bénin that has succeeded. */
export async function paidPayment(shop: Shop, changes: Record<string, unknown> = {}) {
  const made = await shop.pay({ amount: '10000', ...changes })
  return shop.becomes(made.data.id, 'SUCCESS', 20_000)
}

/** A payment so old that its operator gives nothing back: a refund of it pays the payer out. */
export async function oldPayment(app: TestApp, shop: Shop, changes: Record<string, unknown> = {}) {
  const payment = await paidPayment(shop, changes)
  await app.owner`
    update attempts set finished_at = now() - interval '181 days'
     where transaction_id = ${payment.id}`
  return payment
}

export const refund = (shop: Shop, { id }: Json, body: object = {}, key?: string) =>
  shop.post(`/payments/${id}/refunds/`, body, key === undefined ? {} : { 'idempotency-key': key })

export const refundEnds = (shop: Shop, id: string, status: string, within_ms = 20_000) =>
  eventually(async () => {
    const { data } = await shop.get(`/refunds/${id}/`)
    expect(data.status).toBe(status)
    return data
  }, within_ms)

export async function sumsOf(shop: Shop): Promise<[string, string]> {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [available_amount, pending_amount]
}

/** What the row of a payment says of its refunds. */
export async function refundedOf(shop: Shop, { id }: Json) {
  const { data } = await shop.get(`/transactions/${id}/`)
  const { status, refunded_amount, refundable_amount, refund_status } = data
  return { status, refunded_amount, refundable_amount, refund_status }
}

/** Every law of the books; and, where all has ended, the operator's own. */
export async function booksAgree(app: TestApp, all_ended = true): Promise<void> {
  expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])
  if (!all_ended) return
  const { token } = simulatorSecrets(openKeyring(app.config.secret_key ?? ''))
  const reply = await fetch(`${app.simulator.url}/books/totals`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const theirs: Json = await reply.json()
  const books = { simulator_a: theirs.a, simulator_b: theirs.b }
  expect(await compareGatewayBooks(app.owner, books)).toMatchObject({ broken: 0 })
}

/** What the operator says of a refund's attempt, when we ask. */
export async function receiveOfRefund(
  app: TestApp,
  { merchant_id }: Shop,
  attempt_id: string,
  answer: Answer,
) {
  const { db } = app.service
  const attempt = await findAttempt(db, { merchant_id, id: attempt_id })
  if (attempt === undefined) throw new Error('no attempt')
  await applyAnswer({ db, wake: () => undefined }, refundPurpose, {
    merchant_id,
    attempt_id,
    answer,
    hash: Buffer.alloc(32),
    triggered_by: 'POLLER',
    evidence_kind: 'STATUS_ANSWER',
    request_id: 'test',
    status_at_query: attempt.status,
    gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
  })
}
