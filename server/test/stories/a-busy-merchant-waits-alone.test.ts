// Law 7: whatever moves a merchant's money, or is written of the merchant itself, and has to wait
// for its rows takes two connections of a process at most, so that payouts and every other act of
// others go on. Each is held by a lock until another's payout has been answered.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  eventually,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { connectTo } from '../setup/database.ts'
import { plantMethod } from '../setup/settling.ts'
import { approve, reject, transferred } from '../setup/transfers.ts'

let app: TestApp
let shop: Shop
let other: Shop
let staff: SignedInCaller
let owner: SignedInCaller
let made: Readonly<
  Record<
    | 'payment'
    | 'payout'
    | 'method'
    | 'settlement'
    | 'awaited'
    | 'approved'
    | 'rejected'
    | 'balance'
    | 'adjustment'
    | 'webhook',
    string
  >
>

async function richShop(): Promise<Shop> {
  const rich = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${rich.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await rich.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
  await rich.post('/sandbox/balances/', { country: 'CM', amount: '1000000' })
  return rich
}

const payOut = (by: Shop) =>
  by.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer().phone },
  })

beforeAll(async () => {
  app = await startApp({ env: { TRANSFER_AUTO_BELOW: 'XOF:1000000' } })
  shop = await richShop()
  other = await richShop()
  staff = await app.staff({ role: 'FINANCE' })
  owner = await app.member({ merchant_id: shop.merchant_id })
  const url = 'https://hooks.example.com/gone'
  const { data: webhook } = await owner.post('/merchant-webhooks/', { url })
  const method = await plantMethod(app, shop.merchant_id)
  const { data: payment } = await shop.pay({ customer: newPayer() })
  await shop.becomes(payment.id, 'SUCCESS')
  const { data: payout } = await payOut(shop)
  const settled = { country: 'BJ', requested_amount: '400', payout_method: method }
  const { data: settlement } = await shop.post('/settlements/', settled)
  const { data: awaited } = await shop.post('/settlements/', settled)
  const [balance] = await app.owner`
    select id from balances where merchant_id = ${shop.merchant_id} and country = 'BJ'`
  const requester = await app.staff({ role: 'FINANCE' })
  const { data: adjustment } = await requester.post('/admin/adjustments/', {
    ...{ balance: balance?.['id'], kind: 'CREDIT_MERCHANT', amount: '1', reason: 'Agreed' },
  })
  // Those of another currency wait for staff.
  const back = { from_country: 'CM', to_country: 'BJ', from_amount: '400' }
  const [approved, rejected] = [await transferred(shop, back), await transferred(shop, back)]
  made = {
    ...{ payment: payment.id, payout: payout.id, method, settlement: settlement.id },
    ...{ approved: approved.id, rejected: rejected.id, awaited: awaited.id },
    ...{ balance: balance?.['id'], adjustment: adjustment.id, webhook: webhook.id },
  }
})
afterAll(() => app.stop())

let addresses = 0
const newAddress = (): string => {
  addresses += 1
  return `203.0.113.${addresses}`
}

type Table =
  | 'balances'
  | 'transactions'
  | 'settlements'
  | 'wallet_transfers'
  | 'merchants'
  | 'webhooks'
  | 'payout_methods'

