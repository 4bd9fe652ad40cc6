// Three refusals of our credentials in a minute switch an account off, whichever processes got them;
// others, older ones and those of another account do not.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb } from '../platform/db.ts'
import type { MoneyAlarmKind } from './alarm-kinds.ts'
import { listSeenAlarms, type RefusedCall } from './alarm-statements.ts'
import { alarmIn, newAlarmRest, raiseAlarm } from './alarms.ts'
import { readCreated } from './pawapay/read-answer.ts'

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

const credential = (at = 0, call: RefusedCall = 'CREATE') =>
  raiseAlarm(db, { gateway_id: ids[at] ?? '', kind: 'CREDENTIAL', call })

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

  it('stays on where one of its networks is not opened to us, whatever comes beside', async () => {
    const our_key = '7d3c1c0e-5d5f-4b6e-9d65-0a8a3a1f4a10'
    const about = { operation: 'deposits', attempt: { our_key } } as const
    const refusedFor = (failureCode: string) => {
      const body = JSON.stringify({ failureReason: { failureCode, failureMessage: 'why' } })
      const result = { is: 'answered', status: 403, headers: {}, body, took_ms: 1 } as const
      const read = readCreated(about, result, () => undefined)
      return read.is === 'taken' ? undefined : alarmIn(read)
    }
    const raise = async (code: string) => {
      const kind = refusedFor(code)
      if (kind !== 'CREDENTIAL' && kind !== 'CONFIGURATION') throw new Error(`${kind} of ${code}`)
      return raiseAlarm(db, { gateway_id: ids[0] ?? '', kind, call: 'CREATE' })
    }
    for (let i = 0; i < 5; i += 1) expect(await raise('DEPOSITS_NOT_ALLOWED')).toBe(false)
    expect(await off()).toEqual([])
    expect([await raise('AUTHENTICATION_ERROR'), await raise('NO_AUTHENTICATION')]).toEqual([
      ...[false, false],
    ])
    expect(await raise('AUTHORISATION_ERROR')).toBe(true)
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
      expect(await raiseAlarm(db, { gateway_id, kind: 'CONFIGURATION', call: 'CREATE' })).toBe(
        false,
      )
    }
    expect(await off()).toEqual([])
  })
})

describe('a refusal of a question or a refund', () => {
  it('is kept as what it was, and never counts towards the switch', async () => {
    await credential()
    for (const call of ['ASK', 'ASK', 'REFUND', 'ASK'] as const) {
      expect(await credential(0, call)).toBe(false)
    }
    expect(await credential()).toBe(false)
    expect(await off()).toEqual([])
    expect(await listSeenAlarms(db, ids[0] ?? '')).toMatchObject([
      { of: 'CREATE', count: 2 },
      { of: 'ASK', count: 3 },
      { of: 'REFUND', count: 1 },
    ])
    expect(await credential()).toBe(true)
  })

  it('is written once a minute of an account and kind, where it was a question', () => {
    let now = 0
    const isToWrite = newAlarmRest(() => now)
    const [gateway_id, other] = ['one', 'two']
    const ask = { gateway_id, kind: 'CREDENTIAL', call: 'ASK' } as const
    expect([isToWrite(ask), isToWrite(ask)]).toEqual([true, false])
    expect(isToWrite({ ...ask, gateway_id: other })).toBe(true)
    expect(isToWrite({ ...ask, kind: 'CONFIGURATION' })).toBe(true)
    for (const call of ['CREATE', 'REFUND'] as const) {
      expect([isToWrite({ ...ask, call }), isToWrite({ ...ask, call })]).toEqual([true, true])
    }
    now = 59_999
    expect(isToWrite(ask)).toBe(false)
    now = 60_000
    expect([isToWrite(ask), isToWrite(ask)]).toEqual([true, false])
  })
})

describe('money that people must see', () => {
  const money = (kind: MoneyAlarmKind, about: string, at = 0) =>
    raiseAlarm(db, { gateway_id: ids[at] ?? '', kind, call: 'ANY', about })

  it('is kept once by its reference, switches nothing off, and is listed by its kind', async () => {
    for (const about of ['one', 'two', 'one']) await money('GIVEN_BACK', about)
    for (let at = 0; at < 7; at += 1) await money('CONTRADICTION', `odd-${at}`)
    await money('CONTRADICTION', 'x'.repeat(1_000), 1)
    expect(await off()).toEqual([])
    expect(await listSeenAlarms(db, ids[0] ?? '')).toMatchObject([
      { of: 'CONTRADICTION', count: 7, about: ['odd-6', 'odd-5', 'odd-4', 'odd-3', 'odd-2'] },
      { of: 'GIVEN_BACK', count: 2, about: ['one', 'two'] },
    ])
  })

  it('is written each time where it was given back, and else once a minute of a payment', () => {
    const isToWrite = newAlarmRest(() => 0)
    const alarm = { gateway_id: 'one', call: 'ANY' } as const
    for (const kind of ['GIVEN_BACK', 'CONTRADICTION'] as const) {
      const each = ['a', 'b', 'a'].map((about) => isToWrite({ ...alarm, kind, about }))
      expect(each).toEqual([true, true, kind === 'GIVEN_BACK'])
    }
  })
})
