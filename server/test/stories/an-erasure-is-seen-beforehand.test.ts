// Whoever is about to erase a customer sees what it would take and why it is not possible yet; what
// was foreseen is what happens, and a long history costs no more to foresee than a short one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  eventually,
  type Json,
  newPayer,
  type Reply,
  type Shop,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, openSession, paymentBody, sessionBecomes } from '../setup/payer-calls.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
})
afterAll(() => app.stop())

const preview = (by: Shop, id: string): Promise<Reply> => by.get(`/customers/${id}/erasure/`)
const erase = (by: Shop, id: string) => by.call('DELETE', `/customers/${id}/`)

let people = 0
const person = (magic = '10') => {
  people += 1
  return { email: `ama.${people}@erase.example`, phone: newPayer(magic).phone }
}

async function paid(customer: Json, status = 'SUCCESS'): Promise<Json> {
  const { data } = await shop.pay({ customer })
  return shop.becomes(data.id, status)
}

const none = { count: 0, is_more: false }
const counted = (count: number, is_more = false) => ({ count, is_more })

describe('an erasure that is possible', () => {
  it('says from how many records the person would go, and takes just these', async () => {
    const him = person()
    const first = await paid(him)
    await paid(him)
    const refund = await shop.post(`/payments/${first.id}/refunds/`, { reason: 'as agreed' })
    expect(refund.status).toBe(201)
    await eventually(async () => {
      expect((await shop.get(`/refunds/${refund.data.id}/`)).data.status).toBe('SUCCESS')
    })
    const session = await openSession(shop, { customer_email: him.email.toUpperCase() })
    await shop.post(`/checkout-sessions/${session.id}/cancel/`)
    const ofAnother = { customer_email: him.email, customer_phone: newPayer().phone }
    const family = await openSession(shop, ofAnother)
    const { status, data } = await preview(shop, first.customer)
    expect(status).toBe(200)
    expect(data).toEqual({
      customer: first.customer,
      possible: true,
      code: null,
      reason: null,
      message: '',
      possible_from: null,
      counts: { transactions: counted(2), refunds: counted(1), checkout_sessions: counted(1) },
      count_max: 1000,
    })
    expect((await erase(shop, first.customer)).status).toBe(204)
    const [act] = await app.owner<{ after: Json }[]>`
      select after from audit_logs where action = 'customer.deleted'
         and target_id = ${first.customer}`
    expect(act?.after).toEqual({ payments_erased: 2 })
    const emails = await app.owner<{ id: string; customer_email: string }[]>`
      select id, customer_email from checkout_sessions where id in (${session.id}, ${family.id})`
    const emailOf = Object.fromEntries(emails.map((row) => [row.id, row.customer_email]))
    expect([emailOf[session.id], emailOf[family.id]]).toEqual(['', him.email])
    expect((await preview(shop, first.customer)).status).toBe(404)
  })

  it('counts a session that has no e-mail and their number, in whatever spelling', async () => {
    const him = person()
    const { customer } = await paid(him)
    const session = await openSession(shop, { customer_phone: him.phone.slice(4) })
    await app.owner`update checkout_sessions set customer_email = '' where id = ${session.id}`
    expect((await preview(shop, customer)).data.reason).toBe('CHECKOUT_OPEN')
    await shop.post(`/checkout-sessions/${session.id}/cancel/`)
    expect((await preview(shop, customer)).data).toMatchObject({
      possible: true,
      counts: { transactions: counted(1), checkout_sessions: counted(1) },
    })
    expect((await erase(shop, customer)).status).toBe(204)
    const [row] = await app.owner`
      select customer_phone, customer_name from checkout_sessions where id = ${session.id}`
    expect(row).toEqual({ customer_phone: '', customer_name: '' })
  })

  it('leaves to others what is under a number that the customer only used once', async () => {
    const [him, other] = [person(), person()]
    const { customer: others } = await paid(other)
    const { data: out } = await shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: other.phone },
      customer: { email: him.email },
    })
    const { customer } = await shop.becomes(out.id, 'SUCCESS')
    expect(customer).not.toBe(others)
    const session = await openSession(shop, { customer_phone: other.phone.slice(4) })
    await app.owner`update checkout_sessions set customer_email = '' where id = ${session.id}`
    expect((await preview(shop, customer)).data).toMatchObject({
      possible: true,
      counts: { transactions: counted(1), checkout_sessions: none },
    })
    expect((await erase(shop, customer)).status).toBe(204)
    const left = (await shop.get(`/checkout-sessions/${session.id}/`)).data
    expect([left.customer_phone, left.customer_name]).toEqual([other.phone.slice(4), 'Awa Diop'])
  })

  it('of a customer who has paid nothing takes the record alone', async () => {
    const { data } = await shop.post('/customers/', person())
    expect((await preview(shop, data.id)).data).toMatchObject({
      possible: true,
      counts: { transactions: none, refunds: none, checkout_sessions: none },
    })
  })
})

