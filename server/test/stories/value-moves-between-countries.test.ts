// A merchant moves value from one of its countries to another: set aside at once, at a rate and a
// fee that no longer change, and booked whole when staff approve it, or given back whole.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account } from '../../src/ledger/account.ts'
import { sandboxFunding } from '../../src/ledger/postings.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { Troubles } from '../../src/platform/jobs/troubles.ts'
import { lapseTransfers } from '../../src/wallets/jobs.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { accountTotals } from '../ledger/account-totals.ts'
import { book } from '../ledger/books.ts'
import { readMetric } from '../setup/read-metric.ts'
import {
  actsOn,
  answerOf,
  approve,
  ask,
  eventsOf,
  now,
  reject,
  richShop,
  someoneWaits,
  sums,
  transfer,
  transferred,
} from '../setup/transfers.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

/** What its events say of a transfer: the record, and what leaves as every event says it. */
const toldOf = (record: Json, version: number) => {
  const { from_amount: amount, from_currency: currency } = record
  return { ...record, amount, currency, version }
}

/** What the merchant's exchange account stands at in a country. */
async function exchanged({ merchant_id }: Shop, country: string, currency: string) {
  const place = { merchant_id, environment: 'SANDBOX' as const, country, currency }
  const [total] = await accountTotals(app.owner, [account(place, 'fx')])
  return total?.balance
}

describe('a transfer that is asked for', () => {
  it('waits, with its rate, its fee and what will arrive', async () => {
    const shop = await richShop(app)
    const { status, data } = await ask(shop)
    expect(status).toBe(201)
    expect(data).toEqual({
      id: expect.any(String),
      reference: expect.stringMatching(/^TRF-\d{8}-[2-9A-Z]{10}$/),
      merchant: shop.merchant_id,
      environment: 'SANDBOX',
      requested_by_member: null,
      from_country: 'BJ',
      to_country: 'CM',
      from_amount: '10000.00',
      to_amount: '9900.00',
      from_currency: 'XOF',
      to_currency: 'XAF',
      exchange_rate: '1.00000000',
      fee_amount: '100.00',
      fee_percent_applied: '1.00',
      status: 'PENDING',
      approved_by_admin: null,
      approved_at: null,
      completed_at: null,
      rejection_reason: '',
      lapses_at: expect.any(String),
      created_at: expect.any(String),
      updated_at: data.created_at,
    })
    expect(Date.parse(data.lapses_at) - Date.parse(data.created_at)).toBe(86_400_000)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    expect(await sums(shop, 'CM')).toEqual(['0.00', '0.00'])
    expect(await now(shop, data.id)).toEqual(data)
    const [event, ...others] = await eventsOf(app, data.id)
    expect(others).toEqual([])
    expect(event).toEqual({ type: 'wallet_transfer.requested', data: toldOf(data, 1) })
    expect((await shop.get('/transactions/')).data.results).toEqual([])
  })

  it('by a member says who asked', async () => {
    const shop = await richShop(app)
    const member = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
    const { requested_by_member } = await transferred(member)
    expect(requested_by_member).toBe(member.person_id)
  })

  it('keeps its rate and its fee whatever becomes of the rates', async () => {
    const shop = await richShop(app)
    const data = await transferred(shop, transfer({ to_country: 'GH' }))
    // 9900 XOF / 655.957 × 12.74 = 192.278, rounded down
    expect(data).toMatchObject({ to_amount: '192.27', to_currency: 'GHS' })
    expect(data.exchange_rate).toBe('0.01942200')
    const [rates] = await app.owner<Json[]>`
      select f.from_currency, c.to_currency from wallet_transfers t
        join exchange_rates f on f.id = t.rate_id
        join exchange_rates c on c.id = t.cross_rate_id
       where t.id = ${data.id}`
    expect(rates).toEqual({ from_currency: 'EUR', to_currency: 'GHS' })
    await app.owner`
      insert into exchange_rates (id, from_currency, to_currency, rate, effective_at)
      values (gen_random_uuid(), 'EUR', 'GHS', 99, now())`
    await app.owner`update catalogue_version set version = version + 1`
    const dearer = await transferred(shop, transfer({ to_country: 'GH' }))
    expect(dearer.to_amount).toBe('1494.15')
    const done = await approve(staff, data.id)
    expect(done.data).toMatchObject({ to_amount: '192.27', exchange_rate: '0.01942200' })
    expect(await sums(shop, 'GH')).toEqual(['192.27', '0.00'])
  })
})

