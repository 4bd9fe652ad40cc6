// An operator says yes after no, no after yes, another sum, or nothing for three days; a payment is
// taken back while it is given back. Nobody is paid twice for it, and two people end what is left.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { receive } from '../setup/incidents.ts'
import {
  booksAgree,
  paidPayment,
  receiveOfRefund,
  refund,
  refundEnds,
  refundedOf,
  refundingShop,
  sumsOf,
} from '../setup/refunds.ts'
import { leftToday, legsToday, readCsv } from '../setup/report-days.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await booksAgree(app, false).finally(() => app.stop())
})

const codeOf = ({ status, error }: { status: number; error: Json }) => [status, error?.code]

/** The one open incident of a payment, and what two of the staff decide of it. */
async function resolved(shop: Shop, payment: Json, type: string, resolution: string) {
  const [incident] = await app.owner<{ id: string; amount: bigint }[]>`
    select id, amount from incidents
     where merchant_id = ${shop.merchant_id} and transaction_id = ${payment.id}
       and type = ${type} and status = 'OPEN'`
  if (incident === undefined) throw new Error(`no ${type}`)
  const [first, second] = [await app.staff(), await app.staff()]
  const amount = (Number(incident.amount) / 100).toFixed(2)
  const proposed = await first.post(`/admin/incidents/${incident.id}/resolve/`, {
    resolution,
    amount,
    note: 'the operator’s statement',
  })
  expect([proposed.status, proposed.error]).toEqual([200, undefined])
  const confirmed = await second.post(`/admin/incidents/${incident.id}/confirm/`, { resolution })
  expect([confirmed.status, confirmed.error]).toEqual([200, undefined])
  return amount
}

const inHundredths = (amount: string) => BigInt(Math.round(Number(amount) * 100))
const confirmed = (amount: bigint) =>
  ({ is: 'confirmed', external_reference: 'OP-1', amount, currency: 'XOF' }) as const
const refusedBy = {
  is: 'refused',
  by: 'gateway',
  failure_code: 'GATEWAY_REFUSED',
  detail: 'no',
  external_reference: 'OP-1',
} as const

/** It was paid and taken back in part; `came`: all that came back so far. */
async function takenBack(shop: Shop, payment: Json, came: number): Promise<void> {
  const [attempt] = (await shop.get(`/transactions/${payment.id}/`)).data.attempts
  const amount = BigInt(came * 100)
  const back = { is: 'reversed', external_reference: 'OP-1', amount, detail: 'returned' } as const
  await receive(app, { shop, attempt_id: attempt.id }, back)
}

/** Its operator says, to a question of ours, that it never was. */
async function refusedLate(shop: Shop, payment: Json): Promise<void> {
  const [attempt] = (await shop.get(`/transactions/${payment.id}/`)).data.attempts
  await receive(app, { shop, attempt_id: attempt.id }, refusedBy)
}

