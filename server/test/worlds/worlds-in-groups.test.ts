// The worlds where each merchant's rows are on one of two databases that have no table of control
// (docs/decisions/0068): the same laws hold, and what is sent to the wrong place fails.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { placeOwner } from '../setup/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type Groups, placeOnGroups } from '../setup/place-on-groups.ts'
import { sized } from '../setup/proof-size.ts'
import { formatFound, hunt } from './hunt.ts'
import { openStage, type Stage } from './stage.ts'
import { brokenBooks } from './verify-books.ts'
import { unequalDays } from './verify-days.ts'

const count = sized(12, 200)
const seed = 424_242
/** There each test database is distributed already: worlds.test.ts. */
const isCluster = process.env['CITUS_URL'] !== undefined

let database: TestDatabase
let groups: Groups
let leave: () => Promise<void>
let stage: Stage

beforeAll(async () => {
  if (isCluster) return
  database = await createTestDatabase()
  groups = await placeOnGroups(database)
  leave = await placeOwner(database.owner, database.options)
  stage = await openStage(database.owner, database.options)
})
afterAll(async () => {
  await stage?.close()
  await leave?.()
  await groups?.drop()
  await database?.drop()
})

it(`the laws hold in ${count} worlds (seed ${seed}) of two shard groups`, async () => {
  if (isCluster) return
  const found = await hunt(stage, { count, seed })
  expect(found === undefined ? '' : formatFound(found)).toBe('')
  expect(await brokenBooks(stage.owner)).toEqual([])
  expect(await unequalDays(stage)).toEqual([])
  const rows = await Promise.all(
    groups.workers.map(({ owner }) => owner`select 1 from transactions limit 1`),
  )
  expect(rows.map(({ length }) => length)).toEqual([1, 1])
}, 900_000)