describe('a transfer that staff approve', () => {
  it('is booked whole: both balances, the transaction, the events, the audit', async () => {
    const shop = await richShop(app)
    const { id, reference } = await transferred(shop)
    const { status, data } = await approve(staff, id)
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id,
      status: 'SUCCESS',
      approved_by_admin: staff.person_id,
      approved_at: data.completed_at,
      updated_at: data.completed_at,
      rejection_reason: '',
      merchant_name: expect.stringMatching(/^Shop /),
    })
    expect(Date.parse(data.completed_at)).toBeGreaterThan(0)
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
    expect(await sums(shop, 'CM')).toEqual(['9900.00', '0.00'])
    const transaction = (await shop.get(`/transactions/${id}/`)).data
    expect(transaction).toMatchObject({
      transaction_type: 'TRANSFERT',
      flow_direction: 'OUTBOUND',
      status: 'SUCCESS',
      version: 1,
      network: null,
      network_code: null,
      current_gateway: null,
      customer: null,
      country_code: 'BJ',
      currency: 'XOF',
      fee_charge_mode: 'DEDUCTED',
      requested_amount: '10000.00',
      debited_amount: '10000.00',
      client_fee: '100.00',
      gateway_fee: '0.00',
      platform_fee: '100.00',
      net_amount: '9900.00',
      description: `${reference}: BJ → CM`,
      attempts: [],
      status_logs: [],
    })
    expect(transaction.reference).toMatch(/^TXN-/)
    const rows = await eventsOf(app, id)
    expect(rows.map(({ type }) => type)).toEqual([
      'wallet_transfer.requested',
      'wallet_transfer.completed',
      'transaction.success',
    ])
    const record = await now(shop, id)
    expect(rows[1]?.data).toEqual(toldOf(record, 2))
    expect(rows[2]?.data).toMatchObject({
      id,
      type: 'TRANSFERT',
      flow_direction: 'OUTBOUND',
      amount: '10000.00',
      fee: '100.00',
      net_amount: '9900.00',
      network: null,
      version: 1,
    })
    expect(await actsOn(app, id)).toEqual([
      {
        action: 'wallet_transfer.approved',
        actor_kind: 'STAFF',
        actor_id: staff.person_id,
        actor_role: 'FINANCE',
        environment: 'SANDBOX',
        before: { status: 'PENDING' },
        after: { status: 'SUCCESS' },
      },
    ])
  })

  it('moves through the exchange account, which balances in each currency by itself', async () => {
    const shop = await richShop(app)
    const { data } = await approve(
      staff,
      (await transferred(shop, transfer({ to_country: 'SN' }))).id,
    )
    expect(data).toMatchObject({ to_currency: 'XOF', exchange_rate: '1.00000000' })
    await approve(
      staff,
      (await transferred(shop, transfer({ to_country: 'NG', from_amount: 20_000 }))).id,
    )
    // 19 800 XOF / 655.957 × 1687.5
    expect(await sums(shop, 'NG')).toEqual(['50937.02', '0.00'])
    expect(await exchanged(shop, 'BJ', 'XOF')).toBe(2_970_000n)
    expect(await exchanged(shop, 'SN', 'XOF')).toBe(-990_000n)
    expect(await exchanged(shop, 'NG', 'NGN')).toBe(-5_093_702n)
  })

  it('shows in the movements of both countries under its transaction', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    await approve(staff, id)
    const { reference } = (await shop.get(`/transactions/${id}/`)).data
    const { data } = await shop.get('/merchant-ledger-entries/')
    const own = data.results.filter((one: Json) => one.transaction === id)
    expect(own).toEqual([
      expect.objectContaining({ country: 'CM', direction: 'CREDIT', amount: '9900.00', reference }),
      expect.objectContaining({ country: 'BJ', direction: 'DEBIT', amount: '10000.00', reference }),
    ])
  })

  it('is no payment and no payout, and nothing more can be done with it', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    await approve(staff, id)
    expect(answerOf(await shop.get(`/payments/${id}/verify/`))).toEqual([404, 'not_found'])
    expect(answerOf(await shop.get(`/payouts/${id}/verify/`))).toEqual([404, 'not_found'])
    expect(answerOf(await shop.post(`/payments/${id}/retry/`))).toEqual([400, 'invalid_flow'])
    const resolve = { outcome: 'FAILED' }
    const resolved = await shop.post(`/sandbox/transactions/${id}/resolve/`, resolve)
    expect(answerOf(resolved)).toEqual([409, 'transaction_terminal'])
  })

  it('stays in its list and among the transactions', async () => {
    const shop = await richShop(app)
    const waiting = await transferred(shop)
    const { id, reference } = await transferred(shop)
    await approve(staff, id)
    const idsOf = ({ data }: Reply) => data.results.map((one: Json) => one.id)
    expect(idsOf(await shop.get('/wallet-transfers/'))).toEqual([id, waiting.id])
    const oldestFirst = await shop.get('/wallet-transfers/?ordering=created_at')
    expect(idsOf(oldestFirst)).toEqual([waiting.id, id])
    expect(idsOf(await shop.get('/wallet-transfers/?status=SUCCESS'))).toEqual([id])
    expect(idsOf(await shop.get('/wallet-transfers/?status=REJECTED'))).toEqual([])
    const all = idsOf(await shop.get('/wallet-transfers/'))
    const { from_country, to_country } = (await shop.get(`/wallet-transfers/${id}/`)).data
    for (const country of [from_country, to_country.toLowerCase()]) {
      expect(idsOf(await shop.get(`/wallet-transfers/?country=${country}`))).toEqual(all)
    }
    expect(idsOf(await shop.get('/wallet-transfers/?country=GH'))).toEqual([])
    const found = await shop.get(`/wallet-transfers/?search=${reference.slice(-6).toLowerCase()}`)
    expect(idsOf(found)).toEqual([id])
    const second = await shop.get('/wallet-transfers/?page=2&page_size=1')
    expect(second.data).toMatchObject({ count: 2, next: null, previous: expect.any(String) })
    expect(idsOf(second)).toEqual([waiting.id])
    const typed = await shop.get(
      '/transactions/?transaction_type=TRANSFERT&flow_direction=OUTBOUND',
    )
    expect(idsOf(typed)).toEqual([id])
  })
})

