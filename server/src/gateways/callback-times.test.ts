// Whose callbacks come, over processes with clocks of their own; and when an attempt is first asked
// about because of it.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb } from '../platform/db.ts'
import { firstAskS, newCallbackTimes } from './callback-times.ts'
import type { Gateway, Gateways } from './gateway.ts'

let database: TestDatabase
let db: Db
let account: string
beforeAll(async () => {
  database = await createTestDatabase()
  const { options } = database
  db = openDb({ ...options, ...role, connections_max: 4 })
  const [row] = await database.owner<{ id: string }[]>`
    select id from gateways where code = 'simulator_a'`
  account = row?.id ?? ''
})
afterAll(async () => {
  await db.end()
  await database.drop()
})

const role = { role: 'pirogue_app', durable: true, application_name: 'times' } as const
const hour_ms = 3_600_000

beforeEach(() => database.owner`delete from gateway_callback_times`)

describe('callbacks of an account', () => {
  it('that came to one process count in another for an hour, whatever its clock says', async () => {
    let here_ms = 1_000_000_000_000
    let there_ms = 5_000_000_000_000
    const here = newCallbackTimes(() => here_ms)
    const there = newCallbackTimes(() => there_ms)
    expect(here.come(account)).toBe(false)
    here.note(account)
    expect([here.come(account), there.come(account)]).toEqual([true, false])
    here_ms += 60_000
    await here.exchange(db)
    await there.exchange(db)
    expect(there.come(account)).toBe(true)
    there_ms += hour_ms - 75_000
    expect(there.come(account)).toBe(true)
    there_ms += 30_000
    expect(there.come(account)).toBe(false)
    here_ms += hour_ms
    expect(here.come(account)).toBe(false)
  })

  it('are written once a minute at most, and never turned back by an older word', async () => {
    let now_ms = 2_000_000_000_000
    const times = newCallbackTimes(() => now_ms)
    const pass = async (seconds: number) => {
      now_ms += seconds * 1000
      await database.owner`
        update gateway_callback_times set last_at = last_at - ${seconds} * interval '1 second'`
    }
    const age_s = async () => {
      const [row] = await database.owner<{ age_s: number }[]>`
        select extract(epoch from now() - last_at)::float8 as age_s from gateway_callback_times`
      return row?.age_s ?? Number.NaN
    }
    times.note(account)
    await times.exchange(db)
    await pass(59)
    times.note(account)
    await times.exchange(db)
    expect(await age_s()).toBeGreaterThan(50)
    await pass(2)
    times.note(account)
    await times.exchange(db)
    expect(await age_s()).toBeLessThan(30)
    // A process that was long away brings one that is older.
    let late_ms = 7_000_000_000_000
    const late = newCallbackTimes(() => late_ms)
    late.note(account)
    late_ms += 600_000
    await late.exchange(db)
    expect(await age_s()).toBeLessThan(30)
  })

  it('count for an hour, also where the machine’s clock is set back meanwhile', async () => {
    const real_now = Date.now
    let back_ms = 0
    vi.spyOn(Date, 'now').mockImplementation(() => real_now() - back_ms)
    const times = newCallbackTimes()
    times.note(account)
    back_ms = 24 * hour_ms
    await times.exchange(db).finally(() => vi.restoreAllMocks())
    const [row] = await database.owner<{ is_over: boolean }[]>`
      select last_at <= now() as is_over from gateway_callback_times`
    expect(row).toEqual({ is_over: true })
  })

  it('that cannot be written are kept, and written the next time', async () => {
    const times = newCallbackTimes()
    times.note(account)
    times.note(randomUUID())
    const closed = openDb({ ...database.options, ...role, connections_max: 1 })
    await closed.end()
    await expect(times.exchange(closed)).rejects.toThrow()
    expect(times.come(account)).toBe(true)
    // An account that is gone keeps no other from it.
    await times.exchange(db)
    const kept = await database.owner`select gateway_id from gateway_callback_times`
    expect(kept).toEqual([{ gateway_id: account }])
  })
})

describe('the first question', () => {
  const facts = { first_ask_after_s: { callbacks_seen: 60, callbacks_silent: 20 } }
  const gatewaysOf = (come: boolean | undefined, more: object = {}): Gateways => ({
    get: (code) =>
      code === 'mtn' ? ({ facts: { ...facts, ...more } } as unknown as Gateway) : undefined,
    all: () => [],
    ...(come === undefined ? {} : { callbacksCome: () => come }),
  })
  const payin = { gateway_code: 'mtn', direction: 'COLLECT' } as const
  const payout = { gateway_code: 'mtn', direction: 'DISBURSE' } as const

  it('comes later where callbacks come, and at once where nobody knows', () => {
    expect(firstAskS(gatewaysOf(true), payin)).toBe(60)
    expect(firstAskS(gatewaysOf(false), payin)).toBe(20)
    expect(firstAskS(gatewaysOf(undefined), payin)).toBe(20)
    expect(firstAskS(gatewaysOf(true), payout)).toBe(60)
    expect(firstAskS(gatewaysOf(true, { payouts_call_back: false }), payout)).toBe(20)
    expect(firstAskS(gatewaysOf(true, { payouts_call_back: false }), payin)).toBe(60)
    expect(firstAskS(gatewaysOf(true), { ...payin, gateway_code: 'nobody' })).toBeUndefined()
  })
})
