// A route that fails five times in a row is left out for half a minute, with the reason; processes
// warn each other through the database, and a payment never writes there.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTo, createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import type { Db } from '../platform/db.ts'
import { type Health, newHealth } from './health.ts'

const route = { id: 'r1', breaker: true }

/** A clock that stands still until the test moves it. */
function stoppedClock(at_ms = Date.now()) {
  let now_ms = at_ms
  return {
    clock: () => now_ms,
    pass: (ms: number) => {
      now_ms += ms
    },
  }
}

const fail = (health: Health, times: number, one = route, why = 'timeout') => {
  for (let i = 0; i < times; i += 1) health.record(one, 10, why)
}

describe('five failures in a row', () => {
  it('leave the route out, with how many they were and what the last one said', () => {
    const health = newHealth(stoppedClock().clock)
    fail(health, 4)
    expect(health.skipped(route)).toBeUndefined()
    health.record(route, 10, 'connection reset')
    expect(health.skipped(route)).toBe('5 failures in a row, the last: connection reset')
  })

  it('for half a minute to the millisecond; then one payment at a time may try it', () => {
    const time = stoppedClock()
    const health = newHealth(time.clock)
    fail(health, 5)
    time.pass(29_999)
    expect([health.claimProbe(route), health.isToTry(route)]).toEqual([false, false])
    time.pass(1)
    expect(health.isToTry(route)).toBe(true)
    expect([health.claimProbe(route), health.claimProbe(route)]).toEqual([true, false])
    expect(health.skipped(route)).toBeDefined()
    health.record(route, 10, undefined)
    expect(health.skipped(route)).toBeUndefined()
  })

  it('are in a row: one success between them begins the count anew', () => {
    const health = newHealth(stoppedClock().clock)
    fail(health, 4)
    health.record(route, 10, undefined)
    fail(health, 4)
    expect(health.skipped(route)).toBeUndefined()
    fail(health, 1)
    expect(health.skipped(route)).toBeDefined()
  })

  it('leave it for twice as long when the payment that tries it fails', () => {
    const time = stoppedClock()
    const health = newHealth(time.clock)
    fail(health, 5)
    time.pass(30_000)
    expect(health.claimProbe(route)).toBe(true)
    fail(health, 1)
    time.pass(59_999)
    expect(health.claimProbe(route)).toBe(false)
    time.pass(1)
    expect(health.claimProbe(route)).toBe(true)
  })

  it('need not be awaited: five calls that nothing answers leave it after three seconds', () => {
    const time = stoppedClock()
    const health = newHealth(time.clock)
    for (let i = 0; i < 5; i += 1) health.begin(route)
    time.pass(2_999)
    expect(health.skipped(route)).toBeUndefined()
    time.pass(1)
    expect(health.skipped(route)).toBe('5 calls without an answer')
    health.record(route, 3_000, undefined)
    expect(health.skipped(route)).toBeUndefined()
  })

  it('are none where calls are slow and answered one after the other', () => {
    const time = stoppedClock()
    const health = newHealth(time.clock)
    for (let i = 0; i < 100; i += 1) {
      health.begin(route)
      time.pass(500)
      if (i >= 10) health.record(route, 5_000, undefined)
      if (i >= 10) expect(health.skipped(route)).toBeUndefined()
    }
  })

  it('of one route say nothing of another', () => {
    const health = newHealth(stoppedClock().clock)
    fail(health, 5)
    expect(health.skipped({ ...route, id: 'r2' })).toBeUndefined()
  })

  it('never leave out a route whose breaker is off, nor one where it was just switched off', () => {
    const health = newHealth(stoppedClock().clock)
    const open = { id: 'r3', breaker: false }
    fail(health, 50, open)
    expect(health.skipped(open)).toBeUndefined()
    fail(health, 5)
    expect(health.skipped({ ...route, breaker: false })).toBeUndefined()
  })
})

