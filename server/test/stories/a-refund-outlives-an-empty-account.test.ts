// An operator says of a refund that our own account with it holds too little. Nobody has refused the
// refund: its money stays set aside, it is sent again, and it is paid once, cancelled, or ends.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/gateways/gateway.ts'
import { lapseRefunds } from '../../src/refunds/decide-refund.ts'
import { eventually, type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { confirm, propose } from '../setup/incidents.ts'
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
import { noFloat } from '../setup/scripted-operator.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
  await app.another()
})
afterAll(async () => {
  await booksAgree(app, false).finally(() => app.stop())
})

const codeOf = ({ status, error }: { status: number; error: Json }) => [status, error?.code]
const paid = (amount: bigint): Answer => ({
  ...{ is: 'confirmed', external_reference: 'OP-1', amount, currency: 'XOF' },
})

const read = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.get(`/refunds/${id}/`)).data

/** A refund of a payment of 10 000, that its operator could not make. */
async function waitingRefund(amount = '4000') {
  const shop = await refundingShop(app, {}, '50000')
  const payment = await paidPayment(shop)
  const before = await sumsOf(shop)
  const made = await refund(shop, payment, { amount, reason: 'sandbox:04' })
  expect(made.status).toBe(201)
  const { id } = made.data
  const [attempt] = (await read(shop, id)).attempts
  await receiveOfRefund(app, shop, attempt.id, noFloat)
  expect(await read(shop, id)).toMatchObject({ status: 'PENDING', waiting_for: 'GATEWAY_FLOAT' })
  return { shop, payment, id, first: attempt.id as string, before }
}

type Waiting = Awaited<ReturnType<typeof waitingRefund>>

/** It is due now; for 72 hours, or not any more. */
const isDue = ({ id }: Waiting) =>
  app.owner`update refunds set send_again_at = now() - interval '1 second' where id = ${id}`

async function timeIsOver({ id }: Waiting): Promise<void> {
  await app.owner`update refunds set lapses_at = now() - interval '1 second' where id = ${id}`
}

/** Its second attempt, which waits for its payee. */
const sentAgain = ({ shop, id }: Waiting): Promise<Json> =>
  eventually(async () => {
    const now = await read(shop, id)
    expect(now).toMatchObject({ status: 'PENDING', waiting_for: null })
    expect(now.attempts.map(({ status }: Json) => status)).toEqual(['FAILED', 'PENDING'])
    return now.attempts[1]
  }, 30_000)

/** Both workers have looked at it twice. */
async function isLookedAt(waiting: Waiting): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    await isDue(waiting)
    await eventually(async () => {
      const due = await app.owner`
        select 1 from refunds where id = ${waiting.id} and send_again_at <= now()`
      expect(due.count).toBe(0)
    }, 30_000)
  }
}

const eventsOf = ({ id }: Waiting) => app.owner`
  select type from events where subject_id = ${id} order by created_at, id`

