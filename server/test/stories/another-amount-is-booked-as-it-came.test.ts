// Money that came in another currency or amount than was asked: it makes no balance in that currency,
// and a correction that comes after, before or beside the people's decision is counted once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transactionPurpose } from '../../src/transactions/transaction-purpose.ts'
import {
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import {
  attemptsOf,
  balance,
  booksAgree,
  confirm,
  confirmed,
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

describe('what came in another currency', () => {
  /** A merchant whose payer was confirmed in CFA francs of the other kind. */
  async function foreign() {
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('04') })
    const [attempt] = await attemptsOf(shop, data.id)
    const wire = BigInt(Math.round(Number(attempt.debited_amount) * 100))
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(wire, 'XAF'))
    return { shop, id: String(data.id), attempt, wire }
  }

  it('makes no balance in that currency, and stops no later payment', async () => {
    const { shop } = await foreign()
    const incident = await incidentOf(app, shop)
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
    const incident = await incidentOf(app, shop)
    await app.owner`
      update incidents
         set resolution = 'CREDIT_MERCHANT', resolution_amount = amount,
             proposed_by = ${first.person_id}, proposed_at = now()
       where id = ${incident.id}`
    const refusal = await confirm(second, incident)
    expect([refusal.status, refusal.error.code]).toEqual([409, 'resolution_not_possible'])
    expect(refusal.error.message).toContain('REFUND_PAYER, RECOVERED, WRITE_OFF')
    expect((await incidentOf(app, shop)).id).toBe(incident.id)
  })

  it.each([
    ['REFUND_PAYER', 'gateway'],
    ['RECOVERED', 'gateway'],
    ['WRITE_OFF', 'losses'],
  ])('ends as %s, booked against %s in its own currency', async (resolution, against) => {
    const { shop, wire } = await foreign()
    const incident = await incidentOf(app, shop)
    expect(await resolved(app, { first, second }, shop, resolution)).toEqual({ more: 0, owed: 0 })
    const booked = await app.owner`
      select d.kind as debit, c.kind as credit, e.amount, e.currency
        from ledger_entries e
        join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
        join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
       where e.cause_kind = 'RESOLUTION' and e.cause_id = ${incident.id}`
    expect(booked).toEqual([{ debit: 'suspense', credit: against, amount: wire, currency: 'XAF' }])
  })

  it('is charged to no merchant where a payout went out in it', async () => {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '04')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(900_000n, 'XAF'))
    const incident = await incidentOf(app, shop)
    const refusal = await propose(first, incident, 'CHARGE_MERCHANT')
    expect(refusal.error.resolution[0]).toContain('RECOVERED, WRITE_OFF')
    expect(await resolved(app, { first, second }, shop, 'WRITE_OFF')).toEqual({ more: 0, owed: 0 })
  })
})

