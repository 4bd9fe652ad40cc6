// What a check finds of an account's hours and closings, as staff of either language read them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectInBoth } from '../../test/setup/both-languages.ts'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { systemActor } from '../audit/audit.ts'
import { type Db, openDb } from '../platform/db.ts'
import { hoursFindings } from './hours-findings.ts'
import { closeAccount, liftClosing, setHours } from './set-hours.ts'

const account = { code: 'simulator_a', environment: 'SANDBOX' } as const
const by = { environment: 'SANDBOX', actor: systemActor, person_id: null } as const
const place = { gateway: account.code, country: 'BJ', direction: 'DISBURSE' } as const

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const options = { connections_max: 4, durable: true, application_name: 'hours' }
  db = openDb({ ...database.options, role: 'pirogue_app', ...options })
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

async function found(environment: 'SANDBOX' | 'LIVE' = 'SANDBOX') {
  const findings = await hoursFindings(db, { ...account, environment }, Date.now())
  expectInBoth(findings)
  return findings
}

describe('the hours of an account', () => {
  it('are every hour where none are set, and else days of the same hours together', async () => {
    const [none, closings] = await found()
    expect([none?.is, none?.found.en, closings?.found.en]).toEqual([
      ...['PASS', 'open at every hour', 'none'],
    ])
    const open = (weekday: number, opens_min: number, closes_min: number) => ({
      ...{ weekday, opens_min, closes_min },
    })
    const windows = [
      ...[1, 2, 3].flatMap((day) => [open(day, 360, 720), open(day, 840, 1_320)]),
      ...[open(4, 360, 1_320), open(7, 480, 1_440)],
    ]
    await setHours(db, by, { ...place, windows })
    const [set] = await found()
    expect(set?.is).toBe('PASS')
    expect(set?.found).toEqual({
      en:
        'BJ DISBURSE Mon-Wed 06:00-12:00 14:00-22:00, Thu 06:00-22:00, Sun 08:00-24:00, ' +
        'in the country’s time',
      fr:
        'BJ DISBURSE lun.-mer. 06:00-12:00 14:00-22:00, jeu. 06:00-22:00, dim. 08:00-24:00, ' +
        'heure du pays',
    })
  })
})

describe('the closings of an account', () => {
  it('that are in force are a warning with what lifts them, and later ones are named', async () => {
    const later = new Date(Date.now() + 86_400_000)
    const closing = { ...place, ends_at: null, note: 'MTN is down' }
    const next = await closeAccount(db, by, { ...closing, from_at: later })
    const [, waits] = await found()
    expect([waits?.is, waits?.found.en]).toEqual(['PASS', expect.stringContaining('MTN is down')])
    const now = await closeAccount(db, by, { ...closing, direction: null, from_at: null })
    const [, closed] = await found()
    expect(closed).toMatchObject({
      is: 'WARN',
      fix: { en: `npm run cli -- gateway reopen ${account.code} ${now.id}` },
    })
    expect(closed?.found.en).toMatch(/^BJ from .* UTC until it is lifted \(MTN is down\); BJ DIS/)
    expect(closed?.found.fr).toMatch(/^BJ à partir du .* UTC, jusqu’à sa levée/)
    for (const { id } of [next, now]) await liftClosing(db, by, id)
    expect((await found())[1]?.found.en).toBe('none')
  })
})
