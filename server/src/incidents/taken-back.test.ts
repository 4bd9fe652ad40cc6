// Money that an operator takes back is one incident, by whichever of two names it is put down; and
// what an older installation has by both names is credited once.

import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, inTransaction, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { migrate } from '../platform/migrate.ts'
import { homeOf } from '../platform/places/places.ts'
import { runPart } from '../platform/sql.ts'
import type { IncidentType, NewIncident } from './incident.ts'
import { allowedFor } from './resolution.ts'
import { type IncidentLocked, openIncident } from './statements.ts'

const shipped = fileURLToPath(new URL('../../migrations', import.meta.url))
const of_pairs = '0164_money_comes_back_once.sql'

let database: TestDatabase
const pairs = { both_open: newId(), credited: newId(), recovered: newId() }
const merchant_id = newId()

type Planted = Readonly<{ type: IncidentType; attempt_id: string; resolution?: string }>

/** As a process of an older version wrote it. The attempt is nowhere: only the pair is looked at. */
const plant = ({ type, attempt_id, resolution }: Planted) =>
  database.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into incidents (merchant_id, id, environment, type, status, attempt_id, gateway_id,
        currency, amount, suspense_side, resolution, proposed_by, confirmed_by, resolved_at)
      values (${merchant_id}, gen_random_uuid(), 'LIVE', ${type},
        ${resolution === undefined ? 'OPEN' : 'RESOLVED'}, ${attempt_id}, gen_random_uuid(), 'XOF',
        1000, 'CREDIT', ${resolution ?? null}, gen_random_uuid(), gen_random_uuid(),
        ${resolution === undefined ? null : tx`now()`})`
  })

beforeAll(async () => {
  database = await createEmptyDatabase()
  const dir = await mkdtemp(join(tmpdir(), 'pirogue-before-'))
  const before = (await readdir(shipped)).filter((name) => name < of_pairs)
  await Promise.all(before.map((name) => copyFile(join(shipped, name), join(dir, name))))
  await migrate(database.owner, { dir })
  await rm(dir, { recursive: true })
  const { both_open, credited, recovered } = pairs
  await plant({ type: 'REVERSED_AFTER_SUCCESS', attempt_id: both_open })
  await plant({ type: 'RETURNED', attempt_id: both_open })
  await plant({ type: 'RETURNED', attempt_id: credited })
  const settled = { type: 'REVERSED_AFTER_SUCCESS', attempt_id: credited } as const
  await plant({ ...settled, resolution: 'CREDIT_MERCHANT' })
  await plant({ type: 'REVERSED_AFTER_SUCCESS', attempt_id: recovered, resolution: 'RECOVERED' })
  await plant({ type: 'RETURNED', attempt_id: recovered })
  await migrate(database.owner)
})
afterAll(() => database?.drop())

const paid = {
  direction: 'DISBURSE',
  currency: 'XOF',
  status: 'SUCCESS',
  booked_amount: null,
} as const

/** What people may still decide of each that is open, by type. */
async function waysOf(attempt_id: string) {
  const open = await database.owner<IncidentLocked[]>`
    select * from incidents where attempt_id = ${attempt_id} and status = 'OPEN' order by type`
  return open.map((one) => [one.type, allowedFor(one, { attempt: paid, unended: 'none' })])
}

describe('money that is down by both names since before', () => {
  it('is credited by one of them while both are open', async () => {
    expect(await waysOf(pairs.both_open)).toEqual([
      ['RETURNED', ['CREDIT_MERCHANT', 'RECOVERED']],
      ['REVERSED_AFTER_SUCCESS', ['RECOVERED']],
    ])
  })

  it('is not credited again', async () => {
    expect(await waysOf(pairs.credited)).toEqual([['RETURNED', ['RECOVERED']]])
  })

  it('is credited by the second where people have put the first right alone', async () => {
    expect(await waysOf(pairs.recovered)).toEqual([['RETURNED', ['CREDIT_MERCHANT', 'RECOVERED']]])
  })
})

describe('money that comes back from now on', () => {
  const incidentOf = (type: IncidentType, attempt_id: string): NewIncident => ({
    ...{ merchant_id, environment: 'LIVE', id: newId(), type, attempt_id, transaction_id: null },
    ...{ settlement_id: null, callback_id: null, gateway_id: newId(), country: 'BJ' },
    ...{ currency: 'XOF', amount: 1000n, suspense_side: 'CREDIT', detail: {} },
  })

  let db: Db
  beforeAll(async () => {
    await database.owner`
      alter table incidents drop constraint incidents_merchant_id_attempt_id_fkey`
    const how = { connections_max: 4, application_name: 'taken back', durable: false }
    db = openDb({ ...database.options, ...how, role: 'pirogue_app' })
  })
  afterAll(() => db?.end())

  const opens = (type: IncidentType, attempt_id: string): Promise<number> =>
    inTransaction(homeOf(db, merchant_id), (tx) =>
      runPart(tx, openIncident(tx, incidentOf(type, attempt_id))),
    )

  it('is one incident, though two processes say it at once by two names', async () => {
    for (let times = 0; times < 10; times += 1) {
      const attempt_id = newId()
      const both = await Promise.all([
        opens('RETURNED', attempt_id),
        opens('REVERSED_AFTER_SUCCESS', attempt_id),
      ])
      expect(both.toSorted()).toEqual([0, 1])
    }
  })

  it('stands beside an amount that differs', async () => {
    const attempt_id = newId()
    expect(await opens('AMOUNT_MISMATCH', attempt_id)).toBe(1)
    expect(await opens('RETURNED', attempt_id)).toBe(1)
    expect(await opens('REVERSED_AFTER_SUCCESS', attempt_id)).toBe(0)
  })
})