it('a balance that an older version made in another currency is not credited, and said so', async () => {
  const { shop } = await open(app, 'another amount came')
  await app.owner`
    insert into balances (merchant_id, id, environment, country, currency)
    values (${shop.merchant_id}, gen_random_uuid(), 'SANDBOX', 'BJ', 'XAF')`
  const incident = await incidentOf(app, shop)
  await propose(first, incident, 'CREDIT_MERCHANT')
  const refusal = await confirm(second, incident)
  expect([refusal.status, refusal.error.code]).toEqual([409, 'resolution_not_possible'])
  expect(refusal.error.message).toContain('balance is in XAF, not XOF')
  expect((await resolved(app, { first, second }, shop, 'REFUND_PAYER')).owed).toBe(0)
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
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('04') })
    const [attempt] = await attemptsOf(shop, data.id)
    const key = { merchant_id: shop.merchant_id, id: attempt.id }
    const before = seen ? await transactionPurpose.find(app.service.db, key) : undefined
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(990_000n))
    const first_one = await incidentOf(app, shop)
    await resolved(app, { first, second }, shop, 'CREDIT_MERCHANT')
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
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(wire))
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(wire))
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
    await resolved(app, { first, second }, shop, how)
    expect(cents(String(await balance(shop)))).toBe(in_all - (in_all === 990_000n ? fee : 0n))
    expect(await atGateway(shop)).toBe(how === 'CREDIT_MERCHANT' ? wire : 990_000n)
    // Said again, it is no news.
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(wire))
    const open = await app.owner`
      select id from incidents where merchant_id = ${shop.merchant_id} and status = 'OPEN'`
    expect(open).toHaveLength(0)
    await booksAgree(app)
  })

  it('nor by one that was decided before it was accepted, and written after', async () => {
    const { shop, id, attempt, wire, before } = await accepted(true)
    const had = await balance(shop)
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(wire), before)
    expect(await balance(shop)).toBe(had)
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
    expect((await incidentOf(app, shop)).amount).toBe(wire - 990_000n)
    await booksAgree(app)
  })

  it('of a checkout session neither', async () => {
    const shop = await openShop(app)
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
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(990_000n))
    await resolved(app, { first, second }, shop, 'CREDIT_MERCHANT')
    const had = await balance(shop)
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(wire))
    expect(await balance(shop)).toBe(had)
    expect((await incidentOf(app, shop)).amount).toBe(wire - 990_000n)
  })

  const reversed = { is: 'reversed', external_reference: 'OP-1', detail: 'returned' } as const

  it.each([
    ['as it says', { ...reversed, amount: 2_000_000n }],
    ['as it refuses it late', refused],
  ])('that was less, or nothing, in the end is a difference too, %s', async (_, nothing) => {
    const { shop, id, attempt } = await accepted()
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(980_000n))
    expect(await incidentOf(app, shop)).toMatchObject({ amount: 10_000n, suspense_side: 'DEBIT' })
    expect(await resolved(app, { first, second }, shop, 'CHARGE_MERCHANT')).toEqual({
      more: -100,
      owed: 0,
    })
    await receive(app, { shop, attempt_id: attempt.id }, nothing)
    expect(await incidentOf(app, shop)).toMatchObject({ amount: 980_000n, suspense_side: 'DEBIT' })
    const had = await balance(shop)
    expect(await resolved(app, { first, second }, shop, 'CHARGE_MERCHANT')).toEqual({
      more: -had,
      owed: 9800 - had,
    })
    expect(await atGateway(shop)).toBe(0n)
    // Nothing is booked for it any more: the refusal ends it.
    await receive(app, { shop, attempt_id: attempt.id }, nothing)
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('FAILED')
    await booksAgree(app)
  })

  it('is closed without another incident when the asking time is over', async () => {
    const { shop, id, attempt } = await accepted()
    await app.owner`
      update attempts set asking_until = now() - interval '1 s', due_at = now() - interval '1 second', asked_at = null
       where id = ${attempt.id}`
    await shop.becomes(id, 'FAILED')
    const open = await app.owner`
      select id from incidents where merchant_id = ${shop.merchant_id} and status = 'OPEN'`
    expect(open).toHaveLength(0)
  })

  it('cannot be accepted when the correction was first: the payment has all of it', async () => {
    const { shop } = await open(app, 'another amount came')
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'CREDIT_MERCHANT')
    const [row] = await app.owner`
      select id, debited_amount from attempts where merchant_id = ${shop.merchant_id}`
    await receive(app, { shop, attempt_id: row?.['id'] }, confirmed(row?.['debited_amount']))
    expect(await balance(shop)).toBe(10_000)
    expect((await confirm(second, incident)).error.code).toBe('resolution_not_possible')
    expect(await resolved(app, { first, second }, shop, 'RECOVERED')).toEqual({ more: 0, owed: 0 })
    expect(await atGateway(shop)).toBe(row?.['debited_amount'])
  })

  it('of a payout is not spent by a correction as well', async () => {
    const { shop } = await open(app, 'a payout paid another amount')
    const [row] = await app.owner`
      select id, net_amount from attempts where merchant_id = ${shop.merchant_id}`
    expect(await resolved(app, { first, second }, shop, 'CHARGE_MERCHANT')).toEqual({
      more: 0,
      owed: 9000,
    })
    await receive(app, { shop, attempt_id: row?.['id'] }, confirmed(row?.['net_amount']))
    expect((await shop.balance('BJ')).pending_amount).toBe('10000.00')
    expect(await incidentOf(app, shop)).toMatchObject({
      amount: row?.['net_amount'] - 900_000n,
      suspense_side: 'DEBIT',
    })
    await resolved(app, { first, second }, shop, 'CHARGE_MERCHANT')
    expect(await atGateway(shop)).toBe(-row?.['net_amount'])
    // Nor by people, when its asking time is over: its hold goes back, and no other way.
    const [payout_row] = await app.owner`
      update attempts set asking_until = now() - interval '1 s', asked_at = null where id = ${row?.['id']}
      returning transaction_id`
    await shop.get(`/payouts/${payout_row?.['transaction_id']}/verify/`)
    const unknown = await incidentOf(app, shop)
    expect(unknown.type).toBe('OUTCOME_UNKNOWN')
    expect((await propose(first, unknown, 'CHARGE_MERCHANT')).status).toBe(400)
    expect((await resolved(app, { first, second }, shop, 'CREDIT_MERCHANT')).more).toBe(10_000)
    expect(await atGateway(shop)).toBe(-row?.['net_amount'])
  })
})