const patch = (path: string, body: object) =>
  owner.call('PATCH', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

/** What each act waits for, and the act; what goes on by itself afterwards comes late. */
const acts: Readonly<Record<string, readonly [Table, () => Promise<Reply>]>> = {
  'previews of refunds': [
    'transactions',
    () => shop.post(`/payments/${made.payment}/refunds/preview/`, { amount: '50' }),
  ],
  payouts: ['balances', () => payOut(shop)],
  transfers: [
    'balances',
    () =>
      shop.post('/wallet-transfers/', { from_country: 'BJ', to_country: 'CM', from_amount: '400' }),
  ],
  'approvals of transfers': ['balances', () => approve(staff, made.approved)],
  'rejections of transfers': ['wallet_transfers', () => reject(staff, made.rejected)],
  settlements: [
    'balances',
    () =>
      shop.post('/settlements/', {
        ...{ country: 'BJ', requested_amount: '400', payout_method: made.method },
      }),
  ],
  'settlements taken back': [
    'settlements',
    () => shop.post(`/settlements/${made.settlement}/cancel/`),
  ],
  'approvals of settlements': [
    'settlements',
    () => staff.post(`/admin/settlements/${made.awaited}/approve/`),
  ],
  'adjustments confirmed': [
    'balances',
    () => staff.post(`/admin/adjustments/${made.adjustment}/confirm/`),
  ],
  'freezes of sums': [
    'balances',
    () => staff.post(`/admin/balances/${made.balance}/freeze/`, { reason: 'Asked', amount: '1' }),
  ],
  'payouts taken back': ['transactions', () => shop.post(`/payouts/${made.payout}/cancel/`)],
  settings: ['merchants', () => patch('/merchant/', { time_zone: 'Africa/Lagos' })],
  'new keys': [
    'merchants',
    () => owner.post('/merchant-api-keys/', { environment: 'SANDBOX', name: 'Till' }),
  ],
  addresses: [
    'merchants',
    () => owner.post('/merchant-ip-whitelist/', { ip_address: newAddress() }),
  ],
  'payout limits': [
    'merchants',
    () => owner.post('/merchant-payout-limits/', { country: 'CM', per_day: '1000000' }),
  ],
  'new payout methods': [
    'merchants',
    () =>
      owner.post('/merchant-payout-methods/', {
        ...{ type: 'MOBILE_MONEY', country: 'BJ', network: 'mtn_bj', label: 'Till' },
        msisdn: newPayer().phone,
      }),
  ],
  'names of payout methods': [
    'payout_methods',
    () => patch(`/merchant-payout-methods/${made.method}/`, { label: newAddress() }),
  ],
  webhooks: [
    'webhooks',
    () => patch(`/merchant-webhooks/${made.webhook}/`, { description: newAddress() }),
  ],
  'sandbox money': [
    'balances',
    () => shop.post('/sandbox/balances/', { country: 'BJ', amount: '100' }),
  ],
  refunds: [
    'transactions',
    () => shop.post(`/payments/${made.payment}/refunds/`, { amount: '50' }),
  ],
}

/** How many wait for a lock on the connections that acts of all merchants share. */
async function waiting(): Promise<number> {
  const rows = await app.owner`
    select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'
       and application_name = 'pirogue'`
  return rows.count
}

it.each(Object.entries(acts))(
  '%s that wait leave connections for others',
  async (_, [table, act]) => {
    const rival = connectTo(app.database.options, 1)
    try {
      await rival`begin`
      const whose = rival(table === 'merchants' ? 'id' : 'merchant_id')
      await rival`
      select from ${rival(table)} where ${whose} = ${shop.merchant_id} for update`
      const asked = Array.from({ length: 12 }, act)
      await eventually(async () => expect(await waiting()).toBeGreaterThan(0))
      // The others of them have come by now.
      await new Promise((ok) => setTimeout(ok, 300))
      // Jobs have the same connections, and may wait for these rows as well.
      expect(await waiting()).toBeLessThan(6)
      const since = performance.now()
      expect((await payOut(other)).status).toBe(201)
      // Nine seconds and more where it waited until three rounds of them had given up.
      expect(performance.now() - since).toBeLessThan(6_000)
      await rival`rollback`
      // On a slow machine the lock is there for as long as anybody waits: they may come again.
      for (const { status, error } of await Promise.all(asked)) {
        if (status >= 500) expect([status, error.retryable]).toEqual([503, true])
      }
    } finally {
      await rival.end()
    }
  },
)

it('a merchant that asks for more than may wait is frozen all the same, and ends its keys', async () => {
  const key = await owner.post('/merchant-api-keys/', { environment: 'SANDBOX', name: 'Stolen' })
  const rival = connectTo(app.database.options, 1)
  try {
    await rival`begin`
    await rival`select from transactions where merchant_id = ${shop.merchant_id} for update`
    const refund = () => shop.post(`/payments/${made.payment}/refunds/`, { amount: '50' })
    const flood = Array.from({ length: 110 }, refund)
    // Those that are one too many have been answered: the queue is full.
    expect((await Promise.race(flood)).error.code).toBe('service_unavailable')
    const frozen = staff.post(`/admin/balances/${made.balance}/freeze/`, { reason: 'Theft' })
    const ended = owner.post(`/merchant-api-keys/${key.data.id}/revoke/`)
    await new Promise((ok) => setTimeout(ok, 300))
    await rival`rollback`
    expect((await ended).status, JSON.stringify(key.body)).toBe(200)
    const { status, data } = await frozen
    expect([status, data?.is_frozen]).toEqual([200, true])
    await Promise.all(flood)
  } finally {
    await rival.end()
  }
}, 40_000)
