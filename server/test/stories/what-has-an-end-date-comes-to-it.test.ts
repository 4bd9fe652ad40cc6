// Data that is kept for so long and no longer: gone in portions that stand in nobody's way, by one
// process at a time; money never.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metricsOn } from '../../src/app/metrics.ts'
import { expiringKinds } from '../../src/app/retention.ts'
import type { Db } from '../../src/platform/db.ts'
import { giveUpLease, takeLease } from '../../src/platform/jobs/leases.ts'
import { type Expiring, expireAll } from '../../src/platform/retention/expire.ts'
import { eventually, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { openSession } from '../setup/payer-calls.ts'

let app: TestApp
let shop: Shop
let db: Db

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  db = app.service.db
})
afterAll(() => app.stop())

const expire = () => expireAll(db, expiringKinds(app.config.retention))

const removedOf = async (kind: string) =>
  (await expire())?.find((one) => one.kind === kind)?.removed ?? -1

async function answeredKeys(count: number, days: number): Promise<void> {
  await app.owner`
    insert into idempotency_keys (merchant_id, environment, key, fingerprint, status, plain,
      leased_until, created_at)
    select ${shop.merchant_id}, 'SANDBOX', ${`${randomUUID()}-`} || n, ${Buffer.alloc(32)}, 201,
           '{}', now() - ${days} * interval '1 day', now() - ${days} * interval '1 day'
      from generate_series(1, ${count}) n`
}

const keysLeft = async () => {
  const [row] = await app.owner<{ count: number }[]>`
    select count(*)::int as count from idempotency_keys where merchant_id = ${shop.merchant_id}`
  return row?.count
}

