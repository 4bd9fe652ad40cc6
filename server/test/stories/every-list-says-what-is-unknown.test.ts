// Whoever reads a list is told, of each row, that nobody knows what came of it, and that people look
// into it: by whatever filter it was found, in every list and by a search.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { confirmed, openShop, receive } from '../setup/incidents.ts'
import { paidPayment, refund } from '../setup/refunds.ts'

let app: TestApp
let shop: Shop
let unknown: Json
let waiting: Json
let otherwise: Json
let link: Json
beforeAll(async () => {
  app = await startApp()
  shop = await openShop(app)
  link = (await shop.post('/payment-links/', { name: 'Tissus wax', currency: 'XOF' })).data
  const customer = newPayer('04')
  const pay = async (payer = customer) => (await shop.pay({ customer: payer })).data
  waiting = await pay()
  unknown = await pay()
  await app.owner`
    update transactions set payment_link = ${link.id}, customer_id = ${await customerOf(waiting)}
     where id = ${unknown.id}`
  await isUnknown('transaction_id', unknown.id)
  otherwise = await pay(newPayer('01'))
  await shop.becomes(otherwise.id, 'FAILED')
  const [attempt] = (await shop.get(`/transactions/${otherwise.id}/`)).data.attempts
  await receive(app, { shop, attempt_id: attempt.id }, confirmed(123_400n))
})
afterAll(() => app.stop())

const customerOf = async ({ id }: Json): Promise<string> =>
  (await shop.get(`/transactions/${id}/`)).data.customer

const isUnknown = (by: 'transaction_id' | 'refund_id', id: string) =>
  app.owner`
    update attempts set status = 'UNKNOWN', due_at = null where ${app.owner(by)} = ${id}`

/** Of each row of a list: by its id, whether its outcome is unknown, and its incident. */
const said = async (path: string): Promise<Json> => {
  const { status, data } = await shop.get(path)
  expect(status, path).toBe(200)
  return Object.fromEntries(
    data.results.map(({ id, outcome_unknown, incident }: Json) => [
      id,
      [outcome_unknown, incident?.type],
    ]),
  )
}

it('whatever the list is narrowed by, and in the lists of a customer and of a link', async () => {
  const [is_unknown, is_open] = [
    { [unknown.id]: [true, undefined] },
    { [waiting.id]: [false, undefined] },
  ]
  const contradicted = { [otherwise.id]: [false, 'AMOUNT_MISMATCH'] }
  const customer = await customerOf(unknown)
  for (const [path, wanted] of [
    ['/transactions/', { ...is_unknown, ...is_open, ...contradicted }],
    ['/transactions/?outcome=UNKNOWN', is_unknown],
    ['/transactions/?status=PENDING&flow_direction=INBOUND', { ...is_unknown, ...is_open }],
    ['/transactions/?via=LINK', is_unknown],
    ['/transactions/?status=FAILED&country=BJ', contradicted],
    [`/transactions/?search=${unknown.reference}`, is_unknown],
    [`/customers/${customer}/transactions/`, { ...is_unknown, ...is_open }],
    [`/payment-links/${link.id}/transactions/`, is_unknown],
  ] as const) {
    expect([path, await said(path)]).toEqual([path, wanted])
  }
  const { data } = await shop.get(`/transactions/${unknown.id}/`)
  expect(data.outcome_unknown).toBe(true)
})

it('in what a search finds, of a refund too', async () => {
  const payment = await paidPayment(shop)
  const given = await refund(shop, payment, {
    ...{ amount: '700', reference: 'RETOUR-9', reason: 'sandbox:04' },
  })
  const found = async (q: string) => (await shop.get(`/search/?q=${q}`)).data.groups[0].results[0]
  expect(await found('RETOUR-9')).toMatchObject({ outcome_unknown: false, incident: null })
  await isUnknown('refund_id', given.data.id)
  expect(await found('RETOUR-9')).toMatchObject({ id: given.data.id, outcome_unknown: true })
  expect(await found(unknown.reference)).toMatchObject({ outcome_unknown: true, incident: null })
  expect(await found(waiting.reference)).toMatchObject({ outcome_unknown: false, incident: null })
  const incident = { type: 'AMOUNT_MISMATCH', status: 'OPEN' }
  expect(await found(otherwise.reference)).toMatchObject({ outcome_unknown: false, incident })
  expect(await found(link.name)).toMatchObject({ outcome_unknown: false, incident: null })
})

it('until its end is known', async () => {
  await app.owner`
    update attempts set status = 'PENDING' where transaction_id = ${unknown.id}`
  const path = `/transactions/?search=${unknown.reference}`
  expect(await said(path)).toEqual({ [unknown.id]: [false, undefined] })
})
