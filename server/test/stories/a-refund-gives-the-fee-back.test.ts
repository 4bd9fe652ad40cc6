// A price may give its fee back with a payment that is wholly refunded: once, by the refund that
// completes the whole, and it is charged again if that refund's money comes back.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  confirm as confirmIncident,
  incidentOf,
  propose,
  receive,
  refused,
} from '../setup/incidents.ts'
import {
  booksAgree,
  paidPayment,
  receiveOfRefund,
  refund,
  refundEnds,
  refundingShop,
  sumsOf,
} from '../setup/refunds.ts'
import { leftToday, legsToday } from '../setup/report-days.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'FINANCE' })
})
afterAll(async () => {
  await booksAgree(app, false).finally(() => app.stop())
})

/** A shop whose own price of MTN Bénin gives its fee back: 3.25 %, on top or taken out. */
async function shopOf(fee_charge_mode: 'ADD_ON' | 'DEDUCTED'): Promise<Shop> {
  const shop = await refundingShop(app)
  const tier = { min_amount: '100', max_amount: '1000000', percent: '3.25', fee_charge_mode }
  const rule = { network: 'mtn_bj', direction: 'COLLECT', tiers: [tier], is_fee_returned: true }
  const path = `/admin/merchants/${shop.merchant_id}/pricing-rules/`
  const made = await first.post(path, rule)
  expect([made.status, made.data?.is_fee_returned]).toEqual([201, true])
  return shop
}

const available = async (shop: Shop) => Number((await sumsOf(shop))[0])

/** What a refund has booked at its end, in francs. */
async function bookedBy(id: string): Promise<string[]> {
  const rows = await app.owner<{ line: string }[]>`
    select d.kind || ' → ' || c.kind || ' ' || e.amount / 100 as line
      from ledger_entries e
      join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
      join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
     where e.cause_kind = 'REFUND' and e.cause_id = ${id} order by e.line`
  return rows.map(({ line }) => line)
}

async function feesOf({ id }: Json) {
  const [row] = await app.owner<{ gateway: number; platform: number }[]>`
    select (gateway_fee / 100)::int as gateway, (platform_fee / 100)::int as platform
      from transactions where id = ${id}`
  if (row === undefined) throw new Error('no payment')
  return row
}

/** What is left of fees in the books of a shop, in francs. */
async function feesLeft({ merchant_id }: Shop): Promise<Json> {
  const rows = await app.owner<{ kind: string; left: number }[]>`
    select a.kind, (sum(case when e.credit_account = a.id then e.amount else -e.amount end)
                    / 100)::int as left
      from accounts a
      join ledger_entries e on e.merchant_id = a.merchant_id
                           and a.id in (e.credit_account, e.debit_account)
     where a.merchant_id = ${merchant_id} and a.kind in ('platform_fees', 'gateway_fees')
     group by a.kind`
  return Object.fromEntries(rows.map(({ kind, left }) => [kind, left]))
}

