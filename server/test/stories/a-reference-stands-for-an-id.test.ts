// A transaction's reference is taken wherever a merchant's path has its id (contract 8.18): for the
// caller's own merchant and environment, 404 for every other; staff's paths take ids alone.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Reply, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop
let paid: { id: string; reference: string }

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  const made = await shop.pay({ customer: newPayer() })
  paid = made.data
  await shop.becomes(paid.id, 'SUCCESS')
})
afterAll(() => app?.stop())

const read = ({ status, data }: Reply) => [status, data]

describe('a reference in the path', () => {
  it.each(['/transactions/{}/', '/transactions/{}/evidence/', '/payments/{}/verify/'])(
    'of GET %s reads what the id reads',
    async (path) => {
      const [by_id, by_reference] = [
        await shop.get(path.replace('{}', paid.id)),
        await shop.get(path.replace('{}', paid.reference)),
      ]
      expect(by_id.status, JSON.stringify(by_id.body)).toBe(200)
      expect(read(by_reference)).toEqual(read(by_id))
      expect((await shop.get(path.replace('{}', paid.reference).slice(0, -1))).status).toBe(200)
    },
  )

  it('finds the invoice, resolves in the sandbox and gives a code', async () => {
    const invoice = await shop.call('GET', `/transactions/${paid.reference}/invoice/`)
    expect(invoice.headers.get('content-type')).toContain('application/pdf')
    const waiting = await shop.pay({ customer: newPayer('04') })
    const { reference } = waiting.data
    const otp = await shop.post(`/payments/${reference}/confirm-otp/`, { otp: '123456' })
    expect([otp.status, otp.error.code]).toEqual([400, 'otp_not_applicable'])
    const resolved = await shop.post(`/sandbox/transactions/${reference}/resolve/`, {
      outcome: 'FAILED',
    })
    expect(resolved.data).toMatchObject({ reference, status: 'FAILED' })
  })

  it('means a payout under /payouts/ and none under /payments/', async () => {
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    const made = await shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer().phone },
    })
    const { id, reference } = made.data
    expect((await shop.get(`/payouts/${reference}/verify/`)).data.id).toBe(id)
    expect((await shop.get(`/payments/${reference}/verify/`)).status).toBe(404)
    const cancelled = await shop.post(`/payouts/${reference}/cancel/`)
    expect([cancelled.status, cancelled.error.code]).toEqual([409, 'not_cancellable'])
  })

  it('is the id under an idempotency key: one call, however it is written', async () => {
    const failed = await shop.pay({ customer: newPayer('02') })
    const { id, reference } = failed.data
    await shop.becomes(id, 'FAILED')
    const key = { 'idempotency-key': randomUUID() }
    const first = await shop.post(`/payments/${reference}/retry/`, {}, key)
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    const second = await shop.post(`/payments/${id}/retry/`, {}, key)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.body).toEqual(first.body)
    expect((await shop.get(`/transactions/${id}/`)).data.attempts).toHaveLength(2)
  })
})

describe('a reference that is not the caller’s', () => {
  const codes = async (caller: Shop, reference: string) => {
    const replies = [
      await caller.get(`/transactions/${reference}/`),
      await caller.get(`/payments/${reference}/verify/`),
      await caller.post(`/payments/${reference}/retry/`, {}),
    ]
    return new Set(replies.map(({ status, error }) => `${status} ${error.code}`))
  }
  const unknown = new Set(['404 not_found'])

  it('is 404, never 403: unknown, of another merchant, or of the other environment', async () => {
    expect(await codes(shop, 'TXN-20261121-AAAAAAAAAA')).toEqual(unknown)
    expect(await codes(shop, 'TXN-')).toEqual(unknown)
    expect(await codes(await app.shop(), paid.reference)).toEqual(unknown)
    const { merchant_id } = shop
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const live = await app.shop({ merchant_id, environment: 'LIVE' })
    expect(await codes(live, paid.reference)).toEqual(unknown)
  })

  it('is unknown to staff, whose paths have ids', async () => {
    const staff = await app.staff()
    expect((await staff.get(`/admin/transactions/${paid.id}/`)).status).toBe(200)
    expect((await staff.get(`/admin/transactions/${paid.reference}/`)).status).toBe(404)
  })

  it('and the key of a call that is 404 is free again', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const lost = await shop.post('/payments/TXN-20261121-AAAAAAAAAA/retry/', {}, key)
    expect(lost.status).toBe(404)
    const made = await shop.pay({ customer: newPayer() }, key)
    expect(made.status).toBe(201)
  })
})
