// A settlement for the tests of the ledger, paid by the bank, with every row that its law speaks
// of, written with the ledger's own postings.

import type { Place } from '../../src/ledger/account.ts'
import * as postings from '../../src/ledger/postings.ts'
import { newId, newReference } from '../../src/platform/ids.ts'
import type { OwnerSql } from '../setup/database.ts'
import { plantMethod } from '../setup/settling.ts'
import { book, fund } from './books.ts'

/** 10 000 with a fee of 200, of which the bank takes 50 (money 3). */
const figures: postings.Figures = {
  requested_amount: 1_000_000n,
  client_fee: 20_000n,
  gateway_fee: 5_000n,
  platform_fee: 15_000n,
  gateway_cost_excess: 0n,
  debited_amount: 1_000_000n,
  net_amount: 980_000n,
}

export async function soundSettlement(sql: OwnerSql, place: Place): Promise<string> {
  const { merchant_id, environment, country, currency } = place
  const id = newId()
  await sql`
    insert into merchants ${sql({ id: merchant_id, name: 'Settled' })} on conflict do nothing`
  await fund(sql, place, 5_000_000n)
  const payout_method = await plantMethod({ owner: sql }, merchant_id, { country })
  const { gateway_cost_excess: _excess, debited_amount: amount, ...shown } = figures
  await sql`
    insert into settlements ${sql({
      ...shown,
      debited_amount: amount,
      merchant_id,
      id,
      environment,
      reference: newReference('STL'),
      payout_method,
      country,
      currency,
      fee_charge_mode: 'DEDUCTED',
      status: 'SUCCESS',
      version: 4,
      request_id: 'test',
      approved_at: new Date(),
      executed_at: new Date(),
      completed_at: new Date(),
    })}`
  const hold = { merchant_id, id, environment, country, currency, amount }
  await sql`insert into holds ${sql({ ...hold, cause_kind: 'SETTLEMENT', cause_id: id })}`
  await book(sql, place, { cause_kind: 'HOLD', cause_id: id, lines: postings.hold(place, amount) })
  await sql`
    insert into hold_ends ${sql({ merchant_id, hold_id: id, how: 'SPEND', environment })}`
  const lines = postings.bankSettlementSuccess(place, figures)
  await book(sql, place, { cause_kind: 'SETTLEMENT', cause_id: id, lines })
  return id
}
