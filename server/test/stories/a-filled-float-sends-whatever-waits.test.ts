// What we hold with an operator is used up. A refund that pays its payer out waits for it with its
// money set aside, as a payout does; and what waits, whatever the money is for, is sent as soon as
// the float is filled, and not when its next look was due.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import { findAttempt } from '../../src/attempts/attempt-statements.ts'
import type { Room } from '../../src/gateways/read-balances.ts'
import { lapseRefunds } from '../../src/refunds/decide-refund.ts'
import { hastenRefunds } from '../../src/refunds/send-again.ts'
import { hastenSettlements } from '../../src/settlements/send-again.ts'
import { settlementPurpose } from '../../src/settlements/settlement-purpose.ts'
import {
  eventually,
  type Json,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import {
  booksAgree,
  oldPayment,
  paidPayment,
  receiveOfRefund,
  refund,
  refundEnds,
  refundingShop,
  sumsOf,
} from '../setup/refunds.ts'
import { noFloat } from '../setup/scripted-operator.ts'
import { attemptsOf, richSettler } from '../setup/settling.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  await app.another()
  staff = await app.staff({ role: 'SUPERADMIN' })
})
beforeEach(() => floats(false))
afterAll(async () => {
  await booksAgree(app, false).finally(() => app.stop())
})

async function setFloat(gateway: string, is_empty: boolean, country = 'BJ'): Promise<void> {
  const { status } = await staff.call('PUT', '/admin/gateway-floats/', {
    body: JSON.stringify({ gateway, country, is_empty, note: 'a story' }),
    headers: { 'content-type': 'application/json' },
  })
  expect(status).toBe(200)
}
async function floats(is_empty: boolean): Promise<void> {
  for (const gateway of ['simulator_a', 'simulator_b']) await setFloat(gateway, is_empty)
}
const read = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.get(`/refunds/${id}/`)).data
const statusesOf = ({ attempts }: Json) => attempts.map(({ status }: Json) => status)

/** One that its operator had no float for, and that is looked at in half an hour only. */
async function refusedRefund() {
  const shop = await refundingShop(app, {}, '50000')
  const payment = await paidPayment(shop)
  const { data } = await refund(shop, payment, { amount: '4000', reason: 'sandbox:04' })
  const [attempt] = (await read(shop, data.id)).attempts
  await receiveOfRefund(app, shop, attempt.id, noFloat)
  await app.owner`
    update refunds set send_again_at = now() + interval '30 minutes' where id = ${data.id}`
  return { shop, id: String(data.id), gateway_id: String(attempt.gateway) }
}

async function refusedSettlement() {
  const shop = await richSettler(app)
  const { data } = await shop.settle('04')
  expect((await staff.post(`/admin/settlements/${data.id}/approve/`)).status).toBe(200)
  const [sent] = await attemptsOf(app, data.id)
  const { db } = app.service
  const { merchant_id } = shop
  const attempt = await findAttempt(db, { merchant_id, id: sent?.id ?? '' })
  if (attempt === undefined) throw new Error('no attempt')
  await applyAnswer({ db, wake: () => undefined }, settlementPurpose, {
    ...{ merchant_id, attempt_id: attempt.id, answer: noFloat, hash: Buffer.alloc(32) },
    ...{ triggered_by: 'POLLER', evidence_kind: 'STATUS_ANSWER', request_id: 'test' },
    status_at_query: attempt.status,
    gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
  })
  await app.owner`
    update settlements set send_again_at = now() + interval '30 minutes' where id = ${data.id}`
  return { id: String(data.id), gateway_id: attempt.gateway_id }
}

const isFar = async (table: 'refunds' | 'settlements', id: string): Promise<boolean> => {
  const [row] = await app.owner<{ is_far: boolean }[]>`
    select send_again_at > now() + interval '20 minutes' as is_far
      from ${app.owner(table)} where id = ${id}`
  return row?.is_far ?? false
}

describe('a float that is filled', () => {
  it('sends a refund and a settlement at once that are looked at in half an hour only', async () => {
    const [back, out] = [await refusedRefund(), await refusedSettlement()]
    // Of another country nothing is sent, nor is it looked at.
    await setFloat('simulator_a', false, 'SN')
    expect([await isFar('refunds', back.id), await isFar('settlements', out.id)]).toEqual([
      true,
      true,
    ])
    await setFloat('simulator_a', false)
    await eventually(async () => {
      expect(statusesOf(await read(back.shop, back.id))).toEqual(['FAILED', 'PENDING'])
      const sent = await attemptsOf(app, out.id)
      expect(sent.map(({ status }) => status)).toEqual(['FAILED', 'PENDING'])
    }, 12_000)
  }, 40_000)

  it('by what an operator shows: what it had refused, and what is no more than it holds', async () => {
    const [back, out] = [await refusedRefund(), await refusedSettlement()]
    const woken: string[] = []
    const deps = { db: app.service.db, wake: (job: string) => void woken.push(job) }
    const shows = async (gateway_id: string, amount: bigint, more: object = {}) => {
      const wallet = { environment: 'SANDBOX', gateway_id, amount, currency: 'XOF', pays_in: 'BJ' }
      const room = { ...wallet, asked_at: new Date(Date.now() + 1000), ...more } as Room
      await hastenRefunds(deps, room)
      await hastenSettlements(deps, room)
      return [await isFar('refunds', back.id), await isFar('settlements', out.id)]
    }
    expect(await shows(back.gateway_id, 399_999n)).toEqual([true, true])
    expect(await shows(back.gateway_id, 9_000_000n, { pays_in: 'SN' })).toEqual([true, true])
    expect(await shows(back.gateway_id, 9_000_000n, { asked_at: new Date(0) })).toEqual([
      true,
      true,
    ])
    expect(woken).not.toContain('send-refunds-again')
    expect((await shows(back.gateway_id, 400_000n))[0]).toBe(false)
    expect(await shows(out.gateway_id, 9_000_000n)).toEqual([false, false])
    expect(woken).toEqual(expect.arrayContaining(['send-refunds-again', 'send-settlements-again']))
  }, 40_000)
})

