// A payout whose outcome nobody knows may have been paid. The same again, to the same number, waits
// for a second person: no merchant switches that off, and nothing is sent before that word. So it is
// with what gives a payment back, by payout or by its operator. One that is known to be paid is only
// warned of.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import {
  type Json,
  newPayer,
  payer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { openPayingShop, payout } from '../setup/payout-calls.ts'
import { refund } from '../setup/refunds.ts'
import { waitedFor } from '../setup/waited-for.ts'

let app: TestApp
let shop: Shop
let owner: SignedInCaller
let finance: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  const opened = await openPayingShop(app)
  shop = opened.shop
  owner = opened.owner
  finance = opened.finance
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

async function pay(phone: string, amount = '7000', more: object = {}) {
  const made = await shop.post('/payouts/initialize/', {
    ...{ amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    ...more,
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.data
}

const unknownNow = (id: string) => app.owner`
  update attempts set status = 'UNKNOWN', due_at = now() + interval '1 day'
   where transaction_id = ${id}`

/** One that its operator keeps, and of which nobody says what became of it. */
async function unknown(amount = '7000', more: object = {}) {
  const { phone } = newPayer('04')
  const { id } = await pay(phone, amount, more)
  await unknownNow(id)
  return { id, phone }
}

const attemptsOf = async (id: string) => (await owner.get(`/transactions/${id}/`)).data.attempts
const waits = { approval: 'REQUIRED', status: 'PENDING' }

describe('the same payout again while the outcome of the first is unknown', () => {
  it('waits for a second person and says why; nothing is sent before', async () => {
    const first = await unknown()
    const again = await pay(first.phone)
    expect(again).toMatchObject(waits)
    expect(again.warning).toMatchObject({ code: 'POSSIBLE_DUPLICATE', transaction: first.id })
    expect(again.warning.message).toContain('another member must approve')
    const seen = (await finance.get(`/transactions/${again.id}/`)).data
    expect(seen).toMatchObject({ may_approve: true, approval_after: first.id, attempts: [] })
    const agreed = await finance.post(`/payouts/${again.id}/approve/`, {})
    expect(agreed.status, JSON.stringify(agreed.body)).toBe(200)
    expect(await attemptsOf(again.id)).toHaveLength(1)
    expect((await owner.get(`/transactions/${again.id}/`)).data.approval_after).toBe(null)
  })

  it('is not sent by a third one either, and a refusal gives its money back', async () => {
    const first = await unknown('7100')
    const [one, two] = await Promise.all([pay(first.phone, '7100'), pay(first.phone, '7100')])
    for (const made of [one, two]) {
      expect(made).toMatchObject(waits)
      const ended = await finance.post(`/payouts/${made?.id}/reject/`, { reason: 'paid already' })
      expect(ended.status, JSON.stringify(ended.body)).toBe(200)
      expect((await shop.get(`/transactions/${made?.id}/`)).data.status).toBe('FAILED')
    }
  })

  it('is the same where its receiver would get as much by another way of the fee', async () => {
    const first = await unknown('7200', { fee_charge_mode: 'DEDUCTED' })
    const [row] = await app.owner<{ net: string }[]>`
      select (net_amount / 100)::text as net from transactions where id = ${first.id}`
    expect(row?.net).not.toBe('7200')
    expect(await pay(first.phone, row?.net, { fee_charge_mode: 'ADD_ON' })).toMatchObject(waits)
  })

  it('counts also where the process that sent it is gone without an answer', async () => {
    const first = await unknown('7300')
    await app.owner`
      update attempts set status = 'PENDING', accepted_at = null, external_reference = '',
             created_at = now() - interval '6 seconds'
       where transaction_id = ${first.id}`
    expect(await pay(first.phone, '7300')).toMatchObject(waits)
  })

  it('counts also where its operator has made a reference, and has not said that it pays', async () => {
    const first = await unknown('7350')
    await app.owner`
      update attempts set status = 'PENDING', accepted_at = null, external_reference = 'payouts 17',
             created_at = now() - interval '6 seconds'
       where transaction_id = ${first.id}`
    expect(await pay(first.phone, '7350')).toMatchObject(waits)
    await app.owner`
      update attempts set accepted_at = now() where transaction_id = ${first.id}`
    expect((await pay(first.phone, '7350')).approval).toBe(null)
  })

  it('goes by itself to another number, of another sum, or a day later', async () => {
    const first = await unknown('7400')
    expect((await pay(newPayer().phone, '7400')).approval).toBe(null)
    expect((await pay(first.phone, '7401')).approval).toBe(null)
    await app.owner`
      update attempts set created_at = now() - interval '25 hours'
       where transaction_id = ${first.id}`
    expect((await pay(first.phone, '7400')).approval).toBe(null)
  })

  it('goes by itself once the first has ended, or while its operator has it in hand', async () => {
    const { phone } = newPayer('04')
    await pay(phone, '7500')
    const again = await pay(phone, '7500')
    expect(again.approval).toBe(null)
    expect(again.warning.message).toContain('minutes ago')
  })

  it('is foretold by a quote', async () => {
    const first = await unknown('7600')
    const quote = (phone: string) =>
      shop.get(
        `/quotes/?kind=PAYOUT&amount=7600&country=BJ&network=mtn_bj&msisdn=${encodeURIComponent(phone)}`,
      )
    const [same, other] = [await quote(first.phone), await quote(newPayer().phone)]
    expect(same.status, JSON.stringify(same.body)).toBe(200)
    expect([same.data.needs_approval, other.data.needs_approval]).toEqual([true, false])
  })
})

/** A payment by that phone. */
async function paid(phone: string) {
  const made = await shop.pay({ amount: '10000', customer: payer(phone) })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { id } = made.data
  await shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'SUCCESS' })
  await shop.becomes(id, 'SUCCESS', 20_000)
  return made.data
}

/** It is so old now that a refund of it is a payout. */
const ages = ({ id }: Json) => app.owner`
  update attempts set finished_at = now() - interval '181 days' where transaction_id = ${id}`

async function payable(phone: string) {
  const payment = await paid(phone)
  await ages(payment)
  return payment
}

const refundIs = (id: string, what: 'unknown' | 'unanswered') =>
  what === 'unknown'
    ? app.owner`
        update attempts set status = 'UNKNOWN', due_at = now() + interval '1 day'
         where refund_id = ${id}`
    : app.owner`
        update attempts set status = 'PENDING', accepted_at = null, external_reference = '',
               due_at = now() + interval '1 day'
         where refund_id = ${id}`

/** Given back by its operator, who keeps it and says nothing of it. */
async function givenBack(
  payment: Json,
  amount: string,
  what: 'unknown' | 'unanswered' = 'unknown',
) {
  const { data } = await refund(shop, payment, { amount, reason: 'sandbox:04' })
  expect(data).toMatchObject({ method: 'OPERATOR', waiting_for: null })
  await refundIs(data.id, what)
  return data
}

describe('a refund by payout of the same sum to the same number', () => {
  it('waits for a second member and says why; another sum goes by itself', async () => {
    const { phone } = newPayer('04')
    const payment = await payable(phone)
    const first = await pay(phone, '7700')
    await unknownNow(first.id)
    const body = { amount: '7700', reason: 'sandbox:04' }
    const seen = await shop.post(`/payments/${payment.id}/refunds/preview/`, body)
    expect(seen.data).toMatchObject({ method: 'PAYOUT', waiting_for: 'SECOND_MEMBER' })
    const held = await refund(shop, payment, body)
    expect(held.data).toMatchObject({
      ...{ waiting_for: 'SECOND_MEMBER', approval_after: first.id, attempts: [] },
    })
    const other = await refund(shop, payment, { amount: '1000' })
    expect(other.data).toMatchObject({ waiting_for: null, approval_after: null })
    const agreed = await finance.post(`/refunds/${held.data.id}/approve/`)
    expect(agreed.data, JSON.stringify(agreed.body)).toMatchObject({
      ...{ waiting_for: null, approval_after: null },
    })
    expect(agreed.data.attempts).toHaveLength(1)
  }, 40_000)

  it('of which nobody knows what became guards the next refund, and a payout', async () => {
    const { phone } = newPayer('04')
    const payment = await payable(phone)
    const first = await refund(shop, payment, { amount: '3100', reason: 'sandbox:04' })
    expect(first.data).toMatchObject({ method: 'PAYOUT', waiting_for: null })
    await app.owner`
      update attempts set status = 'UNKNOWN', due_at = now() + interval '1 day'
       where refund_id = ${first.data.id}`
    const again = await refund(shop, payment, { amount: '3100', reason: 'sandbox:04' })
    expect(again.data).toMatchObject({
      ...{ waiting_for: 'SECOND_MEMBER', approval_after: payment.id },
    })
    const paidOut = await pay(phone, '3100')
    expect(paidOut).toMatchObject(waits)
    expect(paidOut.warning).toMatchObject({ transaction: payment.id })
    expect(paidOut.warning.message).toContain('the same refund')
  }, 40_000)
})

describe('a refund by its operator of which nobody knows what became', () => {
  it('guards a refund by payout of the same sum, however long ago it was; another goes by itself', async () => {
    const payment = await paid(newPayer('04').phone)
    const first = await givenBack(payment, '4100')
    await ages(payment)
    await app.owner`
      update attempts set created_at = now() - interval '60 hours' where refund_id = ${first.id}`
    const held = await refund(shop, payment, { amount: '4100', reason: 'sandbox:04' })
    expect(held.data, JSON.stringify(held.body)).toMatchObject({
      ...{ method: 'PAYOUT', waiting_for: 'SECOND_MEMBER', approval_after: payment.id },
      attempts: [],
    })
    const other = await refund(shop, payment, { amount: '1000' })
    expect(other.data).toMatchObject({ method: 'PAYOUT', waiting_for: null })
    const no = await finance.post(`/refunds/${held.data.id}/reject/`, { reason: 'paid already' })
    expect(no.data).toMatchObject({ status: 'FAILED', attempts: [] })
  }, 40_000)

  it('guards a payout to that number, and a refund of another payment of it', async () => {
    const { phone } = newPayer('04')
    const [payment, other] = [await paid(phone), await payable(phone)]
    await givenBack(payment, '4200')
    const paidOut = await pay(phone, '4200')
    expect(paidOut).toMatchObject(waits)
    expect(paidOut.warning).toMatchObject({ transaction: payment.id })
    const held = await refund(shop, other, { amount: '4200' })
    expect(held.data).toMatchObject({
      ...{ method: 'PAYOUT', waiting_for: 'SECOND_MEMBER', approval_after: payment.id },
    })
  }, 40_000)

  it('guards the next part of that sum by the same operator; known, it guards nothing', async () => {
    const payment = await paid(newPayer('04').phone)
    const first = await givenBack(payment, '4300')
    const again = await refund(shop, payment, { amount: '4300' })
    expect(again.data).toMatchObject({
      ...{ method: 'OPERATOR', waiting_for: 'SECOND_MEMBER', approval_after: payment.id },
    })
    expect((await shop.post(`/refunds/${again.data.id}/cancel/`)).status).toBe(200)
    await app.owner`
      update attempts set status = 'PENDING', external_reference = 'OP-1', accepted_at = now()
       where refund_id = ${first.id}`
    const third = await refund(shop, payment, { amount: '4300' })
    expect(third.data).toMatchObject({ method: 'OPERATOR', waiting_for: null })
  }, 40_000)

  it('is guarded itself by a payout to that number', async () => {
    const { phone } = newPayer('04')
    const payment = await paid(phone)
    const first = await pay(phone, '4400')
    await unknownNow(first.id)
    const held = await refund(shop, payment, { amount: '4400' })
    expect(held.data).toMatchObject({
      ...{ method: 'OPERATOR', waiting_for: 'SECOND_MEMBER', approval_after: first.id },
    })
  }, 40_000)

  it('guards another way of its payment from its first moment, whoever is quicker', async () => {
    const payment = await paid(newPayer('04').phone)
    await givenBack(payment, '4500', 'unanswered')
    await ages(payment)
    const held = await refund(shop, payment, { amount: '4500' })
    expect(held.data).toMatchObject({
      ...{ method: 'PAYOUT', waiting_for: 'SECOND_MEMBER', approval_after: payment.id },
    })
  }, 40_000)

  it('is seen by one that waited for its payment’s lock while it became so', async () => {
    const payment = await paid(newPayer('04').phone)
    const first = await refund(shop, payment, { amount: '4600', reason: 'sandbox:04' })
    expect(first.data).toMatchObject({ method: 'OPERATOR', waiting_for: null })
    await ages(payment)
    let second: Promise<Json> | undefined
    await app.owner.begin(async (tx) => {
      await tx`select 1 from transactions where id = ${payment.id} for update`
      second = refund(shop, payment, { amount: '4600' })
      await waitedFor(app.owner, tx)
      await tx`
        update attempts set status = 'UNKNOWN', due_at = now() + interval '1 day'
         where refund_id = ${first.data.id}`
    })
    expect((await second)?.data).toMatchObject({
      ...{ method: 'PAYOUT', waiting_for: 'SECOND_MEMBER', approval_after: payment.id },
    })
  }, 40_000)
})

describe('the same sum to the same phone minutes later', () => {
  it('is paid, with a warning that names the first; another sum or a failed one warns of nothing', async () => {
    const body = payout('7000')
    const send = (changes: object = {}) =>
      shop.post('/payouts/initialize/', { ...body, ...changes })
    const first = await send()
    expect(first.data.warning).toBe(null)
    const again = await send()
    expect(again.status).toBe(201)
    expect(again.data.warning).toMatchObject({
      code: 'POSSIBLE_DUPLICATE',
      transaction: first.data.id,
    })
    expect((await send({ amount: '7001' })).data.warning).toBe(null)
    const nobody = payout('7000', '03')
    await shop.post('/payouts/initialize/', nobody)
    expect((await shop.post('/payouts/initialize/', nobody)).data.warning).toBe(null)
  })
})
