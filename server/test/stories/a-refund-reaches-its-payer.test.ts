// Money of a payment goes back to its payer: it leaves the balance at once, reaches the payer once,
// whole or in parts, and never more of it than was paid.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listExposed } from '../../src/attempts/exposure-statements.ts'
import { startApp, type TestApp } from '../harness.ts'
import { textOf } from '../setup/pdf-text.ts'
import {
  booksAgree,
  paidPayment,
  refund,
  refundEnds,
  refundedOf,
  refundingShop,
  sumsOf,
} from '../setup/refunds.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await booksAgree(app).finally(() => app.stop())
})

const typesOf = async (payment_id: string) => {
  const rows = await app.owner<{ type: string }[]>`
    select type from events where transaction_id = ${payment_id} order by id`
  return rows.map(({ type }) => type)
}

/** What was ever held for a refund: a row of `holds` stays, also when the refund has ended. */
const heldFor = async (refund_id: string) => {
  const rows = await app.owner<{ amount: bigint }[]>`
    select amount from holds where cause_id = ${refund_id}`
  return rows.map(({ amount }) => (Number(amount) / 100).toFixed(2))
}

describe('a whole refund', () => {
  it('holds what it gives back, and the payer has it when the operator says so', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
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
    expect(made.data.msisdn_masked).toMatch(/^\*+\d\d$/)
    const left = (15_000 - Number(payment.debited_amount)).toFixed(2)
    expect((await sumsOf(shop))[0]).toBe(left)
    expect(await heldFor(made.data.id)).toEqual([payment.debited_amount])
    const done = await refundEnds(shop, made.data.id, 'SUCCESS')
    expect(done.attempts).toHaveLength(1)
    expect(done.external_reference).not.toBe('')
    expect(await sumsOf(shop)).toEqual([left, '0.00'])
    expect(await refundedOf(shop, payment)).toEqual({
      status: 'SUCCESS',
      refunded_amount: payment.debited_amount,
      refundable_amount: '0.00',
      refund_status: 'FULL',
    })
    const entries = await shop.get('/merchant-ledger-entries/')
    expect(entries.data.results[0]).toMatchObject({
      transaction: payment.id,
      reference: payment.reference,
      direction: 'DEBIT',
    })
  })

  it('is told: created, success, and the totals of the payment', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment)
    await refundEnds(shop, made.data.id, 'SUCCESS')
    expect(await typesOf(payment.id)).toEqual([
      'transaction.created',
      'transaction.success',
      'refund.created',
      'refund.success',
      'transaction.refunded',
    ])
    const feed = await shop.get('/events/')
    const told = feed.data.results.find(
      ({ type, event }: Record<string, string>) => (type ?? event) === 'transaction.refunded',
    )
    expect(told.data).toMatchObject({
      id: payment.id,
      refund: made.data.id,
      refund_status: 'FULL',
      refunded_amount: payment.debited_amount,
      version: payment.version + 1,
    })
  })

  it('under one key is one refund, and the key is answered again', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const all = await Promise.all(
      Array.from({ length: 10 }, () =>
        untilServed(() => refund(shop, payment, { amount: '4000' }, 'once')),
      ),
    )
    expect(all.every(({ status }) => status === 201 || status === 409)).toBe(true)
    const ids = new Set(all.filter(({ status }) => status === 201).map(({ data }) => data.id))
    expect(ids.size).toBe(1)
    const again = await refund(shop, payment, { amount: '4000' }, 'once')
    expect([again.status, ids.has(again.data.id)]).toEqual([201, true])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await refund(shop, payment, { amount: '4001' }, 'once')
    expect([other.status, other.error.code]).toEqual([409, 'idempotency_conflict'])
    await refundEnds(shop, again.data.id, 'SUCCESS')
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '4000.00' })
  })
})

describe('a refund by the operator that collected the money', () => {
  it('is counted in what its account has open, and not held at the limit', async () => {
    const limit = async (most: number | null) => {
      await app.owner`
        update gateways set exposure_limit_disburse = ${most}, payment_limit_disburse = ${most}
         where code like 'simulator%'`
      await app.owner`update catalogue_version set version = version + 1`
    }
    const shop = await refundingShop(app)
    const [one, other] = [await paidPayment(shop), await paidPayment(shop)]
    await limit(100)
    try {
      const open = await refund(shop, one, { reason: 'sandbox:04' })
      expect(open.data).toMatchObject({ status: 'PENDING', method: 'OPERATOR' })
      const exposed = await listExposed(app.service.db)
      const [account] = await app.owner<{ id: string }[]>`
        select gateway_id as id from attempts where refund_id = ${open.data.id}`
      expect(exposed).toMatchObject([{ gateway_id: account?.id, direction: 'DISBURSE' }])
      // Its account is full, and the payer of another payment is given theirs all the same.
      const made = await refund(shop, other)
      await refundEnds(shop, made.data.id, 'SUCCESS')
      const payout = await shop.post('/payouts/initialize/', {
        ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: '+2290197000010' },
      })
      expect([payout.status, payout.data]).toEqual([400, undefined])
      const resolved = await shop.post(`/sandbox/refunds/${open.data.id}/resolve/`, {
        outcome: 'SUCCESS',
      })
      expect(resolved.status).toBe(200)
      await refundEnds(shop, open.data.id, 'SUCCESS')
    } finally {
      await limit(null)
    }
  })
})