describe('yes after no', () => {
  it('is not charged while another refund has the rest set aside, and counted afterwards', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    const first = await refund(shop, payment, { amount: '1000', reason: 'sandbox:01' })
    const failed = await refundEnds(shop, first.data.id, 'FAILED')
    const rest = await refund(shop, payment, { reason: 'sandbox:04' })
    expect(rest.status).toBe(201)
    await receiveOfRefund(app, shop, failed.attempts[0].id, confirmed(100_000n))
    const charged = resolved(shop, payment, 'PAID_AFTER_RELEASE', 'CHARGE_MERCHANT')
    await expect(charged).rejects.toThrow(/409/)
    const outcome = { outcome: 'FAILED' }
    expect((await shop.post(`/sandbox/refunds/${rest.data.id}/resolve/`, outcome)).status).toBe(200)
    await refundEnds(shop, rest.data.id, 'FAILED')
    // The proposal stands; whoever makes the same one confirms it.
    const [incident] = await app.owner`
      select id from incidents where transaction_id = ${payment.id} and status = 'OPEN'`
    const third = await app.staff()
    const again = await third.post(`/admin/incidents/${incident?.['id']}/resolve/`, {
      ...{ resolution: 'CHARGE_MERCHANT', amount: '1000.00', note: 'the operator’s statement' },
    })
    expect([again.status, again.data?.status]).toEqual([200, 'RESOLVED'])
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '1000.00' })
  })

  it('opens an incident, and nothing more of the payment is given back meanwhile', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment, { amount: '4000', reason: 'sandbox:01' })
    const failed = await refundEnds(shop, made.data.id, 'FAILED')
    const before = await sumsOf(shop)
    const [attempt] = failed.attempts
    await receiveOfRefund(app, shop, attempt.id, confirmed(400_000n))
    await receiveOfRefund(app, shop, attempt.id, confirmed(400_000n))
    expect(await sumsOf(shop)).toEqual(before)
    expect((await shop.get(`/refunds/${made.data.id}/`)).data.status).toBe('FAILED')
    expect(codeOf(await refund(shop, payment, { amount: '1' }))).toEqual([409, 'not_refundable'])
    await resolved(shop, payment, 'PAID_AFTER_RELEASE', 'CHARGE_MERCHANT')
    expect((await sumsOf(shop))[0]).toBe((Number(before[0]) - 4000).toFixed(2))
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: '4000.00',
      refund_status: 'PARTIAL',
    })
    const large = await refund(shop, payment, { amount: payment.debited_amount })
    expect(codeOf(large)).toEqual([400, 'refund_too_large'])
  })
})

describe('no after yes', () => {
  it('keeps SUCCESS; when two people agree the money is there again, and refundable', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment, { amount: '4000', reference: 'BACK-17' })
    const done = await refundEnds(shop, made.data.id, 'SUCCESS')
    const before = await sumsOf(shop)
    await receiveOfRefund(app, shop, done.attempts[0].id, refusedBy)
    const still = await shop.get(`/refunds/${made.data.id}/`)
    expect(still.data).toMatchObject({ status: 'SUCCESS', returned_at: null })
    await resolved(shop, payment, 'RETURNED', 'CREDIT_MERCHANT')
    expect((await sumsOf(shop))[0]).toBe((Number(before[0]) + 4000).toFixed(2))
    const back = await shop.get(`/refunds/${made.data.id}/`)
    expect(back.data.status).toBe('SUCCESS')
    expect(back.data.returned_at).not.toBe(null)
    expect(await refundedOf(shop, payment)).toMatchObject({
      refund_status: 'NONE',
      refundable_amount: payment.debited_amount,
    })
    const piece = `${payment.reference}-R${made.data.id.slice(-8).toUpperCase()}`
    expect(await legsToday(app, shop, 'RESOLUTION')).toEqual([
      `${piece} Dr 552 4000.00`,
      `${piece} Cr 706 4000.00`,
    ])
    expect(await leftToday(app, shop, '4711')).toBe(0)
    // Wherever it is shown by its status alone, that it came back stands beside it or in its place.
    const { groups } = (await shop.get('/search/?q=BACK-17')).data
    expect(groups).toMatchObject([
      { kind: 'REFUND', results: [{ id: made.data.id, status: 'RETURNED' }] },
    ])
    const { rows } = await readCsv(app, shop, '/refunds/export/')
    expect(rows).toMatchObject([{ status: 'SUCCESS', returned_at: back.data.returned_at }])
  })
})

