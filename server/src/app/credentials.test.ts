// The demo's credentials survive every crash (contract 7.3): whatever the file holds at a start,
// what is handed over afterwards works, and nothing that was lost still gives access.

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { authenticator } from '../merchants/authenticate.ts'
import { revokeKey } from '../merchants/keys/end-keys.ts'
import { openDb } from '../platform/db.ts'
import { credentialsAt, handOverDemo } from './credentials.ts'

let database: TestDatabase
let dir: string
let file: string

beforeEach(async () => {
  database = await createTestDatabase()
  dir = await mkdtemp(path.join(tmpdir(), 'pirogue-credentials-'))
  file = path.join(dir, 'credentials.json')
})
afterEach(async () => {
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

const url = 'http://127.0.0.1:8080'
const at = { public_url: url, dashboard_url: url }
const handOver = () => handOverDemo(database.owner, dir, at)
const stored = async () => JSON.parse(await readFile(file, 'utf8'))

/** `open`, or the code of the refusal. */
async function accessWith(secret: string): Promise<string> {
  const facts = { headers: {}, ip: '127.0.0.1', request_id: 'r', locale: 'en' } as const
  const call = authenticator(database.owner)({ authorization: `Bearer ${secret}`, ...facts })
  return call.then(
    () => 'open',
    (error: Error) => error.message,
  )
}

describe('handOverDemo', () => {
  it('writes once and hands over the same afterwards', async () => {
    const first = await handOver()
    expect(first.fresh).toBe(true)
    expect(await stored()).toEqual(first.credentials)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await handOver()).toEqual({ credentials: first.credentials, fresh: false })
    expect(await readdir(dir)).toEqual(['credentials.json'])
  })

  it.each([
    ['no file', () => rm(file)],
    ['half a file', () => writeFile(file, '{"base_url":"http://127')],
    ['a file without keys', () => writeFile(file, '{"base_url":"http://127.0.0.1"}')],
    ['keys of another database', async () => writeFile(file, await withOtherKeys())],
  ])('answers %s with new keys, and the lost ones end', async (_what, lose) => {
    const { credentials: before } = await handOver()
    await lose()
    const { credentials, fresh } = await handOver()
    expect(fresh).toBe(true)
    expect(await stored()).toEqual(credentials)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    for (const secret of Object.values(credentials.api_keys)) {
      expect(await accessWith(secret)).toBe('open')
    }
    for (const secret of Object.values(before.api_keys)) {
      expect(await accessWith(secret)).toBe('revoked_api_key')
    }
  })

  it('leaves a key alone that somebody revoked on purpose', async () => {
    const { credentials } = await handOver()
    const [key] = await database.owner`
      select id from api_keys where last4 = ${credentials.api_keys.BOTH.slice(-4)}
         and name = 'Demo BOTH'`
    await revokeKey(database.owner, key?.['id'])
    expect(await handOver()).toEqual({ credentials, fresh: false })
    expect(await accessWith(credentials.api_keys.BOTH)).toBe('revoked_api_key')
  })

  it('has written the file before the keys can be used: a death in between loses nothing', async () => {
    // The commit never comes, as after a kill: the constraint is checked at the very end.
    await database.owner.unsafe(`
      create function never() returns trigger language plpgsql as
        $$ begin raise exception 'killed here'; end $$;
      create constraint trigger never after insert on api_keys
        deferrable initially deferred for each row execute function never()`)
    await expect(handOver()).rejects.toThrow('killed here')
    const written = await stored()
    expect(await accessWith(written.api_keys.BOTH)).toBe('invalid_api_key')
    await database.owner`drop function never() cascade`
    const { credentials, fresh } = await handOver()
    expect(fresh).toBe(true)
    expect(await accessWith(credentials.api_keys.BOTH)).toBe('open')
  })

  it.each(['a first start', 'a lost file'])(
    'of several at once one makes the keys: %s',
    async (when) => {
      if (when === 'a lost file') {
        await handOver()
        await rm(file)
      }
      const dbs = Array.from({ length: 4 }, () =>
        openDb({
          ...database.options,
          connections_max: 1,
          durable: true,
          application_name: 'test',
        }),
      )
      const handed = await Promise.all(dbs.map((db) => handOverDemo(db, dir, at)))
      await Promise.all(dbs.map((db) => db.end()))
      expect(handed.filter(({ fresh }) => fresh)).toHaveLength(1)
      for (const { credentials } of handed) expect(credentials).toEqual(await stored())
      expect(await accessWith((await stored()).api_keys.PAYIN)).toBe('open')
    },
  )
})

describe('credentialsAt', () => {
  it('tells the file the address of this start and keeps the secrets', async () => {
    const { credentials } = await handOver()
    const next = 'http://127.0.0.1:9090'
    const there = { public_url: next, dashboard_url: next, sign_in_url: undefined }
    const moved = await credentialsAt(dir, there, credentials)
    expect(moved).toEqual({
      ...credentials,
      base_url: 'http://127.0.0.1:9090/api/v1',
      dashboard_url: 'http://127.0.0.1:9090/dashboard',
    })
    expect(await stored()).toEqual(moved)
    const own = { ...there, dashboard_url: 'http://localhost:9090' }
    const apart = await credentialsAt(dir, own, moved)
    expect(apart).toEqual({ ...moved, dashboard_url: 'http://localhost:9090/dashboard' })
    expect(await stored()).toEqual(apart)
  })

  it('has the link of this start, and not that of the one before', async () => {
    const { credentials } = await handOver()
    for (const sign_in_url of [`${url}/dashboard/sign-in-link#a`, `${url}/b`, undefined]) {
      const handed = await handOver()
      const now = await credentialsAt(dir, { ...at, sign_in_url }, handed.credentials)
      expect(now).toEqual({ ...credentials, ...(sign_in_url && { sign_in_url }) })
      expect(await stored()).toEqual(now)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
    }
  })
})

async function withOtherKeys(): Promise<string> {
  const of = (letter: string) => `sk_test_${letter.repeat(43)}`
  const api_keys = { PAYIN: of('a'), PAYOUT: of('b'), BOTH: of('c') }
  return JSON.stringify({ ...(await stored()), api_keys })
}
