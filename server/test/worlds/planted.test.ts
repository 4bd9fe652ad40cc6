// The worlds are shown to work: each planted bug breaks a law within a few thousand of them, most
// within a hundred, in a world that the sound service survives.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { shareOf, wholeIt } from '../setup/proof-size.ts'
import { hunt, judge } from './hunt.ts'
import { assertPlanted, isPlanted, type PlantedBug, plantedBugs } from './planted.ts'
import { openStage, type Stage } from './stage.ts'
import type { World } from './world.ts'

const count = 3000
const seed = 20261121
/** In so many worlds its statement has come by, or there is none any more. */
const soonPlanted = 300

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

async function expectFound(bug: PlantedBug): Promise<void> {
  const ill = await openPlace()
  try {
    await bug.alter?.(ill.database.owner)
    const { plant, breaks, toward = same, kept_with = {} } = bug
    let played = 0
    const tick = () => {
      played += 1
    }
    const halted = () => played > soonPlanted && !isPlanted(plant)
    const wanted = { count, seed, plant, breaks, toward, shrinks: 0, tick, halted }
    const found = await hunt(ill.stage, wanted)
    assertPlanted(plant)
    if (found === undefined) throw new Error(`not found in ${count} worlds`)
    const { broken } = await judge(sound.stage, found.world, kept_with)
    const still =
      bug.kept_with === undefined ? broken : broken.filter((one) => one.startsWith(breaks))
    expect(still).toEqual([])
  } finally {
    await ill.close()
  }
}

describe('a planted bug is found', () => {
  const isSoon = ({ soon = false }: PlantedBug) => soon
  it.each(plantedBugs.filter(isSoon))('$title', expectFound, 300_000)
  wholeIt.each(shareOf(plantedBugs.filter((bug) => !isSoon(bug))))('$title', expectFound, 300_000)
})

const madeSmaller = 'a broken world is made smaller, and its seed and path lead to it again'

wholeIt(madeSmaller, { timeout: 120_000 }, async () => {
  const plant = { resends_on_time_out: true }
  const breaks = 'nothing is sent twice'
  const small = await hunt(sound.stage, { count, seed, plant, breaks, lanes: 1 })
  if (small === undefined) throw new Error(`not found in ${count} worlds`)
  expect(small.world.events).toEqual([])
  const { seed: found_seed, path, world } = small
  const again = await hunt(sound.stage, { count: 1, seed: found_seed, path, plant, breaks })
  expect(again?.world).toEqual(world)
})