describe('a transfer that staff reject', () => {
  it('gives everything back, and says why', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    const { status, data } = await reject(staff, id, '  Another country was meant ')
    expect(status).toBe(200)
    expect(data).toMatchObject({
      status: 'REJECTED',
      rejection_reason: 'Another country was meant',
      approved_by_admin: null,
      approved_at: null,
      completed_at: null,
    })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    expect(await sums(shop, 'CM')).toEqual(['0.00', '0.00'])
    expect(answerOf(await shop.get(`/transactions/${id}/`))).toEqual([404, 'not_found'])
    const rows = await eventsOf(app, id)
    expect(rows.map(({ type }) => type)).toEqual([
      'wallet_transfer.requested',
      'wallet_transfer.rejected',
    ])
    expect(rows[1]?.data).toEqual(toldOf(await now(shop, id), 2))
    expect(await actsOn(app, id)).toMatchObject([
      {
        action: 'wallet_transfer.rejected',
        actor_id: staff.person_id,
        after: { status: 'REJECTED', rejection_reason: 'Another country was meant' },
      },
    ])
  })

  it('is ended for good, as one that was approved is', async () => {
    const shop = await richShop(app)
    const rejected = await transferred(shop)
    const approved = await transferred(shop)
    await reject(staff, rejected.id)
    await approve(staff, approved.id)
    const before = await eventsOf(app, approved.id)
    for (const { id } of [rejected, approved]) {
      expect(answerOf(await approve(staff, id))).toEqual([409, 'transaction_terminal'])
      expect(answerOf(await reject(staff, id))).toEqual([409, 'transaction_terminal'])
    }
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
    expect(await sums(shop, 'CM')).toEqual(['9900.00', '0.00'])
    expect(await eventsOf(app, approved.id)).toEqual(before)
    expect(await actsOn(app, approved.id)).toHaveLength(1)
  })
})