describe('parts of a payment', () => {
  it('add up to the whole, each with its event, and no further', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const first = await refund(shop, payment, { amount: '4000' })
    await refundEnds(shop, first.data.id, 'SUCCESS')
    const rest = (Number(payment.debited_amount) - 4000).toFixed(2)
    expect(await refundedOf(shop, payment)).toEqual({
      status: 'SUCCESS',
      refunded_amount: '4000.00',
      refundable_amount: rest,
      refund_status: 'PARTIAL',
    })
    const second = await refund(shop, payment)
    expect(second.data.amount).toBe(rest)
    await refundEnds(shop, second.data.id, 'SUCCESS')
    const third = await refund(shop, payment)
    expect([third.status, third.error.code]).toEqual([409, 'not_refundable'])
    const one = await refund(shop, payment, { amount: '1' })
    expect([one.status, one.error.code]).toEqual([400, 'refund_too_large'])
    const listed = await shop.get(`/payments/${payment.id}/refunds/`)
    expect(listed.data.results.map(({ id }: { id: string }) => id)).toEqual([
      second.data.id,
      first.data.id,
    ])
    expect(listed.data.results[0].attempts).toHaveLength(1)
    expect(listed.data.results[0].attempts[0].id).not.toBe(listed.data.results[1].attempts[0].id)
  })

  it('asked for at once, of which two do not fit: one is made', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const body = { amount: '6000' }
    const both = await Promise.all([refund(shop, payment, body), refund(shop, payment, body)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    const whole = await paidPayment(shop)
    const two = await Promise.all([refund(shop, whole), refund(shop, whole)])
    expect(two.map(({ status }) => status).sort()).toEqual([201, 409])
    for (const { status, data } of [...both, ...two]) {
      if (status === 201) await refundEnds(shop, data.id, 'SUCCESS')
    }
  })

  it('racing the whole never pass what was paid', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    const all = await Promise.all([
      ...Array.from({ length: 12 }, () => refund(shop, payment, { amount: '1000' })),
      refund(shop, payment),
    ])
    const made = all.filter(({ status }) => status === 201)
    const sum = made.reduce((total, { data }) => total + Number(data.amount), 0)
    expect(sum).toBeLessThanOrEqual(Number(payment.debited_amount))
    await Promise.all(made.map(({ data }) => refundEnds(shop, data.id, 'SUCCESS')))
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: sum.toFixed(2) })
  })
})

describe('every magic ending of the sandbox', () => {
  it.each([
    ['sandbox:01', 'FAILED', 'INSUFFICIENT_FUNDS'],
    ['sandbox:02', 'FAILED', 'NOT_APPROVED'],
    ['sandbox:03', 'FAILED', 'RECIPIENT_NOT_FOUND'],
    ['sandbox:05', 'SUCCESS', ''],
    ['sandbox:07', 'SUCCESS', ''],
    ['sandbox:08', 'SUCCESS', ''],
    ['sandbox:10', 'SUCCESS', ''],
  ])('%s ends as %s %s, once', async (reason, status, failure_code) => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const before = await sumsOf(shop)
    const made = await refund(shop, payment, { reason })
    expect(made.status).toBe(201)
    const done = await refundEnds(shop, made.data.id, status)
    expect(done.failure_code).toBe(failure_code)
    if (status === 'SUCCESS') return
    expect(await sumsOf(shop)).toEqual(before)
    expect(await refundedOf(shop, payment)).toMatchObject({
      refund_status: 'NONE',
      refundable_amount: payment.debited_amount,
    })
    expect((await typesOf(payment.id)).slice(2)).toEqual(['refund.created', 'refund.failed'])
    const again = await refund(shop, payment)
    expect(again.status).toBe(201)
    await refundEnds(shop, again.data.id, 'SUCCESS')
  })

  it('sandbox:04 waits until it is verified to an end that the operator gives', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment, { reason: 'sandbox:04' })
    const verified = await shop.post(`/refunds/${made.data.id}/verify/`)
    expect([verified.status, verified.data.status]).toEqual([200, 'PENDING'])
    const ended = await shop.post(`/sandbox/refunds/${made.data.id}/resolve/`, {
      outcome: 'FAILED',
    })
    expect([ended.status, ended.data.status]).toEqual([200, 'FAILED'])
    const late = await shop.post(`/sandbox/refunds/${made.data.id}/resolve/`, {
      outcome: 'SUCCESS',
    })
    expect([late.status, late.error.code]).toEqual([409, 'transaction_terminal'])
  })
})

it('is shown before it is made, and writes nothing', async () => {
  const shop = await refundingShop(app)
  const payment = await paidPayment(shop)
  const before = await sumsOf(shop)
  const shown = await shop.post(`/payments/${payment.id}/refunds/preview/`, { amount: '4000' })
  expect([shown.status, shown.data]).toMatchObject([
    200,
    {
      method: 'OPERATOR',
      amount: '4000.00',
      fee: '0.00',
      payer_gets: '4000.00',
      leaves_balance: '4000.00',
      waiting_for: null,
    },
  ])
  expect(await sumsOf(shop)).toEqual(before)
  expect((await shop.get(`/payments/${payment.id}/refunds/`)).data.results).toEqual([])
})

it('stands on the receipt of its payment', async () => {
  const shop = await refundingShop(app)
  const payment = await paidPayment(shop)
  const made = await refund(shop, payment, { amount: '4000' })
  await refundEnds(shop, made.data.id, 'SUCCESS')
  const invoice = await fetch(`${app.url}/api/v1/transactions/${payment.id}/invoice/`, {
    headers: { authorization: `Bearer ${shop.key}` },
  })
  const text = textOf(Buffer.from(await invoice.arrayBuffer()))
  const token = /receipts\/([\w-]{22})/.exec(text)?.[1] ?? ''
  const page = await fetch(`${app.url}/receipts/${token}`)
  expect(await page.text()).toContain('<dd id="refunded"><data value="4000.00">')
  const receipt = await shop.get(`/receipts/${token}/`)
  expect(receipt.data).toMatchObject({ status: 'SUCCESS', refunded: '4000.00' })
})
