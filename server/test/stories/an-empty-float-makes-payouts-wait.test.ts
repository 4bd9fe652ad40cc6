// An operator can pay out only what lies with it. Where staff say that it is used up, a payout takes
// another route, or waits with its money held; it does not fail, and goes out when it is filled.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import {
  eventually,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { connectTo } from '../setup/database.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'OPERATIONS' })
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

const setFloat = (gateway: string, is_empty: boolean, who: Shop = staff) =>
  who.call('PUT', '/admin/gateway-floats/', {
    body: JSON.stringify({ gateway, country: 'bj', is_empty, note: 'a test' }),
    headers: { 'content-type': 'application/json' },
  })
const both = async (is_empty: boolean) => {
  await setFloat('simulator_a', is_empty)
  await setFloat('simulator_b', is_empty)
}

async function richShop() {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
  return shop
}

const pay = (shop: Shop, headers: Record<string, string> = {}, amount = '10000') =>
  shop.post(
    '/payouts/initialize/',
    {
      amount,
      currency: 'XOF',
      country: 'BJ',
      method: 'mtn_bj',
      recipient: { msisdn: newPayer().phone },
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    },
    headers,
  )

/** Those that were looked at in vain are looked at again after half a minute: it is over. */
const passTime = () => app.owner`
  update payout_waits set due_at = now() - interval '1 second'`

/** Its turn has come, and was in vain. */
const isLookedAt = (id: string) =>
  eventually(async () => {
    const due = await app.owner`
      select 1 from payout_waits where transaction_id = ${id} and due_at <= now()`
    expect(due.count).toBe(0)
  }, 15_000)

async function sums(shop: Shop) {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [available_amount, pending_amount]
}

