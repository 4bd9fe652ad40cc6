// What people decided of a payment goes on barring acts that would move its money once more: its
// incident says which ones are refused, before anybody is offered them.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  attemptsOf,
  confirmed,
  fund,
  openShop,
  receive,
  refused,
  resolved,
} from '../setup/incidents.ts'

let app: TestApp
let people: { first: SignedInCaller; second: SignedInCaller }
beforeAll(async () => {
  app = await startApp()
  people = {
    first: await app.staff({ role: 'FINANCE' }),
    second: await app.staff({ role: 'OPERATIONS' }),
  }
})
afterAll(() => app.stop())

type Answers = Parameters<typeof receive>[2]

/** A payment that ended so, and what its operator says of it afterwards. */
async function contradicted(ends: 'SUCCESS' | 'FAILED', says: Answers) {
  const shop = await openShop(app)
  const magic = ends === 'SUCCESS' ? '10' : '01'
  const { data } = await shop.pay({ amount: '10000', customer: newPayer(magic) })
  await shop.becomes(data.id, ends)
  const [attempt] = await attemptsOf(shop, data.id)
  await receive(app, { shop, attempt_id: attempt.id }, says)
  await fund(shop, '100000')
  return { shop, id: String(data.id) }
}

/** What its detail, its list and the search say, which is one thing. */
async function markOf(shop: Shop, id: string) {
  const { data } = await shop.get(`/transactions/${id}/`)
  const { results } = (await shop.get('/transactions/')).data
  const found = (await shop.get(`/search/?q=${data.reference}`)).data
  const groups = found.groups as { kind: string; results: { incident: unknown }[] }[]
  const group = groups.find(({ kind }) => kind === 'TRANSACTION')
  expect(results[0].incident).toEqual(data.incident)
  expect(group?.results[0]?.incident).toEqual(data.incident)
  return data.incident
}

const refund = async (shop: Shop, id: string) =>
  (await shop.post(`/payments/${id}/refunds/`, {})).error?.code ?? 'taken'
const retry = async (shop: Shop, id: string) =>
  (await shop.post(`/payments/${id}/retry/`, {})).error?.code ?? 'taken'

it.each([
  ['WRITE_OFF', true, 'not_refundable'],
  ['RECOVERED', false, 'taken'],
] as const)(
  'a payment that was taken back is refunded only where it is there again: %s',
  async (resolution, prevents_refund, answer) => {
    const { shop, id } = await contradicted('SUCCESS', refused)
    const open = { status: 'OPEN', prevents_refund: true, prevents_retry: false }
    expect(await markOf(shop, id)).toMatchObject(open)
    expect(await refund(shop, id)).toBe('not_refundable')
    await resolved(app, people, shop, resolution)
    expect(await markOf(shop, id)).toMatchObject({ status: 'RESOLVED', prevents_refund })
    expect(await refund(shop, id)).toBe(answer)
  },
)

it.each([
  ['CREDIT_MERCHANT', true, 'payment_already_pending'],
  ['REFUND_PAYER', false, 'taken'],
] as const)(
  'a payment of which another amount came is asked for again only where none was booked: %s',
  async (resolution, prevents_retry, answer) => {
    const { shop, id } = await contradicted('FAILED', confirmed(990_000n))
    expect(await markOf(shop, id)).toMatchObject({ status: 'OPEN', prevents_retry: true })
    expect(await retry(shop, id)).toBe('payment_already_pending')
    await resolved(app, people, shop, resolution)
    const mark = { status: 'RESOLVED', prevents_refund: false, prevents_retry }
    expect(await markOf(shop, id)).toMatchObject(mark)
    expect(await retry(shop, id)).toBe(answer)
  },
)