describe('what comes back of a refund when the payer has the money by another way', () => {
  it('is not to be refunded: an earlier refund was paid after all', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    const first = await refund(shop, payment, { reason: 'sandbox:01' })
    const failed = await refundEnds(shop, first.data.id, 'FAILED')
    const whole = await refund(shop, payment)
    const done = await refundEnds(shop, whole.data.id, 'SUCCESS')
    await receiveOfRefund(
      app,
      shop,
      failed.attempts[0].id,
      confirmed(inHundredths(first.data.amount)),
    )
    await resolved(shop, payment, 'PAID_AFTER_RELEASE', 'CHARGE_MERCHANT')
    await receiveOfRefund(app, shop, done.attempts[0].id, refusedBy)
    await resolved(shop, payment, 'RETURNED', 'CREDIT_MERCHANT')
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: payment.debited_amount,
      refundable_amount: '0.00',
    })
    expect(codeOf(await refund(shop, payment))).toEqual([409, 'not_refundable'])
    await booksAgree(app, false)
    expect(await brokenIfCountedNowhere(payment)).toEqual(['each payment counts its refunds'])
  })

  /** What the books would say if the row had forgotten it. */
  async function brokenIfCountedNowhere({ id }: Json): Promise<string[]> {
    let broken: string[] = []
    const undone = app.owner.begin(async (tx) => {
      await tx`update transactions set refund_reserved = 0, refunded_amount = 0 where id = ${id}`
      broken = (await verifyLedger(tx)).filter(({ ok }) => !ok).map(({ check }) => check)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    return broken
  }

  it.each(['CHARGE_MERCHANT', 'WRITE_OFF'])(
    'is to be refunded but for the part that was taken back: %s',
    async (resolution) => {
      const shop = await refundingShop(app, {}, '50000')
      const payment = await paidPayment(shop)
      const whole = await refund(shop, payment)
      const done = await refundEnds(shop, whole.data.id, 'SUCCESS')
      await takenBack(shop, payment, 4000)
      await resolved(shop, payment, 'AMOUNT_MISMATCH', resolution)
      await receiveOfRefund(app, shop, done.attempts[0].id, refusedBy)
      await resolved(shop, payment, 'RETURNED', 'CREDIT_MERCHANT')
      expect(await refundedOf(shop, payment)).toMatchObject({
        refunded_amount: '4000.00',
        refundable_amount: (Number(payment.debited_amount) - 4000).toFixed(2),
      })
      const again = await refund(shop, payment, { amount: payment.debited_amount })
      expect(codeOf(again)).toEqual([400, 'refund_too_large'])
      await booksAgree(app, false)
    },
  )
})

describe('another sum', () => {
  it('of a refund that has failed is counted beside one that is under way', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    const first = await refund(shop, payment, { amount: '4000', reason: 'sandbox:01' })
    const failed = await refundEnds(shop, first.data.id, 'FAILED')
    const other = await refund(shop, payment, { amount: '5000', reason: 'sandbox:04' })
    expect(other.status).toBe(201)
    await receiveOfRefund(app, shop, failed.attempts[0].id, confirmed(300_000n))
    await resolved(shop, payment, 'AMOUNT_MISMATCH', 'CHARGE_MERCHANT')
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: '3000.00',
      refundable_amount: (Number(payment.debited_amount) - 8000).toFixed(2),
    })
    await booksAgree(app, false)
    await shop.post(`/sandbox/refunds/${other.data.id}/resolve/`, { outcome: 'FAILED' })
    await refundEnds(shop, other.data.id, 'FAILED')
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: '3000.00',
      refundable_amount: (Number(payment.debited_amount) - 3000).toFixed(2),
    })
  })

  it('is booked by two people, and what was not paid can be given back again', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment, { amount: '4000', reason: 'sandbox:04' })
    const [attempt] = (await shop.get(`/refunds/${made.data.id}/`)).data.attempts
    await receiveOfRefund(app, shop, attempt.id, confirmed(300_000n))
    expect((await shop.get(`/refunds/${made.data.id}/`)).data.status).toBe('PENDING')
    expect(codeOf(await refund(shop, payment, { amount: '1' }))).toEqual([409, 'not_refundable'])
    await resolved(shop, payment, 'AMOUNT_MISMATCH', 'CHARGE_MERCHANT')
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '3000.00' })
    await askLast(attempt.id)
    await resolved(shop, payment, 'OUTCOME_UNKNOWN', 'CREDIT_MERCHANT')
    const ended = await refundEnds(shop, made.data.id, 'FAILED')
    expect(ended.failure_code).toBe('UNKNOWN')
    const left = (Number(payment.debited_amount) - 3000).toFixed(2)
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: '3000.00',
      refundable_amount: left,
    })
  })
})

