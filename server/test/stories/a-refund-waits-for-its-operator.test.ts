// A refund that pays its payer out waits while no operator may be sent to, as a payout does: its
// accounts are closed, or left for their failures. Its money stays set aside, staff see what was
// passed over, it is sent once when one opens, and ends by itself when none does.

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { lapseRefunds } from '../../src/refunds/decide-refund.ts'
import {
  eventually,
  type Json,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import {
  booksAgree,
  oldPayment,
  receiveOfRefund,
  refund,
  refundEnds,
  refundedOf,
  refundingShop,
  sumsOf,
} from '../setup/refunds.ts'
import { noFloat } from '../setup/scripted-operator.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  await app.another()
  staff = await heldToPublished(await app.staff({ role: 'SUPERADMIN' }))
})
afterEach(async () => {
  await open()
  for (const gateway of both) await setFloat(gateway, false)
})
afterAll(async () => {
  await booksAgree(app, false).finally(() => app.stop())
})

const both = ['simulator_a', 'simulator_b'] as const

async function close(): Promise<void> {
  for (const gateway of both) {
    const closing = { gateway, country: 'bj', direction: 'DISBURSE', note: 'a story' }
    expect((await staff.post('/admin/gateway-closings/', closing)).status).toBe(201)
  }
}

async function open(gateways: readonly string[] = both): Promise<void> {
  const { data } = await staff.get('/admin/gateway-closings/')
  for (const { id, gateway } of data.results) {
    if (!gateways.includes(gateway)) continue
    expect((await staff.call('DELETE', `/admin/gateway-closings/${id}/`, {})).status).toBe(204)
  }
}

const put = (path: string, body: object) =>
  staff.call('PUT', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

async function setFloat(gateway: string, is_empty: boolean): Promise<void> {
  const mark = { gateway, country: 'BJ', is_empty, note: 'a story' }
  expect((await put('/admin/gateway-floats/', mark)).status).toBe(200)
}

const read = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.get(`/refunds/${id}/`)).data
const byStaff = async (id: string): Promise<Json> => (await staff.get(`/admin/refunds/${id}/`)).data
const less = (sum: string, by: number) => (Number(sum) - by).toFixed(2)
const codeOf = ({ status, error }: { status: number; error: Json }) => [status, error?.code]

/** Its payment is too old for the operator's own refund. */
async function payable() {
  const shop = await refundingShop(app, {}, '50000')
  const payment = await oldPayment(app, shop)
  return { shop, payment, before: await sumsOf(shop) }
}

