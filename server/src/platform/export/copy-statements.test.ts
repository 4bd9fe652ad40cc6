// A file of a long history begins at once: it is read in its order, by one process.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { type Db, openDb } from '../db.ts'
import { plain } from './columns.ts'
import { copyOut } from './copy-statements.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb({
    ...database.options,
    connections_max: 1,
    durable: false,
    application_name: 'copy',
  })
  await db`create table history as
    select n, 'a row' as text from generate_series(1, 20000) as n`
  await db`create index on history (n)`
  await db`analyze history`
  // As a planner sees ten million rows: whatever several may do is cheap, and sorting is, too.
  await db`select set_config(name, value, false) from (values
    ('parallel_setup_cost', '0'), ('parallel_tuple_cost', '0'), ('random_page_cost', '100'),
    ('min_parallel_table_scan_size', '0'), ('max_parallel_workers_per_gather', '2')
  ) as given (name, value)`
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

const planned = async () => {
  const plan = await db`explain select text from history order by n desc`
  return plan.map((row) => row['QUERY PLAN']).join('\n')
}

it('is planned for one process', async () => {
  expect(await planned()).toContain('Gather')
  const copying = {
    columns: { text: plain('text') },
    form: { separator: ',', is_french: false, start: '' },
    rowsOf: ({ list }: { list: ReturnType<Db['unsafe']> }) => db`
      select ${list} from history order by n desc`,
  } as const
  let lines = 0
  for await (const piece of await copyOut(db, copying))
    lines += String(piece).split('\n').length - 1
  expect(lines).toBe(20_000)
  // On the connection of the file, whose settings those of the copy are.
  expect(await planned()).not.toContain('Gather')
})
