// Months to come are made and months that are over end, whatever one row, one table or one wrong
// clock does: against real partitions, by the application's own role.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Monthly } from '../../src/app/retention.ts'
import { type Db, openDb } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { endOldest, ensurePartitions, isOverdue } from '../../src/platform/retention/months.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
let service_db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const name = { connections_max: 4, durable: true, application_name: 'test' }
  service_db = openDb({ ...database.options, ...name, role: 'pirogue_app' })
})
afterAll(async () => {
  await service_db.end({ timeout: 1 })
  await database.drop()
})

const parents = ['deliveries', 'delivery_tries', 'events', 'gateway_callbacks']
const merchant_id = newId()

/** The name of a table's month so many months from now. */
async function monthOf(parent: string, ahead: number): Promise<string> {
  const [row] = await database.owner<{ name: string }[]>`
    select ${parent} || '_' || to_char(
      date_trunc('month', now(), 'UTC') at time zone 'UTC' + ${ahead} * interval '1 month',
      'YYYYMM') as name`
  return row?.name ?? ''
}

/** As if that month had not been made yet. */
const unmake = async (parent: string, ahead: number) =>
  database.owner.unsafe(`drop table ${await monthOf(parent, ahead)}`)

/** An event whose id a clock made that was so many months ahead. */
async function eventAhead(months: number): Promise<string> {
  const [row] = await service_db<{ id: string }[]>`
    insert into events (merchant_id, id, environment, type, plain, seq)
    select ${merchant_id}, (left(f::text, 24) || right(${newId()}, 12))::uuid, 'SANDBOX',
           'webhook.test', '{"a": 1}', 1
      from uuid_floor(date_trunc('month', now(), 'UTC') + ${months} * interval '1 month'
                      + interval '3 days') as f
    returning id`
  return row?.id ?? ''
}

const partitionOf = async (id: string) => {
  const rows = await service_db`
    select tableoid::regclass::text as name, plain as data from events where id = ${id}`
  return rows.map(({ name, data }) => [name, data])
}

describe('the months to come', () => {
  it('are made for every table of months, also at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => ensurePartitions(service_db)))
    const rows = await service_db<{ parent: string; partitions: number }[]>`
      select inhparent::regclass::text as parent, count(*)::int as partitions
        from pg_inherits join pg_class c on c.oid = inhrelid
       where c.relkind = 'r' group by inhparent order by 1`
    expect(rows).toEqual(parents.map((parent) => ({ parent, partitions: 5 })))
  })

  it('are made though a wrong clock wrote into one of them, and take what it wrote', async () => {
    for (const parent of parents) await unmake(parent, 3)
    const [stray, far] = [await eventAhead(3), await eventAhead(7)]
    expect(await partitionOf(stray)).toEqual([['events_default', { a: 1 }]])
    await ensurePartitions(service_db)
    expect(await partitionOf(stray)).toEqual([[await monthOf('events', 3), { a: 1 }]])
    expect(await partitionOf(far)).toEqual([['events_default', { a: 1 }]])

    // It is a month as any other: keys, rights and the owner's drop.
    const again = service_db`
      insert into events (merchant_id, id, environment, type, plain)
      values (${merchant_id}, ${stray}, 'SANDBOX', 'webhook.test', '{}')`
    await expect(again).rejects.toMatchObject({ code: '23505' })
    const changed = await service_db`update events set seq = 2 where id = ${stray}`
    expect(changed.count).toBe(1)
    const shape = async (name: string) => {
      const indexes = await service_db`
        select regexp_replace(indexdef, '[0-9]{6}', 'month', 'g') as def
          from pg_indexes where tablename = ${name}`
      const [columns] = await service_db`
        select array_agg(attname || ' ' || atttypid::regtype || ' ' || attnotnull order by attnum)
          as shape from pg_attribute where attrelid = ${name}::regclass and attnum > 0`
      const bare = indexes.map(({ def }) => String(def).replace(/ INDEX \S+ ON /, ' INDEX ON '))
      return [bare.sort(), columns?.['shape']]
    }
    expect(await shape(await monthOf('events', 3))).toEqual(await shape(await monthOf('events', 2)))
    const owners = await service_db`
      select relowner::regrole::text as owner from pg_class
       where relname = ${await monthOf('events', 3)}`
    expect([...owners]).toEqual([{ owner: 'pirogue_owner' }])
  })

  it('lose nothing that is written or changed while they take what stood there', async () => {
    await unmake('events', 3)
    const ids = [await eventAhead(3)]
    const change = (id: string) =>
      service_db`update events set seq = coalesce(seq, 0) + 1 where id = ${id}`
    const writes = Array.from({ length: 40 }, async (_, nth) => {
      const id = await eventAhead(3)
      ids.push(id)
      if (nth % 2 === 0) await change(id)
    })
    const making = Array.from({ length: 4 }, () =>
      ensurePartitions(service_db).catch(() => undefined),
    )
    await Promise.all([...writes, ...making])
    await ensurePartitions(service_db)
    const rows = await service_db<{ name: string; seq: bigint }[]>`
      select tableoid::regclass::text as name, seq from events where id = any(${ids}::uuid[])`
    expect(rows).toHaveLength(41)
    const month = await monthOf('events', 3)
    expect(rows.every(({ name }) => name === month)).toBe(true)
    expect(rows.filter(({ seq }) => seq === 2n)).toHaveLength(20)
  })

  it('of one table are made though another’s cannot be, which is said and made later', async () => {
    for (const parent of ['deliveries', 'events', 'gateway_callbacks']) await unmake(parent, 3)
    const month = await monthOf('deliveries', 3)
    let letGo: () => void = () => undefined
    let reading: Promise<unknown> = Promise.resolve()
    await new Promise<void>((begun) => {
      reading = database.owner.begin(async (tx) => {
        await tx`select count(*) from deliveries`
        begun()
        await new Promise<void>((resolve) => {
          letGo = resolve
        })
      })
    })
    await expect(ensurePartitions(service_db)).rejects.toThrow(month)
    const there = async (name: string) => {
      const [row] = await service_db`select to_regclass(${name}) is not null as there`
      return row?.['there']
    }
    expect(await there(month)).toBe(false)
    expect(await there(await monthOf('events', 3))).toBe(true)
    expect(await there(await monthOf('gateway_callbacks', 3))).toBe(true)
    letGo()
    await reading
    await ensurePartitions(service_db)
    expect(await there(month)).toBe(true)
  })
})

