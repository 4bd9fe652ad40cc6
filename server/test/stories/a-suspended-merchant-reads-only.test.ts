// A merchant is suspended while a payment is under way (contract 3.5): from the next call on they
// can only read, verify and log out, in every process, by key and by session. The payment ends and
// is booked, their webhook is told, and when they are restored everything is as before.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import {
  eventually,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  softpay,
  startApp,
  type TestApp,
} from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let staff: SignedInCaller
const ends = createEnds()
beforeAll(async () => {
  // A payment takes five seconds: time enough to suspend its merchant, on a busy machine too.
  app = await startApp({ speed: 0.2 })
  staff = await app.staff({ role: 'OPERATIONS' })
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const stopped = [403, 'merchant_suspended']

async function suspend({ merchant_id }: Shop): Promise<void> {
  const done = await staff.post(`/admin/merchants/${merchant_id}/suspend/`, { reason: 'Papers' })
  expect(done.status).toBe(200)
}

async function restore({ merchant_id }: Shop): Promise<void> {
  expect((await staff.post(`/admin/merchants/${merchant_id}/restore/`)).status).toBe(200)
}

describe('suspended in the middle of a payment', () => {
  it('they see it end and be booked, and their webhook is told', async () => {
    const shop = await app.shop()
    const receiver = await ends.keep(startReceiver())
    expect((await shop.post('/merchant-webhooks/', { url: receiver.url })).status).toBe(201)
    const paid = await shop.pay({ customer: newPayer() })
    expect(paid.data.status).toBe('PENDING')
    await suspend(shop)
    const [then] = await app.owner<{ status: string }[]>`
      select status from transactions where id = ${paid.data.id}`
    expect(then?.status).toBe('PENDING')
    expect(codeOf(await shop.pay())).toEqual(stopped)
    await shop.becomes(paid.data.id, 'SUCCESS')
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
    await eventually(async () => {
      const events = receiver.received.map(({ body: { event, data } }) => [event, data.id])
      expect(events).toContainEqual(['transaction.success', paid.data.id])
    })
    expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])
  })

  it('they may still ask how it stands', async () => {
    const shop = await app.shop()
    const { data } = await shop.pay({ customer: newPayer('04') })
    await suspend(shop)
    const verified = await shop.get(`/payments/${data.id}/verify/`)
    expect(verified.data).toMatchObject({ id: data.id, status: 'PENDING' })
  })
})

describe('a suspended merchant', () => {
  it('is told why and since when, until it is restored', async () => {
    const member = await app.member({ role: 'VIEWER' })
    const mine = async () => {
      const { data } = await member.get('/auth/me/')
      return data.merchants.find(({ id }: { id: string }) => id === member.merchant_id)
    }
    expect(await mine()).toMatchObject({ suspended_reason: '', suspended_at: null })
    await suspend(member)
    const { suspended_at: since, ...seen } = await mine()
    expect(seen).toMatchObject({ status: 'SUSPENDED', suspended_reason: 'Papers' })
    expect(Math.abs(Date.parse(since) - Date.now())).toBeLessThan(600_000)
    // In better words it is the same suspension.
    const path = `/admin/merchants/${member.merchant_id}`
    await staff.post(`${path}/suspend/`, { reason: 'Papers of the owner' })
    const again = { suspended_reason: 'Papers of the owner', suspended_at: since }
    expect(await mine()).toMatchObject(again)
    await staff.post(`${path}/restore/`)
    const none = { status: 'ACTIVE', suspended_reason: '', suspended_at: null }
    expect(await mine()).toMatchObject(none)
  })

  it('reads, verifies and logs out, by key and by session, and does nothing else', async () => {
    const shop = await app.shop()
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
    const hook = await shop.post('/merchant-webhooks/', { url: 'https://hooks.example.com/a' })
    const { data } = await shop.pay({ customer: newPayer('01') })
    await shop.becomes(data.id, 'FAILED')
    await suspend(shop)
    const reads = [
      '/transactions/',
      `/transactions/${data.id}/`,
      '/merchant-balances/',
      '/merchant-ledger-entries/',
      '/merchant-webhooks/',
      `/merchant-webhooks/${hook.data.id}/`,
      '/pricing/my-rates/',
    ]
    const acts: readonly [string, string, object][] = [
      ['POST', '/payments/softpay/initialize/', softpay()],
      ['POST', `/payments/${data.id}/retry/`, {}],
      ['POST', `/payments/${data.id}/confirm-otp/`, { otp: '123456' }],
      ['POST', '/merchant-webhooks/', { url: 'https://hooks.example.com/b' }],
      ['PATCH', `/merchant-webhooks/${hook.data.id}/`, { is_active: false }],
      ['DELETE', `/merchant-webhooks/${hook.data.id}/`, {}],
      ['POST', '/sandbox/balances/', { country: 'BJ', amount: '1' }],
      ['POST', `/sandbox/transactions/${data.id}/resolve/`, { outcome: 'SUCCESS' }],
    ]
    for (const caller of [shop, owner]) {
      const read = await Promise.all(reads.map((path) => caller.get(path)))
      expect(read.map(({ status }) => status)).toEqual(reads.map(() => 200))
      for (const [method, path, body] of acts) {
        const headers = { 'content-type': 'application/json' }
        const act = await caller.call(method, path, { body: JSON.stringify(body), headers })
        expect([method, path, ...codeOf(act)]).toEqual([method, path, ...stopped])
      }
      // What is not its own is not for it to read.
      expect(codeOf(await caller.get('/exchange-rates/'))).toEqual(stopped)
      expect((await caller.get(`/payments/${data.id}/verify/`)).status).toBe(200)
    }
    expect(codeOf(await owner.post('/merchant-api-keys/', { environment: 'SANDBOX' }))).toEqual(
      stopped,
    )
    expect((await owner.get('/auth/me/')).data.merchants).toMatchObject([{ status: 'SUSPENDED' }])
    expect((await owner.post('/auth/logout/')).status).toBe(204)
  })

  it('is stopped in every process from the next call on, and goes on as soon', async () => {
    const second = await app.another({ ROLE: 'api' })
    const shop = await app.shop()
    const elsewhere = shopWith(second.public_url, shop.merchant_id, shop.key)
    const pay = () =>
      Promise.all([shop, elsewhere].map((one) => one.pay({ customer: newPayer('04') })))
    expect((await pay()).map(({ status }) => status)).toEqual([201, 201])
    await suspend(shop)
    expect((await pay()).map(codeOf)).toEqual([stopped, stopped])
    await restore(shop)
    expect((await pay()).map(({ status }) => status)).toEqual([201, 201])
  })

  it('is not answered a replay before they are restored, and then the first answer', async () => {
    const shop = await app.shop()
    const body = { customer: newPayer('04') }
    const key = { 'idempotency-key': 'order-1' }
    const first = await shop.pay(body, key)
    await suspend(shop)
    expect(codeOf(await shop.pay(body, key))).toEqual(stopped)
    await restore(shop)
    const replay = await shop.pay(body, key)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(replay.body).toEqual(first.body)
  })

  it('leaves their other merchants alone', async () => {
    const [one, two] = [await app.shop(), await app.shop()]
    const member = await app.member({ merchant_id: one.merchant_id })
    await app.owner`
      insert into memberships (merchant_id, person_id, role)
      values (${two.merchant_id}, ${member.person_id}, 'OWNER')`
    await suspend(one)
    expect(codeOf(await member.pay())).toEqual(stopped)
    expect((await member.pay({}, { 'x-merchant': two.merchant_id })).status).toBe(201)
  })
})