describe('a refund whose operator has no float of ours', () => {
  it('keeps its money set aside, and is paid once when it is sent again', async () => {
    const waiting = await waitingRefund()
    const { shop, payment, id, before } = waiting
    const [available, pending] = before
    const less = (sum: string, by: number) => (Number(sum) - by).toFixed(2)
    expect(await sumsOf(shop)).toEqual([less(available, 4000), less(pending, -4000)])
    const all = await refund(shop, payment, { amount: payment.debited_amount })
    expect(codeOf(all)).toEqual([400, 'refund_too_large'])
    await isDue(waiting)
    await sentAgain(waiting)
    const outcome = { outcome: 'SUCCESS' }
    expect((await shop.post(`/sandbox/refunds/${id}/resolve/`, outcome)).status).toBe(200)
    await refundEnds(shop, id, 'SUCCESS')
    expect(await sumsOf(shop)).toEqual([less(available, 4000), pending])
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '4000.00' })
    expect((await eventsOf(waiting)).map(({ type }) => type)).toEqual([
      'refund.created',
      'refund.success',
    ])
  })

  it('waits longer each time, and never beyond 72 hours from its first attempt', async () => {
    const waiting = await waitingRefund()
    const { shop, id } = waiting
    const waits = async () => {
      const [row] = await app.owner<Json[]>`
        select extract(epoch from r.send_again_at - r.updated_at)::int as s,
               extract(epoch from r.lapses_at - min(a.created_at))::int as over_s
          from refunds r join attempts a on a.refund_id = r.id where r.id = ${id}
         group by r.merchant_id, r.id`
      return row
    }
    expect(await waits()).toEqual({ s: 60, over_s: 72 * 3600 })
    await isDue(waiting)
    const { id: second } = await sentAgain(waiting)
    await receiveOfRefund(app, shop, second, noFloat)
    expect(await waits()).toEqual({ s: 120, over_s: 72 * 3600 })
  })

  it('is cancelled by its merchant while it waits, and not once it is sent', async () => {
    const waiting = await waitingRefund()
    const { shop, payment, id, before } = waiting
    const cancelled = await shop.post(`/refunds/${id}/cancel/`)
    expect([cancelled.status, cancelled.data?.status]).toEqual([200, 'CANCELLED'])
    expect(await sumsOf(shop)).toEqual(before)
    expect(await refundedOf(shop, payment)).toMatchObject({ refund_status: 'NONE' })
    await isLookedAtInVain(waiting)

    const other = await waitingRefund()
    await isDue(other)
    await sentAgain(other)
    const late = await other.shop.post(`/refunds/${other.id}/cancel/`)
    expect(codeOf(late)).toEqual([409, 'not_cancellable'])
  })

  it('is ended by staff, seen by them; a member’s approval or refusal is not meant', async () => {
    const { shop, id, before } = await waitingRefund()
    const member = await app.member({ merchant_id: shop.merchant_id })
    for (const how of ['approve', 'reject']) {
      const reply = await member.post(`/refunds/${id}/${how}/`, { reason: 'no' })
      expect(codeOf(reply)).toEqual([409, 'approval_not_required'])
    }
    const staff = await app.staff()
    const seen = await staff.get(`/admin/refunds/${id}/`)
    expect(seen.data).toMatchObject({ waiting_for: 'GATEWAY_FLOAT' })
    const approved = await staff.post(`/admin/refunds/${id}/approve/`)
    expect(codeOf(approved)).toEqual([409, 'approval_not_required'])
    const ended = await staff.post(`/admin/refunds/${id}/reject/`, { reason: 'the payer has it' })
    expect(ended.data).toMatchObject({ status: 'FAILED', failure_code: 'CANCELLED_BY_STAFF' })
    expect(await sumsOf(shop)).toEqual(before)
  })

  it('fails after 72 hours, with its money back', async () => {
    const waiting = await waitingRefund()
    await timeIsOver(waiting)
    await lapseRefunds({ db: app.service.db, wake: () => undefined })
    const ended = await read(waiting.shop, waiting.id)
    expect(ended).toMatchObject({ status: 'FAILED', failure_code: 'EXPIRED', waiting_for: null })
    expect(await sumsOf(waiting.shop)).toEqual(waiting.before)
    expect((await eventsOf(waiting)).at(-1)?.['type']).toBe('refund.failed')
    await isLookedAtInVain(waiting)
  })
})

/** What has ended is not sent, even where an older row said that it was due. */
async function isLookedAtInVain(waiting: Waiting): Promise<void> {
  await isDue(waiting)
  const later = await waitingRefund()
  await isDue(later)
  await sentAgain(later)
  expect((await read(waiting.shop, waiting.id)).attempts).toHaveLength(1)
}

