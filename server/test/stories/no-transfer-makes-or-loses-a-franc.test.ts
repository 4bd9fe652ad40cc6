// Many transfers at once, in any order and in several processes; cut off before, in and after the
// commit; booked without staff below the limit. No franc is made, lost or overdrawn.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import {
  eventually,
  type Json,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import {
  actsOn,
  answerOf,
  approve,
  ask,
  deadlocks,
  eventsOf,
  now,
  reject,
  richShop,
  sums,
  transfer,
  transferred,
} from '../setup/transfers.ts'
import { untilServed } from '../setup/until-served.ts'

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

describe('many at once', () => {
  it('of a hundred against a balance for seven, in any order, seven are made', async () => {
    const shop = await richShop(app, '75000')
    const countries = ['CM', 'GH', 'SN', 'NG', 'CI']
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        untilServed(() => ask(shop, transfer({ to_country: countries[(at * 7) % 5] }))),
      ),
    )
    const count = (status: number) => made.filter((one) => one.status === status).length
    expect([count(201), count(422)]).toEqual([7, 93])
    const codes = new Set(made.flatMap(({ error }) => error?.code ?? []))
    expect(codes).toEqual(new Set(['insufficient_balance']))
    expect(await sums(shop)).toEqual(['5000.00', '70000.00'])
    const ids = made.filter(({ status }) => status === 201).map(({ data }) => data.id)
    const ends = await Promise.all(
      ids.map((id, at) => (at % 2 === 0 ? approve(staff, id) : reject(staff, id))),
    )
    expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect(await sums(shop)).toEqual(['35000.00', '0.00'])
  })

  it('beside payouts and the other way round, never more leaves than is there', async () => {
    const shop = await richShop(app, '50000')
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
    const calls = Array.from({ length: 10 }, () => [() => ask(shop), payout, back]).flat()
    const made = await Promise.all(calls.map((call) => untilServed(call)))
    expect(made.filter((one) => one.status === 201)).toHaveLength(10)
    expect(await sums(shop)).toEqual(['0.00', '50000.00'])
    expect(await sums(shop, 'CM')).toEqual(['0.00', '50000.00'])
    const waiting = (await shop.get('/wallet-transfers/')).data.results
    const ends = await Promise.all(waiting.map((one: Json) => approve(staff, one.id)))
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('with one key, and in two processes, are one transfer', async () => {
    const shop = await richShop(app)
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
        untilServed(() =>
          (at % 2 === 0 ? shop : there).post('/wallet-transfers/', transfer(), {
            'idempotency-key': 'same',
          }),
        ),
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
          if (act === 'ask') return untilServed(() => ask(shop, body))
          const path = `/admin/wallet-transfers/${id}/${act}/`
          return untilServed(() => boss.post(path, { reason: 'a test' }))
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
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        untilServed(() => (at % 2 === 0 ? approve(staff, id) : reject(staff, id))),
      ),
    )
    const obeyed = all.filter(({ status }) => status === 200)
    expect(obeyed).toHaveLength(1)
    const others = all.filter((one) => !obeyed.includes(one)).map(answerOf)
    expect(others).toEqual(others.map(() => [409, 'transaction_terminal']))
    const { status } = obeyed[0]?.data ?? {}
    const left = status === 'SUCCESS' ? ['90000.00', '0.00'] : ['100000.00', '0.00']
    expect(await sums(shop)).toEqual(left)
    expect((await now(shop, id)).status).toBe(status)
    expect(await actsOn(app, id)).toHaveLength(1)
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
    const shop = await richShop(app)
    const { merchant_id } = shop
    const call = await app.owner.begin(async (tx) => {
      await tx`select 1 from balances where merchant_id = ${merchant_id} for update`
      const pending = ask(shop, transfer(), 'cut')
      await cutWaiting('terminate')
      return { pending }
    })
    expect((await call.pending).status).toBe(503)
    // The pool may have another connection that was cut with it.
    await eventually(async () => expect(await sums(shop)).toEqual(['100000.00', '0.00']))
    const made = await untilServed(() => ask(shop, transfer(), 'cut'))
    expect(made.status).toBe(201)
    expect((await ask(shop, transfer(), 'cut')).status).toBe(201)
    expect((await untilServed(() => shop.get('/wallet-transfers/'))).data.count).toBe(1)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
  })

  it('after the commit is answered by its replay as it then stands', async () => {
    const shop = await richShop(app)
    const first = await ask(shop, transfer(), 'unanswered')
    await approve(staff, first.data.id)
    // As it is when a process dies between its commit and the answer it would have kept.
    await app.owner`
      update idempotency_keys set status = null, plain = null, packed = null,
             leased_until = now() - interval '1 second'
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
    const shop = await richShop(app)
    const { merchant_id } = shop
    await shop.post('/sandbox/balances/', { country: 'CM', amount: '5' })
    const { id } = await transferred(shop)
    const call = await app.owner.begin(async (tx) => {
      await tx`
        select 1 from balances where merchant_id = ${merchant_id} and country = 'CM' for update`
      const pending = approve(staff, id)
      await cutWaiting('cancel')
      return { pending }
    })
    // Nothing was written: the same call may be made again (docs/decisions/0027).
    expect((await call.pending).status).toBe(503)
    await eventually(async () => expect((await now(shop, id)).status).toBe('PENDING'))
    await eventually(async () => expect(await sums(shop)).toEqual(['90000.00', '10000.00']))
    expect(await actsOn(app, id)).toEqual([])
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
    const shop = await richShop(app)
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
    const types = (await eventsOf(app, small.data.id)).map(({ type }) => type)
    expect(types).toEqual([
      'wallet_transfer.requested',
      'wallet_transfer.completed',
      'transaction.success',
    ])
    expect(await actsOn(app, small.data.id)).toMatchObject([
      { action: 'wallet_transfer.approved', actor_kind: 'SYSTEM', after: { automatic: true } },
    ])
    expect(await there('9999', 'small')).toEqual(small)
    expect((await there('10000', 'large')).data.status).toBe('PENDING')
    expect(await sums(shop)).toEqual(['80001.00', '10000.00'])
    expect(await sums(shop, 'CM')).toEqual(['9749.00', '0.00'])
    await shop.post('/sandbox/balances/', { country: 'GH', amount: '9999' })
    const body = { from_country: 'GH', to_country: 'BJ', from_amount: '1' }
    const unnamed = await untilServed(() =>
      fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
      }),
    )
    const waits: Json = await unnamed.json()
    expect(waits.data?.status, JSON.stringify(waits)).toBe('PENDING')
    await second.stop()
  })

  it('to and fro in the smallest of coins brings the merchant no franc', async () => {
    const shop = await richShop(app, '100')
    const second = await app.another({ TRANSFER_AUTO_BELOW: 'XOF:10000,CDF:1000,USD:10' })
    const move = async (from_country: string, to_country: string, from_amount: string) => {
      const reply = await untilServed(() =>
        fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
          method: 'POST',
          body: JSON.stringify({ from_country, to_country, from_amount }),
          headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
        }),
      )
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
    const shop = await richShop(app)
    const second = await app.another({ TRANSFER_AUTO_BELOW: 'XOF:10000' })
    const there = shopWith(second.public_url, shop.merchant_id, shop.key)
    const part = async (from_amount: string) =>
      (await untilServed(() => ask(there, transfer({ from_amount })))).data.status
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
    const shop = await richShop(app, '3500')
    await shop.post('/sandbox/balances/', { country: 'CM', amount: '3500' })
    const second = await app.another({
      TRANSFER_AUTO_BELOW: 'XOF:100000,XAF:100000',
      TRANSFER_FEE_PERCENT: '0',
    })
    const before = await deadlocks(app)
    const move = (at: number) =>
      untilServed(() =>
        fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
          method: 'POST',
          body: JSON.stringify({
            from_country: at % 2 === 0 ? 'BJ' : 'CM',
            to_country: at % 2 === 0 ? 'CM' : 'BJ',
            from_amount: '500',
          }),
          headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
        }),
      ).then(({ status }) => status)
    const statuses = await Promise.all(Array.from({ length: 100 }, (_, at) => move(at)))
    expect(statuses.every((status) => status === 201 || status === 422)).toBe(true)
    const [bj, cm] = [await shop.balance('BJ'), await shop.balance('CM')]
    expect(Number(bj.available_amount) + Number(cm.available_amount)).toBe(7_000)
    expect([bj.pending_amount, cm.pending_amount]).toEqual(['0.00', '0.00'])
    expect(await deadlocks(app)).toBe(before)
    await second.stop()
  })
})
