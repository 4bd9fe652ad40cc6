// An operator's account is open at its hours and not while staff have closed it. Closed, it gets
// nothing new: a payment takes another route or is refused with the hour, a payout waits with its
// money held and goes out once. What it has already is asked about as before.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'

let app: TestApp
let second: Service
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  second = await app.another()
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
})
afterEach(async () => {
  for (const { id } of await closings()) {
    await staff.call('DELETE', `/admin/gateway-closings/${id}/`, {})
  }
  for (const gateway of both) {
    for (const direction of ['COLLECT', 'DISBURSE']) await setHours(gateway, direction, [])
  }
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

const both = ['simulator_a', 'simulator_b']

const put = (path: string, body: object, who: Shop = staff) =>
  who.call('PUT', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const setHours = (gateway: string, direction: string, windows: object[], who: Shop = staff) =>
  put('/admin/gateway-hours/', { gateway, country: 'bj', direction, windows }, who)

const close = (gateway: string, more: object = {}, who: Shop = staff) =>
  who.post('/admin/gateway-closings/', { gateway, country: 'bj', note: 'a test', ...more })

const closings = async (): Promise<Json[]> =>
  (await staff.get('/admin/gateway-closings/')).data.results

/** Hours of a day that is neither today nor tomorrow in any zone: closed now. */
const another_day = () => {
  const weekday = ((new Date().getUTCDay() + 2) % 7) + 1
  return [{ weekday, opens: '06:30', closes: '24:00' }]
}

async function richShop() {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
  return shop
}

const payOut = (shop: Shop) =>
  shop.post('/payouts/initialize/', {
    ...{ amount: '10000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer().phone },
  })

/** Those that were looked at in vain are looked at again after half a minute: it is over. */
const passTime = () => app.owner`
  update payout_waits set due_at = now() - interval '1 second'`

const gatewaysOf = ({ attempts }: Json) => attempts.map((one: Json) => one.gateway_code)

describe('a payout', () => {
  it('takes the route that is open, and its attempt says why not the other', async () => {
    const shop = await richShop()
    await close('simulator_a', { direction: 'DISBURSE' })
    const { data } = await payOut(shop)
    const paid = await shop.becomes(data.id, 'SUCCESS')
    expect(gatewaysOf(paid)).toEqual(['simulator_b'])
    const [attempt] = await app.owner<Json[]>`
      select skipped_routes from attempts where transaction_id = ${data.id}`
    expect(attempt?.skipped_routes).toEqual([{ gateway_code: 'simulator_a', reason: 'closed' }])
  })

  it('waits while both are closed, held and unsent; opened, it goes out once', async () => {
    const shop = await richShop()
    for (const gateway of both) await close(gateway)
    const made = await payOut(shop)
    expect([made.status, made.data.status]).toEqual([201, 'PENDING'])
    const waiting = await shop.get(`/transactions/${made.data.id}/`)
    expect(waiting.data).toMatchObject({ waiting_reason: 'GATEWAY_CLOSED', attempts: [] })
    expect((await shop.balance('BJ')).pending_amount).toBe('10000.00')
    for (const { id } of await closings()) {
      expect((await staff.call('DELETE', `/admin/gateway-closings/${id}/`, {})).status).toBe(204)
    }
    await passTime()
    const paid = await shop.becomes(made.data.id, 'SUCCESS', 45_000)
    expect(paid.waiting_reason).toBe(null)
    expect(paid.attempts).toHaveLength(1)
    expect((await shop.balance('BJ')).pending_amount).toBe('0.00')
  }, 60_000)

  it('is looked at again when what is closed opens, and goes by itself', async () => {
    const shop = await richShop()
    const ends_at = new Date(Date.now() + 20_000)
    for (const gateway of both) await close(gateway, { ends_at: ends_at.toISOString() })
    const { data } = await payOut(shop)
    await eventually(async () => {
      const waits = await app.owner<{ due_at: Date }[]>`
        select due_at from payout_waits where transaction_id = ${data.id}`
      expect(waits).toEqual([{ due_at: ends_at }])
    }, 15_000)
    await shop.becomes(data.id, 'SUCCESS', 45_000)
  }, 60_000)

  it('waits outside the hours, and says what it waits for now', async () => {
    const shop = await richShop()
    for (const gateway of both) await setHours(gateway, 'DISBURSE', another_day())
    const { data } = await payOut(shop)
    const reason = async () => (await shop.get(`/transactions/${data.id}/`)).data.waiting_reason
    expect(await reason()).toBe('GATEWAY_CLOSED')
    for (const gateway of both) await setHours(gateway, 'DISBURSE', [])
    await passTime()
    await shop.becomes(data.id, 'SUCCESS', 45_000)
  }, 60_000)
})

describe('a payment', () => {
  it('takes the route that is open', async () => {
    const shop = await app.shop()
    await setHours('simulator_a', 'COLLECT', another_day())
    const { data } = await shop.pay()
    expect(gatewaysOf(await shop.becomes(data.id, 'SUCCESS'))).toEqual(['simulator_b'])
  })

  it('is refused with the hour where all are closed, in every process, and makes nothing', async () => {
    const shop = await app.shop()
    const elsewhere = shopWith(second.public_url, shop.merchant_id, shop.key)
    for (const gateway of both) await setHours(gateway, 'COLLECT', another_day())
    for (const caller of [shop, elsewhere]) {
      const refused = await caller.pay()
      expect([refused.status, refused.error?.code]).toEqual([422, 'no_route_available'])
      expect(refused.error?.message).toMatch(
        /^MTN .* is closed until .* at 06:30 \(Porto-Novo, UTC\+1\)\. Use another network/,
      )
    }
    const french = await shop.pay({}, { 'accept-language': 'fr' })
    expect(french.error?.message).toMatch(/est fermé jusqu’au .* à 06:30 \(Porto-Novo, UTC\+1\)/)
    expect((await shop.get('/transactions/')).data.results).toEqual([])
  })

  it('is refused without an hour where staff closed it until further notice', async () => {
    const shop = await app.shop()
    for (const gateway of both) await close(gateway, { direction: 'COLLECT' })
    const refused = await shop.pay()
    expect(refused.error?.message).toMatch(/is closed for now\. Use another network\.$/)
    // Payouts are another direction.
    const rich = await richShop()
    const { data } = await payOut(rich)
    await rich.becomes(data.id, 'SUCCESS')
  })

  it('that an operator has goes on: it is asked about and ends', async () => {
    const shop = await app.shop()
    const { data } = await shop.pay()
    for (const gateway of both) await close(gateway)
    await shop.becomes(data.id, 'SUCCESS')
  })
})

describe('closings and hours', () => {
  it('are set by staff with the right, of a gateway that is there, and are written down', async () => {
    const support = await app.staff({ role: 'SUPPORT' })
    expect((await close('simulator_a', {}, support)).status).toBe(403)
    expect((await setHours('simulator_a', 'COLLECT', [], support)).status).toBe(403)
    expect((await close('nobody')).status).toBe(404)
    expect((await setHours('nobody', 'COLLECT', [])).status).toBe(404)
    const made = await close('simulator_a', { ends_at: '2999-01-01T00:00:00Z' })
    expect([made.status, made.data]).toMatchObject([201, { country: 'BJ', direction: null }])
    const path = `/admin/gateway-closings/${made.data.id}/`
    expect((await support.call('DELETE', path, {})).status).toBe(403)
    expect((await staff.call('DELETE', path, {})).status).toBe(204)
    expect((await staff.call('DELETE', path, {})).status).toBe(404)
    expect(await closings()).toEqual([])
    const acts = await app.owner<Json[]>`
      select action from audit_logs where after ->> 'closing' = ${made.data.id} order by id`
    expect(acts.map(({ action }) => action)).toEqual(['gateway.closed', 'gateway.opened'])
  })

  it('that end before they begin, or overlap, are refused by their field', async () => {
    const past = await close('simulator_a', { ends_at: '2020-01-01T00:00:00Z' })
    expect([past.status, Object.keys(past.error)]).toEqual([400, ['ends_at']])
    const twice = [...another_day(), ...another_day()]
    const wrong = await setHours('simulator_a', 'COLLECT', twice)
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['windows']])
    const strange = [{ weekday: 1, opens: '6h', closes: '24:01' }]
    expect((await setHours('simulator_a', 'COLLECT', strange)).status).toBe(400)
  })

  it('are listed as they were set, and one to come does not close yet', async () => {
    await setHours('simulator_a', 'DISBURSE', another_day())
    const listed = (await staff.get('/admin/gateway-hours/')).data.results
    expect(listed).toEqual([
      { gateway: 'simulator_a', country: 'BJ', direction: 'DISBURSE', windows: another_day() },
    ])
    for (const gateway of both) await close(gateway, { from_at: '2999-01-01T00:00:00Z' })
    const shop = await app.shop()
    const { data } = await shop.pay()
    await shop.becomes(data.id, 'SUCCESS')
    const [one] = await closings()
    expect((await staff.call('DELETE', `/admin/gateway-closings/${one?.id}/`, {})).status).toBe(204)
    expect((await staff.call('DELETE', `/admin/gateway-closings/${one?.id}/`, {})).status).toBe(404)
  })
})
