// What no status can follow (contract 5.14, money 3): each contradiction opens one incident, books
// its difference to that incident's own suspense account, moves no merchant's balance, and is told
// by `transaction.incident`. Without these, money that nobody may keep looks like a merchant's.

import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { listOpenIncidents } from '../../src/incidents/store.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, payer, type Shop, startApp, type TestApp } from '../harness.ts'
import { eventsAbout } from '../setup/events.ts'
import { attemptsOf, confirmed, fund, openShop, payout, receive } from '../setup/incidents.ts'

let app: TestApp
let shop: Shop
let last = 100

beforeAll(async () => {
  // Two words of the operator, of which the second may not overtake the first.
  app = await startApp({ misbehaves: true, speed: 1 })
})
afterAll(() => app?.stop())

afterEach(async () => {
  expect((await verifyLedger(app.owner)).filter((check) => !check.ok)).toEqual([])
})

/** A payment of a new shop by a payer whose number ends so. */
async function pay(ending: string): Promise<string> {
  shop = await app.shop()
  last += 1
  const digits = `${last}${'0'.repeat(6)}`.slice(0, 6 - ending.length)
  const { data } = await shop.pay({ customer: payer(`+2290197${digits}${ending}`) })
  return data.id
}

async function attemptOf(id: string): Promise<Json> {
  const [row] = await app.owner`
    select id, our_key, external_reference, gateway_code, status, due_at > now() as is_due_later
      from attempts where transaction_id = ${id} order by created_at`
  return row
}

/** The incidents of a transaction, once there are so many. */
const incidentsOf = (id: string, count = 1) =>
  eventually(async () => {
    const all = await listOpenIncidents(app.owner, 1000)
    const own = all.filter((incident) => incident.transaction_id === id)
    expect(own).toHaveLength(count)
    return own
  })

/** What an incident has booked: kind and side of each account, and the amount. */
const bookedBy = (id: string) => app.owner<Json[]>`
  select d.kind as debit, c.kind as credit, e.amount,
         coalesce(nullif(d.purpose, 'COLLECT'), '') || coalesce(nullif(c.purpose, 'COLLECT'), '')
           as suspense_of
    from ledger_entries e
    join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
    join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
   where e.cause_kind = 'INCIDENT' and e.cause_id = ${id}`

const eventsOf = (id: string): Promise<Json[]> => eventsAbout(app.owner, id)

/** The data of its last event, an incident's, once it is seen that they are the record's own. */
async function shownByIncident(id: string): Promise<Json> {
  const [{ data: record }, events] = await Promise.all([
    shop.get(`/transactions/${id}/`),
    eventsOf(id),
  ])
  const { type, data } = events.at(-1) ?? { type: '', data: {} }
  expect(type).toBe('transaction.incident')
  const { status, version, net_amount, currency, failure_code, failure_message } = record
  const { is_contradiction, prevents_refund: _, prevents_retry: __, ...incident } = record.incident
  expect(is_contradiction).toBe(true)
  expect(data).toMatchObject({
    ...{ status, version, net_amount, currency, failure_code, failure_message },
    ...{ amount: record.requested_amount, fee: record.client_fee, charged: record.debited_amount },
    ...{ network: record.network_code, country: record.country_code },
    ...{ msisdn: record.operation_msisdn, external_reference: record.external_reference },
    incident,
  })
  return data
}

async function queriesAt(attempt_id: string) {
  await app.owner`
    update attempts set due_at = now() - interval '1 second', asked_at = null, leased_until = null
     where id = ${attempt_id}`
}

