// Every contradiction is ended by two people of the staff: what is booked is what money 3 says, the
// suspense is empty afterwards, and one person alone, twice, or at the same moment, books nothing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findOutcome } from '../../src/receipts/store.ts'
import { type Reply, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  amountOf,
  attemptsOf,
  balance,
  booksAgree,
  confirm,
  fund,
  incidentOf,
  open,
  openShop,
  payout,
  propose,
  receive,
  refused,
  resolved,
} from '../setup/incidents.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'OPERATIONS' })
})
afterAll(() => app.stop())

describe('each way an incident may end', () => {
  it.each([
    ['another amount came', 'REFUND_PAYER', () => [0, 0]],
    ['another amount came', 'CREDIT_MERCHANT', (fee: number) => [9900 - fee, 0]],
    ['a payment was taken back', 'CHARGE_MERCHANT', () => [-10_000, 0]],
    ['a payment was taken back', 'RECOVERED', () => [0, 0]],
    ['a payment was taken back', 'WRITE_OFF', () => [0, 0]],
    ['a payment was paid twice', 'REFUND_PAYER', () => [0, 0]],
    ['a payment was paid twice', 'CREDIT_MERCHANT', (fee: number) => [10_000 + fee, 0]],
    ['a payout was paid after its release', 'CHARGE_MERCHANT', () => [-10_000, 0]],
    ['a payout was paid after its release', 'RECOVERED', () => [0, 0]],
    ['a payout was paid after its release', 'WRITE_OFF', () => [0, 0]],
    // Its operator gives its own part of the fee back.
    ['a payout came back after it had succeeded', 'CREDIT_MERCHANT', (fee) => [10_100 - fee, 0]],
    ['a payout came back after it had succeeded', 'RECOVERED', () => [0, 0]],
    ['a payout paid another amount', 'CHARGE_MERCHANT', () => [0, 9000]],
    ['a payout paid another amount', 'RECOVERED', () => [0, 0]],
    ['a payout paid another amount', 'WRITE_OFF', () => [0, 0]],
  ] as [string, string, (fee: number) => [number, number]][])(
    '%s: %s',
    async (name, resolution, expected) => {
      const { shop, fee } = await open(app, name)
      const { more, owed } = await resolved(app, { first, second }, shop, resolution)
      expect([more, owed]).toEqual(expected(fee))
    },
  )

  it('what the merchant has not is their debt', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    await payout(shop, '10')
    const left = await balance(shop)
    expect(left).toBe(0)
    expect(await resolved(app, { first, second }, shop, 'CHARGE_MERCHANT')).toEqual({
      more: 0,
      owed: 10_000,
    })
  })
})

/** What has been earned by what a shop did and was not given back. */
async function feesOf(shop: Shop) {
  const [row] = await app.owner<{ sum: string }[]>`
    select coalesce(sum(case when a.id = e.credit_account then e.amount else -e.amount end), 0)::text
             as sum
      from ledger_entries e
      join accounts a on a.merchant_id = e.merchant_id
                     and a.id in (e.debit_account, e.credit_account)
     where e.merchant_id = ${shop.merchant_id} and a.kind in ('gateway_fees', 'platform_fees')`
  return Number(row?.sum) / 100
}

