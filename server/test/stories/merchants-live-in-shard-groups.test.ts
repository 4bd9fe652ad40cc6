// The whole way of a payment where each merchant's rows are on a worker of their own and the workers
// have no table of control: made, accepted, confirmed, told by webhook, and proved by the ledger.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { merchantTables } from '../../src/app/distribute/merchant-tables.ts'
import { isMoreOpen } from '../../src/attempts/exposure-statements.ts'
import { listDueAttempts } from '../../src/attempts/query-statements.ts'
import { openUnmatchedCallback } from '../../src/incidents/open-unmatched.ts'
import { platformMerchant } from '../../src/ledger/account.ts'
import { newId } from '../../src/platform/ids.ts'
import { eachGroup } from '../../src/platform/places/places.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { make } from '../setup/api-keys.ts'
import { createTestDatabase } from '../setup/database.ts'
import { type Groups, placeOnGroups } from '../setup/place-on-groups.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let groups: Groups
let shops: readonly Shop[]

beforeAll(async () => {
  const database = await createTestDatabase()
  groups = await placeOnGroups(database)
  app = await startApp({ database })
  shops = [await app.shop(), await app.shop(), await app.shop(), await app.shop()]
})
afterAll(async () => {
  await app?.stop()
  await groups?.drop()
})

describe('a payment', () => {
  it('is made, confirmed and booked on its merchant’s worker', async () => {
    const paid = await Promise.all(
      shops.map(async (shop) => {
        const reply = await shop.pay({ customer: newPayer() })
        expect(reply.status, JSON.stringify(reply.body)).toBe(201)
        return shop.becomes(reply.data.id, 'SUCCESS')
      }),
    )
    for (const [at, shop] of shops.entries()) {
      expect(await shop.balance()).toEqual({ available_amount: '5000.00', pending_amount: '0.00' })
      const worker = await groups.workerOf(shop.merchant_id)
      const rows = await worker.owner`select 1 from transactions where id = ${paid[at].id}`
      expect(rows).toHaveLength(1)
    }
  })
})

describe('what is with an operator', () => {
  /** Each group has five of an account that no poller knows, due since one minute more each. */
  async function openAttempts(gateway_id: string): Promise<bigint> {
    const found = await eachGroup(
      app.service.db,
      (at) => at<{ one: string; debited: bigint }[]>`
        select to_jsonb(a)::text as one, a.debited_amount as debited from attempts a
         where a.direction = 'COLLECT' limit 1`,
    )
    const { one = '', debited = 0n } = found[0] ?? {}
    for (const worker of groups.workers) {
      await worker.owner.begin(async (tx) => {
        // Of no transaction.
        await tx`set local session_replication_role = 'replica'`
        await tx`
          insert into attempts
          select made.*
            from generate_series(1, 5) as nth,
                 jsonb_populate_record(null::attempts, ${one}::text::jsonb || jsonb_build_object(
                   'id', gen_random_uuid(), 'transaction_id', gen_random_uuid(),
                   'gateway_id', ${gateway_id}::text, 'status', 'UNKNOWN',
                   'due_at', now() - nth * interval '1 minute',
                   'asking_until', now() + interval '1 hour')) as made`
      })
    }
    return 10n * debited
  }
  const dropAttempts = (gateway_id: string) =>
    Promise.all(
      groups.workers.map(
        ({ owner }) => owner`delete from attempts where gateway_id = ${gateway_id}`,
      ),
    )

  it('is asked about at the operator’s pace, the oldest of all groups first', async () => {
    const gateway_id = newId()
    await openAttempts(gateway_id)
    try {
      const due = await listDueAttempts(app.service.db, gateway_id, 4)
      expect(due).toHaveLength(4)
      const minutes = due.map(({ due_at }) => Math.round((Date.now() - due_at.getTime()) / 60_000))
      expect(minutes).toEqual([5, 5, 4, 4])
    } finally {
      await dropAttempts(gateway_id)
    }
  })

  it('counts towards its account’s limit while the group that has it is away', async () => {
    const gateway_id = newId()
    const open = await openAttempts(gateway_id)
    const isMore = (limit: bigint) =>
      isMoreOpen(app.service.db, { gateway_id, direction: 'COLLECT' }, limit)
    const [worker] = groups.workers
    if (worker === undefined) throw new Error('a worker')
    try {
      expect([await isMore(open), await isMore(open - 1n)]).toEqual([false, true])
      await worker.owner`update guard_lock set is_here = false`
      expect([await isMore(open), await isMore(open - 1n)]).toEqual([false, true])
      // Of another account nobody knows what is there.
      const other = { gateway_id: newId(), direction: 'COLLECT' } as const
      expect(await isMoreOpen(app.service.db, other, open)).toBe(true)
    } finally {
      await worker.owner`update guard_lock set is_here = true`
      await dropAttempts(gateway_id)
    }
    // It is asked again, and answers.
    await eventually(async () => expect(await isMore(0n)).toBe(false))
  })
})

