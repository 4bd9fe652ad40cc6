// A manual adjustment for the tests of the ledger, booked by two people: 2 500 that we bear.

import type { Place } from '../../src/ledger/account.ts'
import { lossCredited } from '../../src/ledger/postings.ts'
import { newId, newReference } from '../../src/platform/ids.ts'
import type { OwnerSql } from '../setup/database.ts'
import { book } from './books.ts'

const amount = 250_000n

export async function soundAdjustment(sql: OwnerSql, place: Place): Promise<string> {
  const id = newId()
  await sql`
    insert into adjustments ${sql({
      ...place,
      id,
      reference: newReference('ADJ'),
      kind: 'CREDIT_MERCHANT',
      amount,
      reason: 'test',
      status: 'BOOKED',
      asked_by: newId(),
      decided_by: newId(),
      decided_at: new Date(),
      request_id: 'test',
    })}`
  await book(sql, place, {
    cause_kind: 'ADJUSTMENT',
    cause_id: id,
    lines: lossCredited(place, amount),
  })
  return id
}
