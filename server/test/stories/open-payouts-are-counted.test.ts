// How many payouts wait, and for what: as the list's filters find them, for whoever may read.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const counts = async (shop: Shop) => {
  const { status, data } = await shop.get('/payouts/counts/')
  expect(status).toBe(200)
  return data
}
const none = { approval: 0, waiting: 0, unknown: 0, is_more: false }

const payOut = (shop: Shop, amount = '60000') =>
  shop.post('/payouts/initialize/', {
    ...{ amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer('04').phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })

async function openShop() {
  const shop = await app.shop()
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
  const owner = await app.member({ merchant_id: shop.merchant_id })
  return { shop, owner }
}

it('each as many as the list finds by its filter, of payouts alone and the caller’s own', async () => {
  const { shop, owner } = await openShop()
  const finance = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
  expect(await counts(shop)).toEqual(none)
  await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '50000' })
  await payOut(finance)
  const approved = (await payOut(finance)).data.id
  expect(await counts(owner)).toEqual({ ...none, approval: 2 })
  await owner.post(`/payouts/${approved}/approve/`)
  expect(await counts(owner)).toEqual({ ...none, approval: 1 })

  const [unknown, waiting, both] = await Promise.all(
    [1, 2, 3].map(async () => (await payOut(owner, '1000')).data.id as string),
  )
  const { merchant_id } = shop
  await app.owner`
    insert into payout_waits (merchant_id, transaction_id, environment, reason, due_at)
    select merchant_id, id, environment, 'GATEWAY_FLOAT', now() + interval '1 day'
      from transactions where id in ${app.owner([waiting ?? '', both ?? ''])}`
  await app.owner`
    update attempts set status = 'UNKNOWN', due_at = null
     where merchant_id = ${merchant_id}
       and transaction_id in ${app.owner([unknown ?? '', both ?? ''])}`
  // A payment of unknown outcome is no payout.
  const payment = await shop.pay({ customer: newPayer('04') })
  await app.owner`
    update attempts set status = 'UNKNOWN', due_at = null where transaction_id = ${payment.data.id}`

  expect(await counts(shop)).toEqual({ approval: 1, waiting: 2, unknown: 2, is_more: false })
  const filters = { approval: 'REQUIRED', waiting: 'true', outcome: 'UNKNOWN' }
  const found = await Promise.all(
    Object.entries(filters).map(async ([name, value]) => {
      const path = `/transactions/?transaction_type=RETRAIT&${name}=${value}`
      return (await shop.get(path)).data.results.length
    }),
  )
  expect(found).toEqual([1, 2, 2])
  expect(await counts((await openShop()).shop)).toEqual(none)
})

it('is what a day at a glance says, with those that an operator keeps in its queue', async () => {
  const { shop, owner } = await openShop()
  const [, queued] = [await payOut(owner, '1000'), await payOut(owner, '1000')]
  const waits = async () =>
    (await shop.get('/overview/')).data.attention.find(
      ({ kind }: Json) => kind === 'PAYOUT_WAITS',
    ) ?? { count: 0 }
  expect([(await counts(shop)).waiting, (await waits()).count]).toEqual([0, 0])
  await app.owner`
    update attempts set is_queued = true, due_at = null where transaction_id = ${queued.data.id}`
  const { created_at } = (await shop.get(`/transactions/${queued.data.id}/`)).data
  expect((await counts(shop)).waiting).toBe(1)
  expect(await waits()).toEqual({ kind: 'PAYOUT_WAITS', count: 1, oldest_at: created_at })
})

it('is read by whoever may read transactions, of their own mode; by nobody else', async () => {
  const { shop, owner } = await openShop()
  await payOut(owner)
  const read_only = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
  expect(await counts(read_only)).toEqual(none)
  const nobody = await fetch(`${app.url}/api/v1/payouts/counts/`)
  expect(nobody.status).toBe(401)
  const wrong = await shop.post('/payouts/counts/', {})
  expect([wrong.status, wrong.error?.code]).toEqual([405, 'method_not_allowed'])
})

it('says that there are more than it counts', async () => {
  const { shop, owner } = await openShop()
  const { data } = await payOut(owner, '1000')
  const columns = await app.owner<{ name: string }[]>`
    select column_name as name from information_schema.columns
     where table_name = 'transactions' and is_generated = 'NEVER'
       and column_name not in ('id', 'reference')`
  const others = columns.map(({ name }) => name).join(', ')
  const plant = (from: number, to: number) =>
    app.owner.unsafe(`
      insert into transactions (id, reference, ${others})
      select gen_random_uuid(), 'TXN-PLANTED-' || n, ${others}
        from transactions, generate_series(${from}, ${to}) as n
       where id = '${data.id}'`)
  await plant(2, 1_000)
  expect(await counts(shop)).toEqual(none)
  await plant(1_001, 1_001)
  expect(await counts(shop)).toEqual({ ...none, is_more: true })
})
