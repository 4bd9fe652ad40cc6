// What time it is by the database, for a process whose own clock is wrong or whose question took long.

import { expect, it } from 'vitest'
import { databaseClock } from './database-clock.ts'

it('is the database’s time, measured every half minute, and anew where that took long', async () => {
  let own = 1_000_000
  let took_ms = 10
  const asked: number[] = []
  const clock = databaseClock(
    async () => {
      asked.push(own)
      own += took_ms
      return 90_000.4
    },
    () => own,
  )
  expect(clock.now_ms(), 'not measured yet').toBe(1_000_000)
  await clock.measure()
  expect(clock.now_ms()).toBe(1_000_010 - 90_000)
  await clock.measure()
  expect(asked).toHaveLength(1)
  own += 30_000
  took_ms = 5_000
  await clock.measure()
  expect(asked).toHaveLength(2)
  expect(clock.now_ms(), 'as it was measured before').toBe(own - 90_000)
  took_ms = 10
  await clock.measure()
  expect(asked, 'again, since that was no measurement').toHaveLength(3)
  await clock.measure()
  expect(asked).toHaveLength(3)
})

it('is measured at once where the process’s own clock was set back', async () => {
  const database_ms = 5_000_000
  let own = database_ms + 7_200_000
  const clock = databaseClock(
    async () => own - database_ms,
    () => own,
  )
  await clock.measure()
  expect(clock.now_ms()).toBe(database_ms)
  own -= 7_200_000
  await clock.measure()
  expect(clock.now_ms(), 'as long as it lasts to come to the old time again').toBe(database_ms)
})
