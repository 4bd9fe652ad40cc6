// Never twice (law 2): callbacks, polls and verifies that arrive together; one idempotency key
// called two hundred times at once; a retry whose first attempt succeeds after all.

import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app?.stop())

type Statement = { status: string; amount?: string; currency?: string; reason?: string }

/** Calls us back as the operator would, with its own signature. */
async function callBack(attempt: Json, statement: Statement, options: { secret?: string } = {}) {
  const keyring = openKeyring(app.config.secret_key ?? '')
  const token = callbackToken(keyring, { merchant_id: shop.merchant_id, id: attempt.id })
  const body = JSON.stringify({
    event_id: `EV-${Math.random()}`,
    id: attempt.external_reference,
    reference: attempt.our_key,
    amount: '5163',
    currency: 'XOF',
    ...statement,
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const secret = options.secret ?? simulatorSecrets(keyring).callback_secret
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return fetch(`${app.url}/callbacks/${attempt.gateway_code}/${token}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-sim-timestamp': timestamp,
      'x-sim-signature': signature,
    },
    body,
  })
}

async function attemptsOf(id: string): Promise<Json[]> {
  return app.owner`
    select id, our_key, external_reference, gateway_code, status, network_code, client_fee
      from attempts where transaction_id = ${id} order by created_at, priority`
}

async function entriesOf(id: string): Promise<Json[]> {
  return app.owner`select line, amount from ledger_entries where cause_id = ${id} order by line`
}

describe('money moves once', () => {
  it('under three callbacks, a poll and two verifies at once', async () => {
    const before = await shop.balance()
    const { data } = await shop.pay({ customer: newPayer('04') })
    const [attempt] = await attemptsOf(data.id)
    await app.owner`update attempts set due_at = now() - interval '1 s', asked_at = null where id = ${attempt.id}`
    const replies = await Promise.all([
      shop.post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'SUCCESS' }),
      callBack(attempt, { status: 'SUCCESSFUL' }),
      callBack(attempt, { status: 'SUCCESSFUL' }),
      callBack(attempt, { status: 'SUCCESSFUL' }),
      shop.get(`/payments/${data.id}/verify/`),
      shop.get(`/payments/${data.id}/verify/`),
    ])
    // A callback may have settled it before the resolve looked: then there is nothing to resolve.
    const [resolved, ...others] = replies.map((reply) => reply.status)
    expect([200, 409]).toContain(resolved)
    expect(others).toEqual([200, 200, 200, 200, 200])
    await shop.becomes(data.id, 'SUCCESS')
    expect(await entriesOf(data.id)).toEqual([
      { line: 1, amount: 500_000n },
      { line: 2, amount: 7_500n },
      { line: 3, amount: 8_800n },
    ])
    const after = await shop.balance()
    expect(Number(after.available_amount) - Number(before.available_amount)).toBe(5000)
    const logs = await app.owner`
      select from_status from transaction_status_logs where transaction_id = ${data.id}`
    expect(logs).toHaveLength(1)
  })

  it('a callback nobody signed, or signed with another secret, only wakes a question', async () => {
    const { data } = await shop.pay({ customer: newPayer('04') })
    const [attempt] = await attemptsOf(data.id)
    const forged = await callBack(attempt, { status: 'SUCCESSFUL' }, { secret: 'not the secret' })
    expect(forged.status).toBe(200)
    // The question it woke is answered PENDING by the operator: nothing moves.
    await eventually(async () => {
      const [row] = await app.owner`select asks from attempts where id = ${attempt.id}`
      expect(row?.['asks']).toBeGreaterThan(0)
    })
    const { data: now } = await shop.get(`/transactions/${data.id}/`)
    expect(now.status).toBe('PENDING')
    expect(await entriesOf(data.id)).toEqual([])
    const kept = await app.owner`
      select proof, outcome from gateway_callbacks where attempt_id = ${attempt.id}`
    expect(kept).toEqual([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
  })

  it('a callback to an address that is not ours is 404 and leaves nothing', async () => {
    const count = async () =>
      (await app.owner`select count(*)::int as n from gateway_callbacks`)[0]?.['n']
    const before = await count()
    const token = Buffer.alloc(64, 7).toString('base64url')
    for (const address of [`simulator_a/${token}`, 'simulator_a/x', 'nobody/x']) {
      const reply = await fetch(`${app.url}/callbacks/${address}`, { method: 'POST', body: '{}' })
      expect(reply.status).toBe(404)
    }
    expect(await count()).toBe(before)
  })

  it('200 calls with one key make one transaction and equal answers or in_progress', async () => {
    const body = { customer: newPayer() }
    const key = { 'idempotency-key': 'two-hundred' }
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => untilServed(() => shop.pay(body, key))),
    )
    const done = replies.filter((reply) => reply.status === 201)
    const waiting = replies.filter((reply) => reply.status === 409)
    expect(done.length).toBeGreaterThan(0)
    expect(done.length + waiting.length).toBe(200)
    for (const reply of waiting) {
      expect(reply.error).toMatchObject({ code: 'idempotency_in_progress', retryable: true })
      expect(reply.headers.get('retry-after')).toBeTruthy()
    }
    expect(new Set(done.map((reply) => JSON.stringify(reply.body))).size).toBe(1)
    const replay = await shop.pay(body, key)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(replay.body).toEqual(done[0]?.body)
    const made = await app.owner`
      select count(*)::int as n from transactions
       where customer_phone = ${body.customer.phone} and merchant_id = ${shop.merchant_id}`
    expect(made[0]?.['n']).toBe(1)
    const other = await shop.pay({ ...body, amount: '6000' }, key)
    expect(other).toMatchObject({ status: 409, error: { code: 'idempotency_conflict' } })
  })

  it('a retry whose first attempt succeeds settles with the first attempt’s figures', async () => {
    const own = await app.shop()
    const { data } = await own.pay({ customer: newPayer('02'), network: 'mtn_bj' })
    await own.becomes(data.id, 'FAILED')
    // Another network with another price, so that the figures differ.
    await app.owner`
      update pricing_tiers t set percent_ppm = 50000 from pricing_rules r, networks n
       where r.id = t.pricing_rule_id and n.id = r.network_id and n.code = 'celtiis_bj'
         and r.direction = 'COLLECT'`
    await app.owner`update catalogue_version set version = version + 1`
    // So that the second attempt stays pending while the first turns out paid.
    await app.owner`
      update transactions set operation_msisdn = '+2290197777704' where id = ${data.id}`
    const retried = await own.post(`/payments/${data.id}/retry/`, { methods: ['celtiis_bj'] })
    expect(retried.status, JSON.stringify(retried.body)).toBe(200)
    expect(retried.data).toMatchObject({ id: data.id, status: 'PENDING' })
    const pending = await own.get(`/transactions/${data.id}/`)
    expect(pending.data).toMatchObject({ client_fee: '250.00', network_code: 'celtiis_bj' })

    const [first, second] = await attemptsOf(data.id)
    const saved = shop
    shop = own
    const reply = await callBack(first, { status: 'SUCCESSFUL' })
    shop = saved
    expect(reply.status).toBe(200)
    const paid = await own.becomes(data.id, 'SUCCESS')
    expect(paid).toMatchObject({
      client_fee: '163.00',
      debited_amount: '5163.00',
      network_code: 'mtn_bj',
    })
    expect(paid.status_logs.map((log: Json) => log.to_status)).toEqual([
      'FAILED',
      'PENDING',
      'SUCCESS',
    ])
    expect(second.status).toBe('PENDING')
    expect(await own.balance()).toMatchObject({ available_amount: '5000.00' })

    // The second is still asked about: when it is paid too, that is an incident, not a credit.
    await callBackAs(own, second, { status: 'SUCCESSFUL', amount: '5250' })
    await eventually(async () => {
      const { data: now } = await own.get(`/transactions/${data.id}/`)
      expect(now.incident).toMatchObject({ type: 'DUPLICATE_CAPTURE', status: 'OPEN' })
    })
    expect(await own.balance()).toMatchObject({ available_amount: '5000.00' })
    const suspense = await app.owner`
      select e.amount from ledger_entries e join accounts a
          on a.merchant_id = e.merchant_id and a.id = e.credit_account
       where a.kind = 'suspense' and e.merchant_id = ${own.merchant_id}`
    expect(suspense).toEqual([{ amount: 525_000n }])
  })
})

async function callBackAs(own: Shop, attempt: Json, statement: Statement) {
  const saved = shop
  shop = own
  await callBack(attempt, statement)
  shop = saved
}