/** A refund that was made while all were closed. */
async function waiting(body: object = {}) {
  const { shop, payment, before } = await payable()
  await close()
  const made = await refund(shop, payment, { amount: '4000', ...body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect(made.data).toMatchObject({ status: 'PENDING', waiting_for: 'GATEWAY_CLOSED' })
  return { shop, payment, before, id: String(made.data.id) }
}

/** Looked at in half an hour only. */
const isFar = (id: string) => app.owner`
  update refunds set send_again_at = now() + interval '30 minutes' where id = ${id}`
const isDue = (id: string) => app.owner`
  update refunds set send_again_at = now() - interval '1 second' where id = ${id}`

describe('a refund by payout while every account is closed', () => {
  it('waits with its money set aside, and goes out once and at once when one opens', async () => {
    const { shop, payment, before, id } = await waiting()
    const [available, pending] = before
    expect(await sumsOf(shop)).toEqual([less(available, 4000), less(pending, -4000)])
    expect(await read(shop, id)).toMatchObject({ method: 'PAYOUT', attempts: [] })
    const whole = await refund(shop, payment, { amount: payment.debited_amount })
    expect(codeOf(whole)).toEqual([400, 'refund_too_large'])
    await isFar(id)
    await open(['simulator_b'])
    const paid = await refundEnds(shop, id, 'SUCCESS', 15_000)
    expect(paid.attempts.map(({ gateway_code }: Json) => gateway_code)).toEqual(['simulator_b'])
    expect(paid.waiting_for).toBe(null)
    expect(await sumsOf(shop)).toEqual([less(available, 4000), pending])
    expect(await refundedOf(shop, payment)).toMatchObject({ refunded_amount: '4000.00' })
  }, 60_000)

  it('shows staff what was passed over, and why; and what it waits for by the last look', async () => {
    const { shop, id } = await waiting()
    expect((await byStaff(id)).waited_for).toMatchObject({
      reason: 'GATEWAY_CLOSED',
      passed_over: both.map((gateway_code) => ({ gateway_code, reason: 'closed' })),
    })
    for (const gateway of both) await setFloat(gateway, true)
    await open()
    await isDue(id)
    await eventually(async () => {
      const { waiting_for, waited_for, attempts } = await byStaff(id)
      expect([waiting_for, attempts]).toEqual(['GATEWAY_FLOAT', []])
      expect(waited_for).toMatchObject({
        reason: 'GATEWAY_FLOAT',
        passed_over: both.map((gateway_code) => ({ gateway_code, reason: 'float_empty' })),
      })
    }, 40_000)
    await setFloat('simulator_a', false)
    await refundEnds(shop, id, 'SUCCESS', 40_000)
    expect((await byStaff(id)).waited_for).toMatchObject({ reason: 'GATEWAY_FLOAT' })
  }, 100_000)

  it('previewed, it needs nobody; asked of a second member, it waits once approved', async () => {
    const { shop, payment } = await payable()
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '2000' })
    await close()
    const shown = await shop.post(`/payments/${payment.id}/refunds/preview/`, { amount: '1000' })
    expect(shown.data).toMatchObject({ method: 'PAYOUT', waiting_for: null })
    const { data } = await refund(owner, payment, { amount: '4000' })
    expect(data).toMatchObject({ waiting_for: 'SECOND_MEMBER' })
    expect((await byStaff(data.id)).waited_for).toBe(null)
    const agreed = await finance.post(`/refunds/${data.id}/approve/`)
    expect(agreed.data, JSON.stringify(agreed.body)).toMatchObject({
      ...{ waiting_for: 'GATEWAY_CLOSED', attempts: [] },
    })
    expect((await byStaff(data.id)).waited_for).toMatchObject({ reason: 'GATEWAY_CLOSED' })
    const again = await finance.post(`/refunds/${data.id}/approve/`)
    expect(codeOf(again)).toEqual([409, 'approval_not_required'])
    await open()
    const paid = await refundEnds(shop, data.id, 'SUCCESS', 15_000)
    expect(paid.attempts).toHaveLength(1)
  }, 60_000)

  it('is cancelled, refused by staff, or ends after 72 hours, with its money back', async () => {
    const one = await waiting()
    const cancelled = await one.shop.post(`/refunds/${one.id}/cancel/`)
    expect(cancelled.data).toMatchObject({ status: 'CANCELLED', waiting_for: null })
    expect(await sumsOf(one.shop)).toEqual(one.before)
    const two = await waiting()
    const ended = await staff.post(`/admin/refunds/${two.id}/reject/`, { reason: 'by hand' })
    expect(ended.data).toMatchObject({ status: 'FAILED', failure_code: 'CANCELLED_BY_STAFF' })
    expect(await sumsOf(two.shop)).toEqual(two.before)
    const three = await waiting()
    await app.owner`
      update refunds set lapses_at = now() - interval '1 second' where id = ${three.id}`
    const lapsing = { db: app.service.db, wake: () => undefined }
    await Promise.all([lapseRefunds(lapsing), lapseRefunds(lapsing)])
    expect(await read(three.shop, three.id)).toMatchObject({
      ...{ status: 'FAILED', failure_code: 'EXPIRED', attempts: [] },
    })
    expect(await sumsOf(three.shop)).toEqual(three.before)
    const events = await app.owner`
      select type from events where subject_id = ${three.id} order by created_at, id`
    expect(events.map(({ type }) => type)).toEqual(['refund.created', 'refund.failed'])
  }, 60_000)

  it('ends at its time though what it waits for changed while it was to be ended', async () => {
    const { shop, id } = await waiting()
    const { merchant_id } = shop
    await app.owner`update refunds set lapses_at = now() - interval '1 second' where id = ${id}`
    let ending: Promise<unknown> | undefined
    await app.owner.begin(async (tx) => {
      await tx`
        update refunds set waiting_for = 'NO_ROUTE'
         where merchant_id = ${merchant_id} and id = ${id}`
      ending = lapseRefunds({ db: app.service.db, wake: () => undefined })
      // It reads the refund as it was, and then waits for its lock.
      await eventually(async () => {
        const waits = await app.owner`
          select 1 from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'
             and application_name = 'pirogue'`
        expect(waits.count).toBeGreaterThan(0)
      }, 10_000)
    })
    await ending
    expect(await read(shop, id)).toMatchObject({ status: 'FAILED', failure_code: 'EXPIRED' })
  }, 60_000)

  it('is sent or cancelled, never both, and once though several processes find it due', async () => {
    const waits = [await waiting()]
    for (const { shop } of waits.slice(0, 1)) {
      for (let more = 0; more < 2; more += 1) {
        const payment = await oldPayment(app, shop)
        const { data } = await refund(shop, payment, { amount: '3000' })
        waits.push({ shop, payment, before: ['', ''], id: String(data.id) })
      }
    }
    const [first] = waits
    if (first === undefined) throw new Error('none')
    const [cancelled] = await Promise.all([
      first.shop.post(`/refunds/${first.id}/cancel/`),
      open(),
      ...waits.map(({ id }) => isDue(id)),
    ])
    for (const { shop, id } of waits.slice(1)) {
      expect((await refundEnds(shop, id, 'SUCCESS', 15_000)).attempts).toHaveLength(1)
    }
    const isCancelled = cancelled.status === 200
    const now = await refundEnds(first.shop, first.id, isCancelled ? 'CANCELLED' : 'SUCCESS')
    expect(now.attempts).toHaveLength(isCancelled ? 0 : 1)
  }, 60_000)

  it('of which an operator then has no float waits for that, and still ends at the same time', async () => {
    const { shop, id } = await waiting({ reason: 'sandbox:04' })
    await app.owner`
      update refunds set lapses_at = lapses_at - interval '48 hours' where id = ${id}`
    const overAt = async () => {
      const [row] = await app.owner<{ at: Date }[]>`
        select lapses_at as at from refunds where id = ${id}`
      return row?.at.getTime()
    }
    const over_at = await overAt()
    await open()
    const sent = await eventually(async () => {
      const now = await read(shop, id)
      expect(now.attempts.map(({ status }: Json) => status)).toEqual(['PENDING'])
      return now
    }, 15_000)
    await receiveOfRefund(app, shop, sent.attempts[0].id, noFloat)
    expect(await read(shop, id)).toMatchObject({ waiting_for: 'GATEWAY_FLOAT' })
    expect(await overAt()).toBe(over_at)
    expect((await shop.post(`/refunds/${id}/cancel/`)).status).toBe(200)
  }, 60_000)
})

