// What a payer sees in the operator's message is on the receipt, in its JSON, on its page and on
// paper, and finds the payment; where it is the reference that we ask by, nothing more is kept. A
// refund and a payout have it too.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedapay, startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { Account } from '../../src/gateways/adapter.ts'
import { fedapayAdapter } from '../../src/gateways/fedapay-api/fedapay-gateway.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { fedapayAccount } from '../setup/fedapay-account.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'
import { textOf } from '../setup/pdf-text.ts'
import { refund, refundEnds, refundingShop } from '../setup/refunds.ts'

const [one, two] = ['fedapay_seen', 'pawapay_seen']

let app: TestApp
let fedapay: Fedapay
let pawapay: Pawapay
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  fedapay = await startFedapay({ port: 0, speed: 10 })
  pawapay = await startPawapay({ port: 0, speed: 10 })
  const callbacks = `${app.url}/callbacks/${two}`
  pawapay.setCallbacks({ deposits: callbacks, payouts: callbacks, refunds: callbacks })
  shop = await refundingShop(app, {}, '50000')
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const pick = ({ settings, secrets }: Account) => ({ settings, secrets })
  const place = { environment: 'SANDBOX', country: 'BJ' } as const
  const accounts = [
    await addAccount(deps, fedapayAdapter, {
      ...{ code: one, name: 'FedaPay', ...place },
      ...pick(fedapayAccount(fedapay, `${app.url}/callbacks/${one}/`)),
    }),
    await addAccount(deps, pawapayAdapter, {
      ...{ code: two, name: 'pawaPay', ...place },
      ...pick(pawapayAccount(pawapay)),
    }),
  ]
  for (const [at, account] of accounts.entries()) {
    await switchAccount(deps, account, { is_active: true, why: 'a story' })
    for (const direction of ['COLLECT', 'DISBURSE']) {
      const route = { network: 'mtn_bj', gateway: account.code, direction, priority: 9 + at }
      expect((await staff.post('/admin/routes/', route)).status).toBe(201)
    }
  }
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await fedapay?.stop()
  await pawapay?.stop()
})

async function paidBy(code: string): Promise<Json> {
  const { data } = await shop.pay({ customer: newPayer('10'), preferred_gateway: code })
  return shop.becomes(data.id, 'SUCCESS', 40_000)
}

const keptOf = async (id: string): Promise<Json> => {
  const [row] = await app.owner<Json[]>`
    select our_key, external_reference, operator_reference from attempts where transaction_id = ${id}`
  return row
}

/** Whoever has the receipt reads it in JSON, on its page in both languages, and on paper. */
async function expectOnReceipt(id: string, reference: string): Promise<void> {
  const { data: place } = await shop.get(`/transactions/${id}/receipt/`)
  const token = String(place.url).split('/').at(-1)
  const { data: receipt } = await shop.get(`/receipts/${token}/`)
  expect(receipt.operator_reference).toBe(reference)
  const [, claims = ''] = String(receipt.statement).split('.')
  const signed = JSON.parse(Buffer.from(claims, 'base64url').toString())
  expect(signed.operator_reference).toBe(reference)
  for (const [language, label] of [
    ['fr', 'Référence de l’opérateur'],
    ['en', 'Operator’s reference'],
  ] as const) {
    const page = await fetch(`${app.url}/receipts/${token}`, {
      headers: { 'accept-language': language },
    })
    expect(await page.text()).toContain(`<dt>${label}</dt><dd id="operator">${reference}</dd>`)
  }
  const paper = await fetch(`${app.url}/api/v1/transactions/${id}/invoice/?lang=fr`, {
    headers: { authorization: `Bearer ${shop.key}` },
  })
  const written = textOf(Buffer.from(await paper.arrayBuffer()))
  expect(written).toContain('Réf. opérateur')
  // A long one goes over two lines.
  expect(written).toContain(reference.slice(0, 8))
}

const found = async (typed: string): Promise<Json[]> => {
  const { data } = await shop.get(`/search/?q=${encodeURIComponent(typed)}`)
  return data.groups.flatMap((group: Json) => group.results)
}

describe('what a payer sees in the operator’s message', () => {
  it('is kept beside the reference that we ask by, where it is another, and finds it', async () => {
    const paid = await paidBy(one)
    const kept = await keptOf(paid.id)
    expect(kept.external_reference).toMatch(/^transactions\/\d+$/)
    expect(kept.operator_reference).toMatch(/^trx_[0-9a-f]{6}$/)
    const reference = String(kept.operator_reference)
    expect(paid.attempts.map((attempt: Json) => attempt.operator_reference)).toEqual([reference])
    await expectOnReceipt(paid.id, reference)
    for (const typed of [reference, reference.toUpperCase()]) {
      expect(await found(typed)).toMatchObject([{ id: paid.id }])
    }
    expect(await found(reference.slice(0, -1))).toEqual([])
    const stranger = await app.shop()
    const { data } = await stranger.get(`/search/?q=${reference}`)
    expect(data.groups.flatMap((group: Json) => group.results)).toEqual([])
  }, 60_000)

  it('is the reference that we ask by, where it is the same, and then kept once', async () => {
    const paid = await paidBy(two)
    const kept = await keptOf(paid.id)
    expect(kept.operator_reference).toBeNull()
    expect(kept.external_reference).not.toBe(kept.our_key)
    await expectOnReceipt(paid.id, String(kept.external_reference))
    const { data } = await shop.pay()
    await shop.becomes(data.id, 'SUCCESS')
    const sandbox = await keptOf(data.id)
    expect(await found(String(sandbox.external_reference))).toMatchObject([{ id: data.id }])
  }, 60_000)

  it('is on a refund that the operator made, and on a payout', async () => {
    const paid = await paidBy(two)
    const made = await refund(shop, paid, { amount: '1000' })
    expect(made.data.operator_reference, JSON.stringify(made.body)).toBe('')
    const given = await refundEnds(shop, made.data.id, 'SUCCESS', 40_000)
    expect(given.operator_reference).not.toBe('')
    expect(given.operator_reference).toBe(given.external_reference)
    const member = await app.member({ merchant_id: shop.merchant_id })
    const sent = await member.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      preferred_gateway: one,
    })
    const out = await shop.becomes(sent.data.id, 'SUCCESS', 40_000)
    expect(out.attempts[0].operator_reference).toMatch(/^trx_/)
  }, 90_000)
})

describe('a payment that nobody has paid', () => {
  it('has no reference of its operator, whatever it is asked by', async () => {
    const { data } = await shop.pay({ customer: newPayer('01'), preferred_gateway: one })
    const failed = await shop.becomes(data.id, 'FAILED', 40_000)
    expect(failed.attempts.map((attempt: Json) => attempt.operator_reference)).toEqual([''])
  }, 60_000)
})