describe('a refund of the whole', () => {
  it.each([
    ['ADD_ON', 10_325, 10_000],
    ['DEDUCTED', 10_000, 9_675],
  ] as const)(
    'of a payment whose fee was %s costs what the merchant had got',
    async (mode, paid, got) => {
      const shop = await shopOf(mode)
      const before = await available(shop)
      const payment = await paidPayment(shop)
      const { gateway, platform } = await feesOf(payment)
      const shown = await shop.post(`/payments/${payment.id}/refunds/preview/`, {})
      expect(shown.data).toMatchObject({
        ...{ payer_gets: paid.toFixed(2), fees_returned: '325.00', leaves_balance: got.toFixed(2) },
      })
      const made = await refund(shop, payment)
      // On a busy machine it may be over before we look.
      const held = [before, got].map((sum) => sum.toFixed(2))
      expect([held, [before.toFixed(2), '0.00']]).toContainEqual(await sumsOf(shop))
      await refundEnds(shop, made.data.id, 'SUCCESS')
      expect(await sumsOf(shop)).toEqual([before.toFixed(2), '0.00'])
      // The sandbox operator keeps its fee: we bear it.
      expect(await bookedBy(made.data.id)).toEqual([
        `pending → gateway ${got}`,
        `platform_fees → gateway ${platform}`,
        `gateway_costs → gateway ${gateway}`,
      ])
      await booksAgree(app, false)
      // Nothing was sold, and nothing was paid for it: also in the merchant's own books.
      const legs = (await legsToday(app, shop, 'REFUND')).map((leg) => leg.replace(/^\S+ /, ''))
      expect(legs).toEqual([
        'Dr 706 10000.00',
        ...(mode === 'DEDUCTED' ? ['Cr 6317 325.00'] : []),
        `Cr 585 ${got.toFixed(2)}`,
      ])
      expect(await leftToday(app, shop, '706')).toBe(0)
      expect(await leftToday(app, shop, '6317')).toBe(0)
    },
  )

  it('that fails gives all of it back, and the next brings the fee all the same', async () => {
    const shop = await shopOf('ADD_ON')
    const payment = await paidPayment(shop)
    const before = await available(shop)
    const failed = await refund(shop, payment, { reason: 'sandbox:01' })
    await refundEnds(shop, failed.data.id, 'FAILED')
    expect(await available(shop)).toBe(before)
    const made = await refund(shop, payment)
    expect(made.data.fees_returned).toBe('325.00')
    await refundEnds(shop, made.data.id, 'SUCCESS')
    expect(await available(shop)).toBe(before - 10_000)
  })

  it.each([
    ['ADD_ON', 0],
    ['DEDUCTED', 325],
  ] as const)('whose money comes back costs the fee again: %s', async (mode, borne) => {
    const shop = await shopOf(mode)
    const payment = await paidPayment(shop)
    const before = await available(shop)
    const made = await refund(shop, payment)
    const done = await refundEnds(shop, made.data.id, 'SUCCESS')
    await receiveOfRefund(app, shop, done.attempts[0].id, {
      ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', detail: 'no' },
      external_reference: 'OP-1',
    })
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'CREDIT_MERCHANT')
    expect((await confirmIncident(second, incident)).status).toBe(200)
    expect(await available(shop)).toBe(before)
    await booksAgree(app, false)
    expect(await leftToday(app, shop, '706')).toBe(-10_000)
    expect(await leftToday(app, shop, '6317')).toBe(borne)
    expect(await leftToday(app, shop, '4711')).toBe(0)
    const again = await refund(shop, payment)
    expect(again.data.fees_returned).toBe('325.00')
    // The sandbox operator itself has given it back already, and refuses.
    await refundEnds(shop, again.data.id, 'FAILED')
    expect(await available(shop)).toBe(before)
  })
})

describe('an operator that takes the payment back, too, after such a refund', () => {
  it('costs the merchant the whole of it: the fee was given back once', async () => {
    const shop = await shopOf('ADD_ON')
    const payment = await paidPayment(shop)
    const { gateway, platform } = await feesOf(payment)
    const made = await refund(shop, payment)
    await refundEnds(shop, made.data.id, 'SUCCESS')
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    const before = await available(shop)
    await receive(app, { shop, attempt_id: payment.attempts[0].id }, refused)
    const incident = await incidentOf(app, shop)
    expect(incident.type).toBe('REVERSED_AFTER_SUCCESS')
    await propose(first, incident, 'CHARGE_MERCHANT')
    expect((await confirmIncident(second, incident)).status).toBe(200)
    expect(before - (await available(shop))).toBe(10_325)
    // Earned with the payment, and given back with its refund: no more than that.
    expect(await feesLeft(shop)).toEqual({ platform_fees: 0, gateway_fees: gateway })
    expect(platform).toBeGreaterThan(0)
    await booksAgree(app, false)
  })

  it.each([
    ['at once', [10_325]],
    ['in parts', [4000, 10_325]],
  ])(
    'charges no fee again when the money of the refund comes back after that: %s',
    async (_, all) => {
      const shop = await shopOf('ADD_ON')
      const before = await available(shop)
      const payment = await paidPayment(shop)
      const made = await refund(shop, payment)
      const done = await refundEnds(shop, made.data.id, 'SUCCESS')
      await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
      for (const came of all) {
        const amount = BigInt(came * 100)
        const said = { is: 'reversed', external_reference: 'OP-1', amount, detail: 'back' } as const
        await receive(app, { shop, attempt_id: payment.attempts[0].id }, said)
        const reversed = await incidentOf(app, shop)
        await propose(first, reversed, 'CHARGE_MERCHANT')
        expect((await confirmIncident(second, reversed)).status).toBe(200)
      }
      await receiveOfRefund(app, shop, done.attempts[0].id, refused)
      const returned = await incidentOf(app, shop)
      expect(returned.type).toBe('RETURNED')
      await propose(first, returned, 'CREDIT_MERCHANT')
      expect((await confirmIncident(second, returned)).status).toBe(200)
      // The payer has the payment back once, and nobody has earned anything by it.
      expect(await available(shop)).toBe(before + 50_000)
      await booksAgree(app, false)
    },
  )
})

