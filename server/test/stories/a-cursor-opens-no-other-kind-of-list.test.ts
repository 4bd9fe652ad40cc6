// A cursor is a place in one kind of list. Where another kind orders its rows by something else,
// the place means nothing there: it is refused as a wrong cursor (contract 1.6), and is no error of
// ours.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type Reply, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const cursorOf = ({ data }: Reply): string => {
  const cursor = new URL(data.next).searchParams.get('cursor')
  expect(cursor).toBeTruthy()
  return cursor ?? ''
}

const wrong = async (reply: Promise<Reply>) => {
  const { status, error } = await reply
  return [status, Object.keys(error ?? {})]
}

it('a transaction’s story and the lists refuse each other’s', async () => {
  const shop = await app.shop()
  const owner = await app.member({ merchant_id: shop.merchant_id })
  const { data } = await shop.pay({ customer: newPayer() })
  await shop.becomes(data.id, 'SUCCESS')
  await shop.pay({ customer: newPayer() })
  const story = `/transactions/${data.id}/timeline/`
  const place = cursorOf(await owner.get(`${story}?page_size=1`))
  expect((await owner.get(`${story}?cursor=${place}`)).status).toBe(200)
  const lists = [
    ...['/transactions/', '/transaction-attempts/', '/transaction-status-logs/'],
    ...['/merchant-ledger-entries/', '/webhook-logs/', '/audit-logs/', '/events/'],
  ]
  for (const list of lists) {
    const answered = await wrong(owner.get(`${list}?cursor=${place}`))
    expect([list, ...answered]).toEqual([list, 400, ['cursor']])
  }
  const other = cursorOf(await owner.get('/transactions/?page_size=1'))
  expect(await wrong(owner.get(`${story}?cursor=${other}`))).toEqual([400, ['cursor']])
})

it('staff’s audit log refuses a place among the transactions of all merchants', async () => {
  const staff = await app.staff()
  const shop = await app.shop()
  for (const _ of [1, 2]) await shop.pay({ customer: newPayer() })
  const transactions = '/admin/transactions/'
  const place = cursorOf(await staff.get(`${transactions}?page_size=1`))
  expect((await staff.get(`${transactions}?cursor=${place}`)).status).toBe(200)
  expect(await wrong(staff.get(`/admin/audit-logs/?cursor=${place}`))).toEqual([400, ['cursor']])
})
