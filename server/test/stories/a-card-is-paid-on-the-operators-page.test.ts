// A card payment from the merchant's call to their webhook: the payer gives the card on the operator's
// page, never here. Answers that are lost, events that come first or twice, another sum; and what is
// given back, taken back, or comes back.

import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Stripe, startStripe } from '../../../simulator/src/dialects/stripe/start.ts'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import {
  type AccountDeps,
  addAccount,
  promoteSecrets,
  retireSecrets,
  setNextSecrets,
  switchAccount,
} from '../../src/gateways/accounts.ts'
import { stripeAdapter } from '../../src/gateways/stripe-checkout/stripe-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { assert } from '../../src/platform/errors.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { booksAgree } from '../setup/incidents.ts'
import { refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import { stripeAccount } from '../setup/stripe-account.ts'

const code = 'stripe_xx_sandbox'

let app: TestApp
let stripe: Stripe
let shop: Shop
let staff: SignedInCaller
let deps: AccountDeps
let secret_key = ''
let webhook_secret = ''

beforeAll(async () => {
  app = await startApp()
  stripe = await startStripe({ port: 0, speed: 10, misbehaves: true })
  shop = await refundingShop(app, {}, '0')
  staff = await app.staff({ role: 'OPERATIONS' })
  deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = await stripeAccount(stripe.url, `${app.url}/callbacks/${code}/`)
  secret_key = secrets['secret_key'] ?? ''
  webhook_secret = secrets['webhook_secret'] ?? ''
  const account = await addAccount(deps, stripeAdapter, {
    ...{ code, name: 'Stripe', environment: 'SANDBOX', country: 'XX' },
    ...{ settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'card', gateway: code, direction: 'COLLECT', priority: 9 }
  const made = await staff.post('/admin/routes/', route)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})
afterAll(async () => {
  await app?.stop()
  await stripe?.stop()
})

const pay = (description = 'Basket', changes: object = {}) =>
  shop.pay({
    ...{ amount: '100', currency: 'USD', country: 'XX', network: 'card' },
    ...{ customer: newPayer('10'), preferred_gateway: code, description },
    return_url: 'https://shop.example/back',
    ...changes,
  })

const attemptOf = async (id: string): Promise<Json> => {
  const [row] = await app.owner<Json[]>`
    select our_key, external_reference, gateway_code, checkout_url
      from attempts where transaction_id = ${id}`
  return row
}

async function paidBy(card?: string): Promise<Json> {
  const { data } = await pay()
  expect(await stripe.pay((await attemptOf(data.id)).our_key, card)).toBe('paid')
  return shop.becomes(data.id, 'SUCCESS')
}

const incidentOf = (id: string) =>
  eventually(async () => {
    const [row] = await app.owner<Json[]>`
      select type, amount, currency, status, detail->>'why' as why from incidents where transaction_id = ${id}`
    expect(row).toBeDefined()
    return row
  })

describe('a card payment', () => {
  it('sends the payer to the operator’s page, and ends by a signed event', async () => {
    const begun = await pay()
    expect(begun.status, JSON.stringify(begun.body)).toBe(201)
    expect(begun.data).toMatchObject({ status: 'PENDING', next_action: 'REDIRECT' })
    expect(begun.data.checkout_url).toContain(`${stripe.url}/c/pay/cs_test_`)
    // A payer, in a browser.
    const answer = await fetch(begun.data.checkout_url, {
      method: 'POST',
      body: new URLSearchParams({ card: '4242424242424242' }),
      redirect: 'manual',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      ...[303, 'https://shop.example/back'],
    ])
    const paid = await shop.becomes(begun.data.id, 'SUCCESS')
    expect(paid).toMatchObject({ debited_amount: '106.00', currency: 'USD' })
    expect(paid.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'CALLBACK' }])
    const rows = await app.owner<Json[]>`
      select c.proof, c.outcome from gateway_callbacks c
        join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
       where a.transaction_id = ${begun.data.id}`
    expect(rows).toEqual([{ proof: 'SIGNED', outcome: 'APPLIED' }])
  })

  it('leaves no number of a card anywhere in the database', async () => {
    const [{ found = -1 } = {}] = await app.owner<{ found: number }[]>`
      select count(*)::int as found from (
        select a::text as row from attempts a union all select t::text from transactions t
        union all select encode(c.raw, 'escape') from gateway_callbacks c
        union all select l::text from audit_logs l) everything
       where row like '%4242424242424242%'`
    expect(found).toBe(0)
  })

  it.each(['05', '07', '08', '9912', '9915'])(
    'ends SUCCESS once, whatever became of the answer or the event: %s',
    async (digits) => {
      const { data } = await pay(`sandbox:${digits}`)
      await shop.becomes(data.id, 'SUCCESS', 40_000)
      const { our_key, gateway_code } = await attemptOf(data.id)
      const pages = stripe.books().filter((one) => one.client_reference_id === our_key)
      expect([gateway_code, pages.map(({ status }) => status)]).toEqual([code, ['complete']])
    },
  )

  it.each([
    ['01', 'INSUFFICIENT_FUNDS'],
    ['02', 'NOT_APPROVED'],
  ])('ends FAILED by its last card once the page has ended: %s', async (digits, failure_code) => {
    const { data } = await pay(`sandbox:${digits}`)
    expect(await shop.becomes(data.id, 'FAILED')).toMatchObject({ failure_code })
  })

  it('is not booked when another sum came than was asked for', async () => {
    const { data } = await pay('sandbox:9910')
    expect(await incidentOf(data.id)).toMatchObject({ type: 'AMOUNT_MISMATCH', amount: 105_00n })
  })
})

describe('what is given back', () => {
  it('goes to the card, in part and then whole', async () => {
    const payment = await paidBy()
    const part = await refund(shop, payment, { amount: '6' })
    expect(part.status, JSON.stringify(part.body)).toBe(201)
    await refundEnds(shop, part.data.id, 'SUCCESS')
    const rest = await refund(shop, payment)
    await refundEnds(shop, rest.data.id, 'SUCCESS')
    const { data } = await shop.get(`/transactions/${payment.id}/`)
    expect(data).toMatchObject({ status: 'SUCCESS', refund_status: 'FULL' })
    const { our_key } = await attemptOf(payment.id)
    const [page] = stripe.books().filter((one) => one.client_reference_id === our_key)
    expect(page?.refunds.map(({ amount }) => amount)).toEqual([600, 10_000])
    await booksAgree(app)
  })

  it('and comes back later opens RETURNED: the refund stays, two people decide', async () => {
    const payment = await paidBy('4000000000005126')
    const made = await refund(shop, payment, { amount: '6' })
    await refundEnds(shop, made.data.id, 'SUCCESS')
    const incident = await eventually(async () => {
      const [row] = await app.owner<Json[]>`
        select type, amount, refund_id from incidents where refund_id = ${made.data.id}`
      expect(row).toBeDefined()
      return row
    })
    expect(incident).toEqual({ type: 'RETURNED', amount: 6_00n, refund_id: made.data.id })
    expect((await shop.get(`/refunds/${made.data.id}/`)).data.status).toBe('SUCCESS')
    await booksAgree(app)
  })
})

/** By somebody at the operator's own desk, without a word to us but its event. */
async function refundElsewhere(payment: Json, amount: string): Promise<void> {
  const { external_reference } = await attemptOf(payment.id)
  const headers = { authorization: `Bearer ${secret_key}` }
  const shown = await fetch(`${stripe.url}/v1/checkout/sessions/${external_reference}`, { headers })
  const { payment_intent } = (await shown.json()) as Json
  const body = new URLSearchParams({ payment_intent, amount })
  const made = await fetch(`${stripe.url}/v1/refunds`, { method: 'POST', headers, body })
  expect(made.status, await made.text()).toBe(200)
}

/** Our poller asks of it once more, as after any event, and has an answer. */
async function askedAgain(payment: Json): Promise<void> {
  const [before] = await app.owner<Json[]>`
    update attempts set due_at = now() - interval '1 second', leased_until = null
     where transaction_id = ${payment.id} returning lease_no`
  await eventually(async () => {
    const [row] = await app.owner<Json[]>`
      select lease_no > ${before.lease_no} as asked, due_at, leased_until
        from attempts where transaction_id = ${payment.id}`
    expect(row).toMatchObject({ asked: true, leased_until: null })
  })
}

/** What the operator called us about it, byte for byte, and as an event of another id. */
async function eventAgain(payment: Json): Promise<void> {
  const kept = await app.owner<{ raw: Buffer; type: string }[]>`
    select c.raw, convert_from(c.raw, 'UTF8')::json->>'type' as type from gateway_callbacks c
      join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
     where a.transaction_id = ${payment.id} and c.raw is not null`
  const about = kept.filter(({ type }) => /^charge\./.test(type))
  expect(about.length).toBeGreaterThan(0)
  const bodies = about.flatMap(({ raw }) => [
    ...[raw, raw].map(String),
    JSON.stringify({ ...JSON.parse(String(raw)), id: `evt_${randomUUID().replaceAll('-', '')}` }),
  ])
  const statuses = await Promise.all(
    bodies.map(async (body) => {
      const t = Math.floor(Date.now() / 1000)
      const v1 = createHmac('sha256', webhook_secret).update(`${t}.${body}`).digest('hex')
      const headers = { 'stripe-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body }
      return (await fetch(`${app.url}/callbacks/${code}/`, init)).status
    }),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
}

const incidentsOf = (payment: Json) => app.owner<Json[]>`
  select type, amount, detail->>'why' as why from incidents where transaction_id = ${payment.id}`

describe('what others take back', () => {
  it.each([
    ['a dispute', '4000000000000259', 'REVERSED_AFTER_SUCCESS', 106_00n, 'CHARGEBACK'],
    ['a refund', undefined, 'REVERSED_AFTER_SUCCESS', 106_00n, 'EXTERNAL_REFUND'],
    ['a refund in part', undefined, 'AMOUNT_MISMATCH', 6_00n, 'EXTERNAL_REFUND'],
  ])('%s is one incident, by its event and by each question of ours', async (...of) => {
    const [, card, type, amount, why] = of
    const payment = await paidBy(card)
    if (card === undefined) await refundElsewhere(payment, String(amount))
    const wanted = { type, amount, why }
    expect(await incidentOf(payment.id)).toMatchObject(wanted)
    // The same event once more and a second of its kind, at once; then our own questions.
    await eventAgain(payment)
    for (let times = 0; times < 2; times += 1) await askedAgain(payment)
    expect(await incidentsOf(payment)).toEqual([wanted])
    await booksAgree(app)
  })

  it('a dispute opens one incident, found by the payment that its event names', async () => {
    const payment = await paidBy('4000000000000259')
    expect(await incidentOf(payment.id)).toMatchObject({
      ...{ type: 'REVERSED_AFTER_SUCCESS', amount: 106_00n },
      ...{ currency: 'USD', status: 'OPEN', why: 'CHARGEBACK' },
    })
    expect((await shop.get(`/transactions/${payment.id}/`)).data.status).toBe('SUCCESS')
    await booksAgree(app)
  })
})

describe('the account’s secrets', () => {
  it('former ones verify events until they are retired', async () => {
    const account = async () => {
      const found = await findFoundGateway(app.service.db, code)
      assert(found !== undefined, 'the account is there')
      return found
    }
    const secrets = { secret_key: `sk_test_${'b'.repeat(24)}`, webhook_secret: 'whsec_fresh123' }
    await setNextSecrets(deps, stripeAdapter, { account: await account(), secrets })
    await promoteSecrets(deps, await account())
    const proofOf = async (id: string) => {
      const [row] = await app.owner<Json[]>`
        select c.proof from gateway_callbacks c
          join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
         where a.transaction_id = ${id}`
      return row?.proof
    }
    const signed = await paidBy()
    expect(await proofOf(signed.id)).toBe('SIGNED')
    await retireSecrets(deps, await account())
    await eventually(async () => {
      const { data } = await pay()
      await stripe.pay((await attemptOf(data.id)).our_key)
      await eventually(async () => expect(await proofOf(data.id)).toBeDefined())
      expect(await proofOf(data.id)).toBe('UNSIGNED')
    })
  })
})