describe('why it is not possible yet', () => {
  const reasonOf = async (id: string) => {
    const [{ data }, refused] = [await preview(shop, id), await erase(shop, id)]
    expect([refused.status, refused.error?.code]).toEqual([409, data.code])
    expect([data.possible, data.message]).toEqual([false, refused.error.message])
    return data.reason
  }

  it('is what the erasure is refused with, in the order of its reasons', async () => {
    const him = person('04')
    const { data } = await shop.pay({ customer: him })
    const { customer } = (await shop.get(`/transactions/${data.id}/`)).data
    const session = await openSession(shop, { customer_email: him.email })
    expect(await reasonOf(customer)).toBe('PAYMENT_UNDER_WAY')
    await shop.post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'SUCCESS' })
    await shop.becomes(data.id, 'SUCCESS')
    await app.owner`
      insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
        gateway_id)
      select merchant_id, gen_random_uuid(), environment, 'DUPLICATE_CAPTURE', id, transaction_id,
             gateway_id
        from attempts where transaction_id = ${data.id}`
    expect(await reasonOf(customer)).toBe('INCIDENT_OPEN')
    await app.owner`delete from incidents where transaction_id = ${data.id}`
    expect(await reasonOf(customer)).toBe('CHECKOUT_OPEN')
    await shop.post(`/checkout-sessions/${session.id}/cancel/`)
    expect((await preview(shop, customer)).data.possible).toBe(true)
  })

  it('is a checkout under another’s name that its payer may still try again', async () => {
    const him = person('01')
    const session = await openSession(shop, { customer_email: 'of.another@erase.example' })
    const pay = (magic: string) =>
      callPublic(app, 'POST', `/checkout/${session.slug}/pay/`, {
        ...paymentBody(),
        customer: { email: him.email, phone: `${him.phone.slice(0, -2)}${magic}` },
      })
    expect((await pay('01')).status).toBe(201)
    const payment = await eventually(async () => {
      const { transaction } = (await shop.get(`/checkout-sessions/${session.id}/`)).data
      const { data } = await shop.get(`/transactions/${transaction}/`)
      expect(data.status).toBe('FAILED')
      return data
    })
    expect(await reasonOf(payment.customer)).toBe('CHECKOUT_OPEN')
    expect((await pay('10')).status).toBe(201)
    await sessionBecomes(shop, session.id, 'PAID')
    expect((await preview(shop, payment.customer)).data.possible).toBe(true)
  })

  it('names the day from which the law allows it, and is read in French', async () => {
    const kept = await app.another({ RETENTION_LIVE_PAYER_DAYS: '3650' })
    const { customer, id, created_at } = await paid(person())
    await app.owner`update transactions set environment = 'LIVE' where id = ${id}`
    const headers = { authorization: `Bearer ${shop.key}`, 'accept-language': 'fr' }
    const answer = await fetch(`${kept.public_url}/api/v1/customers/${customer}/erasure/`, {
      headers,
    })
    const { data } = (await answer.json()) as Json
    expect(data).toMatchObject({
      ...{ possible: false, code: 'retention_required', reason: 'REQUIRED_BY_LAW' },
      message: expect.stringContaining('La loi exige'),
    })
    const days = (Date.parse(data.possible_from) - Date.parse(created_at)) / 86_400_000
    expect(days).toBe(3650)
    await app.owner`update transactions set environment = 'SANDBOX' where id = ${id}`
    await kept.stop()
  })
})

describe('a long history', () => {
  it('is looked at to a bound that the answer names', async () => {
    const first = await paid(person())
    const columns = await app.owner<{ name: string }[]>`
      select column_name as name from information_schema.columns
       where table_name = 'transactions' and is_generated = 'NEVER'`
    const own: Record<string, string> = {
      id: 'gen_random_uuid()',
      reference: `'TXN-' || gen_random_uuid()`,
      created_at: `created_at - n * interval '1 second'`,
    }
    const names = columns.map(({ name }) => name)
    await app.owner.unsafe(
      `insert into transactions (${names}) select ${names.map((name) => own[name] ?? name)}
         from transactions, generate_series(1, 1500) n where id = '${first.id}'`,
    )
    await app.owner`vacuum analyze transactions`
    await app.owner`
      insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
        gateway_id)
      select a.merchant_id, gen_random_uuid(), a.environment, 'DUPLICATE_CAPTURE', a.id,
             (select id from transactions where customer_id = ${first.customer}
               order by created_at limit 1), a.gateway_id
        from attempts a where a.transaction_id = ${first.id}`
    // What lies beyond the bound is not looked at, and the erasure looks again.
    expect((await erase(shop, first.customer)).status).toBe(409)
    const { data } = await preview(shop, first.customer)
    expect(data).toMatchObject({
      possible: true,
      counts: { transactions: counted(1000, true), refunds: counted(0, true) },
    })
    await app.owner`delete from incidents where merchant_id = ${shop.merchant_id}`
    await app.owner`
      delete from transactions where customer_id = ${first.customer} and id <> ${first.id}`
    expect((await preview(shop, first.customer)).data.counts.transactions).toEqual(counted(1))
  })
})

describe('it is refused', () => {
  it('to strangers and for nobody, and read by whoever may read', async () => {
    const { customer } = await paid(person())
    const stranger = await heldToPublished(await app.shop())
    const code = async (by: Shop, id: string) => {
      const { status, error } = await preview(by, id)
      return [status, error.code]
    }
    expect(await code(stranger, customer)).toEqual([403, 'permission_denied'])
    expect(await code(shop, 'nobody')).toEqual([404, 'not_found'])
    const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
    expect((await preview(viewer, customer)).status).toBe(200)
  })
})
