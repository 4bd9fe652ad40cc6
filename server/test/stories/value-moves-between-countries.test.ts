// A merchant moves value from one of his countries to another: set aside at once, at a rate and a
// fee that no longer change, and booked whole when staff approve it, or given back whole.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account } from '../../src/ledger/account.ts'
import { sandboxFunding } from '../../src/ledger/postings.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { restoreMerchant, suspendMerchant } from '../../src/merchants/suspend-merchant.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { accountTotals } from '../ledger/account-totals.ts'
import { book } from '../ledger/books.ts'
import { sized } from '../setup/proof-size.ts'

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

/** 10 000 XOF from Bénin to Cameroun, which has the same rate to the euro. */
const transfer = (changes: Record<string, unknown> = {}) => ({
  from_country: 'BJ',
  to_country: 'CM',
  from_amount: '10000',
  ...changes,
})

async function richShop(amount = '100000', country = 'BJ') {
  const shop = await app.shop()
  if (amount !== '0') await shop.post('/sandbox/balances/', { country, amount })
  return shop
}

const ask = (shop: Shop, body: object = transfer(), key?: string) =>
  shop.post('/wallet-transfers/', body, key === undefined ? {} : { 'idempotency-key': key })

async function transferred(shop: Shop, body: object = transfer()): Promise<Json> {
  const { status, body: answer, data } = await ask(shop, body)
  expect(status, JSON.stringify(answer)).toBe(201)
  return data
}

const approve = (id: string, headers: Record<string, string> = {}) =>
  staff.post(`/admin/wallet-transfers/${id}/approve/`, {}, headers)
const reject = (id: string, reason = 'Asked for by mistake') =>
  staff.post(`/admin/wallet-transfers/${id}/reject/`, { reason })

const answerOf = ({ status, error }: Reply) => [status, error?.code]

async function sums(shop: Shop, country = 'BJ') {
  const { available_amount, pending_amount } = await shop.balance(country)
  return [available_amount, pending_amount]
}

const now = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.get(`/wallet-transfers/${id}/`)).data

const eventsOf = (id: string) => app.owner<{ type: string; data: Json }[]>`
  select type, data from events where ${id}::uuid in (transaction_id, subject_id) order by id`

const actsOn = (id: string) => app.owner<Json[]>`
  select action, actor_kind, actor_id, actor_role, environment, before, after from audit_logs
   where target_kind = 'wallet_transfer' and target_id = ${id} order by id`

async function deadlocks(): Promise<bigint> {
  await app.owner`select pg_stat_force_next_flush()`
  const [row] = await app.owner<{ deadlocks: bigint }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return row?.deadlocks ?? -1n
}

