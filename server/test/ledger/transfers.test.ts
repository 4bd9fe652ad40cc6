// The law of transfers finds what breaks it: a hold, an entry or a transaction that says something
// else than the transfer does. Planted by the owner of the tables and rolled back.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { Tx } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { senegal } from './books.ts'
import { soundTransfers } from './transfer-books.ts'

const law = 'each transfer is booked, and nothing else'
const place = senegal(newId())
const { merchant_id } = place
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await soundTransfers(database.owner, place)
  await soundTransfers(database.owner, senegal(newId(), 'LIVE'))
})
afterAll(() => database.drop())

class Undo extends Error {}

async function found(plant: (sql: Tx) => Promise<unknown>): Promise<string[]> {
  let examples: string[] = []
  const undone = database.owner.begin(async (tx) => {
    await plant(tx)
    const checks = await verifyLedger(tx)
    examples = checks.find(({ check }) => check === law)?.examples ?? []
    throw new Undo()
  })
  await expect(undone).rejects.toThrow(Undo)
  return examples
}

describe('the books of transfers', () => {
  it('are right in each status', async () => {
    const checks = await verifyLedger(database.owner)
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    // Of two merchants: four transfers, and two transactions.
    expect(checks.find(({ check }) => check === law)?.counted).toBe(12)
  })

  it.each([
    ['that none of its entries tells', 'SUCCESS', 'is SUCCESS and its hold is open'],
    ['though it was spent', 'PENDING', 'is PENDING and its hold is SPEND'],
    ['though it was spent', 'REJECTED', 'is REJECTED and its hold is SPEND'],
  ])('are wrong of a status %s (%s)', async (_what, status, finding) => {
    const was = status === 'SUCCESS' ? 'PENDING' : 'SUCCESS'
    const examples = await found(
      (sql) => sql`
        update wallet_transfers
           set status = ${status}, approved_at = now(), completed_at = now(),
               rejection_reason = ${status === 'REJECTED' ? 'x' : ''}
         where merchant_id = ${merchant_id} and status = ${was}`,
    )
    expect(examples[0]).toMatch(new RegExp(`${finding}$`))
  })

  it('are wrong of a transfer that holds another sum, or none', async () => {
    const more = await found(
      (sql) => sql`
        update holds set amount = amount + 1
         where merchant_id = ${merchant_id} and cause_kind = 'TRANSFER'`,
    )
    expect(more).toHaveLength(4)
    expect(more[0]).toMatch(/does not hold its amount$/)
    const none = await found((sql) => sql`update holds set cause_id = id, cause_kind = 'PAYOUT'`)
    expect(none[0]).toMatch(/does not hold its amount$/)
  })

  it('are wrong of a hundredth more, in any line', async () => {
    for (const line of [1, 2, 3]) {
      const examples = await found(
        (sql) => sql`
          update ledger_entries set amount = amount + 1
           where cause_kind = 'TRANSFER' and line = ${line} and merchant_id = ${merchant_id}`,
      )
      expect(examples[0]).toMatch(/is booked with other figures than it has$/)
    }
  })

  it('are wrong of a line that is missing, and of no lines at all', async () => {
    for (const lines of [[2], [1, 2, 3]]) {
      const examples = await found(
        (sql) => sql`
          delete from ledger_entries
           where cause_kind = 'TRANSFER' and line = any(${lines}) and merchant_id = ${merchant_id}`,
      )
      expect(examples[0]).toMatch(/is booked with other figures than it has$/)
    }
  })

  it('are wrong of figures that changed after the booking', async () => {
    for (const column of ['to_amount', 'fee_amount']) {
      const examples = await found(
        (sql) => sql`
          update wallet_transfers set ${sql(column)} = ${sql(column)} + 1
           where status = 'SUCCESS' and merchant_id = ${merchant_id}`,
      )
      expect(examples).toHaveLength(2)
    }
  })

  it('are wrong of entries for a transfer that is not there, or has not arrived', async () => {
    const stray = await found(
      (sql) => sql`
        update ledger_entries set cause_id = ${newId()}
         where cause_kind = 'TRANSFER' and merchant_id = ${merchant_id}
           and cause_id = (select min(id::text)::uuid from wallet_transfers
                            where status = 'SUCCESS' and merchant_id = ${merchant_id})`,
    )
    expect(stray.join('\n')).toMatch(/^entries name the transfer .*, not there$/m)
    const early = await found(
      (sql) => sql`
        update ledger_entries e set cause_kind = 'TRANSFER'
          from wallet_transfers w
         where e.cause_id = w.id and w.status = 'REJECTED' and e.cause_kind = 'HOLD_END'
           and w.merchant_id = ${merchant_id}`,
    )
    expect(early).toEqual([expect.stringMatching(/is REJECTED and has entries$/)])
  })

  it('are wrong of a transaction that is missing, is odd, or is of no transfer', async () => {
    const missing = await found(
      (sql) => sql`
        delete from transactions
         where transaction_type = 'TRANSFERT' and merchant_id = ${merchant_id}`,
    )
    expect(missing[0]).toMatch(/has not the transaction that it should have$/)
    const odd = await found(
      (sql) => sql`
        update transactions set country_code = 'CI'
         where transaction_type = 'TRANSFERT' and merchant_id = ${merchant_id}`,
    )
    expect(odd[0]).toMatch(/has not the transaction that it should have$/)
    const moved = await found(
      (sql) => sql`
        update transactions set id = ${newId()}
         where transaction_type = 'TRANSFERT' and merchant_id = ${merchant_id}
           and client_fee = 0`,
    )
    expect(moved.join('\n')).toMatch(/^transaction .* is of no transfer$/m)
    const early = await found(
      (sql) => sql`
        update transactions t set id = w.id
          from wallet_transfers w
         where t.transaction_type = 'TRANSFERT' and t.client_fee = 0 and w.status = 'PENDING'
           and t.merchant_id = ${merchant_id} and w.merchant_id = ${merchant_id}`,
    )
    expect(early.join('\n')).toMatch(/is PENDING and has a transaction$/m)
  })
})
