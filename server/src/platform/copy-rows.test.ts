// Many rows at once are there or refused: a copy that the database refuses is an end, not a wait.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { copyRows, partOf } from './copy-rows.ts'
import { type Db, inTransaction, openDb } from './db.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { connections_max: 1, durable: false, application_name: 'test' }
  db = openDb({ ...database.options, ...options, role: 'pirogue_owner' })
  await db`create table copied (id int primary key, text text)`
})
afterAll(async () => {
  await db.end({ timeout: 5 })
  await database.drop()
})

const rowsOf = (ids: readonly number[], text = 'a\tb') => ids.map((id) => [partOf({ id, text })])
const copy = (ids: readonly number[], text?: string) =>
  inTransaction(db, (tx) => copyRows(tx, 'copied', rowsOf(ids, text)))

it('rows are there, however long they are and however many', async () => {
  await copy([1, 2])
  await copy(
    Array.from({ length: 3_000 }, (_, nth) => nth + 10),
    'x'.repeat(300),
  )
  const [row] = await db`select count(*)::int as count, min(text) as least from copied`
  expect(row).toEqual({ count: 3_002, least: 'a\tb' })
})

it('rows that are refused fail the transaction, and the connection goes on', async () => {
  await expect(copy([5, 5])).rejects.toThrow(/current transaction is aborted/)
  await expect(copy([6, 1])).rejects.toThrow()
  await copy([7])
  const rows = await db`select id from copied where id between 5 and 7`
  expect(rows.map(({ id }) => id)).toEqual([7])
})