it('waits while each route is left for its failures, and says so', async () => {
  const { shop, payment } = await payable()
  const fail = () => app.owner`
    insert into route_health (route_id, turned_at, broken_since, skip_until, skip_reason)
    select r.id, now(), now(), now() + interval '1 hour', 'a story'
      from routes r join networks n on n.id = r.network_id
     where n.code = 'mtn_bj' and r.direction = 'DISBURSE'
    on conflict (route_id) do update
       set turned_at = excluded.turned_at, broken_since = excluded.broken_since,
           skip_until = excluded.skip_until, skip_reason = excluded.skip_reason`
  await app.owner`update routes set breaker = true`
  await app.owner`update catalogue_version set version = version + 1`
  const works = () => app.owner`update route_health set turned_at = now(), broken_since = null`
  onTestFinished(async () => void (await works()))
  const made = await eventually(async () => {
    await fail()
    // Every process knows by then; a call under way that succeeds says that it works again.
    await new Promise((ok) => setTimeout(ok, 3_000))
    const one = await refund(shop, payment, { amount: '100' })
    expect(one.data).toMatchObject({ waiting_for: 'NO_ROUTE', attempts: [] })
    return one
  }, 40_000)
  const { passed_over } = (await byStaff(made.data.id)).waited_for
  expect(passed_over.map(({ gateway_code }: Json) => gateway_code)).toEqual([...both])
  await works()
  const paid = await eventually(async () => {
    await isDue(made.data.id)
    const now = await read(shop, made.data.id)
    expect(now.status).toBe('SUCCESS')
    return now
  }, 20_000)
  expect(paid.attempts).toHaveLength(1)
}, 90_000)

it('is refused where its network takes no payouts: no waiting could help', async () => {
  const { shop, payment, before } = await payable()
  const list = await staff.get('/admin/networks/?page_size=100')
  const network = list.data.results.find(({ code }: Json) => code === 'mtn_bj')
  const takes = (takes_payouts: boolean) =>
    staff.call('PATCH', `/admin/networks/${network.id}/`, {
      body: JSON.stringify({ takes_payouts }),
      headers: { 'content-type': 'application/json' },
    })
  expect((await takes(false)).status).toBe(200)
  onTestFinished(async () => void (await takes(true)))
  await eventually(async () => {
    const made = await refund(shop, payment, { amount: '4000' })
    expect(codeOf(made)).toEqual([422, 'no_route_available'])
  }, 10_000)
  expect(await sumsOf(shop)).toEqual(before)
}, 40_000)
