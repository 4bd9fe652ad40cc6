// Refunds that wait for a float while staff have stopped their merchant, or people look into their
// payment: a hundred of them hold up none that may leave. Without workers: the test itself claims.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimSentAgain } from '../../src/refunds/store.ts'
import { type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { paidPayment, receiveOfRefund, refund, refundingShop } from '../setup/refunds.ts'
import { noFloat } from '../setup/scripted-operator.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

/** A refund that its operator could not make, due for so many seconds. */
async function waitingRefund(due_s: number) {
  const shop = await refundingShop(app, {}, '50000')
  const payment = await paidPayment(shop)
  const made = await refund(shop, payment, { amount: '4000', reason: 'sandbox:04' })
  const { data } = await shop.get(`/refunds/${made.data.id}/`)
  await receiveOfRefund(app, shop, data.attempts[0].id, noFloat)
  await isDue(shop, due_s)
  return { shop, payment, id: String(made.data.id) }
}

const isDue = ({ merchant_id }: Shop, due_s: number) => app.owner`
  update refunds set send_again_at = now() - ${due_s} * interval '1 second'
   where merchant_id = ${merchant_id}`

type Waiting = Awaited<ReturnType<typeof waitingRefund>>

const addCopies = ({ id }: Waiting, copies: number) => app.owner`
  insert into refunds
  select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid()))).*
    from refunds r, generate_series(1, ${copies}::int)
   where r.id = ${id}`

const freeze = ({ shop }: Waiting, is_frozen: boolean) => app.owner`
  update balances set is_frozen = ${is_frozen} where merchant_id = ${shop.merchant_id}`

async function disputePayment({ payment }: Waiting): Promise<void> {
  await app.owner`
    insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
      gateway_id, country, currency, amount, suspense_side, detail)
    select a.merchant_id, gen_random_uuid(), a.environment, 'REVERSED_AFTER_SUCCESS', a.id,
           a.transaction_id, a.gateway_id, 'BJ', 'XOF', 0, null, '{}'
      from attempts a where a.transaction_id = ${payment.id}`
}

const claimed = async () => (await claimSentAgain(app.service.db, 20)).map(({ id }) => id)

it('a hundred that may not leave hold up none that may', async () => {
  const free = await waitingRefund(1)
  const frozen = await waitingRefund(3600)
  await freeze(frozen, true)
  const disputed = await waitingRefund(3600)
  await disputePayment(disputed)
  const suspended = await waitingRefund(3600)
  await app.owner`
    update merchants set status = 'SUSPENDED' where id = ${suspended.shop.merchant_id}`
  // Sent back to the sandbox while this waited in LIVE.
  const rejected = await waitingRefund(3600)
  await app.owner`
    update refunds set environment = 'LIVE' where merchant_id = ${rejected.shop.merchant_id}`
  const asked = await waitingRefund(3600)
  await app.owner`
    update attempts set due_at = now() + interval '1 hour' where refund_id = ${asked.id}`
  await Promise.all([frozen, disputed, suspended, rejected].map((one) => addCopies(one, 32)))

  expect(await claimed()).toEqual([free.id])
  const waiting = await app.owner<Json[]>`
    select count(*)::int as count, min(send_again_at) > now() as is_later
      from refunds where waiting_for = 'GATEWAY_FLOAT'`
  expect(waiting).toEqual([{ count: 134, is_later: true }])
  expect(await claimed()).toEqual([])

  await freeze(frozen, false)
  await isDue(frozen.shop, 1)
  // Twenty at a time, and the others next.
  const [first, second] = [await claimed(), await claimed()]
  expect([first.length, second.length]).toEqual([20, 13])
  expect(new Set([...first, ...second]).size).toBe(33)
})
