// What the command line may do to a merchant: create, give keys, revoke, suspend, restore.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { newId } from '../platform/ids.ts'
import { restoreMerchant, suspendMerchant } from './admin/suspend-merchant.ts'
import { authenticator } from './authenticate.ts'
import { revokeKey } from './keys/end-keys.ts'
import { createKey } from './keys/issue-keys.ts'
import { createMerchant } from './merchant.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.drop())

const callWith = (secret: string) =>
  authenticator(database.owner)({
    authorization: `Bearer ${secret}`,
    headers: {},
    ip: '127.0.0.1',
    request_id: 'r',
    locale: 'en',
  })

describe('a merchant and its keys', () => {
  it('calls with a new key, within its own limit and scope', async () => {
    const sql = database.owner
    const merchant = await createMerchant(sql, { name: 'Teranga', rate_limit_per_minute: 7 })
    const request = { merchant_id: merchant.id, environment: 'SANDBOX', scope: 'PAYIN' } as const
    const key = await createKey(sql, { ...request, name: 'Till' })
    expect(key.secret.startsWith(key.key_prefix)).toBe(true)
    expect(key.secret.endsWith(key.last4)).toBe(true)
    const { caller, rate } = await callWith(key.secret)
    expect(caller).toMatchObject({ ...request, api_key_id: key.id, suspended: false })
    expect(rate.limit).toBe(7)
  })

  it('never stores the secret', async () => {
    const { id } = await createMerchant(database.owner, { name: 'Ndar' })
    const request = { merchant_id: id, environment: 'SANDBOX', scope: 'BOTH', name: '' } as const
    const { secret } = await createKey(database.owner, request)
    const [row] = await database.owner`
      select count(*)::int as found from api_keys k
       where k::text like ${`%${secret.slice(12, 40)}%`}`
    expect(row).toEqual({ found: 0 })
  })

  it('gives a LIVE key only to an approved merchant', async () => {
    const sql = database.owner
    const waiting = await createMerchant(sql, { name: 'Waiting' })
    const approved = await createMerchant(sql, { name: 'Approved', live_enabled: true })
    const live = { environment: 'LIVE', scope: 'BOTH', name: '' } as const
    await expect(createKey(sql, { ...live, merchant_id: waiting.id })).rejects.toThrow(
      'live_mode_not_enabled',
    )
    const { secret } = await createKey(sql, { ...live, merchant_id: approved.id })
    expect(secret).toMatch(/^sk_live_/)
    expect((await callWith(secret)).caller.environment).toBe('LIVE')
  })

  it('refuses whom it does not know, the platform included', async () => {
    const key = { environment: 'SANDBOX', scope: 'BOTH', name: '' } as const
    for (const id of [newId(), 'nobody', '00000000-0000-7000-8000-000000000001']) {
      await expect(createKey(database.owner, { ...key, merchant_id: id })).rejects.toThrow(
        'not_found',
      )
      await expect(suspendMerchant(database.owner, id, '')).rejects.toThrow('not_found')
      await expect(restoreMerchant(database.owner, id)).rejects.toThrow('not_found')
    }
    await expect(revokeKey(database.owner, newId())).rejects.toThrow('not_found')
    await expect(revokeKey(database.owner, 'k1')).rejects.toThrow('not_found')
  })

  it('refuses a revoked key at the next call, and keeps the first moment', async () => {
    const sql = database.owner
    const { id } = await createMerchant(sql, { name: 'Gorée' })
    const request = { merchant_id: id, environment: 'SANDBOX', scope: 'BOTH', name: '' } as const
    const key = await createKey(sql, request)
    await callWith(key.secret)
    await revokeKey(sql, key.id)
    await expect(callWith(key.secret)).rejects.toThrow('revoked_api_key')
    const moment = () => sql`select revoked_at from api_keys where id = ${key.id}`
    const [first] = await moment()
    await revokeKey(sql, key.id)
    expect((await moment())[0]).toEqual(first)
  })

  it('shows a suspended merchant as such until it is restored', async () => {
    const sql = database.owner
    const { id } = await createMerchant(sql, { name: 'Saly' })
    const request = { merchant_id: id, environment: 'SANDBOX', scope: 'BOTH', name: '' } as const
    const { secret } = await createKey(sql, request)
    await suspendMerchant(sql, id, 'papers missing')
    expect((await callWith(secret)).caller.suspended).toBe(true)
    await restoreMerchant(sql, id)
    expect((await callWith(secret)).caller.suspended).toBe(false)
  })
})
