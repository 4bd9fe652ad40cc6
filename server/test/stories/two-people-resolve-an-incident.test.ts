// Every contradiction is ended by two people of the staff: what is booked is what money 3 says, the
// suspense is empty afterwards, and one person alone, twice, or at the same moment, books nothing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAttempt } from '../../src/attempts/attempt-record.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { applyAnswer } from '../../src/transactions/apply-answer.ts'
import { type AttemptContext, findAttemptContext } from '../../src/transactions/store.ts'
import {
  type Json,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'OPERATIONS' })
})
afterAll(() => app.stop())

const booksAgree = async () =>
  expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])

async function openShop() {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  return shop
}

const fund = (shop: Shop, amount: string) =>
  shop.post('/sandbox/balances/', { country: 'BJ', amount })

const payout = (shop: Shop, magic: string) =>
  shop.post('/payouts/initialize/', {
    amount: '10000',
    currency: 'XOF',
    country: 'BJ',
    method: 'mtn_bj',
    recipient: { msisdn: newPayer(magic).phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })

const deps = () => ({ db: app.service.db, wake: () => undefined })

/** What the gateway says of an attempt of ours, when we ask. */
async function receive(shop: Shop, attempt_id: string, answer: Answer, seen?: AttemptContext) {
  const key = { merchant_id: shop.merchant_id, id: attempt_id }
  const attempt = await findAttempt(app.service.db, key)
  if (attempt === undefined) throw new Error('no attempt')
  const callback = {
    merchant_id: shop.merchant_id,
    attempt_id,
    answer,
    hash: Buffer.alloc(32),
    triggered_by: 'POLLER',
    evidence_kind: 'STATUS_ANSWER',
    request_id: 'test',
    status_at_query: attempt.status,
    gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
  } as const
  await applyAnswer(deps(), callback, seen)
}

const confirmed = (hundredths: bigint, currency = 'XOF'): Answer => ({
  is: 'confirmed',
  external_reference: 'OP-1',
  amount: hundredths,
  currency,
})
const refused: Answer = {
  is: 'refused',
  by: 'gateway',
  failure_code: 'GATEWAY_REFUSED',
  detail: 'taken back',
  external_reference: 'OP-1',
}

const attemptsOf = async (shop: Shop, id: string): Promise<Json[]> =>
  (await shop.get(`/transactions/${id}/`)).data.attempts

async function incidentOf(shop: Shop): Promise<Json> {
  const rows = await app.owner`
    select id, type, amount, suspense_side from incidents
     where merchant_id = ${shop.merchant_id} and status = 'OPEN'`
  expect(rows).toHaveLength(1)
  return rows[0]
}

const amountOf = ({ amount }: Json): string => (Number(amount) / 100).toFixed(2)

const propose = (who: Shop, incident: Json, resolution: string) =>
  who.post(`/admin/incidents/${incident.id}/resolve/`, {
    resolution,
    amount: amountOf(incident),
    note: 'ticket 4711',
  })
const confirm = (who: Shop, incident: Json, resolution?: string) =>
  who.post(`/admin/incidents/${incident.id}/confirm/`, { resolution })

const balance = async (shop: Shop) => Number((await shop.balance('BJ')).available_amount)

/** Both people say so; how much the merchant then has more, and owes. */
async function resolved(shop: Shop, resolution: string) {
  const before = await balance(shop)
  const incident = await incidentOf(shop)
  expect((await propose(first, incident, resolution)).data).toMatchObject({ status: 'OPEN' })
  const done = await confirm(second, incident, resolution)
  expect(done.data).toMatchObject({ status: 'RESOLVED', resolution })
  await booksAgree()
  const [debt] = await app.owner<{ owed: string }[]>`
    select coalesce(sum(e.amount) filter (where d.kind = 'merchant_debt'), 0)::text as owed
      from ledger_entries e
      join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
     where e.merchant_id = ${shop.merchant_id}`
  return { more: (await balance(shop)) - before, owed: Number(debt?.owed) / 100 }
}

type Made = { shop: Shop; fee: number }

const openings: Readonly<Record<string, () => Promise<Made>>> = {
  async 'another amount came'() {
    const shop = await openShop()
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('04') })
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(shop, attempt.id, confirmed(990_000n))
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payment was taken back'() {
    const shop = await openShop()
    const { data } = await shop.pay({ amount: '10000' })
    await shop.becomes(data.id, 'SUCCESS')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(shop, attempt.id, refused)
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payment was paid twice'() {
    const shop = await openShop()
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('01') })
    await shop.becomes(data.id, 'FAILED')
    // The second time by a number of which the operator says nothing by itself.
    const { phone } = newPayer('04')
    await app.owner`update transactions set customer_phone = ${phone} where id = ${data.id}`
    await shop.post(`/payments/${data.id}/retry/`, {})
    const [one, two] = await attemptsOf(shop, data.id)
    const wire = BigInt(Math.round(Number(one.debited_amount) * 100))
    await receive(shop, two.id, confirmed(wire))
    await receive(shop, one.id, confirmed(wire))
    return { shop, fee: Number(one.client_fee) }
  },
  async 'a payout was paid after its release'() {
    const shop = await openShop()
    await fund(shop, '10000')
    const { data } = await payout(shop, '03')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(shop, attempt.id, confirmed(BigInt(Math.round(Number(attempt.net_amount) * 100))))
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payout came back after it had succeeded'() {
    const shop = await openShop()
    await fund(shop, '10000')
    const { data } = await payout(shop, '10')
    await shop.becomes(data.id, 'SUCCESS')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(shop, attempt.id, refused)
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payout paid another amount'() {
    const shop = await openShop()
    await fund(shop, '10000')
    const { data } = await payout(shop, '04')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(shop, attempt.id, confirmed(900_000n))
    return { shop, fee: Number(attempt.client_fee) }
  },
}