describe('a payment that is taken back in parts, or again', () => {
  async function paid() {
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000' })
    await shop.becomes(data.id, 'SUCCESS')
    const [{ id: attempt_id, client_fee }] = await attemptsOf(shop, data.id)
    const fee = Number(client_fee)
    /** All that came back so far, in francs; how much the merchant has more for it. */
    const back = async (came: number, resolution: string) => {
      const amount = BigInt(came * 100)
      const said = { is: 'reversed', external_reference: 'OP-1', amount, detail: 'back' } as const
      await receive(app, { shop, attempt_id }, said)
      return resolved(app, { first, second }, shop, resolution)
    }
    return { shop, fee, back }
  }

  it('costs its merchant in two parts what it costs whole: the fee is undone once', async () => {
    const { shop, fee, back } = await paid()
    expect(await back(4000, 'CHARGE_MERCHANT')).toEqual({ more: -4000, owed: 0 })
    expect(await feesOf(shop)).toBe(fee)
    expect(await back(10_000 + fee, 'CHARGE_MERCHANT')).toEqual({ more: -6000, owed: 0 })
    expect(await feesOf(shop)).toBe(0)
  })

  it('costs the same after it was there again', async () => {
    const { shop, fee, back } = await paid()
    expect(await back(10_000 + fee, 'RECOVERED')).toEqual({ more: 0, owed: 0 })
    expect(await back(10_000 + fee, 'CHARGE_MERCHANT')).toEqual({ more: -10_000, owed: 0 })
    expect(await feesOf(shop)).toBe(0)
  })

  it('keeps its fee where we bore a part, or where the last part is less than the fee', async () => {
    const ours = await paid()
    expect(await ours.back(4000, 'WRITE_OFF')).toEqual({ more: 0, owed: 0 })
    const rest = { more: -6000 - ours.fee, owed: 0 }
    expect(await ours.back(10_000 + ours.fee, 'CHARGE_MERCHANT')).toEqual(rest)
    expect(await feesOf(ours.shop)).toBe(ours.fee)
    const { shop, fee, back } = await paid()
    expect(await back(10_001, 'CHARGE_MERCHANT')).toMatchObject({ more: -10_000, owed: 1 })
    expect(await back(10_000 + fee, 'CHARGE_MERCHANT')).toMatchObject({ more: 0, owed: fee })
    expect(await feesOf(shop)).toBe(fee)
  })
})

describe('a second capture that its operator takes back', () => {
  const people = () => ({ first, second })

  async function credited() {
    const { shop, fee } = await open(app, 'a payment was paid twice')
    const [payment] = await app.owner`
      select id from transactions where merchant_id = ${shop.merchant_id}`
    const id = String(payment?.['id'])
    const [beside] = await attemptsOf(shop, id)
    await resolved(app, people(), shop, 'CREDIT_MERCHANT')
    return { shop, fee, id, attempt_id: String(beside.id) }
  }

  it('is what the merchant had of it, and the payment is as it was', async () => {
    const { shop, fee, id, attempt_id } = await credited()
    const before = (await shop.get(`/transactions/${id}/`)).data
    await receive(app, { shop, attempt_id }, refused)
    const ended = await resolved(app, people(), shop, 'CHARGE_MERCHANT')
    expect(ended).toEqual({ more: -10_000 - fee, owed: 0 })
    expect([await balance(shop), await feesOf(shop)]).toEqual([10_000, fee])
    const after = (await shop.get(`/transactions/${id}/`)).data
    expect(after.refundable_amount).toBe(before.refundable_amount)
    expect(after.refunded_amount).toBe('0.00')
    // Its receipt proves it as before.
    const outcome = await findOutcome(app.owner, { merchant_id: shop.merchant_id, id })
    expect(outcome).toMatchObject({ reversal: null })
    await fund(shop, '1000')
    expect((await shop.post(`/payments/${id}/refunds/`, {})).status).toBe(201)
    await booksAgree(app)
  })

  it.each(['CHARGE_MERCHANT', 'WRITE_OFF'])(
    'in part is not of the payment either: %s',
    async (resolution) => {
      const { shop, id, attempt_id } = await credited()
      await receive(app, { shop, attempt_id }, {
        ...{ is: 'reversed', external_reference: 'OP-1', amount: 400_000n, detail: 'returned' },
      } as const)
      const { more } = await resolved(app, people(), shop, resolution)
      expect(more).toBe(resolution === 'WRITE_OFF' ? 0 : -4000)
      expect((await shop.get(`/transactions/${id}/`)).data.refunded_amount).toBe('0.00')
    },
  )
})

