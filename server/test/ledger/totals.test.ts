// An account's total is its checkpoint and every entry after it, on the side where it grows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, accountId, gatewayAccount } from '../../src/ledger/account.ts'
import { hold, reversedToSuspense, suspense } from '../../src/ledger/postings.ts'
import { newId } from '../../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { accountTotal, accountTotals } from './account-totals.ts'
import { book, fund, gatewayId, payin, payinFigures, senegal } from './books.ts'

let database: TestDatabase
const place = senegal(newId())

beforeAll(async () => {
  database = await createTestDatabase()
  await payin(database.owner, place)
  await payin(database.owner, place)
})

afterAll(() => database.drop())

describe('accountTotal', () => {
  it('sums both sides of each account, and zero where nothing was booked', async () => {
    const gateway = gatewayAccount(place, await gatewayId(database.owner, 'simulator_a'), 'COLLECT')
    const accounts = [gateway, account(place, 'available'), account(place, 'losses')]
    const totals = await accountTotals(database.owner, accounts)
    expect(totals.map(({ balance }) => balance)).toEqual([2_065_000n, 2_000_000n, 0n])
    expect(totals[0]).toMatchObject({ account: gateway, debits: 2_065_000n, credits: 0n })
  })

  it('adds to the checkpoint only what came after it', async () => {
    const sql = database.owner
    const available = account(place, 'available')
    await sql`
      insert into ledger_checkpoints ${sql({
        merchant_id: place.merchant_id,
        account_id: accountId(available),
        debits: '10000000000000000000000',
        credits: '10000000000000000000123',
        counted_to: new Date(Date.now() + 60_000),
      })}`
    expect((await accountTotal(sql, available)).balance).toBe(123n)
    await sql`update ledger_checkpoints set counted_to = now() - interval '1 hour'`
    expect((await accountTotal(sql, available)).balance).toBe(2_000_123n)
    await fund(sql, place, 100n)
    expect((await accountTotal(sql, available)).balance).toBe(2_000_223n)
  })

  it('refuses to mix the accounts of two merchants', async () => {
    const accounts = [account(place, 'available'), account(senegal(newId()), 'available')]
    await expect(accountTotals(database.owner, accounts)).rejects.toThrow(/one merchant/)
  })
})

// Were these wrong, what was given back would be counted as if it had been taken twice.
describe('a total of which both sides were booked', () => {
  it('is what grew an account less what made it smaller, on either normal side', async () => {
    const sql = database.owner
    const place = senegal(newId())
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
})