const open = async (name: string): Promise<Made> => {
  const make = openings[name]
  if (make === undefined) throw new Error(name)
  const made = await make()
  await booksAgree()
  return made
}

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
    ['a payout came back after it had succeeded', 'CREDIT_MERCHANT', (fee) => [10_000 - fee, 0]],
    ['a payout came back after it had succeeded', 'RECOVERED', () => [0, 0]],
    ['a payout paid another amount', 'CHARGE_MERCHANT', () => [0, 9000]],
    ['a payout paid another amount', 'RECOVERED', () => [0, 0]],
    ['a payout paid another amount', 'WRITE_OFF', () => [0, 0]],
  ] as [string, string, (fee: number) => [number, number]][])(
    '%s: %s',
    async (name, resolution, expected) => {
      const { shop, fee } = await open(name)
      const { more, owed } = await resolved(shop, resolution)
      expect([more, owed]).toEqual(expected(fee))
    },
  )

  it('what the merchant has not is his debt', async () => {
    const { shop } = await open('a payment was taken back')
    await payout(shop, '10')
    const left = await balance(shop)
    expect(left).toBe(0)
    expect(await resolved(shop, 'CHARGE_MERCHANT')).toEqual({ more: 0, owed: 10_000 })
  })
})

describe('what came in another currency', () => {
  /** A merchant whose payer was confirmed in CFA francs of the other kind. */
  async function foreign() {
    const shop = await openShop()
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('04') })
    const [attempt] = await attemptsOf(shop, data.id)
    const wire = BigInt(Math.round(Number(attempt.debited_amount) * 100))
    await receive(shop, attempt.id, confirmed(wire, 'XAF'))
    return { shop, id: String(data.id), attempt, wire }
  }

  it('makes no balance in that currency, and stops no later payment', async () => {
    const { shop } = await foreign()
    const incident = await incidentOf(shop)
    const refusal = await propose(first, incident, 'CREDIT_MERCHANT')
    expect(refusal.status).toBe(400)
    expect(refusal.error.resolution[0]).toContain('REFUND_PAYER, RECOVERED, WRITE_OFF')
    const later = await shop.pay({ amount: '10000' })
    await shop.becomes(later.data.id, 'SUCCESS')
    const balances = await app.owner`
      select currency, available from balances where merchant_id = ${shop.merchant_id}`
    expect(balances).toEqual([{ currency: 'XOF', available: 1_000_000n }])
  })

  it('is refused as a credit also where it was proposed before this was law', async () => {
    const { shop } = await foreign()
    const incident = await incidentOf(shop)
    await app.owner`
      update incidents
         set resolution = 'CREDIT_MERCHANT', resolution_amount = amount,
             proposed_by = ${first.person_id}, proposed_at = now()
       where id = ${incident.id}`
    const refusal = await confirm(second, incident)
    expect([refusal.status, refusal.error.code]).toEqual([409, 'resolution_not_possible'])
    expect(refusal.error.message).toContain('REFUND_PAYER, RECOVERED, WRITE_OFF')
    expect((await incidentOf(shop)).id).toBe(incident.id)
  })

  it.each([
    ['REFUND_PAYER', 'gateway'],
    ['RECOVERED', 'gateway'],
    ['WRITE_OFF', 'losses'],
  ])('ends as %s, booked against %s in its own currency', async (resolution, against) => {
    const { shop, wire } = await foreign()
    const incident = await incidentOf(shop)
    expect(await resolved(shop, resolution)).toEqual({ more: 0, owed: 0 })
    const booked = await app.owner`
      select d.kind as debit, c.kind as credit, e.amount, e.currency
        from ledger_entries e
        join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
        join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
       where e.cause_kind = 'RESOLUTION' and e.cause_id = ${incident.id}`
    expect(booked).toEqual([{ debit: 'suspense', credit: against, amount: wire, currency: 'XAF' }])
  })

  it('is charged to no merchant where a payout went out in it', async () => {
    const shop = await openShop()
    await fund(shop, '10000')
    const { data } = await payout(shop, '04')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(shop, attempt.id, confirmed(900_000n, 'XAF'))
    const incident = await incidentOf(shop)
    const refusal = await propose(first, incident, 'CHARGE_MERCHANT')
    expect(refusal.error.resolution[0]).toContain('RECOVERED, WRITE_OFF')
    expect(await resolved(shop, 'WRITE_OFF')).toEqual({ more: 0, owed: 0 })
  })
})

