// An operator that signs its callbacks and calls one fixed address: a signed callback settles a
// payment by itself and releases no hold; a key that is not known yet is read soon, and what it
// signed is judged again; answers that are lost, late, doubled or refused.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  payer,
  type Shop,
  startApp,
  type TestApp,
} from '../harness.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'
import { refund, refundEnds, refundedOf, refundingShop } from '../setup/refunds.ts'

const code = 'pawapay_sandbox'

let app: TestApp
let pawapay: Pawapay
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  pawapay = await startPawapay({ port: 0, speed: 4, misbehaves: true })
  const address = `${app.url}/callbacks/${code}`
  pawapay.setCallbacks({ deposits: address, payouts: address, refunds: address })
  shop = await app.shop()
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = pawapayAccount(pawapay)
  const account = await addAccount(deps, pawapayAdapter, {
    ...{ code, name: 'pawaPay', environment: 'SANDBOX', country: 'BJ', settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  for (const direction of ['COLLECT', 'DISBURSE']) {
    const route = { network: 'mtn_bj', gateway: code, direction, priority: 9 }
    const made = await staff.post('/admin/routes/', route)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
  await keysRead()
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await pawapay?.stop()
})

/** The job has read the operator's keys, and the process has them. */
const keysRead = () =>
  eventually(async () => {
    const { data } = await pay('10')
    await shop.becomes(data.id, 'SUCCESS')
    expect(await callbacksOf(data.id)).toMatchObject([{ proof: 'SIGNED' }])
  }, 40_000)

let planted = 0
/** With four digits it is one of the numbers that misbehave. */
function payerWith(last: string) {
  planted += 1
  return last.length === 2 ? newPayer(last) : payer(`+22901${96_00 + planted}${last}`)
}

const pay = (last: string) => shop.pay({ customer: payerWith(last), preferred_gateway: code })

const callbacksOf = (id: string): Promise<Json[]> => app.owner<Json[]>`
  select c.proof, c.outcome from gateway_callbacks c
    join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
   where a.transaction_id = ${id}`

const gatewaysOf = async (id: string): Promise<string[]> => {
  const { data } = await shop.get(`/transactions/${id}/`)
  return data.attempts.map((attempt: Json) => attempt.gateway_code)
}

const booksOf = (phone: string) => pawapay.books().filter((one) => `+${one.msisdn}` === phone)

async function payOut(last: string) {
  const member = await app.member({ merchant_id: shop.merchant_id })
  return member.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer(last).phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    preferred_gateway: code,
  })
}

describe('a payment', () => {
  it('ends SUCCESS by a signed callback alone, and the operator took it once', async () => {
    const customer = newPayer('10')
    const begun = await shop.pay({ customer, preferred_gateway: code })
    expect(begun.status, JSON.stringify(begun.body)).toBe(201)
    expect(begun.data).toMatchObject({ status: 'PENDING', next_action: 'APPROVE_ON_PHONE' })
    const paid = await shop.becomes(begun.data.id, 'SUCCESS')
    expect(paid.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'CALLBACK' }])
    expect(await gatewaysOf(begun.data.id)).toEqual([code])
    expect(await callbacksOf(begun.data.id)).toEqual([{ proof: 'SIGNED', outcome: 'APPLIED' }])
    expect(booksOf(customer.phone)).toMatchObject([
      { operation: 'deposits', status: 'COMPLETED', amount: '5163', currency: 'XOF' },
    ])
  })

  it.each([
    ['01', 'INSUFFICIENT_FUNDS'],
    ['02', 'NOT_APPROVED'],
  ])('ends FAILED as the operator says when it is over: %s', async (last, failure_code) => {
    const { data } = await pay(last)
    expect(await shop.becomes(data.id, 'FAILED')).toMatchObject({ failure_code })
    expect(await gatewaysOf(data.id)).toEqual([code])
  })

  it('is refused at once for its payer, and goes to another operator when this one is down', async () => {
    const nobody = await pay('03')
    expect(nobody.data).toMatchObject({ status: 'FAILED', failure_code: 'PAYER_NOT_FOUND' })
    expect(await gatewaysOf(nobody.data.id)).toEqual([code])
    const down = await pay('06')
    expect((await gatewaysOf(down.data.id)).slice(0, 2)).toEqual([code, 'simulator_a'])
  })

  it.each(['05', '07', '08', '9912', '9914', '9915'])(
    'ends SUCCESS once, whatever became of the answer: %s',
    async (last) => {
      const customer = payerWith(last)
      const { data } = await shop.pay({ customer, preferred_gateway: code })
      await shop.becomes(data.id, 'SUCCESS', 60_000)
      expect(await gatewaysOf(data.id)).toEqual([code])
      expect(booksOf(customer.phone).map(({ status }) => status)).toEqual(['COMPLETED'])
    },
    90_000,
  )

  it('is not settled by a callback without a signature: the operator is asked', async () => {
    const { data } = await pay('9913')
    const paid = await shop.becomes(data.id, 'SUCCESS', 60_000)
    expect(paid.status_logs).toMatchObject([{ triggered_by: 'POLLER' }])
    expect(await callbacksOf(data.id)).toEqual([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
  }, 90_000)

  it('stays open after a 500, and is sent nowhere else', async () => {
    const customer = payerWith('9911')
    const { data } = await shop.pay({ customer, preferred_gateway: code })
    await shop.get(`/payments/${data.id}/verify/`)
    expect((await shop.get(`/transactions/${data.id}/`)).data.status).toBe('PENDING')
    expect([await gatewaysOf(data.id), booksOf(customer.phone)]).toEqual([[code], []])
  })

  it('is not booked when another amount came than was asked for', async () => {
    const before = await shop.balance()
    const { data } = await pay('9910')
    await eventually(async () => {
      const [row] = await app.owner<Json[]>`
        select type, amount from incidents where transaction_id = ${data.id}`
      expect(row).toMatchObject({ type: 'AMOUNT_MISMATCH', amount: 516_200n })
    })
    expect(await shop.balance()).toEqual(before)
  })
})