/** A month of January 2020, with rows of one merchant. */
async function oldMonth(parent: string, columns: string): Promise<void> {
  await app.owner.unsafe(`
    create table ${parent}_202001 partition of ${parent}
      for values from ('${floor('2020-01-01')}') to ('${floor('2020-02-01')}')`)
  await app.owner.unsafe(`alter table ${parent}_202001 owner to pirogue_owner`)
  await app.owner.unsafe(`insert into ${parent} ${columns}`)
}
const floor = (day: string) => {
  const hex = Date.parse(day).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
const old_id = floor('2020-01-15')
const oldEvent = (seq: string) => `(merchant_id, id, environment, type, plain, seq)
  values ('${shop.merchant_id}', '${old_id}', 'SANDBOX', 'transaction.created', '{}', ${seq})`

const exists = async (name: string) => {
  const [row] = await app.owner<{ there: boolean }[]>`
    select to_regclass(${name}) is not null as there`
  return row?.there
}

describe('what is over', () => {
  it('goes, and what is not stays: answers for thirty days, to the day', async () => {
    const paid = await shop.pay({ customer: newPayer() }, { 'idempotency-key': 'kept' })
    await shop.becomes(paid.data.id, 'SUCCESS')
    await answeredKeys(2_500, 31)
    await answeredKeys(3, 29)
    expect(await removedOf('idempotency')).toBe(2_500)
    expect(await keysLeft()).toBe(4)
    expect(await removedOf('idempotency')).toBe(0)
    const again = await shop.pay({ customer: newPayer() }, { 'idempotency-key': 'kept' })
    expect([again.status, again.error?.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('is no money, however old', async () => {
    const tables = ['transactions', 'attempts', 'ledger_entries', 'transaction_status_logs']
    const count = async () => {
      const rows = await Promise.all(
        tables.map((table) => app.owner`select count(*)::int as n from ${app.owner(table)}`),
      )
      return rows.map(([row]) => row?.['n'])
    }
    const before = await count()
    await app.owner`update transactions set created_at = now() - interval '9 years'`
    await expire()
    expect(await count()).toEqual(before)
    expect(before.every((n) => n > 0)).toBe(true)
  })

  it('is signed-in sessions that are long over, and whom unpaid checkouts were for', async () => {
    const member = await app.member()
    const [gone, stays] = [await app.member(), member]
    await app.owner`
      update sessions set ended_at = now() - interval '31 days' where id = ${gone.session_id}`
    const old = await openSession(shop, { customer_email: 'old@example.com' })
    const open = await openSession(shop, { customer_email: 'open@example.com' })
    // As a payment link makes one that asks for a phone alone.
    const { phone } = newPayer()
    const unnamed = await openSession(shop, { customer_phone: phone })
    await app.owner`update checkout_sessions set customer_email = '' where id = ${unnamed.id}`
    for (const { id } of [old, unnamed]) await shop.post(`/checkout-sessions/${id}/cancel/`)
    await app.owner`
      update checkout_sessions set updated_at = now() - interval '181 days'
       where merchant_id = ${shop.merchant_id}`
    await expire()
    const left = await app.owner`
      select id from sessions where id = any(${[gone.session_id, stays.session_id]}::uuid[])`
    expect([...left]).toEqual([{ id: stays.session_id }])
    const shown = async (id: string) => {
      const { data } = await shop.get(`/checkout-sessions/${id}/`)
      return [data.status, data.amount, data.customer_email, data.customer_name]
    }
    for (const { id } of [old, unnamed]) {
      expect(await shown(id)).toEqual(['CANCELLED', '5000.00', '', ''])
    }
    const [row] = await app.owner`
      select customer_phone from checkout_sessions where id = ${unnamed.id}`
    expect(row).toEqual({ customer_phone: '' })
    expect(await shown(open.id)).toEqual(['PENDING', '5000.00', 'open@example.com', 'Awa Diop'])
  })

  it('is whole months of events, deliveries and callbacks, unless something in them waits', async () => {
    await oldMonth('events', oldEvent('null'))
    await oldMonth(
      'deliveries',
      `(merchant_id, id, environment, webhook_id, event_id, event_type, url, status)
       values ('${shop.merchant_id}', '${old_id}', 'SANDBOX', '${old_id}', '${old_id}', 'x', 'x',
               'SUCCESS')`,
    )
    await oldMonth(
      'gateway_callbacks',
      `(merchant_id, id, environment, gateway_id, proof, body, body_hash, outcome)
       values ('${shop.merchant_id}', '${old_id}', 'SANDBOX', '${old_id}', 'SIGNED', 'x', '',
               'APPLIED')`,
    )
    await expire()
    expect(await exists('deliveries_202001')).toBe(false)
    expect(await exists('gateway_callbacks_202001')).toBe(false)
    // Its event has no number yet: nobody was told of it.
    await eventually(async () => {
      await expire()
      expect(await exists('events_202001')).toBe(false)
    })
    for (const parent of ['events', 'deliveries', 'gateway_callbacks']) {
      const months = await app.owner<{ ahead: number }[]>`
        select count(*)::int as ahead from pg_inherits
         where inhparent = ${parent}::regclass
           and right(inhrelid::regclass::text, 6) >= to_char(now(), 'YYYYMM')`
      expect(months[0]?.ahead).toBeGreaterThanOrEqual(4)
    }
  })
})

describe('what cannot go', () => {
  const callback = (id: string, due_at: string) => app.owner`
    insert into gateway_callbacks (merchant_id, id, environment, gateway_id, proof, body,
      body_hash, outcome, due_at)
    values (${shop.merchant_id}, ${id}, 'SANDBOX', ${id}, 'SIGNED', 'x', '', 'WAITING', ${due_at})`
  const ageOf = async (kind: string) => {
    const text = await metricsOn(app.service.db)()
    const [, age] =
      new RegExp(`pirogue_retention_age_seconds\\{kind="${kind}"\\} ([\\d.e-]+)`).exec(text) ?? []
    return Number(age)
  }

  it('is no month of webhook logs, though one waits for a webhook that is off', async () => {
    const off = floor('2020-01-16')
    await app.owner`
      insert into webhooks (merchant_id, id, environment, url, sealed_secret, is_active)
      values (${shop.merchant_id}, ${off}, 'SANDBOX', 'https://example.com', '', false)`
    await oldMonth(
      'deliveries',
      `(merchant_id, id, environment, webhook_id, event_id, event_type, url, status, attempt,
         due_at)
       values ('${shop.merchant_id}', '${old_id}', 'SANDBOX', '${off}', '${old_id}', 'x', 'x',
               'FAILED', 1, now())`,
    )
    await expire()
    expect(await exists('deliveries_202001')).toBe(false)
    expect(await ageOf('deliveries')).toBeLessThan(60)
  })

  it('keeps no later month, and the metric says how long it has been so', async () => {
    await oldMonth(
      'gateway_callbacks',
      `(merchant_id, id, environment, gateway_id, proof, body, body_hash, outcome, due_at)
       values ('${shop.merchant_id}', '${old_id}', 'SANDBOX', '${old_id}', 'SIGNED', 'x', '',
               'WAITING', '2099-01-01')`,
    )
    await app.owner.unsafe(`
      create table gateway_callbacks_202002 partition of gateway_callbacks
        for values from ('${floor('2020-02-01')}') to ('${floor('2020-03-01')}');
      alter table gateway_callbacks_202002 owner to pirogue_owner`)
    await app.owner`
      update retention_runs set finished_at = now() - interval '2 hours'
       where kind in ('callbacks', 'events')`
    await expire()
    expect(await exists('gateway_callbacks_202002')).toBe(false)
    expect(await exists('gateway_callbacks_202001')).toBe(true)
    expect(await ageOf('callbacks')).toBeGreaterThan(7_000)
    expect(await ageOf('events')).toBeLessThan(60)
    await app.owner`update retention_runs set finished_at = null, began_at = now() - interval '3 hours'`
    expect(await ageOf('callbacks')).toBeGreaterThan(10_000)

    await app.owner`update gateway_callbacks set due_at = null where id = ${old_id}`
    await expire()
    expect(await exists('gateway_callbacks_202001')).toBe(false)
    expect(await ageOf('callbacks')).toBeLessThan(60)
  })

  it('stands outside the months for a while only, and is counted there', async () => {
    await callback(old_id, '2099-01-01')
    const counted = async () => {
      const text = await metricsOn(app.service.db)()
      return /pirogue_default_partition_rows\{table="gateway_callbacks"\} (\d+)/.exec(text)?.[1]
    }
    expect(await counted()).toBe('1')
    await app.owner`
      update gateway_callbacks set due_at = null, created_at = now() - interval '181 days'
       where id = ${old_id}`
    await expire()
    expect(await counted()).toBe('0')
  })
})

describe('nobody waits for it', () => {
  it('no kind behind one that fails, which is told of once the others are done', async () => {
    await answeredKeys(3, 40)
    await oldMonth('events', oldEvent('1'))
    const failing = (kind: string): Expiring => ({
      ...{ kind, days: 1 },
      remove: () => Promise.reject(new Error(`${kind} cannot go`)),
    })
    const [first, ...others] = expiringKinds(app.config.retention)
    if (first === undefined) throw new Error('no kinds')
    const all = [failing('rocks'), first, failing('roots'), ...others]
    await expect(expireAll(db, all)).rejects.toThrow('rocks cannot go')
    expect(await removedOf('idempotency')).toBe(0)
    expect(await exists('events_202001')).toBe(false)
    const runs = await app.owner`select 1 from retention_runs where kind in ('rocks', 'roots')`
    expect(runs).toHaveLength(0)
  })

  it('neither a payment behind a month that cannot be dropped, nor a row that is held', async () => {
    await oldMonth('events', oldEvent('1'))
    await answeredKeys(1, 40)
    let locked: Promise<unknown> = Promise.resolve()
    let letGo: () => void = () => undefined
    const ready = new Promise<void>((resolve) => {
      locked = app.owner.begin(async (tx) => {
        await tx`select count(*) from events`
        await tx`
          select 1 from idempotency_keys where created_at < now() - interval '39 days' for update`
        resolve()
        await new Promise<void>((go) => {
          letGo = go
        })
      })
    })
    await ready
    const paying = Promise.all(Array.from({ length: 10 }, () => shop.pay({ customer: newPayer() })))
    // What it waited for would be let go after it only.
    await expire()
    for (const { status } of await paying) expect(status).toBe(201)
    expect(await exists('events_202001')).toBe(true)
    expect(await keysLeft()).toBeGreaterThan(4)
    letGo()
    await locked
    const done = await expire()
    expect(done).toContainEqual({ kind: 'idempotency', removed: 1 })
    expect(await exists('events_202001')).toBe(false)
  })

  it('and one process does it at a time', async () => {
    const lease = await eventually(async () => {
      const taken = await takeLease(db, 'retention', 60, 'another process')
      expect(taken).toBeDefined()
      return taken
    })
    await answeredKeys(1, 40)
    expect(await expire()).toBeUndefined()
    const before = await keysLeft()
    await giveUpLease(db, {
      name: 'retention',
      owner: 'another process',
      lease_no: lease?.lease_no ?? 0n,
    })
    expect(await removedOf('idempotency')).toBe(1)
    expect(await keysLeft()).toBe((before ?? 0) - 1)
  })
})

it('is read from the database again though the clock of the machine was set back', async () => {
  let at_ms = 7_200_000
  const scrape = metricsOn(
    db,
    async () => '',
    () => at_ms,
  )
  const sessions = async () =>
    Number(/retention_age_seconds\{kind="sessions"\} ([\d.e-]+)/.exec(await scrape())?.[1])
  await expire()
  expect(await sessions()).toBeLessThan(60)
  await app.owner`
    update retention_runs set finished_at = now() - interval '2 hours' where kind = 'sessions'`
  at_ms = 0
  expect(await sessions()).toBeGreaterThan(7_000)
})

it('says in the metrics how long ago each kind was looked after', async () => {
  await expire()
  const text = await metricsOn(app.service.db)()
  const ages = [...text.matchAll(/pirogue_retention_age_seconds\{kind="(\w+)"\} ([\d.e-]+)/g)]
  expect(ages.map(([, kind]) => kind).sort()).toEqual(
    expiringKinds(app.config.retention)
      .map(({ kind }) => kind)
      .sort(),
  )
  expect(ages.every(([, , age]) => Number(age) < 60)).toBe(true)
})
