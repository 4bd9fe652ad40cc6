// Random worlds of payments, retries, codes and failing routes, with a death possible at each
// await: whatever the order, the laws of the design hold. More of them: `npm run worlds`.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { hunt, sayFound } from './hunt.ts'
import { openStage, type Stage } from './stage.ts'

const count = Number(process.env['WORLDS'] ?? 300)
const seed = Number(process.env['WORLDS_SEED'] ?? 424_242)

let database: TestDatabase
let stage: Stage

beforeAll(async () => {
  database = await createTestDatabase()
  stage = await openStage(database.owner, database.options)
})
afterAll(async () => {
  await stage?.close()
  await database?.drop()
})

it(`the laws hold in ${count} worlds (seed ${seed}), whatever the order of events`, async () => {
  let played = 0
  const tick = () => {
    played += 1
  }
  const found = await hunt(stage, { count, seed, tick })
  expect(found === undefined ? '' : sayFound(found)).toBe('')
  expect(played).toBeGreaterThanOrEqual(count)
  const wrong = (await verifyLedger(stage.owner)).filter(({ ok }) => !ok)
  expect(wrong).toEqual([])
}, 600_000)
