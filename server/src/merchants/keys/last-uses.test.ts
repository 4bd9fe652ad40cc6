// The last use of a key costs its calls no write, is written for all keys together, and never goes
// back in time, whichever process writes last.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { type Db, openDb } from '../../platform/db.ts'
import { createMerchant } from '../merchant.ts'
import { createKey } from './issue-keys.ts'
import { lastUses } from './last-uses.ts'

let database: TestDatabase
let db: Db
let merchant_id = ''

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 3, durable: false })
  merchant_id = (await createMerchant(database.owner, { name: 'M' })).id
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

async function newKey(): Promise<string> {
  const request = { merchant_id, environment: 'SANDBOX', scope: 'BOTH', name: '' } as const
  return (await createKey(database.owner, request)).id
}

async function useOf(id: string) {
  const [row] = await database.owner`
    select last_used_ip as ip, extract(epoch from now() - last_used_at)::float8 as ago_s
      from api_keys where id = ${id}`
  return { ip: row?.['ip'], ago_s: row?.['ago_s'] }
}

/** Time as the test says it. */
function uses(options: { every_ms?: number; database?: Db } = {}) {
  const clock = { ms: 1_000_000 }
  const { every_ms = 3_600_000, database: into = db } = options
  return { clock, ...lastUses(into, { every_ms, clock: () => clock.ms }) }
}

describe('the last use of a key', () => {
  it('is not written with the call, and then with the newest of its calls', async () => {
    const [id, other] = [await newKey(), await newKey()]
    const { clock, note, stop } = uses()
    note(id, '192.0.2.1')
    note(other, '192.0.2.2')
    clock.ms += 60_000
    note(id, '192.0.2.3')
    clock.ms += 30_000
    expect(await useOf(id)).toEqual({ ip: '', ago_s: null })
    await stop()
    expect(await useOf(id)).toEqual({ ip: '192.0.2.3', ago_s: expect.closeTo(30, -1) })
    expect(await useOf(other)).toEqual({ ip: '192.0.2.2', ago_s: expect.closeTo(90, -1) })
  })

  it('is written by itself when the time has come, in one statement for all keys', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, newKey))
    const { note, stop } = uses({ every_ms: 1_000 })
    const writes = async () => {
      const [row] = await database.owner`
        select count(distinct xmin::text)::int as statements from api_keys
         where id = any(${ids}::uuid[]) and last_used_at is not null`
      return row?.['statements']
    }
    for (const id of ids) note(id, '192.0.2.1')
    expect(await writes()).toBe(0)
    await expect.poll(writes).toBe(1)
    // Nothing was used since: nothing is written.
    const [before] = await database.owner`select max(xmin::text::bigint) as x from api_keys`
    await sleep(1_500)
    expect(await database.owner`select max(xmin::text::bigint) as x from api_keys`).toEqual([
      before,
    ])
    await stop()
  })

  it('never goes back, whichever process writes last', async () => {
    const id = await newKey()
    const [early, late] = [uses(), uses()]
    early.note(id, '192.0.2.1')
    early.clock.ms += 50_000
    late.note(id, '192.0.2.2')
    late.clock.ms += 20_000
    await late.stop()
    await early.stop()
    expect(await useOf(id)).toEqual({ ip: '192.0.2.2', ago_s: expect.closeTo(20, -1) })
  })

  it('of the same keys in many processes at once is written by all of them', async () => {
    const ids = await Promise.all(Array.from({ length: 300 }, newKey))
    for (let round = 0; round < 5; round += 1) {
      const processes = Array.from({ length: 3 }, () => uses())
      for (const [n, { note }] of processes.entries()) {
        for (const id of n % 2 === 0 ? ids : ids.toReversed()) note(id, `192.0.${round}.${n}`)
        for (const one of processes.slice(0, n + 1)) one.clock.ms += 1000
      }
      await Promise.all(processes.map(({ stop }) => stop()))
      const [row] = await database.owner`
        select count(*)::int as newest from api_keys
         where id = any(${ids}::uuid[]) and last_used_ip = ${`192.0.${round}.2`}`
      expect(row).toEqual({ newest: ids.length })
    }
  })

  it('waits for the database to come back', async () => {
    const id = await newKey()
    const name = { role: 'pirogue_app', application_name: 'away' } as const
    const away = openDb({ ...database.options, ...name, connections_max: 1, durable: false })
    await away.end({ timeout: 0 })
    let isAway = true
    let asked = 0
    const passing: Db = Object.assign((...given: Parameters<Db>) => {
      asked += 1
      return (isAway ? away : db)(...given)
    }, db)
    const { note, stop } = uses({ every_ms: 50, database: passing })
    note(id, '192.0.2.1')
    await expect.poll(() => asked).toBeGreaterThan(3)
    expect(await useOf(id)).toEqual({ ip: '', ago_s: null })
    isAway = false
    await expect.poll(() => useOf(id)).toMatchObject({ ip: '192.0.2.1' })
    await stop()
  })
})
