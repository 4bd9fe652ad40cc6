// What is over of idempotency keys is found without an index: page by page, part by part, and each
// page is in one of the parts.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { type Db, openDb } from '../db.ts'
import type { Removed } from '../retention/expire.ts'
import { dropOldKeys, pagesOf, type TablePart } from './old-keys.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 2, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})
beforeEach(() => database.owner`truncate idempotency_keys`)

const merchant_id = randomUUID()

/** Answers of that age, all on their pages in the order in which they come. */
const keys = (name: string, count: number, age: string) => database.owner`
  insert into idempotency_keys (merchant_id, environment, key, fingerprint, status, plain,
    leased_until, created_at)
  select ${merchant_id}, 'LIVE', ${`${name} `} || n, ${Buffer.alloc(32)}, 201, repeat('{}', 300),
         now() - ${age}::interval, now() - ${age}::interval
    from generate_series(1, ${count}) n`

const left = async (name: string) => {
  const [row] = await database.owner<{ count: number }[]>`
    select count(*)::int as count from idempotency_keys where key like ${`${name} %`}`
  return row?.count
}

/** Walks a part to its end; how many keys went. */
async function drop(part?: TablePart, on = db): Promise<number> {
  let removed = 0
  for (let at: number | undefined = 0; at !== undefined; ) {
    const portion: Removed = await dropOldKeys(on, { days: 30, limit: 100, at, part })
    removed += portion.removed
    at = portion.next
  }
  return removed
}

describe('the parts of a table', () => {
  it.each([0, 1, 96, 97, 98, 12_345])('have each of %d pages once', (pages) => {
    let end = 0
    for (let no = 0; no < 97; no += 1) {
      const { from, to } = pagesOf(pages, { no, of: 97, whole_pages: 0 })
      expect(from).toBe(end)
      end = to
    }
    expect(end).toBe(pages)
  })

  it('are one where it is small, or where nobody divides it', () => {
    const part = { no: 3, of: 97, whole_pages: 100 }
    expect(pagesOf(100, part)).toEqual({ from: 0, to: 100 })
    expect(pagesOf(101, part)).not.toEqual({ from: 0, to: 101 })
    expect(pagesOf(5_000, undefined)).toEqual({ from: 0, to: 5_000 })
  })
})

describe('what is over', () => {
  it('goes, in however many portions, and what is not stays where it stands between', async () => {
    await keys('old', 250, '31 days')
    await keys('young', 50, '29 days')
    await keys('older', 151, '60 days')
    expect(await drop()).toBe(401)
    expect([await left('old'), await left('young'), await left('older')]).toEqual([0, 50, 0])
    expect(await drop()).toBe(0)
  })

  it('goes when its part comes', async () => {
    await keys('old', 300, '31 days')
    const part = (no: number) => ({ no, of: 3, whole_pages: 0 })
    const first = await drop(part(1))
    expect(first).toBeGreaterThan(50)
    expect(first).toBeLessThan(150)
    expect(await drop(part(1))).toBe(0)
    expect((await drop(part(0))) + (await drop(part(2)))).toBe(300 - first)
  })

  it('stays while somebody holds it or a call is under way with it', async () => {
    await keys('old', 2, '31 days')
    await database.owner`
      update idempotency_keys set leased_until = now() + interval '1 minute'
       where key = 'old 1'`
    await database.owner.begin(async (tx) => {
      await tx`select 1 from idempotency_keys where key = 'old 2' for update`
      expect(await drop()).toBe(0)
    })
    expect(await drop()).toBe(1)
    expect(await left('old')).toBe(1)
  })

  it('goes four times a day where a view stands for the table, as in a shard group', async () => {
    await database.owner.unsafe(`
      create schema sg_1;
      create view sg_1.idempotency_keys as select * from public.idempotency_keys;
      grant usage on schema sg_1 to pirogue_app;
      grant select, update, delete on sg_1.idempotency_keys to pirogue_app`)
    const name = { role: 'pirogue_app', application_name: 'test', search_path: 'sg_1' } as const
    const group = openDb({ ...database.options, ...name, connections_max: 1, durable: false })
    const removed: number[] = []
    for (let no = 0; no < 97; no += 1) {
      await keys(`old ${no}`, no === 0 ? 250 : 1, '31 days')
      removed.push(await drop({ no, of: 97, whole_pages: 8_192 }, group))
    }
    await group.end()
    expect(removed.filter((count) => count > 0)).toEqual([250, 25, 25, 25])
    expect(await drop()).toBe(21)
  })
})