it('a balance that an older version made in another currency is not credited, and said so', async () => {
  const { shop } = await open('another amount came')
  await app.owner`
    insert into balances (merchant_id, id, environment, country, currency)
    values (${shop.merchant_id}, gen_random_uuid(), 'SANDBOX', 'BJ', 'XAF')`
  const incident = await incidentOf(shop)
  await propose(first, incident, 'CREDIT_MERCHANT')
  const refusal = await confirm(second, incident)
  expect([refusal.status, refusal.error.code]).toEqual([409, 'resolution_not_possible'])
  expect(refusal.error.message).toContain('balance is in XAF, not XOF')
  expect((await resolved(shop, 'REFUND_PAYER')).owed).toBe(0)
})

describe('another amount that was accepted', () => {
  const cents = (text: string): bigint => BigInt(Math.round(Number(text) * 100))

  /** What the operator holds of this merchant by our books. */
  async function atGateway({ merchant_id }: Shop): Promise<bigint> {
    const [row] = await app.owner`
      select coalesce(sum(case when d.kind = 'gateway' then e.amount else 0 end
                          - case when c.kind = 'gateway' then e.amount else 0 end), 0)::bigint as held
        from ledger_entries e
        join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
        join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
       where e.merchant_id = ${merchant_id}`
    return row?.['held']
  }

  /** 9 900 came instead of what was asked, and the merchant has it less the fee. */
  async function accepted(seen = false) {
    const shop = await openShop()
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('04') })
    const [attempt] = await attemptsOf(shop, data.id)
    const key = { merchant_id: shop.merchant_id, id: attempt.id }
    const before = seen ? await findAttemptContext(app.service.db, key) : undefined
    await receive(shop, attempt.id, confirmed(990_000n))
    const first_one = await incidentOf(shop)
    await resolved(shop, 'CREDIT_MERCHANT')
    const fee = cents(attempt.client_fee)
    return {
      shop,
      id: data.id,
      attempt,
      wire: cents(attempt.debited_amount),
      fee,
      first_one,
      before,
    }
  }

  it.each([
    ['CREDIT_MERCHANT', 1_000_000n],
    ['REFUND_PAYER', 990_000n],
  ])('is not credited twice by a correction; its difference ends as %s', async (how, in_all) => {
    const { shop, id, attempt, wire, fee, first_one } = await accepted()
    const had = await balance(shop)
    await receive(shop, attempt.id, confirmed(wire))
    await receive(shop, attempt.id, confirmed(wire))
    expect(await balance(shop)).toBe(had)
    expect((await shop.get(`/transactions/${id}/`)).data).toMatchObject({
      status: 'PENDING',
      incident: { type: 'AMOUNT_MISMATCH', status: 'OPEN' },
    })
    const [follows] = await app.owner`
      select type, amount, suspense_side, follows from incidents
       where merchant_id = ${shop.merchant_id} and status = 'OPEN'`
    expect(follows).toEqual({
      type: 'AMOUNT_MISMATCH',
      amount: wire - 990_000n,
      suspense_side: 'CREDIT',
      follows: first_one.id,
    })
    const events = await app.owner`
      select id from events where transaction_id = ${id} and type = 'transaction.incident'`
    expect(events).toHaveLength(2)
    await resolved(shop, how)
    expect(cents(String(await balance(shop)))).toBe(in_all - (in_all === 990_000n ? fee : 0n))
    expect(await atGateway(shop)).toBe(how === 'CREDIT_MERCHANT' ? wire : 990_000n)
    // Said again, it is no news.
    await receive(shop, attempt.id, confirmed(wire))
    const open = await app.owner`
      select id from incidents where merchant_id = ${shop.merchant_id} and status = 'OPEN'`
    expect(open).toHaveLength(0)
    await booksAgree()
  })

  it('nor by one that was decided before it was accepted, and written after', async () => {
    const { shop, id, attempt, wire, before } = await accepted(true)
    const had = await balance(shop)
    await receive(shop, attempt.id, confirmed(wire), before)
    expect(await balance(shop)).toBe(had)
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
    expect((await incidentOf(shop)).amount).toBe(wire - 990_000n)
    await booksAgree()
  })

  it('of a checkout session neither', async () => {
    const shop = await openShop()
    const session = await shop.post('/checkout-sessions/', {
      amount: '10000',
      currency: 'XOF',
      description: 'Order 1',
      country: 'BJ',
      customer_email: 'awa@example.com',
      customer_name: 'Awa Diop',
    })
    const paying = await fetch(`${app.url}/api/v1/checkout/${session.data.slug}/pay/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ network: 'mtn_bj', country: 'BJ', customer: newPayer('04') }),
    })
    const { data } = (await paying.json()) as Json
    const [attempt] = await attemptsOf(shop, data.transaction_id)
    const wire = cents(attempt.debited_amount)
    await receive(shop, attempt.id, confirmed(990_000n))
    await resolved(shop, 'CREDIT_MERCHANT')
    const had = await balance(shop)
    await receive(shop, attempt.id, confirmed(wire))
    expect(await balance(shop)).toBe(had)
    expect((await incidentOf(shop)).amount).toBe(wire - 990_000n)
  })

  it('that was less, or nothing, in the end is a difference too', async () => {
    const { shop, id, attempt } = await accepted()
    await receive(shop, attempt.id, confirmed(980_000n))
    expect(await incidentOf(shop)).toMatchObject({ amount: 10_000n, suspense_side: 'DEBIT' })
    expect(await resolved(shop, 'CHARGE_MERCHANT')).toEqual({ more: -100, owed: 0 })
    await receive(shop, attempt.id, refused)
    expect(await incidentOf(shop)).toMatchObject({ amount: 980_000n, suspense_side: 'DEBIT' })
    const had = await balance(shop)
    expect(await resolved(shop, 'CHARGE_MERCHANT')).toEqual({ more: -had, owed: 9800 - had })
    expect(await atGateway(shop)).toBe(0n)
    // Nothing is booked for it any more: the refusal ends it.
    await receive(shop, attempt.id, refused)
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('FAILED')
    await booksAgree()
  })

  it('is closed without another incident when the asking time is over', async () => {
    const { shop, id, attempt } = await accepted()
    await app.owner`
      update attempts set asking_until = now(), due_at = now(), asked_at = null
       where id = ${attempt.id}`
    await shop.becomes(id, 'FAILED')
    const open = await app.owner`
      select id from incidents where merchant_id = ${shop.merchant_id} and status = 'OPEN'`
    expect(open).toHaveLength(0)
  })

  it('cannot be accepted when the correction was first: the payment has all of it', async () => {
    const { shop } = await open('another amount came')
    const incident = await incidentOf(shop)
    await propose(first, incident, 'CREDIT_MERCHANT')
    const [row] = await app.owner`
      select id, debited_amount from attempts where merchant_id = ${shop.merchant_id}`
    await receive(shop, row?.['id'], confirmed(row?.['debited_amount']))
    expect(await balance(shop)).toBe(10_000)
    expect((await confirm(second, incident)).error.code).toBe('resolution_not_possible')
    expect(await resolved(shop, 'RECOVERED')).toEqual({ more: 0, owed: 0 })
    expect(await atGateway(shop)).toBe(row?.['debited_amount'])
  })

  it('of a payout is not spent by a correction as well', async () => {
    const { shop } = await open('a payout paid another amount')
    const [row] = await app.owner`
      select id, net_amount from attempts where merchant_id = ${shop.merchant_id}`
    expect(await resolved(shop, 'CHARGE_MERCHANT')).toEqual({ more: 0, owed: 9000 })
    await receive(shop, row?.['id'], confirmed(row?.['net_amount']))
    expect((await shop.balance('BJ')).pending_amount).toBe('10000.00')
    expect(await incidentOf(shop)).toMatchObject({
      amount: row?.['net_amount'] - 900_000n,
      suspense_side: 'DEBIT',
    })
    await resolved(shop, 'CHARGE_MERCHANT')
    expect(await atGateway(shop)).toBe(-row?.['net_amount'])
    // Nor by people, when its asking time is over: its hold goes back, and no other way.
    const [payout_row] = await app.owner`
      update attempts set asking_until = now(), asked_at = null where id = ${row?.['id']}
      returning transaction_id`
    await shop.get(`/payouts/${payout_row?.['transaction_id']}/verify/`)
    const unknown = await incidentOf(shop)
    expect(unknown.type).toBe('OUTCOME_UNKNOWN')
    expect((await propose(first, unknown, 'CHARGE_MERCHANT')).status).toBe(400)
    expect((await resolved(shop, 'CREDIT_MERCHANT')).more).toBe(10_000)
    expect(await atGateway(shop)).toBe(-row?.['net_amount'])
  })
})

describe('a payout nobody knows of', () => {
  async function unknown() {
    const shop = await openShop()
    await fund(shop, '10000')
    const { data } = await payout(shop, '04')
    const [attempt] = await attemptsOf(shop, data.id)
    // The time in which an operator is asked is over, and he has not said how it ended.
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
    const incident = await incidentOf(shop)
    await propose(first, incident, resolution)
    expect((await confirm(second, incident)).data.status).toBe('RESOLVED')
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data.status).toBe(status)
    expect(data.status_logs.at(-1).triggered_by).toBe('ADMIN')
    const { available_amount, pending_amount } = await shop.balance('BJ')
    expect([available_amount, pending_amount]).toEqual(sums)
    await booksAgree()
  })

  it('that the operator ended meanwhile is not ended a second time', async () => {
    const { shop, id } = await unknown()
    const incident = await incidentOf(shop)
    await propose(first, incident, 'CREDIT_MERCHANT')
    await shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'SUCCESS' })
    const late = await confirm(second, incident)
    expect([late.status, late.error.code]).toEqual([409, 'outcome_known'])
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('SUCCESS')
    // What is known needs no proof any more: two people say so, and nothing is booked.
    expect((await propose(first, incident, 'RECOVERED')).status).toBe(200)
    expect((await confirm(second, incident, 'RECOVERED')).data.status).toBe('RESOLVED')
    await booksAgree()
  })
})

describe('one person alone', () => {
  it('cannot confirm his own word, however he says it', async () => {
    const { shop } = await open('a payment was taken back')
    const incident = await incidentOf(shop)
    const early = await confirm(second, incident)
    expect([early.status, early.error.code]).toEqual([409, 'nothing_proposed'])
    await propose(first, incident, 'WRITE_OFF')
    const own = await confirm(first, incident)
    expect([own.status, own.error.code]).toEqual([409, 'second_person_required'])
    expect((await propose(first, incident, 'WRITE_OFF')).data.status).toBe('OPEN')
    expect((await propose(second, incident, 'WRITE_OFF')).data.status).toBe('RESOLVED')
    const again = await propose(first, incident, 'WRITE_OFF')
    expect([again.status, again.error.code]).toEqual([409, 'incident_resolved'])
    await booksAgree()
  })

  it('other words are a new proposal, and a proposal is taken back', async () => {
    const { shop } = await open('a payment was taken back')
    const incident = await incidentOf(shop)
    await propose(first, incident, 'WRITE_OFF')
    const other = await propose(second, incident, 'RECOVERED')
    expect(other.data).toMatchObject({ status: 'OPEN', resolution: 'RECOVERED' })
    expect(other.data.proposed_by).toBe(second.person_id)
    const back = await second.post(`/admin/incidents/${incident.id}/withdraw/`)
    expect(back.data).toMatchObject({ status: 'OPEN', resolution: null, proposed_by: null })
  })

  it('is confirmed only as it was read: what replaced it is named, or read again', async () => {
    const { shop } = await open('a payment was taken back')
    const incident = await incidentOf(shop)
    const say = (resolution: string) =>
      second.post(`/admin/incidents/${incident.id}/confirm/`, { resolution })
    await propose(first, incident, 'CHARGE_MERCHANT')
    await propose(first, incident, 'RECOVERED')
    const changed = [409, 'proposal_changed']
    const code = ({ status, error }: Reply) => [status, error?.code]
    expect(code(await confirm(second, incident))).toEqual(changed)
    expect(code(await say('CHARGE_MERCHANT'))).toEqual(changed)
    // A proposal that was withdrawn and another in its place is a second one, too.
    await first.post(`/admin/incidents/${incident.id}/withdraw/`)
    await propose(first, incident, 'CHARGE_MERCHANT')
    expect(code(await confirm(second, incident))).toEqual(changed)
    expect((await say('CHARGE_MERCHANT')).data).toMatchObject({ status: 'RESOLVED' })
    await booksAgree()
  })

  it('of twenty confirmations at once one books', async () => {
    const { shop } = await open('a payment was taken back')
    const incident = await incidentOf(shop)
    await propose(first, incident, 'CHARGE_MERCHANT')
    const all = await Promise.all(Array.from({ length: 20 }, () => confirm(second, incident)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await balance(shop)).toBe(0)
    await booksAgree()
  })
})

describe('what is refused', () => {
  it('a resolution that does not fit, another amount, no note', async () => {
    const { shop } = await open('a payment was taken back')
    const incident = await incidentOf(shop)
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
    const { shop } = await open('a payment was taken back')
    const incident = await incidentOf(shop)
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