/** The operator's own signed word about a payment. */
async function callBack(attempt: Json, statement: Json) {
  const keyring = openKeyring(app.config.secret_key ?? '')
  const token = callbackToken(keyring, { merchant_id: shop.merchant_id, id: attempt.id })
  const body = JSON.stringify({
    event_id: `EV-${Math.random()}`,
    id: attempt.external_reference || 'OP-X',
    reference: attempt.our_key,
    amount: '5163',
    currency: 'XOF',
    ...statement,
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const { callback_secret } = simulatorSecrets(keyring)
  const signature = createHmac('sha256', callback_secret).update(`${timestamp}.${body}`)
  return fetch(`${app.url}/callbacks/${attempt.gateway_code}/${token}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-sim-timestamp': timestamp,
      'x-sim-signature': signature.digest('hex'),
    },
    body,
  })
}

describe('a contradiction opens an incident', () => {
  it('AMOUNT_MISMATCH: another amount settles nothing and waits in suspense', async () => {
    const id = await pay('9910')
    const [incident] = await incidentsOf(id)
    expect(incident).toMatchObject({
      type: 'AMOUNT_MISMATCH',
      amount: 506_300n,
      suspense_side: 'CREDIT',
    })
    expect(await bookedBy(incident?.id ?? '')).toEqual([
      { debit: 'gateway', credit: 'suspense', amount: 506_300n, suspense_of: incident?.id },
    ])
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data).toMatchObject({
      status: 'PENDING',
      incident: { id: incident?.id, type: 'AMOUNT_MISMATCH', status: 'OPEN' },
    })
    expect(await shop.balance()).toMatchObject({ available_amount: '0.00' })
    // Said again by callback and to our question, it is the same incident, and is asked on.
    const attempt = await attemptOf(id)
    await callBack(attempt, { status: 'SUCCESSFUL', amount: '5063' })
    await queriesAt(attempt.id)
    await eventually(async () => {
      expect(await attemptOf(id)).toMatchObject({ status: 'UNKNOWN', is_due_later: true })
    })
    await incidentsOf(id, 1)
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'transaction.created',
      'transaction.incident',
    ])
    expect((await shop.post(`/payments/${id}/retry/`)).error.code).toBe('payment_already_pending')
  })

  it('AMOUNT_MISMATCH: another currency too, in a suspense of that currency', async () => {
    const id = await pay('04')
    const attempt = await attemptOf(id)
    const reply = await callBack(attempt, { status: 'SUCCESSFUL', currency: 'XAF' })
    expect(reply.status).toBe(200)
    const [incident] = await incidentsOf(id)
    expect(incident).toMatchObject({ type: 'AMOUNT_MISMATCH', currency: 'XAF', amount: 516_300n })
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
  })

  it('is shown while it is open, though a later one has been resolved', async () => {
    const id = await pay('9910')
    await incidentsOf(id)
    // Of the same attempt, booking nothing.
    await app.owner`
      insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
        gateway_id, country, currency, status, resolution, proposed_by, confirmed_by, resolved_at,
        created_at)
      select merchant_id, gen_random_uuid(), environment, 'OUTCOME_UNKNOWN', attempt_id,
             transaction_id, gateway_id, country, currency, 'RESOLVED', 'RECOVERED',
             gen_random_uuid(), gen_random_uuid(), now(), now() + interval '1 second'
        from incidents where transaction_id = ${id}`
    const mark = { type: 'AMOUNT_MISMATCH', status: 'OPEN' }
    expect((await shop.get(`/transactions/${id}/`)).data.incident).toMatchObject(mark)
    const { data } = await shop.get('/transactions/')
    expect(data.results).toMatchObject([{ incident: mark }])
  })

  it('REVERSED_AFTER_SUCCESS: the credit stands, we are short until people resolve it', async () => {
    const id = await pay('9913')
    const [incident] = await incidentsOf(id)
    expect(incident).toMatchObject({
      type: 'REVERSED_AFTER_SUCCESS',
      amount: 516_300n,
      suspense_side: 'DEBIT',
    })
    expect(await bookedBy(incident?.id ?? '')).toEqual([
      { debit: 'suspense', credit: 'gateway', amount: 516_300n, suspense_of: incident?.id },
    ])
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data).toMatchObject({
      status: 'SUCCESS',
      incident: { type: 'REVERSED_AFTER_SUCCESS', status: 'OPEN' },
    })
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
    const events = await eventsOf(id)
    expect(events.map(({ type }) => type)).toEqual([
      'transaction.created',
      'transaction.success',
      'transaction.incident',
    ])
    expect(events.at(-1)?.data).toMatchObject({
      status: 'SUCCESS',
      incident: { id: incident?.id, type: 'REVERSED_AFTER_SUCCESS' },
    })
  })

  it('DUPLICATE_CAPTURE: the second capture is nobody’s yet', async () => {
    const id = await pay('02')
    await shop.becomes(id, 'FAILED')
    const first = await attemptOf(id)
    await app.owner`
      update transactions set operation_msisdn = '+2290197888804' where id = ${id}`
    expect((await shop.post(`/payments/${id}/retry/`)).data.status).toBe('PENDING')
    const [second] = await app.owner`
      select id, our_key, external_reference, gateway_code from attempts
       where transaction_id = ${id} and id <> ${first.id}`
    expect((await callBack(first, { status: 'SUCCESSFUL' })).status).toBe(200)
    await shop.becomes(id, 'SUCCESS')
    await Promise.all([1, 2, 3].map(() => callBack(second, { status: 'SUCCESSFUL' })))
    const [incident] = await incidentsOf(id)
    expect(incident).toMatchObject({ type: 'DUPLICATE_CAPTURE', amount: 516_300n })
    expect(await bookedBy(incident?.id ?? '')).toHaveLength(1)
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
  })

  it('the event shows the transaction as it is, not the attempt that contradicts it', async () => {
    const id = await pay('02')
    await shop.becomes(id, 'FAILED')
    const first = await attemptOf(id)
    await app.owner`
      update transactions set operation_msisdn = '+2290195888810' where id = ${id}`
    const retry = await shop.post(`/payments/${id}/retry/`, { methods: ['moov_bj'] })
    expect(retry.status, JSON.stringify(retry.body)).toBe(200)
    await shop.becomes(id, 'SUCCESS')
    expect((await callBack(first, { status: 'SUCCESSFUL' })).status).toBe(200)
    await incidentsOf(id)
    expect(await shownByIncident(id)).toMatchObject({
      ...{ network: 'moov_bj', msisdn: '+2290195888810', status: 'SUCCESS' },
      incident: { type: 'DUPLICATE_CAPTURE', status: 'OPEN' },
    })
  })

  it('and why a payout had failed that was paid all the same', async () => {
    shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '03')
    await shop.becomes(data.id, 'FAILED')
    const [attempt] = await attemptsOf(shop, data.id)
    const key = { shop, attempt_id: attempt.id }
    await receive(app, key, confirmed(BigInt(Math.round(Number(attempt.net_amount) * 100))))
    await incidentsOf(data.id)
    const shown = await shownByIncident(data.id)
    expect(shown).toMatchObject({ status: 'FAILED', incident: { type: 'PAID_AFTER_RELEASE' } })
    expect(shown.failure_code).not.toBe('')
  })

  it('OUTCOME_UNKNOWN: the asking time is over; a success after all is still a success', async () => {
    const id = await pay('04')
    const attempt = await attemptOf(id)
    await app.owner`update attempts set asking_until = now() - interval '1 s' where id = ${attempt.id}`
    await queriesAt(attempt.id)
    const failed = await shop.becomes(id, 'FAILED')
    expect(failed).toMatchObject({
      failure_code: 'UNKNOWN',
      incident: { type: 'OUTCOME_UNKNOWN', status: 'OPEN' },
      attempts: [{ status: 'UNKNOWN' }],
    })
    const [incident] = await incidentsOf(id)
    expect(incident).toMatchObject({ amount: 0n, suspense_side: null })
    const events = await eventsOf(id)
    expect(events.map(({ type }) => type)).toEqual([
      'transaction.created',
      'transaction.failed',
      'transaction.incident',
    ])
    expect(events.at(-1)?.data).toMatchObject({
      status: 'FAILED',
      version: 2,
      incident: { id: incident?.id },
    })
    // Asked again a day later: nothing new, and due the day after.
    await queriesAt(attempt.id)
    await eventually(async () => {
      const [row] = await app.owner`
        select due_at > now() + interval '23 hours' as daily from attempts where id = ${attempt.id}`
      expect(row?.['daily']).toBe(true)
    })
    await incidentsOf(id, 1)
    await callBack(attempt, { status: 'SUCCESSFUL' })
    await shop.becomes(id, 'SUCCESS')
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
  })
})
