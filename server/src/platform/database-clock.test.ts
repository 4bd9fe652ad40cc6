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
