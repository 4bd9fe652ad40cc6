// The worlds are shown to work: each planted bug breaks a law within a few hundred of them, in a
// world that the sound service survives.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { hunt, judge } from './hunt.ts'
import { plantedBugs } from './planted.ts'
import { openStage, type Stage } from './stage.ts'

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

let sound: Place
beforeAll(async () => {
  sound = await openPlace()
})
afterAll(() => sound?.close())

describe('a planted bug is found', () => {
  it.each(plantedBugs)('$title', async ({ plant, alter, breaks }) => {
    const ill = await openPlace()
    try {
      await alter?.(ill.database.owner)
      const found = await hunt(ill.stage, { count, seed, plant, shrinks: 0 })
      expect(found?.broken.join('\n') ?? '').toContain(breaks)
      if (found === undefined) return
      const { broken } = await judge(sound.stage, found.world)
      expect(broken).toEqual([])
    } finally {
      await ill.close()
    }
  }, 120_000)
})