describe('a transfer that nobody approves', () => {
  const age = (id: string) => app.owner`
    update wallet_transfers set lapses_at = now() - interval '1 second' where id = ${id}`

  it('is rejected after its 24 hours, by whichever process comes first, once', async () => {
    const shop = await richShop(app)
    const second = await app.another()
    const young = await transferred(shop)
    const old: string[] = []
    for (let made = 0; made < 3; made += 1) old.push((await transferred(shop)).id)
    await Promise.all(old.map(age))
    await eventually(async () => expect(await sums(shop)).toEqual(['90000.00', '10000.00']))
    for (const id of old) {
      expect(await now(shop, id)).toMatchObject({
        status: 'REJECTED',
        rejection_reason: 'not approved in time',
        approved_at: null,
      })
      const types = (await eventsOf(app, id)).map(({ type }) => type)
      expect(types).toEqual(['wallet_transfer.requested', 'wallet_transfer.rejected'])
      expect(await actsOn(app, id)).toMatchObject([
        { action: 'wallet_transfer.lapsed', actor_kind: 'SYSTEM', actor_id: null },
      ])
      expect(answerOf(await approve(staff, id))).toEqual([409, 'transaction_terminal'])
    }
    expect((await now(shop, young.id)).status).toBe('PENDING')
    await second.stop()
  })

  it('is rejected though an older one cannot be, and that one as soon as it can', async () => {
    const shop = await richShop(app)
    const [stuck, next] = [await transferred(shop), await transferred(shop)]
    await app.owner.unsafe(`
      create function stuck() returns trigger language plpgsql as
      $$ begin raise exception 'a row that no statement takes'; end $$`)
    await app.owner.unsafe(`
      create trigger stuck before update of status on wallet_transfers
         for each row when (old.id = '${stuck.id}') execute function stuck()`)
    await age(stuck.id)
    // A portion of one: only who passes over the first comes to the second.
    const { db } = app.service
    const troubles = new Troubles()
    const faults: string[] = []
    const lapse = () =>
      lapseTransfers({ db, wake: () => undefined }, 1, {
        troubles,
        onFault: (id) => void faults.push(id),
      })
    expect(await lapse()).toBe(1)
    await age(next.id)
    await lapse()
    await eventually(async () => expect((await now(shop, next.id)).status).toBe('REJECTED'))
    expect(faults).toEqual([stuck.id])
    expect((await now(shop, stuck.id)).status).toBe('PENDING')
    const counted = 'pirogue_job_faults_total{job="lapse-transfers"}'
    await eventually(async () => expect(await readMetric(app.url, counted)).toBeGreaterThan(0))
    await app.owner.unsafe('drop trigger stuck on wallet_transfers')
    await eventually(
      async () => expect((await now(shop, stuck.id)).status).toBe('REJECTED'),
      30_000,
    )
  })

  it('cannot be approved any more, though nobody has come by yet', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    // Under its lock: whoever comes next, the approval or a process that lapses it, finds it old.
    const { approving } = await app.owner.begin(async (tx) => {
      await tx`
        update wallet_transfers set lapses_at = now() - interval '1 second' where id = ${id}`
      const approving = approve(staff, id)
      await someoneWaits(app)
      return { approving }
    })
    expect(answerOf(await approving)).toEqual([409, 'transaction_terminal'])
    expect(await sums(shop, 'CM')).toEqual(['0.00', '0.00'])
  })
})

describe('staff look at all transfers', () => {
  it('of one environment, by status and merchant', async () => {
    const [one, two] = [await richShop(app), await richShop(app)]
    const [first, second, third] = [
      await transferred(one),
      await transferred(one),
      await transferred(two),
    ]
    await approve(staff, first.id)
    const list = async (query: string, headers = {}) =>
      (await staff.get(`/admin/wallet-transfers/${query}`, headers)).data
    const idsOf = ({ results }: Json) => results.map(({ id }: Json) => id)
    const of = `merchant=${one.merchant_id}`
    expect(idsOf(await list(`?${of}`))).toEqual([second.id, first.id])
    expect(idsOf(await list(`?${of}&ordering=created_at`))).toEqual([first.id, second.id])
    expect(idsOf(await list(`?${of}&status=PENDING`))).toEqual([second.id])
    expect(idsOf(await list('?page_size=1'))).toEqual([third.id])
    expect(await list(`?${of}`, { 'x-environment': 'LIVE' })).toMatchObject({ count: 0 })
    const [row] = (await list(`?merchant=${two.merchant_id}`)).results
    expect(row).toEqual({ ...third, merchant_name: expect.stringMatching(/^Shop /) })
    const wrong = await staff.get('/admin/wallet-transfers/?status=x&merchant=y&ordering=z')
    expect(Object.keys(wrong.error).sort()).toEqual(['merchant', 'ordering', 'status'])
  })
})

describe('in LIVE', () => {
  it('a transfer moves LIVE money only, and staff must look at LIVE', async () => {
    const key = await app.shop({ live: true, environment: 'LIVE' })
    const { merchant_id } = key
    const place = { merchant_id, environment: 'LIVE', country: 'BJ', currency: 'XOF' } as const
    await book(app.owner, place, {
      cause_kind: 'SANDBOX',
      cause_id: '00000000-0000-7000-8000-0000000000aa',
      lines: sandboxFunding(place, 5_000_000n),
    })
    const unproved = await app.member({ merchant_id, environment: 'LIVE' })
    expect(answerOf(await ask(unproved))).toEqual([403, 'totp_required'])
    const member = await app.member({
      merchant_id,
      environment: 'LIVE',
      second_factor: 'FRESH',
    })
    const { id, environment } = await transferred(member)
    expect(environment).toBe('LIVE')
    expect(answerOf(await approve(staff, id))).toEqual([404, 'not_found'])
    expect((await approve(staff, id, { 'x-environment': 'LIVE' })).status).toBe(200)
    expect(await sums(key, 'CM')).toEqual(['9900.00', '0.00'])
    const sandbox = await app.shop({ merchant_id })
    expect(await sums(sandbox, 'CM')).toEqual(['0.00', '0.00'])
  })
})