/** Its time to be asked is over: it is asked once more, and people are called. */
async function askLast(attempt_id: string) {
  await app.owner`
    update attempts
       set asked_at = null, leased_until = null, due_at = now() - interval '1 second',
           asking_until = now() - interval '1 s'
     where id = ${attempt_id}`
  await eventually(async () => {
    const rows = await app.owner`
      select 1 from incidents where attempt_id = ${attempt_id} and type = 'OUTCOME_UNKNOWN'`
    expect(rows.length).toBe(1)
  })
}

describe('nothing for three days', () => {
  it.each([
    ['CHARGE_MERCHANT', 'SUCCESS', '4000.00'],
    ['CREDIT_MERCHANT', 'FAILED', '0.00'],
  ])('is ended by two people as %s: %s', async (resolution, status, refunded_amount) => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment, { amount: '4000', reason: 'sandbox:04' })
    const [attempt] = (await shop.get(`/refunds/${made.data.id}/`)).data.attempts
    await askLast(attempt.id)
    expect((await shop.get(`/refunds/${made.data.id}/`)).data.status).toBe('PENDING')
    expect((await sumsOf(shop))[1]).toBe('4000.00')
    // No second way while the first is unknown: not of this refund, and not by another.
    expect((await shop.post(`/refunds/${made.data.id}/verify/`)).data.status).toBe('PENDING')
    const unknown = (await shop.get(`/refunds/${made.data.id}/`)).data
    expect([unknown.method, unknown.attempts.map(({ id }: Json) => id)]).toEqual([
      ...[made.data.method, [attempt.id]],
    ])
    expect(codeOf(await refund(shop, payment, { amount: '1' }))).toEqual([409, 'not_refundable'])
    await resolved(shop, payment, 'OUTCOME_UNKNOWN', resolution)
    await refundEnds(shop, made.data.id, status)
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount })
    expect((await sumsOf(shop))[1]).toBe('0.00')
    // Its operator never said so.
    const { results } = (await shop.get(`/transactions/${payment.id}/timeline/`)).data
    const ends = results.filter(
      ({ kind, facts }: Json) =>
        kind === 'MOVE' && facts.refund === made.data.id && facts.to_status === status,
    )
    const by = status === 'SUCCESS' ? { kind: 'STAFF', id: null, name: '' } : null
    expect(ends.map(({ actor }: Json) => actor)).toEqual([by])
  })
})