/** Its payment is too old for the operator's own refund, and every float is empty. */
async function payingOut() {
  const shop = await refundingShop(app, {}, '50000')
  const payment = await oldPayment(app, shop)
  const before = await sumsOf(shop)
  await floats(true)
  return { shop, payment, before }
}
const less = (sum: string, by: number) => (Number(sum) - by).toFixed(2)

describe('a refund by payout while every float is empty', () => {
  it('waits with its money set aside, and goes out once when one is filled', async () => {
    const { shop, payment, before } = await payingOut()
    const shown = await shop.post(`/payments/${payment.id}/refunds/preview/`, { amount: '4000' })
    expect(shown.data).toMatchObject({ method: 'PAYOUT', waiting_for: null })
    const made = await refund(shop, payment, { amount: '4000' }, 'empty')
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.data).toMatchObject({
      ...{ status: 'PENDING', method: 'PAYOUT', waiting_for: 'GATEWAY_FLOAT', attempts: [] },
    })
    const again = await refund(shop, payment, { amount: '4000' }, 'empty')
    expect([again.status, again.data.id]).toEqual([201, made.data.id])
    const [available, pending] = before
    expect(await sumsOf(shop)).toEqual([less(available, 4000), less(pending, -4000)])
    await app.owner`
      update refunds set send_again_at = now() + interval '30 minutes' where id = ${made.data.id}`
    await setFloat('simulator_b', false)
    const paid = await refundEnds(shop, made.data.id, 'SUCCESS', 15_000)
    expect(paid.attempts.map(({ gateway_code }: Json) => gateway_code)).toEqual(['simulator_b'])
    expect(await sumsOf(shop)).toEqual([less(available, 4000), pending])
  }, 60_000)

  it('is due by itself half a minute later, and is not sent while they are empty', async () => {
    const { shop, payment } = await payingOut()
    const { data } = await refund(shop, payment, { amount: '4000' })
    const due = () => app.owner<{ s: number; over_h: number }[]>`
      select extract(epoch from send_again_at - now())::float8 as s,
             round(extract(epoch from lapses_at - created_at) / 3600)::int as over_h
        from refunds where id = ${data.id}`
    const [first] = await due()
    expect(first?.s).toBeGreaterThan(10)
    expect(first?.s).toBeLessThanOrEqual(30)
    expect(first?.over_h).toBe(72)
    await app.owner`
      update refunds set send_again_at = now() - interval '1 second' where id = ${data.id}`
    await eventually(async () => expect((await due())[0]?.s).toBeGreaterThan(0), 15_000)
    expect(await read(shop, data.id)).toMatchObject({ waiting_for: 'GATEWAY_FLOAT', attempts: [] })
    expect((await shop.post(`/refunds/${data.id}/cancel/`)).data).toMatchObject({
      status: 'CANCELLED',
    })
  }, 40_000)

  it('is cancelled, or ends after 72 hours, with its money back', async () => {
    const { shop, payment, before } = await payingOut()
    const one = await refund(shop, payment, { amount: '4000' })
    const cancelled = await shop.post(`/refunds/${one.data.id}/cancel/`)
    expect(cancelled.data).toMatchObject({ status: 'CANCELLED', waiting_for: null })
    expect(await sumsOf(shop)).toEqual(before)
    const two = await refund(shop, payment, { amount: '4000' })
    await app.owner`
      update refunds set lapses_at = now() - interval '1 second' where id = ${two.data.id}`
    await lapseRefunds({ db: app.service.db, wake: () => undefined })
    expect(await read(shop, two.data.id)).toMatchObject({
      ...{ status: 'FAILED', failure_code: 'EXPIRED' },
    })
    expect(await sumsOf(shop)).toEqual(before)
  }, 40_000)

  it('is asked of a second member all the same; approved, it waits for the float', async () => {
    const { shop, payment } = await payingOut()
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '2000' })
    const { data } = await refund(owner, payment, { amount: '4000', reason: 'sandbox:04' })
    expect(data).toMatchObject({ waiting_for: 'SECOND_MEMBER' })
    const agreed = await finance.post(`/refunds/${data.id}/approve/`)
    expect(agreed.status, JSON.stringify(agreed.body)).toBe(200)
    expect(agreed.data).toMatchObject({ waiting_for: 'GATEWAY_FLOAT', attempts: [] })
    const overAt = async () => {
      const [row] = await app.owner<{ at: Date }[]>`
        select lapses_at as at from refunds where id = ${data.id}`
      return row?.at.getTime() ?? 0
    }
    // Two days later: the time that it has waited before it was sent counts.
    await app.owner`
      update refunds set lapses_at = lapses_at - interval '48 hours' where id = ${data.id}`
    const over_at = await overAt()
    await floats(false)
    const sent = await eventually(async () => {
      const now = await read(shop, data.id)
      expect(statusesOf(now)).toEqual(['PENDING'])
      return now
    }, 15_000)
    await receiveOfRefund(app, shop, sent.attempts[0].id, noFloat)
    expect(await read(shop, data.id)).toMatchObject({ waiting_for: 'GATEWAY_FLOAT' })
    expect(await overAt()).toBe(over_at)
    expect((await shop.post(`/refunds/${data.id}/cancel/`)).data.status).toBe('CANCELLED')
  }, 60_000)
})