describe('months and rows that are over', () => {
  const floor = (day: string) => {
    const hex = Date.parse(day).toString(16).padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
  }
  const old = async (month: string, parent: Monthly) => {
    await database.owner.unsafe(`
      create table ${parent}_2020${month} partition of ${parent}
        for values from ('${floor(`2020-${month}-01`)}') to ('${floor(`2020-${month}-28`)}')`)
    await database.owner.unsafe(`alter table ${parent}_2020${month} owner to pirogue_owner`)
  }
  const callback = (day: string, due_at: string | null, ago = '0 days') => service_db`
    insert into gateway_callbacks (merchant_id, id, environment, gateway_id, proof, body,
      body_hash, outcome, due_at, created_at)
    values (${merchant_id}, ${floor(day)}, 'SANDBOX', ${newId()}, 'SIGNED', 'x', '', 'WAITING',
      ${due_at}, now() - ${ago}::text::interval)`
  const delivery = (day: string, ago = '0 days') => service_db`
    insert into deliveries (merchant_id, id, environment, webhook_id, event_id, event_type, url,
      status, due_at, attempt, created_at)
    values (${merchant_id}, ${floor(day)}, 'SANDBOX', ${newId()}, ${newId()}, 'x', 'x', 'FAILED',
      now() + interval '1 day', 1, now() - ${ago}::text::interval)`
  const left = async (parent: Monthly) => {
    const rows = await service_db`
      select tableoid::regclass::text as name from ${service_db(parent)}
       where merchant_id = ${merchant_id} order by 1`
    // On a cluster it is a shard's, by its number.
    return rows.map(({ name }) => String(name).replace(/(?<=_(default|\d{6}))_\d+$/, ''))
  }
  const end = (parent: Monthly, days: number) =>
    endOldest(service_db, parent, { days, limit: 1_000 })
  beforeEach(async () => {
    await service_db`delete from gateway_callbacks`
    await service_db`delete from deliveries`
  })

  it('one month in which something waits keeps no later one, and is told of', async () => {
    for (const month of ['01', '02', '03']) await old(month, 'gateway_callbacks')
    await callback('2020-01-05', '2099-01-01')
    await callback('2020-02-05', null)
    expect(await end('gateway_callbacks', 180)).toBe(1)
    expect(await end('gateway_callbacks', 180)).toBe(1)
    expect(await end('gateway_callbacks', 180)).toBe(0)
    expect(await left('gateway_callbacks')).toEqual(['gateway_callbacks_202001'])
    expect(await isOverdue(service_db, 'gateway_callbacks', 180)).toBe(true)
    await service_db`update gateway_callbacks set due_at = null`
    expect(await end('gateway_callbacks', 180)).toBe(1)
    expect(await isOverdue(service_db, 'gateway_callbacks', 180)).toBe(false)
  })

  it('a month of webhook logs goes, whatever is still due in it', async () => {
    await old('01', 'deliveries')
    await delivery('2020-01-05')
    expect(await isOverdue(service_db, 'deliveries', 90)).toBe(true)
    expect(await end('deliveries', 90)).toBe(1)
    expect(await left('deliveries')).toEqual([])
    expect(await isOverdue(service_db, 'deliveries', 90)).toBe(false)
  })

  it('rows of months that are gone end as long after they came as the others do', async () => {
    await callback('2020-01-05', null, '181 days')
    await callback('2020-01-06', null, '179 days')
    await callback('2020-01-07', '2099-01-01', '181 days')
    const ended = () => end('gateway_callbacks', 180)
    expect(await ended()).toBe(1)
    expect(await ended()).toBe(0)
    expect(await left('gateway_callbacks')).toHaveLength(2)
    expect(await isOverdue(service_db, 'gateway_callbacks', 180)).toBe(true)

    for (const nth of [1, 2, 3]) await delivery(`2020-01-0${nth}`, '91 days')
    await delivery('2020-01-05', '89 days')
    const [log] =
      await service_db`select id from deliveries where created_at < now() - interval '90 days'`
    await service_db`
      insert into delivery_tries (merchant_id, delivery_id, attempt, url, response_body, sent_at)
      values (${merchant_id}, ${log?.['id']}, 1, 'x', '', now() - interval '91 days')`
    const logs = (limit: number) => endOldest(service_db, 'deliveries', { days: 90, limit })
    expect([await logs(2), await logs(2), await logs(2)]).toEqual([2, 1, 0])
    expect(await left('deliveries')).toEqual(['deliveries_default'])
    expect((await service_db`select 1 from delivery_tries`).count).toBe(0)
  })
})
