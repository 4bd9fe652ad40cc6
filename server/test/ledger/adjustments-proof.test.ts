// What `ledger verify` says of manual adjustments: nothing while row and entry agree, and a sentence
// for each way in which they do not. Without it one person could book what two must decide.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Place } from '../../src/ledger/account.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { Tx } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { soundAdjustment } from './adjustment-books.ts'
import { senegal } from './books.ts'

const law = 'each adjustment is booked, and nothing else'

let database: TestDatabase
let id: string
const place: Place = senegal(newId())
beforeAll(async () => {
  database = await createTestDatabase()
  id = await soundAdjustment(database.owner, place)
})
afterAll(() => database?.drop())

class Back extends Error {}

/** What the law says after the change, which is then taken back. */
async function foundAfter(change: (sql: Tx) => Promise<unknown>): Promise<readonly string[]> {
  let found: readonly string[] = []
  const changed = database.owner.begin(async (tx) => {
    await change(tx)
    found = (await verifyLedger(tx)).find(({ check }) => check === law)?.examples ?? []
    throw new Back()
  })
  await expect(changed).rejects.toBeInstanceOf(Back)
  return found
}

describe('the law of adjustments', () => {
  it('is kept by one that was booked as it says', async () => {
    expect(await foundAfter(async () => undefined)).toEqual([])
    const check = (await verifyLedger(database.owner)).find((one) => one.check === law)
    expect(check).toMatchObject({ ok: true, counted: 1 })
  })

  it.each([
    [
      'waits',
      { status: 'PENDING', decided_by: null, decided_at: null },
      /is PENDING and has entries/,
    ],
    ['was refused', { status: 'REFUSED' }, /is REFUSED and has entries/],
    ['says more', { amount: 250_001n }, /is booked with other figures than it has/],
    ['says another kind', { kind: 'CHARGE_MERCHANT' }, /is booked with other figures/],
    ['is of another country', { country: 'BJ' }, /is booked with other figures/],
    ['is of another environment', { environment: 'LIVE' }, /is booked with other figures/],
  ])('finds one that %s', async (_what, columns, words) => {
    const found = await foundAfter(
      (sql) => sql`update adjustments set ${sql(columns)} where id = ${id}`,
    )
    expect(found).toEqual([expect.stringMatching(words)])
  })

  it('finds one without entries, entries without one, and one booked twice', async () => {
    expect(
      await foundAfter((sql) => sql`delete from ledger_entries where cause_id = ${id}`),
    ).toEqual([`adjustment ${id} is BOOKED without entries`])
    expect(await foundAfter((sql) => sql`delete from adjustments where id = ${id}`)).toEqual([
      `entries name the adjustment ${id}, not there`,
    ])
    const [twice] = await foundAfter(
      (sql) => sql`
        insert into ledger_entries (merchant_id, id, environment, country, debit_account,
          credit_account, amount, currency, cause_kind, cause_id, line, available_change)
        select merchant_id, ${newId()}, environment, country, debit_account, credit_account,
               amount, currency, cause_kind, cause_id, 2, 0
          from ledger_entries where cause_id = ${id}`,
    )
    expect(twice).toMatch(/booked with other figures/)
  })

  it('two people are a check of the table: one alone cannot have booked it', async () => {
    const one = database.owner`
      update adjustments set decided_by = asked_by where id = ${id}`
    await expect(one).rejects.toMatchObject({ constraint_name: 'adjustments_two_people' })
  })
})