describe('the exchange between processes', () => {
  let database: TestDatabase
  let db: Db
  let ids: string[]
  let taken = 0

  beforeAll(async () => {
    database = await createTestDatabase()
    db = database.owner
    const rows = await db<{ id: string }[]>`select id from routes order by id limit 20`
    ids = rows.map(({ id }) => id)
  })
  afterAll(() => database.drop())

  /** A route that no other test here has spoken of. */
  function newRoute() {
    taken += 1
    return { id: ids[taken] ?? '', breaker: true }
  }

  const measured = async (route_id: string) => {
    const [row] = await db`
      select calls, failures, took_ms_total, skip_until, skip_reason from route_health
       where route_id = ${route_id}`
    return row
  }

  it('tells the other process which route is broken, until when and why', async () => {
    const one = newRoute()
    const time = stoppedClock()
    const first = newHealth(time.clock)
    const second = newHealth(time.clock)
    fail(first, 5, one, 'no answer')
    await second.exchange(db)
    expect(second.skipped(one)).toBeUndefined()
    await first.exchange(db)
    await second.exchange(db)
    expect(second.skipped(one)).toBe('5 failures in a row, the last: no answer')
    time.pass(30_000)
    expect(second.isToTry(one)).toBe(true)
    // Whoever finds it well tells the others too.
    second.record(one, 10, undefined)
    await second.exchange(db)
    await first.exchange(db)
    expect(first.skipped(one)).toBeUndefined()
  })

  it('adds what each measured since the last time, once', async () => {
    const one = newRoute()
    const [first, second] = [newHealth(), newHealth()]
    first.record(one, 100.4, undefined)
    first.record(one, 200, 'timeout')
    second.record(one, 50, undefined)
    await first.exchange(db)
    await second.exchange(db)
    await first.exchange(db)
    first.record(one, 1, undefined)
    await first.exchange(db)
    expect(await measured(one.id)).toEqual({
      calls: 4n,
      failures: 1n,
      took_ms_total: 351n,
      skip_until: null,
      skip_reason: '',
    })
  })

  it('writes nothing of a route that was not called', async () => {
    const one = newRoute()
    const health = newHealth()
    expect(health.skipped(one)).toBeUndefined()
    await health.exchange(db)
    expect(await measured(one.id)).toBeUndefined()
  })

  it('a process without failures does not lift what another has found', async () => {
    const one = newRoute()
    const [first, second] = [newHealth(), newHealth()]
    fail(first, 5, one)
    await first.exchange(db)
    second.record(one, 10, undefined)
    await second.exchange(db)
    expect((await measured(one.id))?.['skip_reason']).toContain('5 failures in a row')
    expect(second.skipped(one)).toBeDefined()
    expect(first.skipped(one)).toBeDefined()
  })

  it('writes nothing of what this process has only heard of', async () => {
    const one = newRoute()
    const [first, second] = [newHealth(), newHealth()]
    fail(first, 5, one)
    await first.exchange(db)
    const written = async () => {
      const [row] = await db`select xmin::text from route_health where route_id = ${one.id}`
      return row?.['xmin']
    }
    const before = await written()
    await second.exchange(db)
    await second.exchange(db)
    expect(second.skipped(one)).toBeDefined()
    expect(await written()).toBe(before)
  })

  it('takes over what another process found later than this one', async () => {
    const one = newRoute()
    const time = stoppedClock()
    const [first, second] = [newHealth(time.clock), newHealth(time.clock)]
    fail(first, 5, one, 'no answer')
    await first.exchange(db)
    await second.exchange(db)
    time.pass(30_000)
    fail(second, 1, one, 'connection reset')
    await second.exchange(db)
    await first.exchange(db)
    time.pass(59_999)
    expect(first.skipped(one)).toBe('1 failures in a row, the last: connection reset')
    expect(first.isToTry(one)).toBe(false)
  })

  it('does not shorten what this process found after it had written', async () => {
    const one = newRoute()
    const time = stoppedClock()
    const health = newHealth(time.clock)
    fail(health, 5, one)
    await health.exchange(db)
    time.pass(30_000)
    // One more while the exchange is under way, after its write and before its read.
    const exchange = health.exchange(db)
    fail(health, 1, one)
    await exchange
    time.pass(59_000)
    expect(health.isToTry(one)).toBe(false)
  })

  it('that fails is made up for by the next one', async () => {
    const one = newRoute()
    const health = newHealth()
    fail(health, 5, one)
    const gone = connectTo(database.options, 1)
    await gone.end()
    await expect(health.exchange(gone)).rejects.toThrow()
    await health.exchange(db)
    expect(await measured(one.id)).toMatchObject({ calls: 5n, failures: 5n, took_ms_total: 50n })
  })

  it('two at the same time lose no call', async () => {
    const one = newRoute()
    const processes = Array.from({ length: 8 }, () => newHealth())
    for (const health of processes) fail(health, 3, one)
    await Promise.all(processes.map((health) => health.exchange(db)))
    expect(await measured(one.id)).toMatchObject({ calls: 24n, failures: 24n })
  })
})
