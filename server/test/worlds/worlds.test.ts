// Random worlds of payments, payouts, retries, codes and failing routes, with a death possible at
// each await: whatever the order, the laws of the design hold. More of them: `npm run worlds`.

import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allGroups, homeOf } from '../../src/platform/places/places.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { sized } from '../setup/proof-size.ts'
import { endingTests, undeclared } from './endings.ts'
import { formatFound, hunt } from './hunt.ts'
import { play } from './play.ts'
import { openStage, type Stage } from './stage.ts'
import { brokenBooks } from './verify-books.ts'
import { unequalDays } from './verify-days.ts'
import { together, type World, worlds } from './world.ts'

const count = Number(process.env['WORLDS'] ?? sized(25, 1000))
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
  expect(found === undefined ? '' : formatFound(found)).toBe('')
  expect(played).toBeGreaterThanOrEqual(count)
  expect(await brokenBooks(stage.owner)).toEqual([])
  expect(await unequalDays(stage)).toEqual([])
}, 900_000)

it('a day of theirs that is counted otherwise than it was is found', async () => {
  const { owner } = stage
  const [day] = await allGroups(
    owner,
    (at) => at<{ merchant_id: string }[]>`
      select merchant_id from counted_days where status = 'SUCCESS' limit 1`,
  )
  const merchant_id = day?.merchant_id ?? ''
  await homeOf(owner, merchant_id)`
    update counted_days set count = count + 1
     where merchant_id = ${merchant_id} and status = 'SUCCESS'
       and (environment, day, transaction_type, country, network, currency) = (
             select environment, day, transaction_type, country, network, currency from counted_days
              where merchant_id = ${merchant_id} and status = 'SUCCESS' limit 1)`
  await homeOf(owner, merchant_id)`
    update counted_later set count = count + 1
     where merchant_id = ${merchant_id} and status = 'STARTED'
       and (environment, day, transaction_type, country, network, currency) = (
             select environment, day, transaction_type, country, network, currency
               from counted_later where merchant_id = ${merchant_id} and status = 'STARTED' limit 1)`
  const found = await unequalDays(stage)
  expect(found.map((line) => line.includes(merchant_id))).toEqual([true, true])
})

it('who ends what is open or due is said of each column that tells of it', async () => {
  expect(await undeclared(stage.owner)).toEqual([])
  expect(endingTests.filter((path) => !existsSync(path))).toEqual([])
})

const plain = (step: string): string =>
  step.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){0,3}[0-9a-f-]*/g, 'id')

/** What happens in a world, without what is made by chance: ids. */
async function storyOf(world: World): Promise<string[]> {
  const { scene } = await play(stage, world, {})
  return scene.turns.story().map(plain)
}

// A machine that stands still for seconds changes what is due: then it is played once more.
const patient = { retry: 2, timeout: 120_000 }
const title = 'the same world plays the same way, step by step, unless steps are let go together'

it(title, patient, async () => {
  const some = fc.sample(worlds, { seed, numRuns: sized(4, 12) })
  for (const world of some) {
    const order = world.order.filter((pick) => pick !== together)
    const alone = { ...world, order }
    expect(await storyOf(alone)).toEqual(await storyOf(alone))
  }
})
