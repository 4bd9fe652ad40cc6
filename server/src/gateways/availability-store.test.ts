// What is read every few seconds behind `GET /availability/` does not grow with what has been.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, inTransaction, openDb, type Tx } from '../platform/db.ts'
import { listFares } from './availability-store.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb({
    ...database.options,
    ...{ role: 'pirogue_app', connections_max: 1, durable: false, application_name: 'fares' },
  })
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

const readSoFar = async (tx: Tx, table: string): Promise<number> => {
  const [row] = await tx<{ n: number }[]>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n
      from pg_stat_xact_user_tables where relname = ${table}`
  return row?.n ?? 0
}

/** Rows of the table that one reading looks at; what the connection read before is not counted. */
const looked = (table: 'route_stats' | 'gateway_closings') =>
  inTransaction(db, async (tx) => {
    const before = await readSoFar(tx, table)
    expect((await listFares(tx)).length).toBeGreaterThan(20)
    return (await readSoFar(tx, table)) - before
  })

/** From so many minutes before `now` until so many. */
const counted = (now: Date, from_min: number, until_min: number) => database.owner`
  insert into route_stats (route_id, minute, good, merchants)
  select r.id, date_trunc('minute', ${now}::timestamptz) - m * interval '1 minute', 5, '{1,2,3}'
    from routes r, generate_series(${until_min}::int, ${from_min}::int) as m
   where r.environment = 'SANDBOX'`

it('days that were counted are not read', async () => {
  // One moment for both: between two of their own a minute may turn.
  const now = new Date()
  await counted(now, 59, 0)
  await database.owner`analyze route_stats`
  const young = await looked('route_stats')
  expect(young).toBeGreaterThan(1_000)
  await counted(now, 1_300, 60)
  await database.owner`analyze route_stats`
  expect(await looked('route_stats')).toBeLessThanOrEqual(young)
})

it('closings that are over are not read', async () => {
  await database.owner`
    insert into gateway_closings (id, gateway_id, country, from_at, ends_at, note)
    select gen_random_uuid(), g.id, c.iso_code, now() - d * interval '1 day',
           now() - d * interval '1 day' + interval '1 hour', 'works'
      from gateways g, countries c, generate_series(1, 50) as d`
  await database.owner`analyze gateway_closings`
  expect(await looked('gateway_closings')).toBe(0)
})
