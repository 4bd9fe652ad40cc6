// Three refusals of our credentials in a minute switch an account off, whichever processes got them;
// others, older ones and those of another account do not.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb } from '../platform/db.ts'
import { raiseAlarm } from './alarms.ts'

let database: TestDatabase
let db: Db
let ids: string[]
beforeAll(async () => {
  database = await createTestDatabase()
  const options = { connections_max: 8, durable: true, application_name: 'alarms' }
  db = openDb({ ...database.options, role: 'pirogue_app', ...options })
  const rows = await db<{ id: string }[]>`select id from gateways order by code`
  ids = rows.map(({ id }) => id)
})
beforeEach(async () => {
  await db`delete from gateway_alarms`
  await db`update gateways set is_active = true`
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

const credential = (at = 0) => raiseAlarm(db, { gateway_id: ids[at] ?? '', kind: 'CREDENTIAL' })

const off = async () => {
  const rows = await db<{ id: string }[]>`select id from gateways where not is_active`
  return rows.map(({ id }) => id)
}

const versionOf = async () => {
  const [row] = await db<{ version: bigint }[]>`select version from catalogue_version`
  return row?.version ?? 0n
}

describe('an account whose credentials are refused', () => {
  it('is switched off by the third in a minute, and every process learns of it', async () => {
    const version = await versionOf()
    expect([await credential(), await credential()]).toEqual([false, false])
    expect(await credential(1)).toBe(false)
    expect(await versionOf()).toBe(version)
    expect(await credential()).toBe(true)
    expect(await off()).toEqual([ids[0]])
    expect(await versionOf()).toBeGreaterThan(version)
    const acts = await db<{ actor_kind: string; after: object }[]>`
      select actor_kind, after from audit_logs where action = 'gateway.tripped'`
    expect(acts).toMatchObject([{ actor_kind: 'SYSTEM', after: { is_active: false } }])
    // Once: what follows finds it off.
    expect(await credential()).toBe(false)
  })

  it('is switched off once, however many come at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => credential()))
    expect(all.filter((one) => one)).toHaveLength(1)
    expect(await off()).toEqual([ids[0]])
  })

  it('stays on where they are older than a minute, or of how it is set up', async () => {
    await credential()
    await credential()
    await database.owner`
      update gateway_alarms set created_at = created_at - interval '61 seconds'`
    expect(await credential()).toBe(false)
    const gateway_id = ids[0] ?? ''
    for (let i = 0; i < 5; i += 1) {
      expect(await raiseAlarm(db, { gateway_id, kind: 'CONFIGURATION' })).toBe(false)
    }
    expect(await off()).toEqual([])
  })
})
