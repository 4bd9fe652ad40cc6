// The dialect of Stripe, driven by a client that we did not write and did not change: npm `stripe`,
// from a package of its own (`simulator/foreign`), which `npm run proof` installs. Without it these
// tests are counted as skipped, and say so.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, type TestContext } from 'vitest'
import { openMailbox } from '../../../server/test/setup/mailbox.ts'
import { wholeIt } from '../../../server/test/setup/proof-size.ts'
import { type Stripe, startStripe } from '../../src/dialects/stripe/start.ts'

type Thing = Readonly<Record<string, unknown>> & Readonly<{ id: string }>
type Params = Readonly<Record<string, unknown>>
type Client = {
  checkout: {
    sessions: {
      create(params: Params, options?: Params): Promise<Thing>
      retrieve(id: string, params?: Params): Promise<Thing>
      list(params: Params): { autoPagingToArray(most: Params): Promise<Thing[]> }
      expire(id: string): Promise<Thing>
    }
  }
  refunds: {
    create(params: Params, options?: Params): Promise<Thing>
    retrieve(id: string): Promise<Thing>
  }
  disputes: { list(params: Params): Promise<{ data: Thing[] }> }
  balance: { retrieve(): Promise<Thing> }
  webhookEndpoints: { create(params: Params): Promise<Thing & { secret: string }> }
  webhooks: { constructEvent(body: string, header: string, secret: string): Thing }
}
type Foreign = new (key: string, options: Params) => Client

const installed = new URL('../../foreign/node_modules/stripe/package.json', import.meta.url)
let stripe: Stripe

beforeAll(async () => {
  stripe = await startStripe({ port: 0, speed: 20 })
})
afterAll(() => stripe?.stop())

/** Loud where it is not there: a proof that did not run is none. */
function open({ skip }: TestContext, key = 'sk_test_0123456789abcdef'): Client {
  skip(!existsSync(installed), 'npm stripe is not installed: npm run foreign')
  const require = createRequire(new URL('../../foreign/package.json', import.meta.url))
  const found: Foreign & { default?: Foreign } = require('stripe')
  const Client = found.default ?? found
  const { hostname: host } = new URL(stripe.url)
  const options = {
    host,
    port: stripe.port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  }
  return new Client(key, options)
}

const order = (changes: Params = {}): Params => ({
  mode: 'payment',
  client_reference_id: crypto.randomUUID(),
  success_url: 'https://shop.example/back',
  line_items: [
    {
      quantity: 1,
      price_data: { currency: 'usd', unit_amount: 10_325, product_data: { name: 'Basket' } },
    },
  ],
  metadata: { attempt: 'ours' },
  payment_intent_data: { metadata: { attempt: 'ours' } },
  ...changes,
})

describe('the dialect, by a client that we did not write', () => {
  wholeIt('makes a page, is paid, and signs what it says of it', async (context) => {
    const client = open(context)
    const mailbox = await openMailbox((body) => JSON.parse(body).type)
    const { secret } = await client.webhookEndpoints.create({
      url: mailbox.url,
      enabled_events: ['checkout.session.completed', 'refund.failed'],
    })
    const made = await client.checkout.sessions.create(order())
    expect(made).toMatchObject({ status: 'open', payment_status: 'unpaid', amount_total: 10_325 })
    expect(made['url']).toMatch(/^http/)
    await stripe.pay(String(made['client_reference_id']), '4000000000005126')
    const paid = await client.checkout.sessions.retrieve(made.id, {
      expand: ['payment_intent.latest_charge'],
    })
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      payment_intent: { object: 'payment_intent', latest_charge: { amount_refunded: 0 } },
    })
    const { body, headers } = await mailbox.first('checkout.session.completed')
    const signature = headers['stripe-signature'] ?? ''
    const event = client.webhooks.constructEvent(body, signature, secret)
    expect(event).toMatchObject({ type: 'checkout.session.completed' })
    expect(() => client.webhooks.constructEvent(`${body} `, signature, secret)).toThrow()
    expect(() => client.webhooks.constructEvent(body, signature, 'whsec_other')).toThrow()
    expect(await client.balance.retrieve()).toMatchObject({ available: [{ amount: 10_325 }] })

    const { id: payment_intent } = paid['payment_intent'] as Thing
    const refund = await client.refunds.create({ payment_intent, amount: 325 })
    expect(refund).toMatchObject({ status: 'succeeded', amount: 325 })
    await mailbox.first('refund.failed')
    expect(await client.refunds.retrieve(refund.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
    })
    await mailbox.close()
  })

  wholeIt(
    'answers a key with what it made, and refuses it with other contents',
    async (context) => {
      const client = open(context)
      const idempotencyKey = crypto.randomUUID()
      const one = order()
      const made = await client.checkout.sessions.create(one, { idempotencyKey })
      expect(await client.checkout.sessions.create(one, { idempotencyKey })).toEqual(made)
      await expect(
        client.checkout.sessions.create({ ...one, submit_type: 'book' }, { idempotencyKey }),
      ).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
    },
  )

  wholeIt('refuses in errors that the client knows', async (context) => {
    const client = open(context)
    const { sessions } = client.checkout
    const soon = Math.floor(Date.now() / 1000) + 60
    for (const changes of [{ expires_at: soon }, { nonsense: 'x' }, { mode: 'later' }]) {
      await expect(sessions.create(order(changes))).rejects.toMatchObject({
        type: 'StripeInvalidRequestError',
      })
    }
    await expect(sessions.retrieve('cs_test_none')).rejects.toMatchObject({
      code: 'resource_missing',
    })
    await expect(open(context, 'sk_live_0123456789').balance.retrieve()).rejects.toMatchObject({
      type: 'StripeAuthenticationError',
    })
    const { id: payment_intent } = { id: 'pi_none' }
    await expect(client.refunds.create({ payment_intent })).rejects.toMatchObject({
      code: 'resource_missing',
    })
    expect((await client.disputes.list({ payment_intent })).data).toEqual([])
  })

  wholeIt(
    'lists its pages newest first, one list after the other, and ends one',
    async (context) => {
      const client = open(context)
      const { sessions } = client.checkout
      const made = []
      for (let at = 0; at < 25; at += 1) made.push(await sessions.create(order()))
      const all = await sessions.list({ limit: 10 }).autoPagingToArray({ limit: 25 })
      expect(all.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse())
      const [first] = made
      expect(await sessions.expire(first?.id ?? '')).toMatchObject({ status: 'expired', url: null })
    },
  )
})