describe('an operator that had no float, and paid after all', () => {
  it('has paid the refund: it waits no more and is not sent again', async () => {
    const waiting = await waitingRefund()
    const { shop, payment, id, first } = waiting
    await receiveOfRefund(app, shop, first, paid(400_000n))
    const ended = await refundEnds(shop, id, 'SUCCESS')
    expect(ended).toMatchObject({ waiting_for: null })
    expect(ended.attempts).toHaveLength(1)
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '4000.00' })
  })

  it('opens an incident once the refund was cancelled, and nothing is paid twice', async () => {
    const { shop, payment, id, first, before } = await waitingRefund()
    expect((await shop.post(`/refunds/${id}/cancel/`)).status).toBe(200)
    await receiveOfRefund(app, shop, first, paid(400_000n))
    expect((await read(shop, id)).status).toBe('CANCELLED')
    expect(await sumsOf(shop)).toEqual(before)
    const [incident] = await app.owner`
      select type, amount from incidents where refund_id = ${id} and status = 'OPEN'`
    expect(incident).toMatchObject({ type: 'PAID_AFTER_RELEASE', amount: 400_000n })
    expect(codeOf(await refund(shop, payment, { amount: '1' }))).toEqual([409, 'not_refundable'])
  })

  it('is asked first where somebody has said something of it: not sent, not given back', async () => {
    const waiting = await waitingRefund()
    const { shop, id, first } = waiting
    await app.owner`
      update attempts set due_at = now() + interval '1 hour' where id = ${first}`
    await isLookedAt(waiting)
    expect(codeOf(await shop.post(`/refunds/${id}/cancel/`))).toEqual([409, 'not_cancellable'])
    await timeIsOver(waiting)
    await lapseRefunds({ db: app.service.db, wake: () => undefined })
    const still = await read(shop, id)
    expect(still).toMatchObject({ status: 'PENDING', waiting_for: 'GATEWAY_FLOAT' })
    expect(still.attempts).toHaveLength(1)
    await app.owner`update attempts set due_at = null where id = ${first}`
    await app.owner`update refunds set lapse_again_at = null where id = ${id}`
    await lapseRefunds({ db: app.service.db, wake: () => undefined })
    expect((await read(shop, id)).status).toBe('FAILED')
  })

  it('with another sum: people decide first, and what they book is not given back again', async () => {
    const waiting = await waitingRefund()
    const { shop, payment, id, first } = waiting
    await receiveOfRefund(app, shop, first, paid(300_000n))
    await isLookedAt(waiting)
    expect(codeOf(await shop.post(`/refunds/${id}/cancel/`))).toEqual([409, 'not_cancellable'])
    const [incident] = await app.owner<Json[]>`
      select id, amount from incidents where refund_id = ${id} and status = 'OPEN'`
    const [one, two] = [await app.staff(), await app.staff()]
    await propose(one, incident, 'CHARGE_MERCHANT')
    await confirm(two, incident, 'CHARGE_MERCHANT')
    await isLookedAt(waiting)
    expect((await read(shop, id)).attempts).toHaveLength(1)
    const cancelled = await shop.post(`/refunds/${id}/cancel/`)
    expect([cancelled.status, cancelled.data?.status]).toEqual([200, 'CANCELLED'])
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: '3000.00',
      refundable_amount: (Number(payment.debited_amount) - 3000).toFixed(2),
    })
  })

  it('of a second attempt that is refused: what people booked of the first stays counted', async () => {
    const waiting = await waitingRefund()
    const { shop, payment, first } = waiting
    await isDue(waiting)
    const second = await sentAgain(waiting)
    await receiveOfRefund(app, shop, first, paid(300_000n))
    const [incident] = await app.owner<Json[]>`
      select id, amount from incidents where refund_id = ${waiting.id} and status = 'OPEN'`
    const [one, two] = [await app.staff(), await app.staff()]
    await propose(one, incident, 'CHARGE_MERCHANT')
    await confirm(two, incident, 'CHARGE_MERCHANT')
    await receiveOfRefund(app, shop, second.id, {
      ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', detail: 'no' },
      external_reference: '',
    })
    await refundEnds(shop, waiting.id, 'FAILED')
    expect(await refundedOf(shop, payment)).toMatchObject({
      refunded_amount: '3000.00',
      refundable_amount: (Number(payment.debited_amount) - 3000).toFixed(2),
    })
  })
})

/** Two people decide on what the operator says it has paid of it. */
async function decided({ id }: Pick<Waiting, 'id'>, resolution: string): Promise<void> {
  const [incident] = await app.owner<Json[]>`
    select id, amount from incidents where refund_id = ${id} and status = 'OPEN'`
  const [one, two] = [await app.staff(), await app.staff()]
  await propose(one, incident, resolution)
  await confirm(two, incident, resolution)
}

describe('a second attempt, beside a sum that people have booked of the first', () => {
  it.each([
    ['4000', 300_000n, '7000.00'],
    // Of the payment and its fee.
    ['5000', 600_000n, '10325.00'],
  ])('of %s is paid: both are counted', async (amount, other, refunded_amount) => {
    const waiting = await waitingRefund(amount)
    const { shop, payment, id, first } = waiting
    await isDue(waiting)
    const second = await sentAgain(waiting)
    await receiveOfRefund(app, shop, first, paid(other))
    await decided(waiting, 'CHARGE_MERCHANT')
    await receiveOfRefund(app, shop, second.id, paid(BigInt(amount) * 100n))
    await refundEnds(shop, id, 'SUCCESS')
    const left = Number(payment.debited_amount) - Number(refunded_amount)
    const refundable_amount = left.toFixed(2)
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount, refundable_amount })
  })

  it('is not made where they have written that sum off: the payer has it', async () => {
    const waiting = await waitingRefund()
    const { shop, id, first } = waiting
    await receiveOfRefund(app, shop, first, paid(300_000n))
    await decided(waiting, 'WRITE_OFF')
    await isLookedAt(waiting)
    expect((await read(shop, id)).attempts).toHaveLength(1)
    expect((await shop.post(`/refunds/${id}/cancel/`)).status).toBe(200)
  })
})

