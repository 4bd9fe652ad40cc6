// What we hold at an operator is read and kept. Below what staff have set they are warned, and the
// payouts of the country that they named wait with their money held until there is more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { Gateway } from '../../src/gateways/gateway.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { keepBalances, type Room, readBalances } from '../../src/gateways/read-balances.ts'
import { bothPurposes, type WalletBalance } from '../../src/gateways/wallet.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { provisioned } from '../setup/mtn-account.ts'

const code = 'mtn_bj_sandbox'
const path = '/admin/gateway-balances/'

let app: TestApp
let mtn: Mtn
let staff: SignedInCaller
let shop: Shop
let gateway_id: string

beforeAll(async () => {
  app = await startApp()
  await app.another()
  mtn = await startMtn({ port: 0, speed: 4, opening_balance: 500_000 })
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = await provisioned(mtn.url, new URL(app.url).hostname)
  const account = await addAccount(deps, mtnAdapter, {
    ...{ code, name: 'MTN Bénin', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings, secrets },
  })
  gateway_id = account.id
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'mtn_bj', gateway: code, direction: 'DISBURSE', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  for (const gateway of ['simulator_a', 'simulator_b']) await mark(gateway, true)
  shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app?.stop()
  await mtn?.stop()
  expect(broken).toEqual([])
})