describe('parts', () => {
  it('keep the fee but for the one that completes the whole', async () => {
    const shop = await shopOf('ADD_ON')
    const payment = await paidPayment(shop)
    const before = await available(shop)
    const part = await refund(shop, payment, { amount: '4000' })
    expect(part.data.fees_returned).toBe('0.00')
    await refundEnds(shop, part.data.id, 'SUCCESS')
    const rest = await refund(shop, payment)
    expect(rest.data).toMatchObject({ amount: '6325.00', fees_returned: '325.00' })
    await refundEnds(shop, rest.data.id, 'SUCCESS')
    expect(await available(shop)).toBe(before - 10_000)
  })

  it('bring it once, though the money of one of them comes back and is refunded again', async () => {
    const shop = await shopOf('ADD_ON')
    const payment = await paidPayment(shop)
    const before = await available(shop)
    const part = await refund(shop, payment, { amount: '4000' })
    const done = await refundEnds(shop, part.data.id, 'SUCCESS')
    const rest = await refund(shop, payment)
    expect(rest.data.fees_returned).toBe('325.00')
    await refundEnds(shop, rest.data.id, 'SUCCESS')
    await receiveOfRefund(app, shop, done.attempts[0].id, {
      ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', detail: 'no' },
      external_reference: 'OP-1',
    })
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'CREDIT_MERCHANT')
    expect((await confirmIncident(second, incident)).status).toBe(200)
    expect(await available(shop)).toBe(before - 6_000)
    const shown = await shop.post(`/payments/${payment.id}/refunds/preview/`, {})
    expect(shown.data).toMatchObject({ payer_gets: '4000.00', fees_returned: '0.00' })
    const again = await refund(shop, payment)
    expect(again.data).toMatchObject({ amount: '4000.00', fees_returned: '0.00' })
  })

  it('do not while another is under way, which may fail; nor where what is left is less', async () => {
    const shop = await shopOf('ADD_ON')
    const payment = await paidPayment(shop)
    const waits = await refund(shop, payment, { amount: '4000', reason: 'sandbox:04' })
    const rest = await refund(shop, payment)
    expect(rest.data).toMatchObject({ amount: '6325.00', fees_returned: '0.00' })
    await refundEnds(shop, rest.data.id, 'SUCCESS')
    expect(waits.status).toBe(201)
    const other = await paidPayment(shop)
    const most = await refund(shop, other, { amount: '10125' })
    await refundEnds(shop, most.data.id, 'SUCCESS')
    const last = await refund(shop, other)
    expect(last.data).toMatchObject({ amount: '200.00', fees_returned: '0.00' })
    await refundEnds(shop, last.data.id, 'SUCCESS')
  })

  it('of two at once that are the whole, one is made, with the fee once', async () => {
    const shop = await shopOf('ADD_ON')
    const payment = await paidPayment(shop)
    const before = await available(shop)
    const both = await Promise.all([refund(shop, payment), refund(shop, payment)])
    const [made] = both.filter(({ status }) => status === 201)
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    await refundEnds(shop, made?.data.id, 'SUCCESS')
    expect(await available(shop)).toBe(before - 10_000)
  })
})