it('paid by its second attempt, it has not come back when the first one’s money does', async () => {
  const waiting = await waitingRefund()
  const { shop, payment, id, first } = waiting
  await isDue(waiting)
  const second = await sentAgain(waiting)
  await receiveOfRefund(app, shop, second.id, paid(400_000n))
  await refundEnds(shop, id, 'SUCCESS')
  const before = await sumsOf(shop)
  await receiveOfRefund(app, shop, first, paid(400_000n))
  await decided(waiting, 'CHARGE_MERCHANT')
  await receiveOfRefund(app, shop, first, {
    ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', detail: 'came back' },
    external_reference: '',
  })
  await decided(waiting, 'CREDIT_MERCHANT')
  expect(await read(shop, id)).toMatchObject({ status: 'SUCCESS', returned_at: null })
  expect(await sumsOf(shop)).toEqual(before)
  // Of a refund, not of the payment: what is left may be given back.
  expect((await refund(shop, payment, { amount: '1000' })).status).toBe(201)
})

it('paid by its first attempt after all, it is right while the second one is still open', async () => {
  const waiting = await waitingRefund()
  const { shop, id, first } = waiting
  await isDue(waiting)
  const second = await sentAgain(waiting)
  await receiveOfRefund(app, shop, first, paid(400_000n))
  await refundEnds(shop, id, 'SUCCESS')
  await booksAgree(app, false)
  await receiveOfRefund(app, shop, second.id, {
    ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', detail: 'no' },
    external_reference: '',
  })
  expect((await read(shop, id)).attempts.map(({ status }: Json) => status)).toEqual([
    'SUCCESS',
    'FAILED',
  ])
  await booksAgree(app, false)
})

it('ends beside one of which people have booked more than it was to pay', async () => {
  const { shop, payment, id, first } = await waitingRefund()
  const other = await refund(shop, payment, { amount: '2000', reason: 'sandbox:04' })
  await receiveOfRefund(app, shop, first, paid(500_000n))
  await decided({ id }, 'CHARGE_MERCHANT')
  const [attempt] = (await read(shop, other.data.id)).attempts
  await receiveOfRefund(app, shop, attempt.id, {
    ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', detail: 'no' },
    external_reference: '',
  })
  await refundEnds(shop, other.data.id, 'FAILED')
  expect(await refundedOf(shop, payment)).toMatchObject({
    refunded_amount: '5000.00',
    refundable_amount: (Number(payment.debited_amount) - 5000).toFixed(2),
  })
})

it('counts towards the sum above which a second member is asked', async () => {
  const { shop, payment } = await waitingRefund()
  const owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '5000' })
  const split = await refund(shop, payment, { amount: '2000' })
  expect(split.data).toMatchObject({ waiting_for: 'SECOND_MEMBER', attempts: [] })
})

describe('two at once', () => {
  it('send it once, though several processes find it due', async () => {
    const waitings = await Promise.all([1, 2, 3].map(() => waitingRefund()))
    await Promise.all(waitings.map(isDue))
    for (const waiting of waitings) await sentAgain(waiting)
  })

  it('send it or cancel it, never both', async () => {
    const waiting = await waitingRefund()
    const { shop, id } = waiting
    await isDue(waiting)
    const cancelled = await shop.post(`/refunds/${id}/cancel/`)
    const isCancelled = cancelled.status === 200
    if (!isCancelled) await sentAgain(waiting)
    const now = await read(shop, id)
    expect([now.status, now.attempts.length]).toEqual(
      isCancelled ? ['CANCELLED', 1] : ['PENDING', 2],
    )
  })

  it('are not there where its payment is looked into: it goes on waiting', async () => {
    const waiting = await waitingRefund()
    const { shop, payment, id } = waiting
    await app.owner`
      insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
        gateway_id, country, currency, amount, suspense_side, detail)
      select a.merchant_id, gen_random_uuid(), a.environment, 'REVERSED_AFTER_SUCCESS', a.id,
             a.transaction_id, a.gateway_id, 'BJ', 'XOF', 0, null, '{}'
        from attempts a where a.transaction_id = ${payment.id}`
    await isLookedAt(waiting)
    const still = await read(shop, id)
    expect([still.waiting_for, still.attempts.length]).toEqual(['GATEWAY_FLOAT', 1])
  })
})
