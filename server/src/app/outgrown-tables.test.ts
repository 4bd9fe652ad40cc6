// Young tables are counted when they have grown by half, so that plans made for empty ones end; what
// only changed its rows, and what no statement looks for, is left to autovacuum.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { newId } from '../platform/ids.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const merchant_id = newId()
/** Any table that is young, and has columns with an index and without. */
const table = 'customers'

async function addCustomers(count: number): Promise<void> {
  await database.owner`
    insert into ${database.owner(table)} (merchant_id, id, environment, email, first_name)
    select ${merchant_id}, gen_random_uuid(), 'SANDBOX', gen_random_uuid() || '@example.com', 'Awa'
      from generate_series(1, ${count}::int)`
  await database.owner`select pg_stat_force_next_flush()`
}

/** What is known of the columns, and of how many rows, after the job. */
async function counted() {
  await database.owner`select count_outgrown_tables()`
  const [row] = await database.owner<{ rows: number; columns: string[] }[]>`
    select c.reltuples::int as rows,
           array(select attname::text from pg_stats where tablename = c.relname) as columns
      from pg_class c where c.relname = ${table}`
  return row
}

it('counts what has grown by half, by what its B-trees look for', async () => {
  await addCustomers(150)
  expect((await counted())?.columns).toEqual([])
  await addCustomers(150)
  const first = await counted()
  expect(first?.rows).toBe(300)
  expect(first?.columns).toEqual(expect.arrayContaining(['merchant_id', 'id', 'email']))
  expect(first?.columns).not.toContain('first_name')
})

it('does not count anew for changes of the rows that were there, or for a few more', async () => {
  for (let time = 0; time < 4; time += 1) {
    await database.owner`update ${database.owner(table)} set first_name = 'Kofi'`
  }
  await addCustomers(200)
  expect((await counted())?.rows).toBe(300)
  await addCustomers(200)
  expect((await counted())?.rows).toBe(700)
})