describe('a payment that its operator takes back', () => {
  it('is not given back while people look at it, nor once the merchant bore it', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    await app.owner`
      insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
        gateway_id, country, currency, amount, suspense_side)
      select merchant_id, gen_random_uuid(), environment, 'OUTCOME_UNKNOWN', id, transaction_id,
             gateway_id, country_code, currency, 0, null
        from attempts where transaction_id = ${payment.id}`
    expect(codeOf(await refund(shop, payment))).toEqual([409, 'not_refundable'])
    await app.owner`delete from incidents where transaction_id = ${payment.id}`
    const made = await refund(shop, payment, { amount: '100' })
    expect(made.status).toBe(201)
    await refundEnds(shop, made.data.id, 'SUCCESS')
  })

  it.each([
    ['CHARGE_MERCHANT', 4000],
    ['WRITE_OFF', 4000],
    ['RECOVERED', 0],
  ])('in part, and that is %s: so much less of it can be refunded', async (resolution, lower) => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    await takenBack(shop, payment, 4000)
    expect(codeOf(await refund(shop, payment))).toEqual([409, 'not_refundable'])
    await resolved(shop, payment, 'AMOUNT_MISMATCH', resolution)
    const left = Number(payment.debited_amount) - lower
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: lower.toFixed(2),
      refundable_amount: left.toFixed(2),
    })
    await booksAgree(app, false)
    if (lower === 0) return
    const whole = await refund(shop, payment, { amount: payment.debited_amount })
    expect(codeOf(whole)).toEqual([400, 'refund_too_large'])
  })

  it.each([
    ['as it says', 'reversed'],
    ['as it refuses it late', 'refused'],
  ])('in part and then whole, %s, leaves nothing to refund', async (_, how) => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    await takenBack(shop, payment, 4000)
    await resolved(shop, payment, 'AMOUNT_MISMATCH', 'CHARGE_MERCHANT')
    if (how === 'refused') await refusedLate(shop, payment)
    else await takenBack(shop, payment, Number(payment.debited_amount))
    const rest = (Number(payment.debited_amount) - 4000).toFixed(2)
    expect(await resolved(shop, payment, 'AMOUNT_MISMATCH', 'CHARGE_MERCHANT')).toBe(rest)
    expect(await refundedOf(shop, payment)).toMatchObject({
      refund_status: 'FULL',
      refundable_amount: '0.00',
    })
    expect(codeOf(await refund(shop, payment))).toEqual([409, 'not_refundable'])
    await booksAgree(app, false)
  })

  it('again, after the first was there after all, is in an incident of its own', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    await takenBack(shop, payment, 4000)
    await resolved(shop, payment, 'AMOUNT_MISMATCH', 'RECOVERED')
    await takenBack(shop, payment, 4000)
    await takenBack(shop, payment, 4000)
    expect(codeOf(await refund(shop, payment))).toEqual([409, 'not_refundable'])
    expect(await resolved(shop, payment, 'AMOUNT_MISMATCH', 'CHARGE_MERCHANT')).toBe('4000.00')
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '4000.00' })
    const incidents = await app.owner`
      select follows is null as is_first from incidents
       where transaction_id = ${payment.id} order by created_at, id`
    expect(incidents.map(({ is_first }) => is_first)).toEqual([true, false])
    await booksAgree(app, false)
  })

  it('in parts, where another amount of it had come first, is in an incident for each', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const { data: payment } = await shop.pay({ amount: '10000', customer: newPayer('04') })
    const [attempt] = (await shop.get(`/transactions/${payment.id}/`)).data.attempts
    const key = { shop, attempt_id: attempt.id }
    await receive(app, key, confirmed(990_000n))
    await receive(app, key, confirmed(inHundredths(attempt.debited_amount)))
    await shop.becomes(payment.id, 'SUCCESS')
    await resolved(shop, payment, 'AMOUNT_MISMATCH', 'REFUND_PAYER')
    for (const came of [4000, 4000, 6000]) await takenBack(shop, payment, came)
    expect(codeOf(await refund(shop, payment))).toEqual([409, 'not_refundable'])
    const parts = await app.owner<{ amount: bigint }[]>`
      select amount from incidents
       where transaction_id = ${payment.id} and status = 'OPEN' and suspense_side = 'DEBIT'
       order by created_at, id`
    expect(parts.map(({ amount }) => amount)).toEqual([400_000n, 200_000n])
    for (const _part of parts) {
      await resolved(shop, payment, 'AMOUNT_MISMATCH', 'CHARGE_MERCHANT')
    }
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '6000.00' })
    await booksAgree(app, false)
  })

  it('again by a late refusal, after the first was there after all, is in one too', async () => {
    const shop = await refundingShop(app, {}, '50000')
    const payment = await paidPayment(shop)
    await refusedLate(shop, payment)
    await refusedLate(shop, payment)
    const all = payment.debited_amount
    expect(await resolved(shop, payment, 'REVERSED_AFTER_SUCCESS', 'RECOVERED')).toBe(all)
    await refusedLate(shop, payment)
    await refusedLate(shop, payment)
    expect(codeOf(await refund(shop, payment))).toEqual([409, 'not_refundable'])
    expect(await resolved(shop, payment, 'AMOUNT_MISMATCH', 'CHARGE_MERCHANT')).toBe(all)
    expect(await refundedOf(shop, payment)).toMatchObject({
      refund_status: 'FULL',
      refundable_amount: '0.00',
    })
    await booksAgree(app, false)
  })
})
