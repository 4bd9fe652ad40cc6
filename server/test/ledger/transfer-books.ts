// Books of transfers between two countries, one in each status, written with the ledger's own
// postings: what the laws about them must find right.

import type { Place } from '../../src/ledger/account.ts'
import * as postings from '../../src/ledger/postings.ts'
import { newId, newReference } from '../../src/platform/ids.ts'
import type { OwnerSql } from '../setup/database.ts'
import { book, fund } from './books.ts'

/** 10 000 XOF with a fee of 100, at 0.0195 cedi for a franc. */
const figures = { from_amount: 1_000_000n, fee_amount: 10_000n, to_amount: 19_305n }

type Status = 'PENDING' | 'SUCCESS' | 'REJECTED'

export async function transfer(sql: OwnerSql, from: Place, status: Status, free = false) {
  const { merchant_id, environment, country, currency } = from
  const fee_amount = free ? 0n : figures.fee_amount
  const { from_amount, to_amount } = figures
  const to = { ...from, country: 'GH', currency: 'GHS' }
  const id = newId()
  const done = status === 'SUCCESS' ? new Date() : null
  await sql`
    insert into wallet_transfers ${sql({
      merchant_id,
      id,
      environment,
      reference: newReference('TRF'),
      from_country: country,
      to_country: to.country,
      from_amount,
      to_amount,
      from_currency: currency,
      to_currency: to.currency,
      exchange_rate: 1_950_000n,
      fee_amount,
      fee_percent_ppm: free ? 0n : 10_000n,
      status,
      approved_at: done,
      completed_at: done,
      rejection_reason: status === 'REJECTED' ? 'a test' : '',
      lapses_at: new Date(),
      request_id: 'test',
    })}`
  const hold = { merchant_id, id, environment, country, currency, amount: from_amount }
  await sql`insert into holds ${sql({ ...hold, cause_kind: 'TRANSFER', cause_id: id })}`
  const held = postings.hold(from, from_amount)
  await book(sql, from, { cause_kind: 'HOLD', cause_id: id, lines: held })
  if (status === 'PENDING') return id
  const how = status === 'SUCCESS' ? 'SPEND' : 'RELEASE'
  await sql`insert into hold_ends ${sql({ merchant_id, hold_id: id, how, environment })}`
  if (status === 'REJECTED') {
    const lines = postings.release(from, from_amount)
    await book(sql, from, { cause_kind: 'HOLD_END', cause_id: id, lines })
    return id
  }
  const lines = postings.transferApproved(from, to, { from_amount, fee_amount, to_amount })
  await book(sql, from, { cause_kind: 'TRANSFER', cause_id: id, lines })
  await sql`
    insert into transactions ${sql({
      merchant_id,
      id,
      environment,
      reference: newReference('TXN'),
      transaction_type: 'TRANSFERT',
      status: 'SUCCESS',
      country_id: newId(),
      country_code: country,
      requested_amount: from_amount,
      fee_charge_mode: 'DEDUCTED',
      client_fee: fee_amount,
      gateway_fee: 0n,
      platform_fee: fee_amount,
      debited_amount: from_amount,
      net_amount: from_amount - fee_amount,
      currency,
      request_id: 'test',
    })}`
  return id
}

/** One in each status, and one that cost nothing. */
export async function soundTransfers(sql: OwnerSql, from: Place): Promise<void> {
  await fund(sql, from, 10_000_000n)
  for (const status of ['PENDING', 'SUCCESS', 'REJECTED'] as const) {
    await transfer(sql, from, status)
  }
  await transfer(sql, from, 'SUCCESS', true)
}