const someoneWaits = () =>
  eventually(async () => {
    const waiting = await app.owner`
      select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length === 0) throw new Error('nobody waits')
  })

/** What the merchant's exchange account stands at in a country. */
async function exchanged({ merchant_id }: Shop, country: string, currency: string) {
  const place = { merchant_id, environment: 'SANDBOX' as const, country, currency }
  const [total] = await accountTotals(app.owner, [account(place, 'fx')])
  return total?.balance
}

describe('a transfer that is asked for', () => {
  it('waits, with its rate, its fee and what will arrive', async () => {
    const shop = await richShop()
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
    const [event, ...others] = await eventsOf(data.id)
    expect(others).toEqual([])
    expect(event).toEqual({ type: 'wallet_transfer.requested', data: { ...data, version: 1 } })
    expect((await shop.get('/transactions/')).data.results).toEqual([])
  })

  it('by a member says who asked', async () => {
    const shop = await richShop()
    const member = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
    const { requested_by_member } = await transferred(member)
    expect(requested_by_member).toBe(member.person_id)
  })

  it('keeps its rate and its fee whatever becomes of the rates', async () => {
    const shop = await richShop()
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
    const done = await approve(data.id)
    expect(done.data).toMatchObject({ to_amount: '192.27', exchange_rate: '0.01942200' })
    expect(await sums(shop, 'GH')).toEqual(['192.27', '0.00'])
  })
})

describe('a transfer that staff approve', () => {
  it('is booked whole: both balances, the transaction, the events, the audit', async () => {
    const shop = await richShop()
    const { id, reference } = await transferred(shop)
    const { status, data } = await approve(id)
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
    const rows = await eventsOf(id)
    expect(rows.map(({ type }) => type)).toEqual([
      'wallet_transfer.requested',
      'wallet_transfer.completed',
      'transaction.success',
    ])
    const record = await now(shop, id)
    expect(rows[1]?.data).toEqual({ ...record, version: 2 })
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
    expect(await actsOn(id)).toEqual([
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
    const shop = await richShop()
    const { data } = await approve((await transferred(shop, transfer({ to_country: 'SN' }))).id)
    expect(data).toMatchObject({ to_currency: 'XOF', exchange_rate: '1.00000000' })
    await approve((await transferred(shop, transfer({ to_country: 'NG', from_amount: 20_000 }))).id)
    // 19 800 XOF / 655.957 × 1687.5
    expect(await sums(shop, 'NG')).toEqual(['50937.02', '0.00'])
    expect(await exchanged(shop, 'BJ', 'XOF')).toBe(2_970_000n)
    expect(await exchanged(shop, 'SN', 'XOF')).toBe(-990_000n)
    expect(await exchanged(shop, 'NG', 'NGN')).toBe(-5_093_702n)
  })

  it('shows in the movements of both countries under its transaction', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    await approve(id)
    const { reference } = (await shop.get(`/transactions/${id}/`)).data
    const { data } = await shop.get('/merchant-ledger-entries/')
    const own = data.results.filter((one: Json) => one.transaction === id)
    expect(own).toEqual([
      expect.objectContaining({ country: 'CM', direction: 'CREDIT', amount: '9900.00', reference }),
      expect.objectContaining({ country: 'BJ', direction: 'DEBIT', amount: '10000.00', reference }),
    ])
  })

  it('is no payment and no payout, and nothing more can be done with it', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    await approve(id)
    expect(answerOf(await shop.get(`/payments/${id}/verify/`))).toEqual([404, 'not_found'])
    expect(answerOf(await shop.get(`/payouts/${id}/verify/`))).toEqual([404, 'not_found'])
    expect(answerOf(await shop.post(`/payments/${id}/retry/`))).toEqual([400, 'invalid_flow'])
    const resolve = { outcome: 'FAILED' }
    const resolved = await shop.post(`/sandbox/transactions/${id}/resolve/`, resolve)
    expect(answerOf(resolved)).toEqual([409, 'transaction_terminal'])
  })

  it('stays in its list and among the transactions', async () => {
    const shop = await richShop()
    const waiting = await transferred(shop)
    const { id, reference } = await transferred(shop)
    await approve(id)
    const idsOf = ({ data }: Reply) => data.results.map((one: Json) => one.id)
    expect(idsOf(await shop.get('/wallet-transfers/'))).toEqual([id, waiting.id])
    const oldestFirst = await shop.get('/wallet-transfers/?ordering=created_at')
    expect(idsOf(oldestFirst)).toEqual([waiting.id, id])
    expect(idsOf(await shop.get('/wallet-transfers/?status=SUCCESS'))).toEqual([id])
    expect(idsOf(await shop.get('/wallet-transfers/?status=REJECTED'))).toEqual([])
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
    const shop = await richShop()
    const { id } = await transferred(shop)
    const { status, data } = await reject(id, '  Another country was meant ')
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
    const rows = await eventsOf(id)
    expect(rows.map(({ type }) => type)).toEqual([
      'wallet_transfer.requested',
      'wallet_transfer.rejected',
    ])
    expect(rows[1]?.data).toEqual({ ...(await now(shop, id)), version: 2 })
    expect(await actsOn(id)).toMatchObject([
      {
        action: 'wallet_transfer.rejected',
        actor_id: staff.person_id,
        after: { status: 'REJECTED', rejection_reason: 'Another country was meant' },
      },
    ])
  })

  it('is ended for good, as one that was approved is', async () => {
    const shop = await richShop()
    const rejected = await transferred(shop)
    const approved = await transferred(shop)
    await reject(rejected.id)
    await approve(approved.id)
    const before = await eventsOf(approved.id)
    for (const { id } of [rejected, approved]) {
      expect(answerOf(await approve(id))).toEqual([409, 'transaction_terminal'])
      expect(answerOf(await reject(id))).toEqual([409, 'transaction_terminal'])
    }
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
    expect(await sums(shop, 'CM')).toEqual(['9900.00', '0.00'])
    expect(await eventsOf(approved.id)).toEqual(before)
    expect(await actsOn(approved.id)).toHaveLength(1)
  })
})

describe('a transfer that nobody approves', () => {
  const age = (id: string) => app.owner`
    update wallet_transfers set lapses_at = now() - interval '1 second' where id = ${id}`

  it('is rejected after its 24 hours, by whichever process comes first, once', async () => {
    const shop = await richShop()
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
      const types = (await eventsOf(id)).map(({ type }) => type)
      expect(types).toEqual(['wallet_transfer.requested', 'wallet_transfer.rejected'])
      expect(await actsOn(id)).toMatchObject([
        { action: 'wallet_transfer.lapsed', actor_kind: 'SYSTEM', actor_id: null },
      ])
      expect(answerOf(await approve(id))).toEqual([409, 'transaction_terminal'])
    }
    expect((await now(shop, young.id)).status).toBe('PENDING')
    await second.stop()
  })

  it('cannot be approved any more, though nobody has come by yet', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    // Under its lock: whoever comes next, the approval or a process that lapses it, finds it old.
    const { approving } = await app.owner.begin(async (tx) => {
      await tx`
        update wallet_transfers set lapses_at = now() - interval '1 second' where id = ${id}`
      const approving = approve(id)
      await someoneWaits()
      return { approving }
    })
    expect(answerOf(await approving)).toEqual([409, 'transaction_terminal'])
    expect(await sums(shop, 'CM')).toEqual(['0.00', '0.00'])
  })
})

describe('many at once', () => {
  it('of a hundred against a balance for seven, in any order, seven are made', async () => {
    const shop = await richShop('75000')
    const countries = ['CM', 'GH', 'SN', 'NG', 'CI']
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        ask(shop, transfer({ to_country: countries[(at * 7) % 5] })),
      ),
    )
    const count = (status: number) => made.filter((one) => one.status === status).length
    expect([count(201), count(422)]).toEqual([7, 93])
    const codes = new Set(made.flatMap(({ error }) => error?.code ?? []))
    expect(codes).toEqual(new Set(['insufficient_balance']))
    expect(await sums(shop)).toEqual(['5000.00', '70000.00'])
    const ids = made.filter(({ status }) => status === 201).map(({ data }) => data.id)
    const ends = await Promise.all(ids.map((id, at) => (at % 2 === 0 ? approve(id) : reject(id))))
    expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect(await sums(shop)).toEqual(['35000.00', '0.00'])
  })

  it('beside payouts and the other way round, never more leaves than is there', async () => {
    const shop = await richShop('50000')
    await shop.post('/sandbox/balances/', { country: 'CM', amount: '50000' })
    const { merchant_id } = shop
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`
    const payout = () =>
      shop.post('/payouts/initialize/', {
        amount: '10000',
        currency: 'XOF',
        country: 'BJ',
        method: 'mtn_bj',
        recipient: { msisdn: '+2290197000004' },
        customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      })
    const back = () => ask(shop, transfer({ from_country: 'CM', to_country: 'BJ' }))
    const calls = Array.from({ length: 30 }, (_, at) => [() => ask(shop), payout, back][at % 3])
    const made = await Promise.all(calls.map((call) => call?.()))
    expect(made.filter((one) => one?.status === 201)).toHaveLength(10)
    expect(await sums(shop)).toEqual(['0.00', '50000.00'])
    expect(await sums(shop, 'CM')).toEqual(['0.00', '50000.00'])
    const waiting = (await shop.get('/wallet-transfers/')).data.results
    const ends = await Promise.all(waiting.map((one: Json) => approve(one.id)))
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('with one key, and in two processes, are one transfer', async () => {
    const shop = await richShop()
    const second = await app.another()
    const there = {
      ...shop,
      post: (path: string, body: unknown, headers = {}) =>
        fetch(`${second.public_url}/api/v1${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: {
            authorization: `Bearer ${shop.key}`,
            'content-type': 'application/json',
            ...headers,
          },
        }).then(async ({ status, headers: got }) => ({ status, headers: got })),
    }
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? shop : there).post('/wallet-transfers/', transfer(), {
          'idempotency-key': 'same',
        }),
      ),
    )
    expect(all.every(({ status }) => status === 201 || status === 409)).toBe(true)
    expect(all.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect((await shop.get('/wallet-transfers/')).data.count).toBe(1)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    const again = await ask(shop, transfer(), 'same')
    expect(again.status).toBe(201)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(answerOf(await ask(shop, transfer({ from_amount: '9' }), 'same'))).toEqual([
      409,
      'idempotency_conflict',
    ])
    await second.stop()
  })

  const orders = sized(8, 40)

  it(`whatever the order of ${orders} worlds, no franc is made, lost or overdrawn`, async () => {
    const acts = fc.array(
      fc.record({
        act: fc.constantFrom('ask', 'ask', 'approve', 'reject'),
        from: fc.nat(2),
        step: fc.integer({ min: 1, max: 2 }),
        amount: fc.integer({ min: 100, max: 4_000 }),
        of: fc.nat(5),
      }),
      { minLength: 12, maxLength: 12 },
    )
    const places = ['BJ', 'CM', 'CI']
    await fc.assert(
      fc.asyncProperty(acts, async (steps) => {
        // One each time: a person's calls in a minute are counted.
        const [shop, boss] = await Promise.all([app.shop(), app.staff({ role: 'FINANCE' })])
        for (const country of places) {
          await shop.post('/sandbox/balances/', { country, amount: '5000' })
        }
        const first = [await transferred(shop, transfer({ from_amount: '500' }))]
        for (let more = 0; more < 2; more += 1) {
          first.push(await transferred(shop, transfer({ from_country: 'CI', from_amount: '700' })))
        }
        const calls = steps.map(({ act, from, step, amount, of }) => {
          const [from_country, to_country] = [places[from], places[(from + step) % 3]]
          const body = { from_country, to_country, from_amount: String(amount) }
          const { id } = first[of % first.length]
          if (act === 'ask') return ask(shop, body)
          return boss.post(`/admin/wallet-transfers/${id}/${act}/`, { reason: 'a test' })
        })
        const statuses = (await Promise.all(calls)).map(({ status }) => status)
        expect(statuses.filter((one) => ![200, 201, 409, 422].includes(one))).toEqual([])
        await conserved(shop, places, 15_000)
      }),
      { numRuns: orders },
    )
  }, 120_000)

  /** One franc of each is worth one of the others: what there was is there, but for the fees. */
  async function conserved(shop: Shop, places: readonly string[], funded: number): Promise<void> {
    const { results } = (await shop.get('/wallet-transfers/?page_size=100')).data
    const sumOf = (numbers: readonly string[]) => numbers.reduce((sum, one) => sum + Number(one), 0)
    const of = (status: string) => results.filter((one: Json) => one.status === status)
    const balances = await Promise.all(places.map((country) => shop.balance(country)))
    const pending = sumOf(balances.map(({ pending_amount }) => pending_amount))
    const available = sumOf(balances.map(({ available_amount }) => available_amount))
    const fees = sumOf(of('SUCCESS').map((one: Json) => one.fee_amount))
    expect(pending).toBe(sumOf(of('PENDING').map((one: Json) => one.from_amount)))
    expect(available + pending + fees).toBe(funded)
  }

  it('approve and reject the same one: exactly one is obeyed', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? approve(id) : reject(id))),
    )
    const obeyed = all.filter(({ status }) => status === 200)
    expect(obeyed).toHaveLength(1)
    const others = all.filter((one) => !obeyed.includes(one)).map(answerOf)
    expect(others).toEqual(others.map(() => [409, 'transaction_terminal']))
    const { status } = obeyed[0]?.data ?? {}
    const left = status === 'SUCCESS' ? ['90000.00', '0.00'] : ['100000.00', '0.00']
    expect(await sums(shop)).toEqual(left)
    expect((await now(shop, id)).status).toBe(status)
    expect(await actsOn(id)).toHaveLength(1)
  })
})

describe('what breaks off', () => {
  /** Ends the connections that wait for a lock, or only what they are doing. */
  const cutWaiting = (what: 'terminate' | 'cancel') =>
    eventually(async () => {
      const end = app.owner(`pg_${what}_backend`)
      const cut = await app.owner`
        select ${end}(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      if (cut.length === 0) throw new Error('nobody waits')
    })

  it('before the commit has made nothing, and its key makes it once', async () => {
    const shop = await richShop()
    const { merchant_id } = shop
    const call = await app.owner.begin(async (tx) => {
      await tx`select 1 from balances where merchant_id = ${merchant_id} for update`
      const pending = ask(shop, transfer(), 'cut')
      await cutWaiting('terminate')
      return { pending }
    })
    expect((await call.pending).status).toBe(503)
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    expect((await ask(shop, transfer(), 'cut')).status).toBe(201)
    expect((await ask(shop, transfer(), 'cut')).status).toBe(201)
    expect((await shop.get('/wallet-transfers/')).data.count).toBe(1)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
  })

  it('after the commit is answered by its replay as it then stands', async () => {
    const shop = await richShop()
    const first = await ask(shop, transfer(), 'unanswered')
    await approve(first.data.id)
    // As it is when a process dies between its commit and the answer it would have kept.
    await app.owner`
      update idempotency_keys set status = null, answer = null, leased_until = now()
       where merchant_id = ${shop.merchant_id} and key = 'unanswered'`
    const again = await ask(shop, transfer(), 'unanswered')
    expect([again.status, again.data.id, again.data.status]).toEqual([
      201,
      first.data.id,
      'SUCCESS',
    ])
    expect((await ask(shop, transfer(), 'unanswered')).body).toEqual(again.body)
    expect((await shop.get('/wallet-transfers/')).data.count).toBe(1)
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
  })

  it('in the middle of an approval leaves it waiting, for another process to approve', async () => {
    const shop = await richShop()
    const { merchant_id } = shop
    await shop.post('/sandbox/balances/', { country: 'CM', amount: '5' })
    const { id } = await transferred(shop)
    const call = await app.owner.begin(async (tx) => {
      await tx`
        select 1 from balances where merchant_id = ${merchant_id} and country = 'CM' for update`
      const pending = approve(id)
      await cutWaiting('cancel')
      return { pending }
    })
    // Nothing was written: the same call may be made again (docs/decisions/0027).
    expect((await call.pending).status).toBe(503)
    expect((await now(shop, id)).status).toBe('PENDING')
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    expect(await actsOn(id)).toEqual([])
    const second = await app.another()
    const reply = await fetch(`${second.public_url}/api/v1/admin/wallet-transfers/${id}/approve/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${staff.key}`, 'x-environment': 'SANDBOX' },
    })
    expect(reply.status).toBe(200)
    expect(await sums(shop, 'CM')).toEqual(['9905.00', '0.00'])
    await second.stop()
  })
})

describe('below the limit', () => {
  it('a transfer is booked as it is asked for, and at the limit it waits', async () => {
    const shop = await richShop()
    const second = await app.another({
      TRANSFER_AUTO_BELOW: 'XOF:10000',
      TRANSFER_AUTO_BELOW_LIVE: '0',
      TRANSFER_FEE_PERCENT: '2.5',
    })
    const there = async (amount: string, key: string) => {
      const reply = await fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
        method: 'POST',
        body: JSON.stringify(transfer({ from_amount: amount })),
        headers: {
          authorization: `Bearer ${shop.key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
      })
      const body: Json = await reply.json()
      return { status: reply.status, data: body.data, body }
    }
    const small = await there('9999', 'small')
    expect(small.status).toBe(201)
    expect(small.data).toMatchObject({
      status: 'SUCCESS',
      approved_by_admin: null,
      approved_at: expect.any(String),
      completed_at: expect.any(String),
      fee_amount: '250.00',
      fee_percent_applied: '2.50',
      to_amount: '9749.00',
    })
    expect(await now(shop, small.data.id)).toEqual(small.data)
    const types = (await eventsOf(small.data.id)).map(({ type }) => type)
    expect(types).toEqual([
      'wallet_transfer.requested',
      'wallet_transfer.completed',
      'transaction.success',
    ])
    expect(await actsOn(small.data.id)).toMatchObject([
      { action: 'wallet_transfer.approved', actor_kind: 'SYSTEM', after: { automatic: true } },
    ])
    expect(await there('9999', 'small')).toEqual(small)
    expect((await there('10000', 'large')).data.status).toBe('PENDING')
    expect(await sums(shop)).toEqual(['80001.00', '10000.00'])
    expect(await sums(shop, 'CM')).toEqual(['9749.00', '0.00'])
    await shop.post('/sandbox/balances/', { country: 'GH', amount: '9999' })
    const body = { from_country: 'GH', to_country: 'BJ', from_amount: '1' }
    const unnamed = await fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
    })
    const { data: waits }: Json = await unnamed.json()
    expect(waits.status).toBe('PENDING')
    await second.stop()
  })

  it('to and fro in the smallest of coins brings the merchant no franc', async () => {
    const shop = await richShop('100')
    const second = await app.another({ TRANSFER_AUTO_BELOW: 'XOF:10000,CDF:1000,USD:10' })
    const move = async (from_country: string, to_country: string, from_amount: string) => {
      const reply = await fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
        method: 'POST',
        body: JSON.stringify({ from_country, to_country, from_amount }),
        headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
      })
      const { data }: Json = await reply.json()
      return data?.status ?? reply.status
    }
    // Three francs are half a cent after their fee; half a cent is none, and a cent is all fee.
    expect(await move('BJ', 'XX', '3')).toBe(400)
    for (const there of ['XX', 'CD', 'XX', 'CD', 'XX']) {
      expect(await move('BJ', there, '10')).toBe('SUCCESS')
      expect(await move(there, 'BJ', '0.01')).toBe(400)
      const { available_amount } = await shop.balance(there)
      await move(there, 'BJ', available_amount)
    }
    const { available_amount } = await shop.balance('BJ')
    expect(Number(available_amount)).toBeLessThan(95)
    await second.stop()
  })

  it('split into small parts it waits as the whole would, however many come at once', async () => {
    const shop = await richShop()
    const second = await app.another({ TRANSFER_AUTO_BELOW: 'XOF:10000' })
    const there = shopWith(second.public_url, shop.merchant_id, shop.key)
    const part = async (from_amount: string) =>
      (await ask(there, transfer({ from_amount }))).data.status
    const all = await Promise.all(Array.from({ length: 8 }, () => part('3000')))
    expect(all.filter((status) => status === 'SUCCESS')).toHaveLength(3)
    expect(all.filter((status) => status === 'PENDING')).toHaveLength(5)
    expect(await part('1000')).toBe('PENDING')
    expect(await part('999')).toBe('SUCCESS')
    await app.owner`
      update wallet_transfers set created_at = now() - interval '25 hours'
       where merchant_id = ${shop.merchant_id}`
    expect(await part('3000')).toBe('SUCCESS')
    await second.stop()
  })

  it('a hundred the opposite ways lock nobody out, and none overdraws', async () => {
    const shop = await richShop('3500')
    await shop.post('/sandbox/balances/', { country: 'CM', amount: '3500' })
    const second = await app.another({
      TRANSFER_AUTO_BELOW: 'XOF:100000,XAF:100000',
      TRANSFER_FEE_PERCENT: '0',
    })
    const before = await deadlocks()
    const move = (at: number) =>
      fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
        method: 'POST',
        body: JSON.stringify({
          from_country: at % 2 === 0 ? 'BJ' : 'CM',
          to_country: at % 2 === 0 ? 'CM' : 'BJ',
          from_amount: '500',
        }),
        headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
      }).then(({ status }) => status)
    const statuses = await Promise.all(Array.from({ length: 100 }, (_, at) => move(at)))
    expect(statuses.every((status) => status === 201 || status === 422)).toBe(true)
    const [bj, cm] = [await shop.balance('BJ'), await shop.balance('CM')]
    expect(Number(bj.available_amount) + Number(cm.available_amount)).toBe(7_000)
    expect([bj.pending_amount, cm.pending_amount]).toEqual(['0.00', '0.00'])
    expect(await deadlocks()).toBe(before)
    await second.stop()
  })
})

describe('what is refused of a merchant', () => {
  it.each([
    ['the country it leaves', { from_country: 'ZZ' }, 422, 'invalid_country'],
    ['the country it goes to', { to_country: 'ZZ' }, 422, 'invalid_country'],
    ['more than there is', { from_amount: '100001' }, 422, 'insufficient_balance'],
    ['a country without a balance', { from_country: 'CI' }, 422, 'insufficient_balance'],
  ])('%s', async (_what, changes, status, code) => {
    const shop = await richShop()
    expect(answerOf(await ask(shop, transfer(changes)))).toEqual([status, code])
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    expect((await shop.get('/wallet-transfers/')).data.count).toBe(0)
  })

  it('a currency without a rate, for now: its key stays free', async () => {
    const shop = await richShop()
    const currencyOfChad = async (currency: string) => {
      await app.owner`
        update countries set default_currency = ${currency} where iso_code = 'TD'`
      await app.owner`update catalogue_version set version = version + 1`
    }
    await currencyOfChad('MXN')
    const body = transfer({ to_country: 'TD' })
    const reply = await ask(shop, body, 'no rate')
    expect(answerOf(reply)).toEqual([422, 'no_exchange_rate'])
    expect(reply.error.retryable).toBe(true)
    await currencyOfChad('XAF')
    expect((await ask(shop, body, 'no rate')).status).toBe(201)
  })

  it('an amount that the fee eats, or of which nothing arrives', async () => {
    const shop = await richShop()
    await shop.post('/sandbox/balances/', { country: 'GN', amount: '100' })
    const eaten = await ask(
      shop,
      transfer({ from_country: 'GN', to_country: 'BJ', from_amount: '10' }),
    )
    expect(eaten.status).toBe(400)
    expect(Object.keys(eaten.error)).toEqual(['from_amount'])
    expect(eaten.error.from_amount[0]).toMatch(/too small in XOF/)
    const second = await app.another({ TRANSFER_FEE_PERCENT: '100' })
    const reply = await fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
      method: 'POST',
      body: JSON.stringify(transfer()),
      headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
    })
    const { error }: Json = await reply.json()
    expect([reply.status, error.from_amount]).toEqual([400, [expect.stringMatching(/fee takes/)]])
    await second.stop()
  })

  it('the body before the key, the key before the countries', async () => {
    const shop = await richShop()
    await ask(shop, transfer(), 'used')
    const wrongBody = await ask(shop, transfer({ from_amount: '10.50' }), 'used')
    expect([wrongBody.status, Object.keys(wrongBody.error)]).toEqual([400, ['from_amount']])
    expect(answerOf(await ask(shop, transfer({ to_country: 'ZZ' }), 'used'))).toEqual([
      409,
      'idempotency_conflict',
    ])
  })

  it('a frozen balance, and the refusal is the key’s answer for ever; credits still land', async () => {
    const shop = await richShop()
    const { merchant_id } = shop
    await shop.post('/sandbox/balances/', { country: 'CM', amount: '20000' })
    await app.owner`
      update balances set is_frozen = true
       where merchant_id = ${merchant_id} and country = 'BJ'`
    const reply = await ask(shop, transfer(), 'frozen')
    expect(answerOf(reply)).toEqual([422, 'balance_frozen'])
    const towards = await transferred(shop, transfer({ from_country: 'CM', to_country: 'BJ' }))
    expect((await approve(towards.id)).status).toBe(200)
    expect(await sums(shop)).toEqual(['109900.00', '0.00'])
    await app.owner`update balances set is_frozen = false where merchant_id = ${merchant_id}`
    const again = await ask(shop, transfer(), 'frozen')
    expect(again.body).toEqual(reply.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await ask(shop, transfer(), 'thawed')).status).toBe(201)
  })

  it('whoever may not: other scopes, roles, a suspended merchant', async () => {
    const shop = await richShop()
    const { merchant_id } = shop
    const payin = await app.shop({ merchant_id, scope: 'PAYIN' })
    expect(answerOf(await ask(payin))).toEqual([403, 'api_key_scope_forbidden'])
    for (const role of ['DEVELOPER', 'VIEWER'] as const) {
      const member = await app.member({ merchant_id, role })
      expect(answerOf(await ask(member))).toEqual([403, 'permission_denied'])
      expect((await member.get('/wallet-transfers/')).status).toBe(200)
    }
    for (const role of ['FINANCE', 'ADMIN'] as const) {
      expect((await ask(await app.member({ merchant_id, role }))).status).toBe(201)
    }
    await suspendMerchant(app.service.db, merchant_id, 'a test')
    expect(answerOf(await ask(shop))).toEqual([403, 'merchant_suspended'])
    expect((await shop.get('/wallet-transfers/')).data.count).toBe(2)
  })

  it('another merchant’s transfer, one of the other environment, and an unknown one', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    const stranger = await app.shop()
    expect(answerOf(await stranger.get(`/wallet-transfers/${id}/`))).toEqual([
      403,
      'permission_denied',
    ])
    const { merchant_id } = shop
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const live = await app.shop({ merchant_id, environment: 'LIVE' })
    expect(answerOf(await live.get(`/wallet-transfers/${id}/`))).toEqual([404, 'not_found'])
    for (const odd of ['x', id.slice(1), '00000000-0000-7000-8000-000000000009']) {
      expect(answerOf(await shop.get(`/wallet-transfers/${odd}/`))).toEqual([404, 'not_found'])
    }
    expect((await stranger.get('/wallet-transfers/')).data.count).toBe(0)
    expect((await live.get('/wallet-transfers/')).data.count).toBe(0)
  })
})

describe('what is refused of staff', () => {
  it('an unknown id, and one of the other environment', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    for (const odd of ['x', '00000000-0000-7000-8000-000000000009']) {
      expect(answerOf(await approve(odd))).toEqual([404, 'not_found'])
      expect(answerOf(await reject(odd))).toEqual([404, 'not_found'])
    }
    expect(answerOf(await approve(id, { 'x-environment': 'LIVE' }))).toEqual([404, 'not_found'])
    const rejecting = await staff.post(
      `/admin/wallet-transfers/${id}/reject/`,
      { reason: 'x' },
      { 'x-environment': 'LIVE' },
    )
    expect(answerOf(rejecting)).toEqual([404, 'not_found'])
    expect((await now(shop, id)).status).toBe('PENDING')
  })

  it('a rejection without a reason', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    for (const body of [{}, { reason: '' }, { reason: ' \n' }, { reason: 5 }]) {
      const reply = await staff.post(`/admin/wallet-transfers/${id}/reject/`, body)
      expect([reply.status, Object.keys(reply.error)]).toEqual([400, ['reason']])
    }
    const long = await reject(id, 'x'.repeat(501))
    expect([long.status, Object.keys(long.error)]).toEqual([400, ['reason']])
    expect((await now(shop, id)).status).toBe('PENDING')
  })

  it('roles that approve nothing, members and keys', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    const path = `/admin/wallet-transfers/${id}/approve/`
    for (const role of ['SUPPORT', 'OPERATIONS'] as const) {
      const other = await app.staff({ role })
      expect(answerOf(await other.post(path))).toEqual([403, 'permission_denied'])
      expect((await other.get('/admin/wallet-transfers/')).status).toBe(200)
    }
    const owner = await app.member({ merchant_id: shop.merchant_id })
    expect(answerOf(await owner.post(path))).toEqual([403, 'permission_denied'])
    expect((await shop.post(path)).status).toBe(403)
    expect((await now(shop, id)).status).toBe('PENDING')
  })

  it('a suspended merchant’s waits: not approved while he is, rejected if they choose', async () => {
    const shop = await richShop()
    const [first, second] = [await transferred(shop), await transferred(shop)]
    await suspendMerchant(app.service.db, shop.merchant_id, 'a test')
    expect(answerOf(await approve(first.id))).toEqual([403, 'merchant_suspended'])
    expect((await now(shop, first.id)).status).toBe('PENDING')
    expect((await reject(second.id)).status).toBe(200)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    await restoreMerchant(app.service.db, shop.merchant_id)
    expect((await approve(first.id)).status).toBe(200)
  })

  it('what would leave a balance that was frozen meanwhile', async () => {
    const shop = await richShop()
    const { id } = await transferred(shop)
    await app.owner`
      update balances set is_frozen = true where merchant_id = ${shop.merchant_id}`
    expect(answerOf(await approve(id))).toEqual([422, 'balance_frozen'])
    await app.owner`
      update balances set is_frozen = false where merchant_id = ${shop.merchant_id}`
    expect((await approve(id)).status).toBe(200)
  })
})

describe('staff look at all transfers', () => {
  it('of one environment, by status and merchant', async () => {
    const [one, two] = [await richShop(), await richShop()]
    const [first, second, third] = [
      await transferred(one),
      await transferred(one),
      await transferred(two),
    ]
    await approve(first.id)
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
    expect(answerOf(await approve(id))).toEqual([404, 'not_found'])
    expect((await approve(id, { 'x-environment': 'LIVE' })).status).toBe(200)
    expect(await sums(key, 'CM')).toEqual(['9900.00', '0.00'])
    const sandbox = await app.shop({ merchant_id })
    expect(await sums(sandbox, 'CM')).toEqual(['0.00', '0.00'])
  })
})
