// Prompts to one phone are bounded over all merchants: so many in ten minutes, so many a day
// (contract 3.6). What was refused is not counted.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb, retryOnDeadlock } from '../platform/db.ts'
import { newId, uuidToBytes } from '../platform/ids.ts'
import { composed, part, selectIds } from '../platform/sql.ts'
import { deleteOldWindows } from './call-count-store.ts'
import { countPrompts, promptAgainS } from './prompt-count-statements.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 25, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const newTarget = (): Buffer => uuidToBytes(newId())

/** Whether one more prompt may be sent. */
async function prompt(target: Buffer, per_10min = 5, per_day = 20, open = true): Promise<boolean> {
  const gate_id = newId()
  const when = part('opened', db`opened as (select ${gate_id}::uuid as id where ${open})`)
  const counted = countPrompts(db, [{ gate_id, target, per_10min, per_day }], { when })
  const rows = await retryOnDeadlock(() => composed(db, [when, counted], selectIds(db, counted)))
  return rows.length === 1
}

async function prompts(count: number, target: Buffer, per_10min = 5, per_day = 20) {
  const answers: boolean[] = []
  for (let i = 0; i < count; i += 1) answers.push(await prompt(target, per_10min, per_day))
  return answers.filter(Boolean).length
}

/** As if the windows had begun that much earlier. */
const passed = (target: Buffer, time: string) => db`
  update prompt_windows
     set window_started_at = window_started_at - ${time}::interval,
         day_started_at = day_started_at - ${time}::interval
   where target = ${target}`

const counted = async (target: Buffer) => {
  const [row] = await db`
    select window_count, day_count from prompt_windows where target = ${target}`
  return row
}

describe('in ten minutes', () => {
  it('as many as the limit pass and the next one does not', async () => {
    const target = newTarget()
    expect(await prompts(5, target)).toBe(5)
    expect(await prompt(target)).toBe(false)
    expect(await prompt(target)).toBe(false)
    expect(await counted(target)).toEqual({ window_count: 5, day_count: 5 })
  })

  it('another phone is not touched by it', async () => {
    expect(await prompts(6, newTarget())).toBe(5)
    expect(await prompt(newTarget())).toBe(true)
  })

  it('the window begins with its first prompt and opens again ten minutes later', async () => {
    const target = newTarget()
    await prompts(5, target)
    await passed(target, '9 minutes 50 seconds')
    expect(await prompt(target)).toBe(false)
    await passed(target, '11 seconds')
    expect(await prompts(6, target)).toBe(5)
    expect(await counted(target)).toEqual({ window_count: 5, day_count: 10 })
  })

  it('a window stays one over the end of the day in which it began', async () => {
    const [target, over] = [newTarget(), newTarget()]
    await prompts(1, over)
    await prompts(1, target)
    await passed(over, '25 hours')
    await passed(target, '23 hours 55 minutes')
    await prompts(5, target)
    await passed(target, '6 minutes')
    await deleteOldWindows(db)
    expect(await prompt(target)).toBe(false)
    expect(await counted(over)).toBeUndefined()
    await passed(target, '5 minutes')
    await deleteOldWindows(db)
    expect(await counted(target)).toBeUndefined()
    expect(await prompts(6, target)).toBe(5)
  })

  it('of 50 at the same moment exactly the limit pass', async () => {
    const target = newTarget()
    const answers = await Promise.all(Array.from({ length: 50 }, () => prompt(target)))
    expect(answers.filter(Boolean)).toHaveLength(5)
    expect(await counted(target)).toEqual({ window_count: 5, day_count: 5 })
  })
})

describe('in a day', () => {
  it('as many as the limit pass, however they lie in ten minutes', async () => {
    const target = newTarget()
    for (let round = 0; round < 4; round += 1) {
      expect(await prompts(6, target)).toBe(5)
      await passed(target, '11 minutes')
    }
    expect(await prompt(target)).toBe(false)
    expect(await counted(target)).toEqual({ window_count: 5, day_count: 20 })
  })

  it('the day begins with its first prompt and a new one comes 24 hours later', async () => {
    const target = newTarget()
    expect(await prompts(4, target, 5, 3)).toBe(3)
    await passed(target, '23 hours 59 minutes')
    expect(await prompt(target, 5, 3)).toBe(false)
    await passed(target, '61 seconds')
    expect(await prompts(4, target, 5, 3)).toBe(3)
    expect(await counted(target)).toEqual({ window_count: 3, day_count: 3 })
  })

  it('a refusal by the day does not use up the ten minutes', async () => {
    const target = newTarget()
    await prompts(3, target, 5, 2)
    expect(await counted(target)).toEqual({ window_count: 2, day_count: 2 })
    expect(await prompts(4, target, 5, 20)).toBe(3)
  })
})

describe('a phone that was refused', () => {
  it('may be asked again when the later of its windows that are full is over', async () => {
    const target = newTarget()
    const again = (per_10min = 5, per_day = 20) => promptAgainS(db, { target, per_10min, per_day })
    const about = (seconds: number) => expect.closeTo(seconds, -1)
    await prompts(5, target)
    expect(await again()).toEqual(about(600))
    expect(await again(5, 5)).toEqual(about(86_400))
    await passed(target, '9 minutes')
    expect(await again()).toEqual(about(60))
    // The ten minutes are over, and the day is not.
    await passed(target, '10 minutes')
    expect(await again(5, 5)).toEqual(about(86_400 - 19 * 60))
    await passed(target, '24 hours')
    expect(await again(5, 5)).toBe(1)
    expect(await promptAgainS(db, { target: newTarget(), per_10min: 5, per_day: 5 })).toBe(1)
  })
})

describe('the gate', () => {
  it('without a row counts nothing: a replay of a key does not use up a prompt', async () => {
    const target = newTarget()
    expect(await prompt(target, 5, 20, false)).toBe(false)
    expect(await counted(target)).toBeUndefined()
    await prompts(2, target)
    expect(await prompt(target, 5, 20, false)).toBe(false)
    expect(await counted(target)).toEqual({ window_count: 2, day_count: 2 })
  })
})
