// One token for an account and product, however many ask: in one process, and in many.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { openKeyring } from '../platform/crypto/seal.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { IssuedToken, TokenStore } from './adapter.ts'
import { addGateways } from './gateways.ts'
import { sharedTokens } from './token-leases.ts'
import { cachedTokens, memoryTokens, timesOf } from './tokens.ts'

let database: TestDatabase
let db: Db
const keyring = openKeyring(randomBytes(32).toString('base64'))
beforeAll(async () => {
  database = await createTestDatabase()
  const own = { connections_max: 10, durable: false, application_name: 'accounts' }
  db = openDb({ ...database.options, ...own, role: 'pirogue_app' })
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

type Issuer = { asked: number; is_down: boolean; life_s: number; slow_ms: number }

const issuerOf = (issuer: Issuer) => async (): Promise<IssuedToken> => {
  issuer.asked += 1
  const value = `token-${issuer.asked}`
  await new Promise((resolve) => setTimeout(resolve, issuer.slow_ms))
  if (issuer.is_down) return { is: 'none', because: 'token: status 503' }
  return { is: 'issued', value, expires_in_s: issuer.life_s }
}

const newIssuer = (): Issuer => ({ asked: 0, is_down: false, life_s: 3600, slow_ms: 20 })

async function newAccount(): Promise<string> {
  const id = newId()
  const row = { id, code: `t_${id.slice(-8)}`, adapter: 'x', name: 'x' } as const
  await addGateways(database.owner, [{ ...row, environment: 'SANDBOX', is_active: false }])
  return id
}

const processOf = (gateway_id: string, issuer: Issuer, now = Date.now): TokenStore =>
  sharedTokens({ db, keyring, gateway_id, now }, issuerOf(issuer))

const values = async (stores: readonly TokenStore[]) =>
  (await Promise.all(stores.map((one) => one.get('collection')))).map((token) =>
    token.is === 'token' ? token.value : token.is,
  )

describe('a token in memory', () => {
  it('is asked for once by however many, and again after it was refused', async () => {
    const issuer = newIssuer()
    const store = memoryTokens(issuerOf(issuer), Date.now)
    expect(await values(Array(20).fill(store))).toEqual(Array(20).fill('token-1'))
    const token = await store.get('collection')
    if (token.is !== 'token') throw new Error(token.is)
    store.refuse('collection', token.generation)
    store.refuse('collection', token.generation)
    expect(await values(Array(20).fill(store))).toEqual(Array(20).fill('token-2'))
    store.refuse('collection', token.generation)
    expect([await values([store]), issuer.asked]).toEqual([['token-2'], 2])
  })

  it('is renewed early, while the old one goes on, and ends before its end', async () => {
    const issuer = newIssuer()
    let now_ms = 0
    const store = memoryTokens(issuerOf(issuer), () => now_ms)
    await store.get('collection')
    const { renew_at, expires_at } = timesOf(3600, 0)
    expect([renew_at, expires_at]).toEqual([2_700_000, 3_570_000])
    now_ms = renew_at
    expect(await values([store])).toEqual(['token-1'])
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect([await values([store]), issuer.asked]).toEqual([['token-2'], 2])
    issuer.is_down = true
    now_ms += expires_at
    expect(await values([store, store])).toEqual(['none', 'none'])
    expect(issuer.asked).toBe(3)
  })

  it('is another where it was refused while one that others had kept was still read', async () => {
    const asked: bigint[] = []
    const answers: ((generation: bigint) => void)[] = []
    let now_ms = 0
    const store = cachedTokens(
      () => now_ms,
      async (_product, refused) => {
        asked.push(refused)
        const generation = await new Promise<bigint>((resolve) => answers.push(resolve))
        const times = timesOf(3600, now_ms)
        return { is: 'kept', token: { value: `token-${generation}`, generation, ...times } }
      },
    )
    const first = store.get('collection')
    answers[0]?.(1n)
    await first
    // Its renewal has begun when it is refused, and finds what the others still go on with.
    now_ms = timesOf(3600, 0).renew_at
    expect(await store.get('collection')).toMatchObject({ generation: 1n })
    store.refuse('collection', 1n)
    const waiting = [store.get('collection'), store.get('collection')]
    answers[1]?.(1n)
    await expect.poll(() => asked).toEqual([0n, 0n, 1n])
    answers[2]?.(2n)
    expect(await Promise.all(waiting)).toMatchObject([{ generation: 2n }, { generation: 2n }])
    expect(await values([store])).toEqual(['token-2'])
  })
})

describe('a token that processes share', () => {
  it('is asked for once by fifty of them, and once more when it was refused', async () => {
    const [issuer, account] = [newIssuer(), await newAccount()]
    const processes = Array.from({ length: 50 }, () => processOf(account, issuer))
    expect(new Set(await values(processes))).toEqual(new Set(['token-1']))
    expect(issuer.asked).toBe(1)
    for (const one of processes) {
      const token = await one.get('collection')
      if (token.is === 'token') one.refuse('collection', token.generation)
    }
    expect(new Set(await values(processes))).toEqual(new Set(['token-2']))
    expect(issuer.asked).toBe(2)
  })

  it('costs no question to the database while it is good', async () => {
    const [issuer, account] = [newIssuer(), await newAccount()]
    const own = { connections_max: 1, durable: false, application_name: 'ended' }
    const ended = openDb({ ...database.options, ...own, role: 'pirogue_app' })
    const deps = { db: ended, keyring, gateway_id: account, now: Date.now }
    const store = sharedTokens(deps, issuerOf(issuer))
    await store.get('collection')
    await ended.end()
    expect(await values(Array(20).fill(store))).toEqual(Array(20).fill('token-1'))
    // Without the database and without a token nothing is sent, and that is an answer.
    expect(await sharedTokens(deps, issuerOf(issuer)).get('collection')).toEqual({
      is: 'none',
      because: 'token: the database is away',
    })
  })

  it('is sealed, and bound to its account', async () => {
    const [issuer, one, other] = [newIssuer(), await newAccount(), await newAccount()]
    await values([processOf(one, issuer), processOf(other, issuer)])
    const rows = await database.owner<{ text: string }[]>`
      select encode(sealed, 'escape') as text from gateway_tokens`
    expect(rows.every(({ text }) => !text.includes('token-'))).toBe(true)
    await database.owner`
      update gateway_tokens a set sealed = b.sealed from gateway_tokens b
       where a.gateway_id = ${one} and b.gateway_id = ${other}`
    // Another account's does not open, so it is never used: a new one takes its place.
    expect(await values([processOf(one, issuer)])).toEqual(['token-3'])
  })

  it('is there again soon after whoever asked for it died, and when the operator is up', async () => {
    const [issuer, account] = [newIssuer(), await newAccount()]
    await database.owner`
      insert into gateway_tokens (gateway_id, product, lease_until, fence)
      values (${account}, 'collection', now() + interval '1 second', 7)`
    expect(await values([processOf(account, issuer)])).toEqual(['token-1'])
    issuer.is_down = true
    const down = await newAccount()
    const process = processOf(down, issuer)
    expect(await values([process])).toEqual(['none'])
    issuer.is_down = false
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect((await process.get('collection')).is).toBe('token')
  })
})
