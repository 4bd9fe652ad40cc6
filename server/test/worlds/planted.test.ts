// The worlds are shown to work: each planted bug breaks a law within a few hundred of them, in a
// world that the sound service survives.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { hunt, judge } from './hunt.ts'
import { plantedBugs } from './planted.ts'
import { openStage, type Stage } from './stage.ts'
import type { World } from './world.ts'

const count = 600
const seed = 20261121

type Place = Readonly<{ database: TestDatabase; stage: Stage; close(): Promise<void> }>

async function openPlace(): Promise<Place> {
  const database = await createTestDatabase()
  const stage = await openStage(database.owner, database.options)
  const close = async () => {
    await stage.close()
    await database.drop()
  }
  return { database, stage, close }
}

const same = (world: World) => world

let sound: Place
beforeAll(async () => {
  sound = await openPlace()
})
afterAll(() => sound?.close())

describe('a planted bug is found', () => {
  it.each(plantedBugs)(
    '$title',
    async (bug) => {
      const ill = await openPlace()
      try {
        await bug.alter?.(ill.database.owner)
        const { plant, breaks, toward = same, kept_with = {} } = bug
        const found = await hunt(ill.stage, { count, seed, plant, breaks, toward, shrinks: 0 })
        if (found === undefined) throw new Error(`not found in ${count} worlds`)
        const { broken } = await judge(sound.stage, found.world, kept_with)
        const still =
          bug.kept_with === undefined ? broken : broken.filter((one) => one.startsWith(breaks))
        expect(still).toEqual([])
      } finally {
        await ill.close()
      }
    },
    120_000,
  )
})