describe('a second capture that people have given back', () => {
  const people = () => ({ first, second })
  const parted = { is: 'reversed', external_reference: 'OP-1', detail: 'returned' } as const

  it.each([
    ['whole', 'REVERSED_AFTER_SUCCESS', refused],
    ['in part', 'AMOUNT_MISMATCH', { ...parted, amount: 400_000n }],
  ])('is not charged to a merchant who never had it: %s', async (_, type, answer) => {
    const { shop } = await open(app, 'a payment was paid twice')
    const [one] = await app.owner`
      select a.id from attempts a join incidents i on i.attempt_id = a.id
       where a.merchant_id = ${shop.merchant_id}`
    await resolved(app, people(), shop, 'REFUND_PAYER')
    const had = await balance(shop)
    await receive(app, { shop, attempt_id: String(one?.['id']) }, answer)
    const incident = await incidentOf(app, shop)
    expect(incident).toMatchObject({ type, suspense_side: 'DEBIT' })
    const charge = await propose(first, incident, 'CHARGE_MERCHANT')
    expect(charge.error?.resolution[0]).toContain('one of RECOVERED, WRITE_OFF')
    expect(await resolved(app, people(), shop, 'RECOVERED')).toEqual({ more: 0, owed: 0 })
    expect(await balance(shop)).toBe(had)
  })

  it('is there again, and no more, while it is not decided who has it', async () => {
    const { shop } = await open(app, 'a payment was paid twice')
    const first_one = await incidentOf(app, shop)
    const [one] = await app.owner`select attempt_id from incidents where id = ${first_one.id}`
    await receive(app, { shop, attempt_id: one?.['attempt_id'] }, refused)
    const [back] = await app.owner`
      select id, amount from incidents
       where merchant_id = ${shop.merchant_id} and type = 'REVERSED_AFTER_SUCCESS'`
    const charge = await propose(first, back, 'CHARGE_MERCHANT')
    expect(charge.error?.resolution[0]).toContain('one of RECOVERED for')
    await propose(first, first_one, 'CREDIT_MERCHANT')
    expect((await confirm(second, first_one)).data.status).toBe('RESOLVED')
    // The merchant has it now, and bears it.
    const { more } = await resolved(app, people(), shop, 'CHARGE_MERCHANT')
    expect([more, await balance(shop)]).toEqual([-Number(first_one.amount) / 100, 10_000])
  })
})

describe('a payout nobody knows of', () => {
  async function unknown() {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '04')
    const [attempt] = await attemptsOf(shop, data.id)
    // The time in which an operator is asked is over, and they have not said how it ended.
    await app.owner`
      update attempts set asking_until = now() - interval '1 second', asked_at = null
       where id = ${attempt.id}`
    await shop.get(`/payouts/${data.id}/verify/`)
    return { shop, id: String(data.id) }
  }

  it.each([
    ['was paid', 'CHARGE_MERCHANT', 'SUCCESS', ['0.00', '0.00']],
    ['was not paid', 'CREDIT_MERCHANT', 'FAILED', ['10000.00', '0.00']],
  ])('%s, by the word of two', async (_what, resolution, status, sums) => {
    const { shop, id } = await unknown()
    const incident = await incidentOf(app, shop)
    await propose(first, incident, resolution)
    expect((await confirm(second, incident)).data.status).toBe('RESOLVED')
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data.status).toBe(status)
    expect(data.status_logs.at(-1).triggered_by).toBe('ADMIN')
    const { available_amount, pending_amount } = await shop.balance('BJ')
    expect([available_amount, pending_amount]).toEqual(sums)
    await booksAgree(app)
  })

  it('that the operator ended meanwhile is not ended a second time', async () => {
    const { shop, id } = await unknown()
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'CREDIT_MERCHANT')
    await shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'SUCCESS' })
    const late = await confirm(second, incident)
    expect([late.status, late.error.code]).toEqual([409, 'outcome_known'])
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('SUCCESS')
    // What is known needs no proof any more: two people say so, and nothing is booked.
    expect((await propose(first, incident, 'RECOVERED')).status).toBe(200)
    expect((await confirm(second, incident, 'RECOVERED')).data.status).toBe('RESOLVED')
    await booksAgree(app)
  })
})

