// That an operator said nothing in time is no contradiction: what is said later ends it, and then
// its status says all there is. Only what no status can follow is marked as contradicted, on Home
// and by the list's filter as in the record itself; else a payment that failed cannot be asked for
// again, and one that may have moved its money twice looks as if it had ended.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import {
  attemptsOf,
  confirmed,
  fund,
  openShop,
  payout,
  receive,
  refused,
} from '../setup/incidents.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

/** The time in which its operator is asked is over, and it has not said how it ended. */
async function timeIsOver({ id }: Json): Promise<void> {
  await app.owner`
    update attempts
       set asking_until = now() - interval '1 s', due_at = now() - interval '1 second',
           asked_at = null, leased_until = null
     where id = ${id}`
  await eventually(async () => {
    const [row] = await app.owner`
      select 1 from incidents where attempt_id = ${id} and type = 'OUTCOME_UNKNOWN'`
    expect(row).toBeDefined()
  })
}

/** By the record, by the lists that the filter finds, and by what Home says is to be done. */
async function saidOf(id: string) {
  const found = async (which: string) =>
    (await shop.get(`/transactions/?incident=${which}`)).data.results.map((one: Json) => one.id)
  const [record, open, contradicted, home] = await Promise.all([
    shop.get(`/transactions/${id}/`),
    found('OPEN'),
    found('CONTRADICTED'),
    shop.get('/overview/'),
  ])
  const { incident, status } = record.data
  return {
    ...{ status, type: incident?.type, is_contradiction: incident?.is_contradiction },
    ...{ isOpen: open.includes(id), isFound: contradicted.includes(id) },
    home: home.data.attention
      .map(({ kind }: Json) => kind)
      .filter((kind: string) => /INCIDENT|UNKNOWN/.test(kind)),
  }
}

const silent = {
  ...{ type: 'OUTCOME_UNKNOWN', is_contradiction: false },
  ...{ isOpen: true, isFound: false, home: [] },
}
const contradicted = { is_contradiction: true, isOpen: true, isFound: true }

it('of a payment that was closed for want of an answer, and asked for again in vain', async () => {
  shop = await openShop(app)
  const { id } = (await shop.pay({ customer: newPayer('04') })).data
  const [first] = await attemptsOf(shop, id)
  await timeIsOver(first)
  await shop.becomes(id, 'FAILED')
  expect(await saidOf(id)).toEqual({ ...silent, status: 'FAILED' })
  await receive(app, { shop, attempt_id: first.id }, refused)
  // The second time by a payer who declines.
  const { phone } = newPayer('02')
  await app.owner`update transactions set operation_msisdn = ${phone} where id = ${id}`
  expect((await shop.post(`/payments/${id}/retry/`, {})).status).toBe(200)
  const { failure_code } = await shop.becomes(id, 'FAILED')
  expect(failure_code).not.toBe('UNKNOWN')
  expect((await attemptsOf(shop, id)).map(({ status }) => status)).toEqual(['FAILED', 'FAILED'])
  expect(await saidOf(id)).toEqual({ ...silent, status: 'FAILED' })
  // Another try of it is open still, though it has ended otherwise.
  await app.owner`update attempts set status = 'UNKNOWN' where id = ${first.id}`
  const ended = { ...contradicted, home: ['PAYMENT_INCIDENT'] }
  expect(await saidOf(id)).toMatchObject({ ...ended, type: 'OUTCOME_UNKNOWN' })
}, 60_000)

it.each([
  ['FAILED', () => refused],
  ['SUCCESS', ({ net_amount }: Json) => confirmed(BigInt(Math.round(Number(net_amount) * 100)))],
])(
  'of a payout whose operator says late that it is %s',
  async (status, late) => {
    shop = await openShop(app)
    await fund(shop, '50000')
    const { id } = (await payout(shop, '04')).data
    const [attempt] = await attemptsOf(shop, id)
    await timeIsOver(attempt)
    await app.owner`update attempts set status = 'UNKNOWN' where id = ${attempt.id}`
    await app.owner`
      update transactions set created_at = now() - interval '16 minutes' where id = ${id}`
    const pending = { ...silent, status: 'PENDING' }
    // It is counted once: as one whose outcome is unknown.
    expect(await saidOf(id)).toEqual({ ...pending, home: ['PAYOUT_UNKNOWN'] })
    await receive(app, { shop, attempt_id: attempt.id }, late(attempt))
    await shop.becomes(id, status)
    expect(await saidOf(id)).toEqual({ ...silent, status })
  },
  60_000,
)

it('and a silence after a contradiction does not hide it', async () => {
  shop = await openShop(app)
  const { id } = (await shop.pay({ customer: newPayer('04') })).data
  const [attempt] = await attemptsOf(shop, id)
  await receive(app, { shop, attempt_id: attempt.id }, confirmed(123_400n))
  await timeIsOver(attempt)
  const still = { ...contradicted, type: 'AMOUNT_MISMATCH', home: ['PAYMENT_INCIDENT'] }
  expect(await saidOf(id)).toMatchObject(still)
}, 60_000)
