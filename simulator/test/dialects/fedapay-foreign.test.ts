// The dialect of FedaPay, driven by a client that we did not write and did not change: npm
// `fedapay`, from a package of its own (`simulator/foreign`), which `npm run proof` installs.
// Without it these tests are counted as skipped, and say so.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, type TestContext } from 'vitest'
import { openMailbox } from '../../../server/test/setup/mailbox.ts'
import { wholeIt } from '../../../server/test/setup/proof-size.ts'
import { type Fedapay, startFedapay } from '../../src/dialects/fedapay/start.ts'

type Params = Readonly<Record<string, unknown>>
type Thing = Record<string, unknown> & {
  id: number
  status: string
  wasPaid(): boolean
  sendNow(...args: unknown[]): Promise<Thing>
}
type Foreign = {
  FedaPay: { setApiKey(key: string): void; setApiBase(url: string): void }
  Transaction: { create(params: Params): Promise<Thing>; retrieve(id: number): Promise<Thing> }
  Payout: { create(params: Params): Promise<Thing>; retrieve(id: number): Promise<Thing> }
  Balance: { all(): Promise<{ balances: { mode: string; amount: number }[] }> }
  Webhook: { constructEvent(body: string, header: string, secret: string): Params }
}

const installed = new URL('../../foreign/node_modules/fedapay/package.json', import.meta.url)
let fedapay: Fedapay

beforeAll(async () => {
  fedapay = await startFedapay({ port: 0, speed: 20 })
})
afterAll(() => fedapay?.stop())

/** Loud where it is not there: a proof that did not run is none. */
function open({ skip }: TestContext, key = 'sk_sandbox_0123456789'): Foreign {
  skip(!existsSync(installed), 'npm fedapay is not installed: npm run foreign')
  const require = createRequire(new URL('../../foreign/package.json', import.meta.url))
  const client: Foreign = require('fedapay')
  client.FedaPay.setApiKey(key)
  client.FedaPay.setApiBase(fedapay.url)
  return client
}

const order = (changes: Params = {}): Params => ({
  ...{ description: 'Basket', amount: 1000, currency: { iso: 'XOF' } },
  ...changes,
})
const phone = (number: string) => ({ phone_number: { number, country: 'BJ' } })

describe('the dialect, by a client that we did not write', () => {
  wholeIt('makes a transaction, asks its payer, and signs what it says of it', async (context) => {
    const client = open(context)
    const mailbox = await openMailbox((body) => JSON.parse(body).name)
    const secret = fedapay.addWebhook(mailbox.url)
    const made = await client.Transaction.create(order())
    expect(made).toMatchObject({ klass: 'v1/transaction', status: 'pending', amount: 1000 })
    expect(await made.sendNow('mtn_open', phone('+2290166000001'))).toMatchObject({
      message: 'success',
    })
    const { body, headers } = await mailbox.first('transaction.approved')
    const signature = headers['x-fedapay-signature'] ?? ''
    const event = client.Webhook.constructEvent(body, signature, secret)
    expect(event).toMatchObject({ object_id: made.id, entity: { status: 'approved' } })
    expect(() => client.Webhook.constructEvent(`${body} `, signature, secret)).toThrow()
    const paid = await client.Transaction.retrieve(made.id)
    expect([paid.status, paid.wasPaid()]).toEqual(['approved', true])
    const { balances } = await client.Balance.all()
    expect(balances.find(({ mode }) => mode === 'mtn_open')).toMatchObject({ amount: 1000 })
    await mailbox.close()
  })

  wholeIt('fails by its own test numbers, and starts a payout once', async (context) => {
    const client = open(context)
    const made = await client.Transaction.create(order())
    await made.sendNow('moov', phone('+2290164000000'))
    await expect
      .poll(async () => (await client.Transaction.retrieve(made.id)).status, { timeout: 10_000 })
      .toBe('declined')
    const payout = await client.Payout.create(order({ mode: 'mtn_open' }))
    expect(payout.status).toBe('pending')
    const started = await payout.sendNow(phone('+2290166000001'))
    expect(started.status).toBe('started')
    await expect(payout.sendNow(phone('+2290166000001'))).rejects.toMatchObject({
      httpStatus: 422,
    })
    await expect
      .poll(async () => (await client.Payout.retrieve(payout.id)).status, { timeout: 10_000 })
      .toBe('sent')
  })

  wholeIt('refuses a wrong key, half a franc and what is not there', async (context) => {
    const client = open(context)
    await expect(client.Transaction.create(order({ amount: 0.5 }))).rejects.toMatchObject({
      httpStatus: 422,
    })
    await expect(client.Transaction.retrieve(999)).rejects.toMatchObject({ httpStatus: 404 })
    const stranger = open(context, 'sk_live_0123456789')
    await expect(stranger.Transaction.create(order())).rejects.toMatchObject({ httpStatus: 401 })
    open(context)
  })
})
