// An attempt is first asked about later where callbacks of its account come: they bring the answer
// then. What one process receives counts in the others within seconds, and what a stranger sends
// counts nowhere.

import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { type Stripe, startStripe } from '../../../simulator/src/dialects/stripe/start.ts'
import type { Service } from '../../src/app/start.ts'
import { type AccountDeps, addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { stripeAdapter } from '../../src/gateways/stripe-checkout/stripe-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { provisioned } from '../setup/mtn-account.ts'
import { refundingShop } from '../setup/refunds.ts'
import { stripeAccount } from '../setup/stripe-account.ts'

const code = 'mtn_bj_sandbox'
const fixed = 'stripe_xx_sandbox'

let app: TestApp
let second: Service
let mtn: Mtn
let stripe: Stripe
let cards: Shop
let webhook_secret = ''
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  second = await app.another()
  mtn = await startMtn({ port: 0, speed: 4 })
  shop = await app.shop()
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps: AccountDeps = {
    db: app.service.db,
    keyring: openKeyring(app.config.secret_key ?? ''),
  }
  const given = await provisioned(mtn.url, new URL(app.url).hostname)
  const account = await addAccount(deps, mtnAdapter, {
    ...{ code, name: 'MTN Bénin', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings: given.settings, secrets: given.secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'mtn_bj', gateway: code, direction: 'COLLECT', priority: 9 }
  const made = await staff.post('/admin/routes/', route)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  stripe = await startStripe({ port: 0, speed: 10 })
  cards = await refundingShop(app, {}, '0')
  const card = await stripeAccount(stripe.url, `${app.url}/callbacks/${fixed}/`)
  webhook_secret = card.secrets['webhook_secret'] ?? ''
  const one = await addAccount(deps, stripeAdapter, {
    ...{ code: fixed, name: 'Stripe', environment: 'SANDBOX', country: 'XX' },
    ...{ settings: card.settings, secrets: card.secrets },
  })
  await switchAccount(deps, one, { is_active: true, why: 'a story' })
  const by_card = { network: 'card', gateway: fixed, direction: 'COLLECT', priority: 9 }
  expect((await staff.post('/admin/routes/', by_card)).status).toBe(201)
})
afterAll(async () => {
  await app?.stop()
  await mtn?.stop()
  await stripe?.stop()
})

const pay = (last: string, by: Shop = shop) =>
  by.pay({ customer: newPayer(last), preferred_gateway: code })

/** Seconds from the send of a payment that waits for its payer until it is asked about. */
async function askedAfterS(by: Shop = shop): Promise<number> {
  const { data } = await pay('04', by)
  const [attempt] = await app.owner<Json[]>`
    select gateway_code, asks,
           extract(epoch from due_at - coalesce(accepted_at, started_at))::float8 as due_s
      from attempts where transaction_id = ${data.id}`
  expect(attempt).toMatchObject({ gateway_code: code, asks: 0 })
  return Math.round(attempt?.due_s ?? 0)
}

const kept = () => app.owner<Json[]>`
  select t.last_at from gateway_callback_times t join gateways g on g.id = t.gateway_id
   where g.code = ${code}`

describe('an attempt at MTN', () => {
  it('is first asked about after 20 s, whatever strangers send', async () => {
    for (const path of ['', `/${randomUUID()}`]) {
      const sent = await fetch(`${app.url}/callbacks/${code}${path}`, {
        method: 'POST',
        body: '{}',
      })
      expect(sent.status).toBe(404)
    }
    // The answer to its create may have taken a part of it.
    const after = await askedAfterS()
    expect(after).toBeGreaterThan(10)
    expect(after).toBeLessThanOrEqual(20)
  })

  it('is first asked about after 60 s once a callback came, in each process', async () => {
    const paid = await pay('10')
    await eventually(async () => {
      const { data } = await shop.get(`/transactions/${paid.data.id}/`)
      if (data.status !== 'SUCCESS') throw new Error(data.status)
    })
    const elsewhere = shopWith(second.public_url, shop.merchant_id, shop.key)
    const both = await Promise.all([
      eventually(async () => {
        if ((await askedAfterS()) !== 60) throw new Error('not yet here')
      }),
      eventually(async () => {
        if ((await askedAfterS(elsewhere)) !== 60) throw new Error('not yet there')
      }),
    ])
    expect(both).toHaveLength(2)
    expect(await kept()).toHaveLength(1)
  })
})

describe('an attempt at an operator that calls one fixed address', () => {
  const payByCard = () =>
    cards.pay({
      ...{ amount: '100', currency: 'USD', country: 'XX', network: 'card' },
      ...{ customer: newPayer('10'), preferred_gateway: fixed },
      return_url: 'https://shop.example/back',
    })

  /** A payment that nobody pays: by what its operator calls it, and when it is asked about. */
  async function unpaid(): Promise<Json> {
    const { data } = await payByCard()
    const [attempt] = await app.owner<Json[]>`
      select gateway_code, our_key, external_reference,
             round(extract(epoch from due_at - coalesce(accepted_at, started_at)))::int as due_s
        from attempts where transaction_id = ${data.id}`
    expect(attempt).toMatchObject({ gateway_code: fixed })
    return attempt
  }

  async function callBack(attempt: Json, secret?: string): Promise<number> {
    const { our_key, external_reference: id } = attempt
    const state = { status: 'open', payment_status: 'unpaid' }
    const object = { object: 'checkout.session', id, client_reference_id: our_key, ...state }
    const body = JSON.stringify({ object: 'event', type: 'anything', data: { object } })
    const t = Math.floor(Date.now() / 1000)
    const v1 = createHmac('sha256', secret ?? 'anybody')
      .update(`${t}.${body}`)
      .digest('hex')
    const headers = { 'stripe-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body }
    return (await fetch(`${app.url}/callbacks/${fixed}/`, init)).status
  }

  it('is put off by what was signed, and not by who knows a payment’s number', async () => {
    const attempt = await unpaid()
    expect(attempt.due_s).toBeLessThanOrEqual(20)
    expect(await callBack(attempt)).toBe(200)
    expect((await unpaid()).due_s).toBeLessThanOrEqual(20)
    expect(await callBack(attempt, webhook_secret)).toBe(200)
    expect((await unpaid()).due_s).toBe(60)
  })
})