const put = (at: string, body: Json, who: Shop = staff) =>
  who.call('PUT', at, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const mark = (gateway: string, is_empty: boolean) =>
  put('/admin/gateway-floats/', { gateway, country: 'BJ', is_empty, note: 'a story' })
const disbursement = { gateway: code, wallet: 'disbursement', currency: 'EUR' }
const paying = { wallet: 'disbursement', currency: 'EUR', purposes: ['DISBURSE'] } as const
/** Keeps what an operator shows just now: what may go out because of it. */
async function keepAll(id: string, balances: readonly WalletBalance[]): Promise<Room[]> {
  const rooms: Room[] = []
  const [row] = await app.owner<{ asked_at: Date }[]>`
    update gateways set balances_asked_at = clock_timestamp() where id = ${id}
    returning balances_asked_at as asked_at`
  const due = { id, environment: 'SANDBOX' as const, asked_at: row?.asked_at ?? new Date() }
  await keepBalances(
    { db: app.service.db, onRoom: async (room) => void rooms.push(room) },
    due,
    balances,
  )
  return rooms
}
const watch = (more: Json) => put(path, { ...disbursement, ...more })

/** As if five minutes had passed: what a service that is woken has read of the operator since. */
async function nextReading(): Promise<void> {
  const [row] = await app.owner<{ at: Date }[]>`
    update gateways set balances_asked_at = '-infinity' where id = ${gateway_id}
    returning clock_timestamp() as at`
  await app.owner.notify('pirogue_wake', 'a-story read-balances')
  await eventually(async () => {
    expect(Date.parse((await balanceOf('disbursement')).read_at)).toBeGreaterThan(Number(row?.at))
  })
}

const balanceOf = async (wallet: string): Promise<Json> => {
  const { data } = await staff.get(path)
  const found = data.results.find((one: Json) => one.gateway === code && one.wallet === wallet)
  expect(found).toBeDefined()
  return found
}
const floatOf = async (): Promise<Json> => {
  const { data } = await staff.get('/admin/gateway-floats/')
  return data.results.find((one: Json) => one.gateway === code)
}
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

async function payOut(): Promise<string> {
  const made = await shop.post('/payouts/initialize/', {
    ...{ amount: '10000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer().phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })
  expect([made.status, made.data.status], JSON.stringify(made.body)).toEqual([201, 'PENDING'])
  return made.data.id
}
const waitsFor = async (id: string) => (await shop.get(`/transactions/${id}/`)).data.waiting_reason

describe('a balance with an operator', () => {
  it('is read and kept with its moment, wallet by wallet', async () => {
    await nextReading()
    expect(await balanceOf('disbursement')).toMatchObject({
      ...{ currency: 'EUR', amount: '500000.00' },
      ...{ low_below: null, payouts_wait_in: null, low_since: null },
      ...{ purposes: ['DISBURSE'], country: null },
    })
    expect(await balanceOf('collection')).toMatchObject({ amount: '0.00', purposes: ['COLLECT'] })
    expect(await metric('pirogue_oldest_gateway_balance_seconds')).toBeGreaterThan(0)
    expect(await metric('pirogue_low_gateway_balances')).toBe(0)
  })

  it('is of a wallet that is kept once, whichever of two readings comes first', async () => {
    const shown: WalletBalance[] = [
      { wallet: 'collection', currency: 'EUR', amount: 0n, purposes: ['COLLECT'] },
      { ...paying, amount: 500_000_00n },
    ]
    const read = (balances: readonly WalletBalance[]) => keepAll(gateway_id, balances)
    const wallets = () => app.owner<Json[]>`
      select id, operator_key, currency, purposes, country from gateway_wallets
       where gateway_id = ${gateway_id} order by operator_key`
    const were = await wallets()
    expect(were).toMatchObject([
      { operator_key: 'collection', currency: 'EUR', purposes: ['COLLECT'], country: null },
      { operator_key: 'disbursement', currency: 'EUR', purposes: ['DISBURSE'], country: null },
    ])
    await Promise.all([read(shown), read([...shown].reverse()), read(shown)])
    expect(await wallets()).toEqual(were)
    // What its operator reports of it is followed; the row stays the same.
    await read([{ ...paying, amount: 500_000_00n, purposes: bothPurposes, country: 'BJ' }])
    expect((await wallets())[1]).toEqual({
      ...were[1],
      ...{ purposes: ['COLLECT', 'DISBURSE'], country: 'BJ' },
    })
    await read(shown)
    expect(await wallets()).toEqual(were)
    await expect(app.owner`
      insert into gateway_wallets (id, gateway_id, currency, operator_key, purposes)
      values (gen_random_uuid(), ${gateway_id}, 'XOF', 'x', '{DISBURSE,COLLECT}')`).rejects.toThrow(
      /check constraint/,
    )
  })

  it('that only payers fill makes no payout due; one that pays out does', async () => {
    const [wallet] = [{ wallet: 'collection', currency: 'EUR', purposes: ['COLLECT'] as const }]
    await keepAll(gateway_id, [
      { ...wallet, amount: 1n },
      { ...paying, amount: 1n },
    ])
    const more = await keepAll(gateway_id, [
      { ...wallet, amount: 9n },
      { ...paying, amount: 5n },
    ])
    expect(more).toMatchObject([{ amount: 5n, pays_in: null }])
  })

  it('of an account that pays nobody out makes its refunds due', async () => {
    const [card] = await app.owner<{ id: string }[]>`
      select id from gateways where code = 'simulator_b'`
    const at = card?.id ?? ''
    const wallet = { wallet: 'available', currency: 'USD', purposes: ['COLLECT'] as const }
    await keepAll(at, [{ ...wallet, amount: 1n }])
    expect(await keepAll(at, [{ ...wallet, amount: 9n }])).toMatchObject([{ amount: 9n }])
  })

  it('is asked for by one process in five minutes', async () => {
    await nextReading()
    const { read_at } = await balanceOf('disbursement')
    await app.owner.notify('pirogue_wake', 'a-story read-balances')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await balanceOf('disbursement')).read_at).toBe(read_at)
  })

  it('that is low keeps payouts waiting; filled, they go out', async () => {
    mtn.holdFloat(40_000)
    await nextReading()
    const low = await watch({ low_below: '50000', payouts_wait_in: 'bj' })
    expect(low.status, JSON.stringify(low.body)).toBe(200)
    expect(low.data).toMatchObject({ amount: '40000.00', payouts_wait_in: 'BJ' })
    expect(low.data.low_since).not.toBe(null)
    expect(await floatOf()).toMatchObject({
      ...{ country: 'BJ', is_empty: true, set_by: null },
      note: 'Below 50000.00 EUR: disbursement.',
    })
    const id = await payOut()
    expect(await waitsFor(id)).toBe('GATEWAY_FLOAT')
    mtn.holdFloat(60_000)
    await nextReading()
    expect(await balanceOf('disbursement')).toMatchObject({ low_since: null })
    expect(await floatOf()).toMatchObject({ is_empty: false })
    await shop.becomes(id, 'SUCCESS')
  })

  it('that is read anew sends what its operator refused, once it is enough for it', async () => {
    mtn.holdFloat(500)
    await nextReading()
    await watch({ low_below: null, payouts_wait_in: null })
    const id = await payOut()
    await eventually(async () => expect(await waitsFor(id)).toBe('GATEWAY_FLOAT'), 30_000)
    const waits = () => app.owner<{ is_far: boolean }[]>`
      select due_at > now() + interval '20 minutes' as is_far
        from payout_waits where transaction_id = ${id}`
    await app.owner`
      update payout_waits set due_at = now() + interval '30 minutes' where transaction_id = ${id}`
    mtn.holdFloat(600)
    await nextReading()
    expect(await waits()).toEqual([{ is_far: true }])
    mtn.holdFloat(60_000)
    await nextReading()
    await shop.becomes(id, 'SUCCESS', 12_000)
    await watch({ low_below: '50000', payouts_wait_in: 'BJ' })
  }, 60_000)

  it('that becomes low is a metric, marks the float once, and people may say otherwise', async () => {
    mtn.holdFloat(30_000)
    await nextReading()
    expect(await floatOf()).toMatchObject({ is_empty: true, set_by: null })
    // Scrapes within five seconds share a reading.
    await eventually(async () => {
      expect(await metric('pirogue_low_gateway_balances')).toBe(1)
    })
    const { low_since } = await balanceOf('disbursement')
    await mark(code, false)
    await nextReading()
    expect(await balanceOf('disbursement')).toMatchObject({ low_since })
    expect(await floatOf()).toMatchObject({ is_empty: false })
  })

  it('that is no longer low leaves a float that people have marked', async () => {
    await mark(code, true)
    mtn.holdFloat(60_000)
    await nextReading()
    expect(await balanceOf('disbursement')).toMatchObject({ low_since: null })
    expect(await floatOf()).toMatchObject({ is_empty: true, note: 'a story' })
    await mark(code, false)
  })

  it('warns of a country by whichever wallet is low, and lets go with the last', async () => {
    const [collection, now] = [{ ...disbursement, wallet: 'collection' }, new Date()]
    await put(path, { ...collection, low_below: '10', payouts_wait_in: 'BJ' })
    expect(await floatOf()).toMatchObject({ is_empty: true })
    await watch({ low_below: '70000', payouts_wait_in: 'BJ' })
    await put(path, { ...collection, low_below: null })
    expect(await floatOf()).toMatchObject({ is_empty: true })
    await watch({ low_below: '70000', payouts_wait_in: null })
    expect(await floatOf()).toMatchObject({ is_empty: false })
    expect((await balanceOf('disbursement')).low_since).not.toBe(null)
    await watch({ low_below: '0', payouts_wait_in: 'BJ' })
    expect(await balanceOf('disbursement')).toMatchObject({
      ...{ low_below: null, payouts_wait_in: null, low_since: null },
    })
    const acts = await app.owner<{ action: string }[]>`
      select action from audit_logs
       where target_id = ${gateway_id} and created_at >= ${now} and action like 'gateway\_%'
       order by created_at, id`
    expect(acts.map(({ action }) => action)).toEqual([
      ...['gateway_balance.watched', 'gateway_float.emptied', 'gateway_balance.watched'],
      ...['gateway_balance.watched', 'gateway_balance.watched', 'gateway_float.filled'],
      'gateway_balance.watched',
    ])
  })

  it('of which an older answer comes late is not overwritten', async () => {
    await nextReading()
    const { amount, read_at } = await balanceOf('disbursement')
    const asked_at = new Date(Date.parse(read_at) - 60_000)
    const told = [{ ...paying, amount: 1n }]
    const due = { id: gateway_id, environment: 'SANDBOX' as const, asked_at }
    await keepBalances({ db: app.service.db, onRoom: async () => undefined }, due, told)
    expect(await balanceOf('disbursement')).toMatchObject({ amount, read_at })
  })

  it('that cannot be read is counted, keeps what was told, and harms no other', async () => {
    const was = await balanceOf('disbursement')
    const faults: string[] = []
    const told = [{ wallet: 'main', currency: 'XOF', amount: 700n, purposes: bothPurposes }]
    const [other] = await app.owner<{ id: string }[]>`
      select id from gateways where code = 'simulator_a'`
    const row_ids = new Map([
      [code, gateway_id],
      ['simulator_a', other?.id ?? ''],
    ])
    await app.owner`update gateways set balances_asked_at = '-infinity'`
    const speaking = (name: string, balances: () => Promise<WalletBalance[]>) =>
      ({ code: name, balances }) as unknown as Gateway
    const all = [
      speaking(code, () => Promise.reject(new Error('the line is cut'))),
      speaking('simulator_a', () => Promise.resolve(told)),
    ]
    await readBalances({
      ...{ db: app.service.db, row_ids, onRoom: async () => undefined },
      gateways: { all: () => all, get: () => undefined },
      onFault: (failed) => void faults.push(failed),
    })
    expect(faults).toEqual([code])
    expect(await balanceOf('disbursement')).toEqual(was)
    const { data } = await staff.get(path)
    expect(data.results).toContainEqual(
      expect.objectContaining({ gateway: 'simulator_a', amount: '7.00' }),
    )
  })

  it('whose operator is down is a metric of its own, and payments go on', async () => {
    await app.owner`update gateways set balances_asked_at = '-infinity' where id = ${gateway_id}`
    await mtn.stop()
    await app.owner.notify('pirogue_wake', 'a-story read-balances')
    await eventually(async () => {
      const faulty = `pirogue_gateway_balance_faults_total{gateway="${code}"}`
      expect(await metric(faulty)).toBeGreaterThan(0)
    })
    const paid = await shop.pay({ customer: newPayer() })
    expect(paid.status).toBe(201)
  })
})

describe('staff who watch balances', () => {
  it('are told of wallets that nobody has, sums that are none, and rights', async () => {
    expect((await watch({ wallet: 'nobody', low_below: '5' })).status).toBe(404)
    expect((await watch({ gateway: 'nobody', low_below: '5' })).status).toBe(404)
    expect((await watch({ low_below: 'much' })).status).toBe(400)
    expect((await watch({ low_below: '5', payouts_wait_in: 'Bénin' })).status).toBe(400)
    const support = await app.staff({ role: 'SUPPORT' })
    expect((await put(path, { ...disbursement, low_below: '5' }, support)).status).toBe(403)
    expect((await support.get(path)).status).toBe(200)
    expect((await shop.get(path)).status).toBe(403)
  })
})