describe('books', () => {
  it('are files and a day of each merchant’s own worker', async () => {
    for (const shop of shops) {
      const paid = await shop.pay({ customer: newPayer() })
      await shop.becomes(paid.data.id, 'SUCCESS')
      const mine = (await shop.get('/transactions/')).data.results
      const headers = { authorization: `Bearer ${shop.key}` }
      const file = await fetch(`${app.url}/api/v1/transactions/export/`, { headers })
      const lines = (await file.text()).trimEnd().split('\n').slice(1)
      const references = lines.map((line) => line.split(',')[0])
      expect(references).toEqual(mine.map(({ reference }: Json) => reference))
      const day = new Date().toISOString().slice(0, 10)
      const report = await shop.get(`/reports/daily/?date=${day}`)
      expect(report.status, JSON.stringify(report.body)).toBe(200)
      const [balance] = report.data.balances
      expect(balance.closing_balance).toBe((await shop.balance()).available_amount)
    }
  })
})

describe('every file and the search', () => {
  it('are of the merchant’s own worker, with the names that stand at control', async () => {
    const [shop] = shops
    if (shop === undefined) throw new Error('a shop')
    const owner = await app.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    const url = 'https://shop.example.com/hook'
    expect((await owner.post('/merchant-webhooks/', { url })).status).toBe(201)
    const listed = await owner.get('/audit-logs/?action=webhook.registered')
    const [act] = listed.data.results
    const headers = { authorization: `Bearer ${owner.key}`, 'x-merchant': owner.merchant_id }
    const file = async (path: string) => {
      const reply = await fetch(`${app.url}/api/v1${path}`, { headers })
      const text = await reply.text()
      expect([path, reply.status], text).toEqual([path, 200])
      return text
    }
    for (const list of [
      ...['merchant-ledger-entries', 'settlements', 'wallet-transfers', 'payment-links'],
      ...['refunds', 'webhook-logs', 'transactions'],
    ]) {
      await file(`/${list}/export/?locale=fr`)
    }
    const name = act.actor.name
    expect(name).toMatch(/@/)
    const found = await file(`/audit-logs/export/?search=${encodeURIComponent(name)}`)
    const line = found.split('\n').find((one) => one.startsWith(act.id))
    expect(line?.split(',')).toContain(name)
    const paid = await shop.pay({ customer: newPayer() })
    const { status, data } = await shop.get(`/search/?q=${paid.data.reference}`)
    expect([status, data.groups[0]?.results[0]?.id]).toEqual([200, paid.data.id])
    const key = await make(owner, { name: 'Cotonou' })
    const { groups: kinds } = (await owner.get('/search/?q=cotonou')).data
    expect(kinds).toMatchObject([{ kind: 'API_KEY', results: [{ id: key.id }] }])
  })

  it('and so is what a network speaks in the sandbox', async () => {
    const [shop] = shops
    const body = { network_code: 'mtn_bj', direction: 'COLLECT', dialect: 'mtn' }
    const chosen = await shop?.call('PUT', '/sandbox/dialects/', {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    expect(chosen?.status, JSON.stringify(chosen?.body)).toBe(200)
    const paid = await shop?.pay({ customer: newPayer() })
    const { data } = (await shop?.get(`/transactions/${paid?.data.id}/`)) ?? {}
    expect(data.attempts[0].gateway_code).toBe('simulator_mtn')
  })

  it('and callbacks that prove nothing: many at once, each kept at home, and asked about', async () => {
    const chosen = await Promise.all(
      shops.map((shop) =>
        shop.call('PUT', '/sandbox/dialects/', {
          body: JSON.stringify({ network_code: 'mtn_bj', direction: 'COLLECT', dialect: 'mtn' }),
          headers: { 'content-type': 'application/json' },
        }),
      ),
    )
    expect(chosen.map(({ status }) => status)).toEqual(shops.map(() => 200))
    await Promise.all(
      shops.flatMap((shop) =>
        [1, 2, 3].map(async () => {
          const made = await shop.pay({ customer: newPayer() })
          expect(made.status, JSON.stringify(made.body)).toBe(201)
          await shop.becomes(made.data.id, 'SUCCESS', 60_000)
          const kept = (worker: Groups['workers'][number]) => worker.owner<Json[]>`
            select c.proof, c.outcome from gateway_callbacks c
              join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
             where a.transaction_id = ${made.data.id}`
          const home = await groups.workerOf(shop.merchant_id)
          await eventually(async () =>
            expect(await kept(home)).toEqual([{ proof: 'UNSIGNED', outcome: 'WOKE' }]),
          )
          const [elsewhere] = groups.workers.filter((one) => one !== home)
          expect(elsewhere && (await kept(elsewhere))).toEqual([])
        }),
      ),
    )
  }, 90_000)
})

describe('a phone', () => {
  const counts = () => app.owner<{ window_count: number }[]>`
    select window_count from prompt_windows`

  it('is counted once for a key that is used many times at once, and for all merchants', async () => {
    await app.owner`delete from prompt_windows`
    const customer = newPayer()
    const [shop, other] = shops
    if (shop === undefined || other === undefined) throw new Error('two shops')
    const call = () => shop.pay({ customer }, { 'idempotency-key': 'one-prompt' })
    const replies = await Promise.all([call(), call(), call()])
    expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect(await counts()).toEqual([{ window_count: 1 }])
    expect((await other.pay({ customer })).status).toBe(201)
    expect(await counts()).toEqual([{ window_count: 2 }])
  })
})

describe('what is rarer than a payment', () => {
  const recipient = newPayer('10').phone
  let shop: Shop
  let payout: string

  it('is a payout that counts with the next to the same phone, as its quote says', async () => {
    shop = await app.shop()
    const { merchant_id } = shop
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
    const owner = await app.member({ merchant_id })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '8000' })
    const made = await shop.post('/payouts/initialize/', {
      ...{ amount: '5000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: recipient },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    payout = made.data.id
    await shop.becomes(payout, 'SUCCESS')
    const asked = { kind: 'PAYOUT', country: 'BJ', network: 'mtn_bj', amount: '5000' }
    const query = new URLSearchParams({ ...asked, msisdn: recipient })
    const quote = await shop.get(`/quotes/?${query}`)
    expect([quote.status, quote.data?.needs_approval]).toEqual([200, true])
  })

  it('is its money coming back, as two people have asked', async () => {
    const { merchant_id } = shop
    const first = await app.staff({ role: 'FINANCE' })
    const second = await app.staff({ role: 'FINANCE' })
    const path = `/admin/transactions/${payout}/reverse/`
    const proposed = await first.post(path, { note: 'Sent to the wrong number' })
    expect(proposed.status, JSON.stringify(proposed.body)).toBe(202)
    const again = await first.post(path, { note: 'Sent to the wrong number' })
    expect([again.status, again.error?.code]).toEqual([409, 'proposal_pending'])
    const confirm = () => second.post(`/admin/proposals/${proposed.data.id}/confirm/`, {})
    const worker = await groups.workerOf(merchant_id)
    // What came between decides: it is refused whole, and the proposal waits as before.
    const state = (to: string | null) =>
      worker.owner`update transactions set return_state = ${to} where id = ${payout}`
    await state('FOUND')
    const refused = await confirm()
    expect([refused.status, refused.error?.code]).toEqual([409, 'not_reversible'])
    const waiting = await first.get(`/admin/proposals/${proposed.data.id}/`)
    expect(waiting.data.status).toBe('PENDING')
    await state(null)
    const confirmed = await confirm()
    expect([confirmed.status, confirmed.data?.status]).toEqual([200, 'CONFIRMED'])
    expect((await confirm()).error?.code).toBe('proposal_decided')
    const reversals = await worker.owner`
      select proposed_by, confirmed_by from payout_reversals
       where merchant_id = ${merchant_id} and transaction_id = ${payout}`
    expect(reversals).toEqual([{ proposed_by: first.person_id, confirmed_by: second.person_id }])
    await eventually(async () => {
      const { data } = await shop.get(`/transactions/${payout}/`)
      expect(data.returned_at).not.toBeNull()
    })
  })

  it('is a webhook that is tried, and one that was switched off', async () => {
    const receiver = await startReceiver((response) => {
      response.statusCode = 410
      response.end()
    })
    try {
      const made = await shop.post('/merchant-webhooks/', { url: receiver.url })
      const tested = await shop.post(`/merchant-webhooks/${made.data.id}/test/`)
      expect(tested.status, JSON.stringify(tested.body)).toBeLessThan(300)
      const worker = await groups.workerOf(shop.merchant_id)
      await eventually(async () => {
        const rows = await worker.owner`
          select 1 from webhooks where id = ${made.data.id} and owners_told_at is not null`
        expect(rows).toHaveLength(1)
      })
    } finally {
      await receiver.close()
    }
  })

  it('is that a network closed: an event for each merchant that asks, on its own worker', async () => {
    const receiver = await startReceiver()
    try {
      for (const shop of shops) {
        const events = ['availability.changed']
        expect((await shop.post('/merchant-webhooks/', { url: receiver.url, events })).status).toBe(
          201,
        )
      }
      await eventually(async () => {
        const rows =
          await app.owner`select 1 from availability_states where network_code = 'mtn_bj'`
        expect(rows.length).toBeGreaterThan(1)
      }, 20_000)
      await app.owner`
        update routes set is_active = false
         where environment = 'SANDBOX' and direction = 'DISBURSE'
           and network_id = (select id from networks where code = 'mtn_bj')`
      await eventually(async () => expect(receiver.received).toHaveLength(shops.length), 20_000)
      for (const shop of shops) {
        const worker = await groups.workerOf(shop.merchant_id)
        const own = (table: string) => worker.owner`
          select 1 from ${worker.owner(table)} where merchant_id = ${shop.merchant_id}
             and ${table === 'events' ? worker.owner`type = 'availability.changed'` : worker.owner`true`}`
        expect(await own('events')).toHaveLength(1)
        expect(await own('availability_marks')).toHaveLength(1)
      }
    } finally {
      await receiver.close()
      await app.owner`update routes set is_active = true`
    }
  })

  it('is a callback that matched nothing, which staff see', async () => {
    const [gateway] = await app.owner<{ id: string }[]>`
      select id from gateways where code = 'simulator_a'`
    await openUnmatchedCallback(app.service.db, {
      ...{ merchant_id: platformMerchant.SANDBOX, id: newId(), environment: 'SANDBOX' },
      gateway_id: gateway?.id ?? '',
    })
    const staff = await app.staff()
    const { data } = await staff.get('/admin/incidents/')
    const types = data.results.map(({ type }: { type: string }) => type)
    expect(types).toContain('UNMATCHED_CALLBACK')
  })
})

describe('control', () => {
  it('has no row of a merchant’s own', async () => {
    const counts = await Promise.all(
      merchantTables.map(async (table) => {
        const rows = await app.owner`select 1 from ${app.owner(table)} limit 1`
        return [table, rows.length] as const
      }),
    )
    const written = counts.filter(([, count]) => count > 0).map(([table]) => table)
    // What staff and the command line did to the merchant itself is written at control.
    expect(written.filter((table) => table !== 'audit_logs')).toEqual([])
  })
})
