// A refund begins while the customer who paid is being erased: the erasure has looked and found
// nothing under way, and waits for the payment that the refund has locked. The refund keeps the
// number that its money is to go to, and the erasure is refused as it is for whatever is under way
// (contract 6.3).

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eraseLateTraces } from '../../src/erasure/late-traces.ts'
import { eventually, newPayer, type Reply, startApp, type TestApp } from '../harness.ts'
import { oldPayment, paidPayment, refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import { wholeDump } from '../setup/whole-dump.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

/** Whoever waits for a lock, directly or behind others. */
const waiting = (count: number) =>
  eventually(async () => {
    const rows = await app.owner`
      select 1 from pg_stat_activity
       where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
    expect(rows.count).toBe(count)
  })

it('is paid to the number that paid, and the erasure waits for its end', async () => {
  const shop = await refundingShop(app)
  const { merchant_id } = shop
  const owner = await app.member({ merchant_id })
  const second = await app.member({ merchant_id, role: 'FINANCE' })
  await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '100' })
  const payment = await paidPayment(shop)
  const [paid] = await app.owner<{ customer_id: string; operation_msisdn: string }[]>`
    select customer_id, operation_msisdn from transactions where id = ${payment.id}`
  const erase = () => shop.call('DELETE', `/customers/${paid?.customer_id}/`)
  const begun = await app.owner.begin(async (tx) => {
    await tx`select 1 from balances where merchant_id = ${merchant_id} for update`
    const refunding: Promise<Reply> = refund(shop, payment)
    await waiting(1)
    const erasing: Promise<Reply> = erase()
    await waiting(2)
    return { refunding, erasing }
  })
  const made = await begun.refunding
  expect([made.status, made.data?.waiting_for]).toEqual([201, 'SECOND_MEMBER'])
  const refused = await begun.erasing
  expect([refused.status, refused.error?.code]).toEqual([409, 'retention_required'])
  const [kept] = await app.owner<{ operation_msisdn: string }[]>`
    select operation_msisdn from refunds where id = ${made.data.id}`
  expect(kept?.operation_msisdn).toBe(paid?.operation_msisdn)

  expect((await second.post(`/refunds/${made.data.id}/approve/`)).status).toBe(200)
  await refundEnds(shop, made.data.id, 'SUCCESS')
  expect((await erase()).status).toBe(204)
})

it('made to a payer who is erased already has the number that was named until it has ended', async () => {
  const shop = await refundingShop(app)
  await app.member({ merchant_id: shop.merchant_id })
  const second = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
  const payment = await oldPayment(app, shop)
  const { customer } = (await shop.get(`/transactions/${payment.id}/`)).data
  expect((await shop.call('DELETE', `/customers/${customer}/`)).status).toBe(204)
  const { phone } = newPayer()
  const digits = phone.slice(4)
  const body = { recipient: { msisdn: phone }, reason: `To ${digits}, as agreed` }
  const made = await refund(shop, payment, body, `refund ${payment.id}`)
  expect([made.status, made.data?.waiting_for]).toEqual([201, 'SECOND_MEMBER'])
  await eraseLateTraces({ db: app.service.db, live_payer_days: 0 })
  const [kept] = await app.owner<{ operation_msisdn: string }[]>`
    select operation_msisdn from refunds where id = ${made.data.id}`
  expect(kept?.operation_msisdn).toBe(phone)

  expect((await second.post(`/refunds/${made.data.id}/approve/`)).status).toBe(200)
  const { attempts } = await refundEnds(shop, made.data.id, 'SUCCESS')
  const named = async () => {
    await eraseLateTraces({ db: app.service.db, live_payer_days: 0 })
    return (await wholeDump(app)).split('\n').filter((line) => line.includes(digits))
  }
  expect(await named()).toEqual([])
  const { data } = await shop.get(`/refunds/${made.data.id}/`)
  expect([data.msisdn_masked.slice(-2), data.reason]).toEqual([phone.slice(-2), ''])

  // The operator calls back once more, when all is over.
  await app.owner`
    insert into gateway_callbacks (merchant_id, id, environment, gateway_id, attempt_id, proof,
      body, body_hash, outcome)
    select merchant_id, (left(id::text, 14) || '8000-8000-000000000001')::uuid, environment,
           gateway_id, id, 'SIGNED', ${`{"msisdn":"${phone}"}`}, '', 'APPLIED'
      from attempts where id = ${attempts[0].id}`
  expect(await named()).toEqual([])
})