describe('a payment of which another amount came after it had been refused', () => {
  it.each([
    ['CREDIT_MERCHANT', [409, 'payment_already_pending']],
    ['REFUND_PAYER', [200, undefined]],
  ])('is not asked for again while people decide, nor once it is: %s', async (how, then) => {
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('01') })
    await shop.becomes(data.id, 'FAILED')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(990_000n))
    const retry = async () => {
      const { status, error } = await shop.post(`/payments/${data.id}/retry/`, {})
      return [status, error?.code]
    }
    expect(await retry()).toEqual([409, 'payment_already_pending'])
    expect(await attemptsOf(shop, data.id)).toHaveLength(1)
    await resolved(app, { first, second }, shop, how)
    expect(await retry()).toEqual(then)
  })
})

describe('a second capture of which another word came first', () => {
  /** Two attempts, the first of them refused and the second under way. */
  async function twoAttempts() {
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('01') })
    await shop.becomes(data.id, 'FAILED')
    const { phone } = newPayer('04')
    await app.owner`update transactions set operation_msisdn = ${phone} where id = ${data.id}`
    await shop.post(`/payments/${data.id}/retry/`, {})
    const [one, two] = await attemptsOf(shop, data.id)
    const wire = BigInt(Math.round(Number(one.debited_amount) * 100))
    const says = (attempt: Json, amount: bigint, currency?: string) =>
      receive(app, { shop, attempt_id: attempt.id }, confirmed(amount, currency))
    const statusOf = async () => (await attemptsOf(shop, data.id))[0].status
    return { shop, one, two, wire, says, statusOf }
  }

  it.each(['RECOVERED', 'nothing yet'])(
    'is booked whole where that was of another currency, and two had said: %s',
    async (how) => {
      const { shop, one, two, wire, says, statusOf } = await twoAttempts()
      await says(one, wire, 'XAF')
      if (how === 'RECOVERED') await resolved(app, { first, second }, shop, how)
      await says(two, wire)
      for (const _again of [1, 2]) await says(one, wire)
      const seconds = await app.owner`
        select amount, currency from incidents
         where merchant_id = ${shop.merchant_id} and type = 'DUPLICATE_CAPTURE'`
      expect([...seconds]).toEqual([{ amount: wire, currency: 'XOF' }])
      expect(await statusOf()).toBe('SUCCESS')
      await booksAgree(app)
    },
  )

  it('ends its attempt where all of it is with people already', async () => {
    const { shop, one, two, wire, says, statusOf } = await twoAttempts()
    await says(one, wire + 7_500n)
    await says(two, wire)
    for (const _again of [1, 2]) await says(one, wire)
    expect(await incidentOf(app, shop)).toMatchObject({ type: 'AMOUNT_MISMATCH' })
    expect(await statusOf()).toBe('SUCCESS')
    await resolved(app, { first, second }, shop, 'REFUND_PAYER')
  })

  it.each([
    ['given back', 'REFUND_PAYER', 'one of RECOVERED, WRITE_OFF'],
    ['undecided', undefined, 'one of RECOVERED for'],
  ])('is not charged to a merchant who never had it: %s', async (_is, resolution, allowed) => {
    const { shop, one, two, wire, says } = await twoAttempts()
    await says(one, wire + 7_500n)
    await says(two, wire)
    await says(one, wire)
    if (resolution) await resolved(app, { first, second }, shop, resolution)
    await receive(app, { shop, attempt_id: one.id }, refused)
    const [back] = await app.owner`
      select id, amount from incidents
       where merchant_id = ${shop.merchant_id} and type = 'REVERSED_AFTER_SUCCESS'`
    const charge = await propose(first, back, 'CHARGE_MERCHANT')
    expect(charge.error?.resolution[0]).toContain(allowed)
  })
})
