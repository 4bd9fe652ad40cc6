// On which side a total stands when both sides were booked: without these, what was given back would
// be counted as if it had been taken twice.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { book, fund, gatewayId, payin, payinFigures, senegal } from '../../test/ledger/books.ts'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { newId } from '../platform/ids.ts'
import { account, gatewayAccount } from './account.ts'
import { hold, reversedToSuspense, suspense } from './postings.ts'
import { accountTotal, accountTotals } from './totals.ts'

let database: TestDatabase
const place = senegal(newId())

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('is what grew an account less what made it smaller, on either normal side', async () => {
  const sql = database.owner
  const gateway_id = await gatewayId(sql, 'simulator_a')
  const incident_id = newId()
  await payin(sql, place)
  await fund(sql, place, 500_000n)
  const taken_back = payinFigures.debited_amount - 32_500n
  const reversal = reversedToSuspense({ place, incident_id, gateway_id }, taken_back)
  await book(sql, place, { cause_kind: 'INCIDENT', cause_id: incident_id, lines: reversal })
  await book(sql, place, { cause_kind: 'HOLD', cause_id: newId(), lines: hold(place, 100_000n) })

  const accounts = [
    gatewayAccount(place, gateway_id, 'COLLECT'),
    account(place, 'available'),
    account(place, 'pending'),
    suspense(place, incident_id),
  ]
  const totals = await accountTotals(sql, accounts)
  expect(totals.map(({ debits, credits, balance }) => [debits, credits, balance])).toEqual([
    [1_032_500n, 1_000_000n, 32_500n],
    [100_000n, 1_500_000n, 1_400_000n],
    [0n, 100_000n, 100_000n],
    [1_000_000n, 0n, -1_000_000n],
  ])
  expect(await accountTotal(sql, accounts[0] ?? account(place, 'fx'))).toEqual(totals[0])
})

it('of no account is no total, and asks nothing', async () => {
  const unasked = (() => {
    throw new Error('it was asked')
  }) as unknown as TestDatabase['owner']
  expect(await accountTotals(unasked, [])).toEqual([])
})