describe('an empty float', () => {
  it('of one operator sends payouts to the other', async () => {
    const shop = await richShop()
    await setFloat('simulator_a', true)
    const { data } = await pay(shop)
    const paid = await shop.becomes(data.id, 'SUCCESS')
    expect(paid.attempts.map(({ gateway_code }: { gateway_code: string }) => gateway_code)).toEqual(
      ['simulator_b'],
    )
    const seen = (await staff.get(`/admin/transactions/${data.id}/`)).data
    const why = [{ gateway_code: 'simulator_a', reason: 'float_empty' }]
    expect(seen.attempts[0].passed_over).toEqual(why)
    expect(JSON.stringify(paid)).not.toContain('float_empty')
    await setFloat('simulator_a', false)
  })

  it('of both makes it wait, held and unsent; filled, it goes out once', async () => {
    const shop = await richShop()
    await both(true)
    const made = await pay(shop, { 'idempotency-key': 'wait' })
    expect([made.status, made.data.status]).toEqual([201, 'PENDING'])
    const waiting = await shop.get(`/transactions/${made.data.id}/`)
    expect(waiting.data).toMatchObject({ waiting_reason: 'GATEWAY_FLOAT', attempts: [] })
    expect((await shop.get(`/payouts/${made.data.id}/verify/`)).data.status).toBe('PENDING')
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    const lookedFor = async () =>
      (await staff.get(`/admin/transactions/${made.data.id}/`)).data.waited_for
    const empty = (gateway_code: string) => ({ gateway_code, reason: 'float_empty' })
    const passed_over = [empty('simulator_a'), empty('simulator_b')]
    const first = await lookedFor()
    expect(first).toMatchObject({ reason: 'GATEWAY_FLOAT', passed_over })
    // Merchants are not told which routes there are.
    expect(JSON.stringify(waiting.data)).not.toContain('float_empty')
    await passTime()
    await isLookedAt(made.data.id)
    expect(await lookedFor()).toEqual(first)
    // With the routes off there is none to be passed over.
    await app.owner`update networks set takes_payouts = false where code = 'mtn_bj'`
    await app.owner`update catalogue_version set version = version + 1`
    await passTime()
    await eventually(async () => {
      expect(await lookedFor()).toMatchObject({ reason: 'NO_ROUTE', passed_over: [] })
    }, 15_000)
    await app.owner`update networks set takes_payouts = true where code = 'mtn_bj'`
    await app.owner`update catalogue_version set version = version + 1`
    await passTime()
    await eventually(async () => {
      expect(await lookedFor()).toMatchObject({ reason: 'GATEWAY_FLOAT', passed_over })
    }, 15_000)
    await app.another()
    await both(false)
    await passTime()
    const paid = await shop.becomes(made.data.id, 'SUCCESS', 45_000)
    expect(paid.waiting_reason).toBe(null)
    expect(paid.attempts).toHaveLength(1)
    // Why it had waited is told when it does no longer.
    expect(await lookedFor()).toMatchObject({ passed_over })
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
    const again = await pay(shop, { 'idempotency-key': 'wait' })
    expect(again.status).toBe(409)
  }, 60_000)

  it('filled sends at once what is looked at in half an hour only', async () => {
    const shop = await richShop()
    await both(true)
    const { data } = await pay(shop)
    const far = () => app.owner`
      update payout_waits set due_at = now() + interval '30 minutes', tries = 6
       where transaction_id = ${data.id}`
    await far()
    // Of another country nothing is sent, nor is it looked at.
    await staff.call('PUT', '/admin/gateway-floats/', {
      body: JSON.stringify({ gateway: 'simulator_a', country: 'SN', is_empty: false }),
      headers: { 'content-type': 'application/json' },
    })
    const due = await app.owner`
      select 1 from payout_waits
       where transaction_id = ${data.id} and due_at > now() + interval '20 minutes'`
    expect(due.count).toBe(1)
    await setFloat('simulator_b', false)
    await shop.becomes(data.id, 'SUCCESS')
    await both(false)
  }, 60_000)

  it('filled while the balance is frozen sends nothing before the freeze is lifted', async () => {
    const shop = await richShop()
    await both(true)
    const { data } = await pay(shop)
    const finance = await app.staff({ role: 'FINANCE' })
    const balance = (await shop.get('/merchant-balances/')).data.results[0].id
    const mark = (how: string) =>
      finance.post(`/admin/balances/${balance}/${how}/`, { reason: 'a test' })
    await mark('freeze')
    await both(false)
    // The workers are rung; a second is long for them, and nothing has to come of it.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const waiting = await shop.get(`/transactions/${data.id}/`)
    expect(waiting.data).toMatchObject({ waiting_reason: 'GATEWAY_FLOAT', attempts: [] })
    await mark('unfreeze')
    await shop.becomes(data.id, 'SUCCESS', 45_000)
  }, 60_000)

  it('frozen after its wait was claimed is not sent: the statement that sends it looks again', async () => {
    const shop = await richShop()
    await both(true)
    const { data } = await pay(shop)
    const rival = connectTo(app.database.options, 1)
    const freezes = (is_frozen: boolean) => rival`
      update balances set is_frozen = ${is_frozen} where merchant_id = ${shop.merchant_id}`
    try {
      await rival`begin`
      await freezes(true)
      const [own] = await rival<{ pid: number }[]>`select pg_backend_pid() as pid`
      await both(false)
      await passTime()
      // The claim saw a balance that was free; what sends waits for the freeze under way. What was
      // claimed before the floats were known to be filled is brought forward again.
      const isBlocked = () =>
        eventually(async () => {
          await app.owner`
            update payout_waits set due_at = now() - interval '1 second'
             where transaction_id in
                   (select transaction_id from payout_waits for update skip locked)`
          const waiting = await app.owner`
            select 1 from pg_stat_activity where ${own?.pid ?? 0} = any(pg_blocking_pids(pid))`
          expect(waiting.count).toBeGreaterThan(0)
        }, 20_000)
      await isBlocked()
      // Its patience ends before the freeze does: that says nothing about what the payout waits for.
      await eventually(async () => {
        const [wait] = await app.owner`
          select tries, reason from payout_waits where transaction_id = ${data.id}`
        expect(wait).toEqual({ tries: expect.any(Number), reason: 'GATEWAY_FLOAT' })
        expect(wait?.['tries']).toBeGreaterThan(0)
      }, 10_000)
      await passTime()
      await isBlocked()
      await rival`commit`
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const kept = await shop.get(`/transactions/${data.id}/`)
      expect(kept.data).toMatchObject({ waiting_reason: 'GATEWAY_FLOAT', attempts: [] })
      await freezes(false)
    } finally {
      await rival.end()
    }
    await passTime()
    await shop.becomes(data.id, 'SUCCESS', 45_000)
  }, 90_000)

  it('keeps payins as they are', async () => {
    const shop = await richShop()
    await both(true)
    const { data } = await shop.pay()
    await shop.becomes(data.id, 'SUCCESS')
    await both(false)
  })

  it('lets an approved payout wait too', async () => {
    const shop = await richShop()
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '50000' })
    await both(true)
    const { data } = await pay(finance, {}, '60000')
    expect(data.approval).toBe('REQUIRED')
    expect((await owner.post(`/payouts/${data.id}/approve/`)).status).toBe(200)
    const waiting = await shop.get(`/transactions/${data.id}/`)
    expect(waiting.data).toMatchObject({ approval: 'APPROVED', waiting_reason: 'GATEWAY_FLOAT' })
    await passTime()
    await both(false)
    await shop.becomes(data.id, 'SUCCESS', 45_000)
  }, 60_000)
})

describe('who says so', () => {
  it('is staff with the right, of a gateway that is there, and it is written down', async () => {
    expect((await setFloat('nobody', true)).status).toBe(404)
    const support = await app.staff({ role: 'SUPPORT' })
    expect((await setFloat('simulator_a', true, support)).status).toBe(403)
    const set = await setFloat('simulator_a', false)
    expect(set.data).toMatchObject({ gateway: 'simulator_a', country: 'BJ', is_empty: false })
    const list = await staff.get('/admin/gateway-floats/')
    expect(list.data.results.map(({ gateway }: { gateway: string }) => gateway)).toContain(
      'simulator_a',
    )
    const rows = await app.owner`
      select 1 from audit_logs where action = 'gateway_float.emptied' limit 1`
    expect(rows).toHaveLength(1)
  })
})