describe('a payout', () => {
  it('is paid once; one that fails gives its hold back, and not by a callback alone', async () => {
    const paid = await payOut('10')
    expect(paid.status, JSON.stringify(paid.body)).toBe(201)
    await shop.becomes(paid.data.id, 'SUCCESS')
    const before = await shop.balance()
    const failed = await payOut('02')
    const ended = await shop.becomes(failed.data.id, 'FAILED')
    expect(ended).toMatchObject({ failure_code: 'RECIPIENT_NOT_FOUND' })
    expect(ended.status_logs).toMatchObject([{ to_status: 'FAILED', triggered_by: 'POLLER' }])
    expect(await callbacksOf(failed.data.id)).toMatchObject([{ proof: 'SIGNED' }])
    const nobody = await payOut('03')
    await shop.becomes(nobody.data.id, 'FAILED')
    expect(await shop.balance()).toEqual(before)
  })

  it('waits for a float that the operator does not hold for us, with its hold', async () => {
    const moved = pawapay.books().filter(({ status }) => status === 'COMPLETED')
    pawapay.holdFloat(-moved.reduce((sum, { amount }) => sum + Number(amount), 0))
    const { data } = await payOut('10')
    pawapay.holdFloat(100_000_000)
    const attempts = (await shop.get(`/transactions/${data.id}/`)).data.attempts
    expect(attempts[0]).toMatchObject({ gateway_code: code, status: 'FAILED' })
    await shop.becomes(data.id, 'SUCCESS', 60_000)
  }, 90_000)
})

describe('a refund', () => {
  it('is made by the operator that collected, in parts, each once', async () => {
    const giving = await refundingShop(app)
    const begun = await giving.pay({ customer: newPayer('10'), preferred_gateway: code })
    await giving.becomes(begun.data.id, 'SUCCESS')
    for (const amount of ['2000', undefined]) {
      const made = await refund(giving, begun.data, amount === undefined ? {} : { amount })
      expect([made.status, made.data.method], JSON.stringify(made.body)).toEqual([201, 'OPERATOR'])
      await refundEnds(giving, made.data.id, 'SUCCESS', 40_000)
    }
    expect(await refundedOf(giving, begun.data)).toMatchObject({ refund_status: 'FULL' })
    const given = pawapay.books().filter(({ operation }) => operation === 'refunds')
    expect(given.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED'])
    expect(given.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(5163)
  }, 90_000)
})

describe('a key that is not known yet', () => {
  it('proves nothing until it is read, then what it signed is judged again as it came', async () => {
    // The process has asked a moment ago, so it asks again in a minute at the earliest.
    await app.owner`update gateways set keys_asked_at = now() where code = ${code}`
    pawapay.rotateKey()
    const { data } = await pay('10')
    await eventually(async () => {
      expect(await callbacksOf(data.id)).toEqual([{ proof: 'UNSIGNED', outcome: 'WAITING' }])
      const [row] = await app.owner`select keys_wanted from gateways where code = ${code}`
      expect(row).toEqual({ keys_wanted: true })
    })
    // By asking, since nothing else proves it.
    const paid = await shop.becomes(data.id, 'SUCCESS')
    expect(paid.status_logs).toMatchObject([{ triggered_by: 'POLLER' }])
    const read = () => app.owner<Json[]>`
      select key_id from gateway_keys k join gateways g on g.id = k.gateway_id
       where g.code = ${code} order by key_id`
    expect(await read()).toHaveLength(1)
    await app.owner`
      update gateways set keys_asked_at = now() - interval '60 seconds' where code = ${code}`
    await eventually(async () => expect(await read()).toHaveLength(2), 60_000)
    await app.owner`update gateway_callbacks set due_at = now() - interval '1 s' where outcome = 'WAITING'`
    await eventually(async () => {
      expect(await callbacksOf(data.id)).toEqual([{ proof: 'SIGNED', outcome: 'APPLIED' }])
    }, 60_000)
    const next = await pay('10')
    const after = await shop.becomes(next.data.id, 'SUCCESS')
    expect(after.status_logs).toMatchObject([{ triggered_by: 'CALLBACK' }])
  }, 120_000)
})
