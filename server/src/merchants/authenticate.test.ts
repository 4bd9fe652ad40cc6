// Calls that come at the same moment are read and counted together, and each is answered as if it
// had come alone: its own key, its own count, its own refusal.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb } from '../platform/db.ts'
import { Refusal } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { RateLimited } from './allowance.ts'
import { authenticator } from './authenticate.ts'
import { revokeKey } from './keys/end-keys.ts'
import { createKey } from './keys/issue-keys.ts'
import { createMerchant } from './merchant.ts'

let database: TestDatabase
const pools: Db[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  for (const pool of pools) await pool.end({ timeout: 1 })
  await database.drop()
})

/** As a process of its own: its pool, its allowance. */
function processOfItsOwn() {
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  const db = openDb({ ...database.options, ...name, connections_max: 3, durable: false })
  pools.push(db)
  const authenticate = authenticator(db)
  return (secret: string) =>
    authenticate({
      authorization: `Bearer ${secret}`,
      headers: {},
      ip: '127.0.0.1',
      request_id: 'r',
      locale: 'en',
    }).then(
      ({ caller, rate }) => ({ merchant_id: caller.merchant_id, remaining: rate.remaining }),
      (error: unknown) => {
        if (error instanceof RateLimited) return 'limited' as const
        if (error instanceof Refusal) return error.row.code
        throw error
      },
    )
}

async function keyOf(rate_limit_per_minute: number, environment: Environment = 'SANDBOX') {
  const sql = database.owner
  const live_enabled = environment === 'LIVE'
  const merchant = await createMerchant(sql, { name: 'M', rate_limit_per_minute, live_enabled })
  const request = { merchant_id: merchant.id, environment, scope: 'BOTH', name: '' } as const
  return createKey(sql, request)
}

/** A limit counts within one minute: not begun when the minute is about to turn. */
async function earlyInTheMinute(): Promise<void> {
  const late_ms = 60_000 - (Date.now() % 60_000)
  if (late_ms < 10_000) await sleep(late_ms + 100)
}

describe('calls at the same moment', () => {
  it.each([1, 7, 100])(
    'pass exactly to the limit of %i over two processes, each with its own count',
    async (limit) => {
      const { secret } = await keyOf(limit)
      await earlyInTheMinute()
      const [one, other] = [processOfItsOwn(), processOfItsOwn()]
      const calls = Array.from({ length: limit * 2 + 20 }, (_, n) =>
        (n % 2 === 0 ? one : other)(secret),
      )
      const answers = await Promise.all(calls)
      const passed = answers.flatMap((answer) => (typeof answer === 'object' ? answer : []))
      expect(answers.filter((answer) => answer === 'limited')).toHaveLength(limit + 20)
      const left = passed.map(({ remaining }) => remaining).toSorted((a, b) => b - a)
      expect(left).toEqual(Array.from({ length: limit }, (_, n) => limit - 1 - n))
    },
    40_000,
  )

  it('of many merchants are each counted in their own minute', async () => {
    const keys = await Promise.all([3, 5, 50, 4000].map((limit) => keyOf(limit)))
    await earlyInTheMinute()
    const call = processOfItsOwn()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const key = keys[n % keys.length]
        return call(key?.secret ?? '').then((answer) => [key?.merchant_id, answer] as const)
      }),
    )
    const passed = keys.map(
      ({ merchant_id }) =>
        answers.filter(([who, what]) => who === merchant_id && typeof what === 'object').length,
    )
    expect(passed).toEqual([3, 5, 10, 10])
    for (const [who, what] of answers) {
      if (typeof what === 'object') expect(what.merchant_id).toBe(who)
    }
  })

  it('are each refused for their own reason, and what is refused is not counted', async () => {
    const good = await keyOf(20)
    const revoked = await createKey(database.owner, { ...good, name: 'old' })
    await revokeKey(database.owner, revoked.id)
    await earlyInTheMinute()
    const call = processOfItsOwn()
    const unknown = `${good.secret.slice(0, -6)}AAAAAA`
    const secrets = [good.secret, revoked.secret, unknown]
    const calls = Array.from({ length: 30 }, (_, n) => call(secrets[n % 3] ?? ''))
    const answers = await Promise.all(calls)
    expect(answers.filter((answer) => typeof answer === 'object')).toHaveLength(10)
    expect(answers.filter((answer) => answer === 'revoked_api_key')).toHaveLength(10)
    expect(answers.filter((answer) => answer === 'invalid_api_key')).toHaveLength(10)
    expect(await call(good.secret)).toMatchObject({ remaining: 9 })
  })
})