describe('one person alone', () => {
  it('cannot confirm their own word, however they say it', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    const incident = await incidentOf(app, shop)
    const early = await confirm(second, incident)
    expect([early.status, early.error.code]).toEqual([409, 'nothing_proposed'])
    await propose(first, incident, 'WRITE_OFF')
    const own = await confirm(first, incident)
    expect([own.status, own.error.code]).toEqual([409, 'second_person_required'])
    expect((await propose(first, incident, 'WRITE_OFF')).data.status).toBe('OPEN')
    expect((await propose(second, incident, 'WRITE_OFF')).data.status).toBe('RESOLVED')
    const again = await propose(first, incident, 'WRITE_OFF')
    expect([again.status, again.error.code]).toEqual([409, 'incident_resolved'])
    await booksAgree(app)
  })

  it('who may resolve nothing any more is not the first of two', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    const incident = await incidentOf(app, shop)
    const gone = await app.staff({ role: 'FINANCE' })
    await propose(gone, incident, 'WRITE_OFF')
    const demoted = await (await app.staff()).call('PATCH', `/admin/staff/${gone.person_id}/`, {
      body: JSON.stringify({ role: 'SUPPORT' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(demoted.status).toBe(200)
    const refused = await confirm(second, incident)
    expect([refused.status, refused.error.code]).toEqual([409, 'proposer_gone'])
    // The same words of another are the first ones that count.
    const mine = await propose(second, incident, 'WRITE_OFF')
    expect(mine.data).toMatchObject({ status: 'OPEN', proposed_by: second.person_id })
    expect((await confirm(first, incident, 'WRITE_OFF')).data.status).toBe('RESOLVED')
    await booksAgree(app)
  })

  it('other words are a new proposal, and a proposal is taken back', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'WRITE_OFF')
    const other = await propose(second, incident, 'RECOVERED')
    expect(other.data).toMatchObject({ status: 'OPEN', resolution: 'RECOVERED' })
    expect(other.data.proposed_by).toBe(second.person_id)
    const back = await second.post(`/admin/incidents/${incident.id}/withdraw/`)
    expect(back.data).toMatchObject({ status: 'OPEN', resolution: null, proposed_by: null })
  })

  it('is confirmed only as it was read: what replaced it is named, or read again', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    const incident = await incidentOf(app, shop)
    const changed = [409, 'proposal_changed']
    const code = ({ status, error }: Reply) => [status, error?.code]
    await propose(first, incident, 'CHARGE_MERCHANT')
    await propose(first, incident, 'RECOVERED')
    expect(code(await confirm(second, incident))).toEqual(changed)
    expect(code(await confirm(second, incident, 'CHARGE_MERCHANT'))).toEqual(changed)
    // A proposal that was withdrawn and another in its place is a second one, too.
    await first.post(`/admin/incidents/${incident.id}/withdraw/`)
    await propose(first, incident, 'CHARGE_MERCHANT')
    expect(code(await confirm(second, incident))).toEqual(changed)
    const done = await confirm(second, incident, 'CHARGE_MERCHANT')
    expect(done.data).toMatchObject({ status: 'RESOLVED' })
    await booksAgree(app)
  })

  it('of twenty confirmations at once one books', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'CHARGE_MERCHANT')
    const all = await Promise.all(Array.from({ length: 20 }, () => confirm(second, incident)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await balance(shop)).toBe(0)
    await booksAgree(app)
  })
})

describe('what is refused', () => {
  it('a resolution that does not fit, another amount, no note', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    const incident = await incidentOf(app, shop)
    const send = (body: object) =>
      first.post(`/admin/incidents/${incident.id}/resolve/`, {
        resolution: 'WRITE_OFF',
        amount: amountOf(incident),
        note: 'x',
        ...body,
      })
    expect(Object.keys((await send({ resolution: 'REFUND_PAYER' })).error)).toEqual(['resolution'])
    expect(Object.keys((await send({ amount: '1' })).error)).toEqual(['amount'])
    expect(Object.keys((await send({ note: '' })).error)).toEqual(['note'])
  })

  it('an id nobody has, another environment, a role without the right, a merchant', async () => {
    const { shop } = await open(app, 'a payment was taken back')
    const incident = await incidentOf(app, shop)
    const nobody = { ...incident, id: '01981f3a-0000-7000-8000-000000000001' }
    expect((await propose(first, nobody, 'WRITE_OFF')).status).toBe(404)
    const inLive = await first.call('POST', `/admin/incidents/${incident.id}/confirm/`, {
      headers: { 'x-environment': 'LIVE' },
    })
    expect(inLive.status).toBe(404)
    const support = await app.staff({ role: 'SUPPORT' })
    expect((await propose(support, incident, 'WRITE_OFF')).error.code).toBe('permission_denied')
    expect((await propose(shop, incident, 'WRITE_OFF')).error.code).toBe('permission_denied')
  })
})
