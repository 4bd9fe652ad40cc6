// An account whose payers go to their operator's page: paid there, tried twice, left, lost, forged;
// payouts that end at once; refunds in full. Over the operator's own wire.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWave, type Wave } from '../../../simulator/src/dialects/wave/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { waveAdapter } from '../../src/gateways/wave-business-api/wave-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { refundingShop } from '../setup/refunds.ts'
import { webhookSecret, withWave } from '../setup/wave-account.ts'

const code = 'wave_sn_test'

let app: TestApp
let wave: Wave
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  wave = await startWave({ port: 0, speed: 4, misbehaves: true })
  wave.register({
    ...{ url: `${app.url}/callbacks/${code}`, secrets: [webhookSecret] },
    strategy: 'SIGNING_SECRET',
  })
  shop = await refundingShop(app)
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = withWave(wave)
  const account = await addAccount(deps, waveAdapter, {
    ...{ code, name: 'Wave Sénégal', environment: 'SANDBOX', country: 'SN' },
    ...{ settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  for (const direction of ['COLLECT', 'DISBURSE']) {
    const route = { network: 'wave_sn', gateway: code, direction, priority: 9 }
    const made = await staff.post('/admin/routes/', route)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
})
afterAll(async () => {
  await app?.stop()
  await wave?.stop()
})

let numbers = 0
function payerWith(last: string) {
  numbers += 1
  const phone = `+22177${String(numbers).padStart(7 - last.length, '0')}${last}`
  return { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
}

const payBy = (customer: ReturnType<typeof payerWith>) =>
  shop.pay({ country: 'SN', network: 'wave_sn', customer, preferred_gateway: code })

/** A payment whose page the payer has: with 10 they decide on it. */
async function begun(last = '10') {
  const customer = payerWith(last)
  const { status, data, body } = await payBy(customer)
  expect(status, JSON.stringify(body)).toBe(201)
  return { ...data, customer }
}

const actOn = (page: string, act: 'pay' | 'fail') =>
  fetch(page, { method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' })

const booksOf = (mobile: string) => wave.books().filter((one) => one.mobile === mobile)

const callbacksOf = (id: string) => app.owner<Json[]>`
  select c.proof, c.outcome, c.request is not null as has_request
    from gateway_callbacks c
    join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
   where a.transaction_id = ${id}`

/** By our own questions, as fast as they may be put. */
const verifiedAs = (id: string, status: string): Promise<Json> =>
  eventually(async () => {
    const { data } = await shop.get(`/payments/${id}/verify/`)
    expect(data.status).toBe(status)
    return data
  }, 30_000)

async function paid() {
  const payment = await begun()
  await actOn(payment.checkout_url, 'pay')
  return shop.becomes(payment.id, 'SUCCESS')
}

describe('a payment on the operator’s page', () => {
  it('ends SUCCESS by the signed callback, once, with what was asked for', async () => {
    const { id, checkout_url, next_action, customer } = await begun()
    expect([next_action, checkout_url]).toEqual([
      'REDIRECT',
      expect.stringMatching(`^${wave.url}/c/cos-`),
    ])
    await actOn(checkout_url, 'pay')
    const done = await shop.becomes(id, 'SUCCESS')
    expect(done.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'CALLBACK' }])
    const amount = String(Number(done.debited_amount))
    expect(booksOf(customer.phone)).toMatchObject([{ status: 'complete', amount }])
    expect(await callbacksOf(id)).toEqual([
      { proof: 'SIGNED', outcome: 'APPLIED', has_request: true },
    ])
  })

  it('whose first try failed ends SUCCESS by the second, once', async () => {
    const before = await shop.balance('SN')
    const { id, checkout_url } = await begun()
    await actOn(checkout_url, 'fail')
    await eventually(async () => expect(await callbacksOf(id)).toHaveLength(1))
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
    await actOn(checkout_url, 'pay')
    await shop.becomes(id, 'SUCCESS')
    const after = await shop.balance('SN')
    expect(Number(after.available_amount) - Number(before.available_amount)).toBe(5_000)
  })

  it.each([
    ['01', 'INSUFFICIENT_FUNDS'],
    ['03', 'PAYER_NOT_FOUND'],
  ])('that its payer leaves ends FAILED as the last try says: %s', async (last, failure_code) => {
    const { id } = await begun(last)
    expect(await verifiedAs(id, 'FAILED')).toMatchObject({ failure_code })
  })

  it.each(['07', '08'])('is booked once, whatever its callbacks do: %s', async (last) => {
    const customer = payerWith(last)
    const { data } = await payBy(customer)
    await shop.becomes(data.id, 'SUCCESS')
    expect(booksOf(customer.phone)).toHaveLength(1)
    const attempts = (await shop.get(`/transactions/${data.id}/`)).data.attempts
    expect(attempts).toHaveLength(1)
  })

  it('whose answer was lost is found by a search, adopted and paid once', async () => {
    const customer = payerWith('9912')
    const { data } = await payBy(customer)
    expect(data).toMatchObject({ status: 'PENDING', checkout_url: '' })
    await verifiedAs(data.id, 'SUCCESS')
    expect(booksOf(customer.phone)).toMatchObject([{ status: 'complete' }])
  })

  it('is believed by no forged callback, and a test of the portal is answered', async () => {
    const { id, checkout_url } = await begun()
    const [session] = wave.books().filter((one) => checkout_url.endsWith(one.id))
    const forged = JSON.stringify({
      ...{ id: 'EV_1', type: 'checkout.session.completed' },
      data: {
        ...{ id: session?.id, client_reference: session?.reference, currency: 'XOF' },
        ...{ amount: '5163', checkout_status: 'complete', payment_status: 'succeeded' },
      },
    })
    const t = Math.floor(Date.now() / 1000)
    const told = await fetch(`${app.url}/callbacks/${code}`, {
      method: 'POST',
      headers: { 'wave-signature': `t=${t},v1=${'0'.repeat(64)}` },
      body: forged,
    })
    expect(told.status).toBe(200)
    await shop.get(`/payments/${id}/verify/`)
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
    expect(await wave.sendTest()).toBe(200)
    const [kept] = await app.owner<Json[]>`
      select count(*)::int as n from gateway_callbacks where attempt_id is null`
    expect(kept.n).toBe(0)
  })

  it('of another sum is not booked, and people are told', async () => {
    const customer = payerWith('9910')
    const { data } = await payBy(customer)
    await eventually(async () => {
      const [row] = await app.owner<Json[]>`
        select type, amount from incidents where transaction_id = ${data.id}`
      const [{ asked = 0n } = {}] = await app.owner<Json[]>`
        select debited_amount as asked from attempts where transaction_id = ${data.id}`
      expect(row).toMatchObject({ type: 'AMOUNT_MISMATCH', amount: asked - 100n })
    })
  })

  it('that the operator refuses to make goes on to the next route', async () => {
    const { data } = await payBy(payerWith('06'))
    const { attempts } = (await shop.get(`/transactions/${data.id}/`)).data
    expect(attempts[0]).toMatchObject({
      ...{ gateway_code: code, status: 'FAILED', failure_code: 'GATEWAY_UNAVAILABLE' },
    })
    expect(attempts[1].gateway_code).not.toBe(code)
  })
})

describe('a payout', () => {
  it('ends with its answer, and a refusal gives its hold back', async () => {
    await shop.post('/sandbox/balances/', { country: 'SN', amount: '50000' })
    const member = await app.member({ merchant_id: shop.merchant_id })
    const payOut = (last: string) => {
      const { phone: msisdn, ...customer } = payerWith(last)
      return member.post('/payouts/initialize/', {
        ...{ amount: '1000', currency: 'XOF', country: 'SN', method: 'wave_sn' },
        ...{ recipient: { msisdn }, customer, preferred_gateway: code },
      })
    }
    const done = await payOut('10')
    expect(done.status, JSON.stringify(done.body)).toBe(201)
    await shop.becomes(done.data.id, 'SUCCESS')
    const before = await shop.balance('SN')
    const refused = await payOut('03')
    expect(await shop.becomes(refused.data.id, 'FAILED')).toMatchObject({
      failure_code: 'RECIPIENT_NOT_FOUND',
    })
    expect(await shop.balance('SN')).toEqual(before)
    const lost = await payOut('9912')
    await shop.becomes(lost.data.id, 'SUCCESS', 30_000)
    const payouts = wave.books().filter(({ kind }) => kind === 'payout')
    expect(payouts.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    await comesBack(done.data)
  })

  /** Two of the staff ask for it, and the operator gives it back with its fee. */
  async function comesBack({ id }: Json): Promise<void> {
    const [first, second] = [await app.staff(), await app.staff()]
    const proposed = await first.post(`/admin/transactions/${id}/reverse/`, {
      note: 'Wrong number',
    })
    expect(proposed.status).toBe(202)
    const agreed = await second.post(`/admin/proposals/${proposed.data.id}/confirm/`, {})
    expect(agreed.status).toBe(200)
    const back = await eventually(async () => {
      const { data } = await shop.get(`/transactions/${id}/`)
      expect(data.returned_at).not.toBeNull()
      return data
    }, 20_000)
    const { net_amount, gateway_fee, returned_amount } = back
    expect(Number(returned_amount)).toBe(Number(net_amount) + Number(gateway_fee))
    const statuses = wave.books().filter(({ kind }) => kind === 'payout')
    expect(statuses.map(({ status }) => status).toSorted()).toEqual(['reversed', 'succeeded'])
  }
})

describe('a refund', () => {
  it('is the operator’s own, in full, once', async () => {
    await shop.post('/sandbox/balances/', { country: 'SN', amount: '50000' })
    const payment = await paid()
    const part = await shop.post(`/payments/${payment.id}/refunds/`, { amount: '1000' })
    expect(part.status).toBeGreaterThanOrEqual(400)
    const made = await shop.post(`/payments/${payment.id}/refunds/`, {})
    expect([made.status, made.data?.method]).toEqual([201, 'OPERATOR'])
    await eventually(async () => {
      const { data } = await shop.get(`/refunds/${made.data.id}/`)
      expect(data).toMatchObject({ status: 'SUCCESS', amount: payment.debited_amount })
    })
    const back = wave.books().filter(({ refunded }) => refunded)
    expect(back).toHaveLength(1)
  })
})
